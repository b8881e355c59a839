"""A sound server of the tests' own, with one imaginary loudspeaker whose sound can be recorded.

PortAudio reads the environment when it starts, and the server's socket is found through
XDG_RUNTIME_DIR: a test that records runs its code in a subprocess with ``SoundServer.env``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_START_S = 15.0


class SoundServer:
    """A PulseAudio daemon with a null sink.

    Attributes:
        env: the environment in which PulseAudio's and PortAudio's clients find this server, and
            record what the sink plays (device ``pulse``).
    """

    SINK = "captionglass"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._daemon: subprocess.Popen[bytes] | None = None
        self.env = {
            key: value
            for key, value in os.environ.items()
            if key not in ("PULSE_SERVER", "PULSE_SINK", "DBUS_SESSION_BUS_ADDRESS")
        }
        self.env |= {
            "XDG_RUNTIME_DIR": str(folder),
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PULSE_SOURCE": f"{self.SINK}.monitor",
        }

    def start(self) -> None:
        """Start the daemon, with its sink. Nothing happens where it runs."""
        if self._daemon is not None:
            return
        with (self._folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(
                [
                    "pulseaudio",
                    "--daemonize=no",
                    "--exit-idle-time=-1",
                    "-n",
                    "--load=module-native-protocol-unix",
                    "--load=module-always-sink",
                ],
                env=self.env,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _START_S
        while self._run("pactl", "info", check=False).returncode != 0:
            if time.monotonic() > deadline:
                pytest.fail(f"PulseAudio did not start: see {self._folder / 'log'}")
            time.sleep(0.05)
        self.load_sink()

    def load_sink(self) -> None:
        """Put the sink there, where it is not."""
        if self.SINK not in self._run("pactl", "list", "short", "sinks").stdout:
            self._run(
                "pactl", "load-module", "module-null-sink", f"sink_name={self.SINK}", "rate=48000"
            )

    def unload_sink(self) -> None:
        """Take the sink and its monitor away, as when a headset is unplugged."""
        self._run("pactl", "unload-module", "module-null-sink")

    def kill(self) -> None:
        """End the daemon at once, as when it crashes. ``start`` brings another up."""
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()
            self._daemon = None
        shutil.rmtree(self._folder / "pulse", ignore_errors=True)

    def play(self, wav: Path) -> subprocess.Popen[bytes]:
        """Play a file into the sink; returns at once.

        Small buffers: with the default latency a null sink works in steps of up to two seconds.
        """
        return subprocess.Popen(
            ["paplay", f"--device={self.SINK}", "--latency-msec=20", str(wav)], env=self.env
        )

    def _run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=self.env, check=check, timeout=20, capture_output=True, text=True
        )


@pytest.fixture(scope="session")
def _sound_server() -> Iterator[SoundServer]:
    for program in ("pulseaudio", "pactl", "paplay"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install pulseaudio pulseaudio-utils")
    # A socket's path may not be longer than about 100 characters; pytest's own folders may be.
    with tempfile.TemporaryDirectory(prefix="cg-sound-") as folder:
        Path(folder).chmod(0o700)
        server = SoundServer(Path(folder))
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture
def sound_server(_sound_server: SoundServer) -> SoundServer:
    """A running server with its sink, even where the test before killed either."""
    _sound_server.start()
    _sound_server.load_sink()
    return _sound_server
