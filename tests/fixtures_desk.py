"""A desk with a sound server: sinks of one's choice, players, and the command that listens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_sound import SoundServer

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "desktop_app"]
LIMIT_S = 120.0


def words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())


def wait_until(happened: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + LIMIT_S
    while not (found := happened()):
        if time.monotonic() > deadline:
            pytest.fail(f"{what} never came")
        time.sleep(0.05)
    return found


class Desk:
    """The sound server with sinks of one's choice, and the command that listens to it."""

    def __init__(self, server: SoundServer) -> None:
        self.server = server
        self.env = {key: value for key, value in server.env.items() if key != "PULSE_SOURCE"}
        self.env["CAPTIONGLASS_MODELS"] = os.environ["CAPTIONGLASS_MODELS"]
        self._modules: list[str] = []
        self._running: list[subprocess.Popen[str]] = []

    def load(self, module: str, *arguments: str) -> str:
        """Load a module; gives its number."""
        number = self.server._run("pactl", "load-module", module, *arguments).stdout.strip()
        self._modules.append(number)
        return number

    def sink(self, name: str, rate: int = 48_000, channels: int = 2) -> str:
        return self.load(
            "module-null-sink",
            f"sink_name={name}",
            f"rate={rate}",
            f"channels={channels}",
            f"sink_properties=device.description={name.title()}",
        )

    def microphone(self, name: str) -> str:
        """A microphone that hears what is played into the sink ``room``."""
        self.sink("room")
        return self.load(
            "module-remap-source",
            "master=room.monitor",
            f"source_name={name}",
            f"source_properties=device.description={name.title()}",
        )

    def unload(self, number: str) -> None:
        self._modules.remove(number)
        self.server._run("pactl", "unload-module", number)

    def play(
        self, path: Path, sink: str = SoundServer.SINK, client: str = "player"
    ) -> subprocess.Popen[str]:
        # With the default a null sink works in steps of up to two seconds; with little more than
        # none, a busy machine leaves holes in what is played.
        return self.start(
            "paplay", f"--device={sink}", "--latency-msec=300", f"--client-name={client}", str(path)
        )

    def start(self, *command: str) -> subprocess.Popen[str]:
        self._running.append(
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return self._running[-1]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    def captions(self, *arguments: str, lanes: int = 1) -> subprocess.Popen[str]:
        """The command, listening; returns once the server has that many recordings."""
        running = self.start(*COMMAND, "caption", *arguments)

        def recording() -> bool:
            if running.poll() is not None:
                assert running.stderr is not None
                pytest.fail(f"it ended: {running.stderr.read()}")
            listed = self.server._run("pactl", "list", "short", "source-outputs").stdout
            # The remapped microphone records its master itself.
            return (
                sum(
                    "RUNNING" in line or "float32" in line
                    for line in listed.splitlines()
                    if "module-remap" not in line and "protocol-native" in line
                )
                >= lanes
            )

        wait_until(recording, "recording")
        return running

    def end(self, running: subprocess.Popen[str]) -> tuple[list[str], list[str]]:
        """Ctrl-C; the lines on stdout and stderr."""
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=LIMIT_S)
        assert running.returncode == 130, errors
        return out.splitlines(), errors.splitlines()

    def tidy(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()
        for number in reversed(self._modules):
            self.server._run("pactl", "unload-module", number, check=False)


@pytest.fixture
def desk(sound_server: SoundServer) -> Iterator[Desk]:
    desk = Desk(sound_server)
    yield desk
    desk.tidy()
