"""A sound server of a script's own, and a player whose sound is played when it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE = 48_000
_BLOCK = RATE // 100
_LATENCY_MS = 60
_START_S = 15.0


class Server:
    """A PulseAudio daemon in ``folder``, for this process and those it starts.

    Made before anything loads PortAudio, which reads the environment when it starts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._daemon: subprocess.Popen[bytes] | None = None
        for key in ("PULSE_SERVER", "PULSE_SINK", "PULSE_SOURCE", "DBUS_SESSION_BUS_ADDRESS"):
            os.environ.pop(key, None)
        os.environ["XDG_RUNTIME_DIR"] = str(folder)
        os.environ["XDG_CONFIG_HOME"] = str(folder / "config")

    def start(self, *sinks: str) -> None:
        """Bring it up with these sinks; the first is the default."""
        command = ["pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "-n"]
        command += ["--load=module-native-protocol-unix"]
        command += [f"--load=module-null-sink sink_name={each} rate={RATE}" for each in sinks]
        with (self._folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + _START_S
        while subprocess.run(["pactl", "info"], capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                raise SystemExit(f"PulseAudio did not start: see {self._folder / 'log'}")
            time.sleep(0.01)
        self.pactl("set-default-sink", sinks[0])

    def pactl(self, *command: str) -> str:
        """Ask it something."""
        done = subprocess.run(["pactl", *command], capture_output=True, text=True, check=True)
        return done.stdout

    def unplug(self, sink: str) -> None:
        """Take a sink away."""
        for line in self.pactl("list", "short", "modules").splitlines():
            if f"sink_name={sink} " in line:
                self.pactl("unload-module", line.split("\t")[0])

    def plug(self, sink: str) -> None:
        """Put a sink there."""
        self.pactl("load-module", "module-null-sink", f"sink_name={sink}", f"rate={RATE}")

    def kill(self) -> None:
        """End it at once, as when it crashes."""
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()
            self._daemon = None
        shutil.rmtree(self._folder / "pulse", ignore_errors=True)


class Player:
    """Plays silence into a sink without a break, and into it what it is given.

    The sound is handed over at the pace at which it is played.
    """

    def __init__(self, sink: str) -> None:
        self._process = subprocess.Popen(
            [
                "pacat",
                "--playback",
                f"--device={sink}",
                "--raw",
                "--format=s16le",
                "--channels=1",
                f"--rate={RATE}",
                f"--latency-msec={_LATENCY_MS}",
            ],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._waiting: deque[NDArray[np.float32]] = deque()
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._written = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"player {sink}", daemon=True)
        self._thread.start()

    def play(self, samples: NDArray[np.float32]) -> float:
        """Play after what waits: float32 mono at 48 kHz, shape (n,).

        Returns:
            When it is handed over, by ``time.monotonic()``.
        """
        with self._lock:
            before = sum(each.size for each in self._waiting)
            self._waiting.append(samples)
            return time.monotonic() + before / RATE

    def close(self) -> None:
        """Stop playing."""
        self._stop.set()
        self._process.kill()
        self._process.wait()
        self._thread.join()

    def _run(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            while not self._stop.wait(0.003):
                while self._written < (time.monotonic() - self._began) * RATE:
                    stream.write((self._next() * 32_767).astype("<i2").tobytes())
                    stream.flush()
        except (BrokenPipeError, ValueError):
            # The server was killed under it.
            return
        finally:
            self._stop.set()

    def _next(self) -> NDArray[np.float32]:
        block = np.zeros(_BLOCK, np.float32)
        with self._lock:
            filled = 0
            while self._waiting and filled < _BLOCK:
                head = self._waiting.popleft()
                size = min(head.size, _BLOCK - filled)
                block[filled : filled + size] = head[:size]
                filled += size
                if size < head.size:
                    self._waiting.appendleft(head[size:])
            self._written += _BLOCK
        return block


class Recorder:
    """The server's own recorder: how soon it hears anything, beside which ours is measured."""

    def __init__(self, sink: str) -> None:
        began = time.monotonic()
        self.took: float | None = None
        self._process = subprocess.Popen(
            ["parec", f"--device={sink}.monitor", "--raw", "--latency-msec=20"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

        def listen() -> None:
            stream = self._process.stdout
            assert stream is not None
            if stream.read(100):
                self.took = time.monotonic() - began

        self._thread = threading.Thread(target=listen, name="parec", daemon=True)
        self._thread.start()

    def close(self) -> float | None:
        """Stop it; seconds to its first sound."""
        self._process.kill()
        self._process.wait()
        self._thread.join()
        return self.took
