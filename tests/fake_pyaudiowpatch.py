"""Stands for the module ``pyaudiowpatch``: outputs of one's choice, loopbacks that a test feeds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from fake_tap import FakeTap

from engine.types import Samples


def speakers(
    name: str = "Speakers (Realtek(R) Audio)", channels: int = 2, rate: int = 48_000
) -> Any:
    """A loopback, as the library lists it."""
    return {
        "name": f"{name} [Loopback]",
        "maxInputChannels": channels,
        "defaultSampleRate": float(rate),
        "isLoopbackDevice": True,
    }


class FakePyAudioWPatch:
    """What ``engine.sources.loopback_wasapi`` uses of the module.

    Attributes:
        rows: its loopbacks.
        default: the name of what Windows plays to.
        streams: every stream opened.
        running: managers that were not terminated.
        open_error: raised when a stream is opened, if set.
    """

    def __init__(self, rows: list[Any], default: str = "Speakers (Realtek(R) Audio)") -> None:
        self.paFloat32 = 1
        self.paWASAPI = 13
        self.rows = [row | {"index": 20 + number} for number, row in enumerate(rows)]
        self.default = default
        self.streams: list[FakeLoopback] = []
        self.running = 0
        self.open_error: Exception | None = None
        self._inside = threading.Lock()

    def PyAudio(self) -> FakeManager:  # noqa: N802
        assert self._inside.acquire(blocking=False), "two threads in the library at once"
        self._inside.release()
        self.running += 1
        return FakeManager(self)


class FakeManager:
    """One ``PyAudio()``."""

    def __init__(self, library: FakePyAudioWPatch) -> None:
        self._library = library

    def get_loopback_device_info_generator(self) -> Iterator[Any]:
        yield from self._library.rows

    def get_host_api_info_by_type(self, host_api: int) -> Any:
        if not self._library.rows:
            raise OSError("WASAPI not available")
        assert host_api == self._library.paWASAPI
        return {"name": "Windows WASAPI", "defaultOutputDevice": 3 if self._library.default else -1}

    def get_device_info_by_index(self, index: int) -> Any:
        assert index == 3
        return {"name": self._library.default}

    def open(self, **options: Any) -> FakeLoopback:
        if self._library.open_error is not None:
            raise self._library.open_error
        (row,) = (
            row for row in self._library.rows if row["index"] == options["input_device_index"]
        )
        # A loopback takes the output's own format alone.
        if options["channels"] != row["maxInputChannels"]:
            raise OSError(-9998, "Invalid number of channels")
        if options["rate"] != row["defaultSampleRate"]:
            raise OSError(-9997, "Invalid sample rate")
        assert options["format"] == self._library.paFloat32
        assert options["input"] is True
        self._library.streams.append(FakeLoopback(options["channels"]))
        return self._library.streams[-1]

    def terminate(self) -> None:
        self._library.running -= 1


class FakeLoopback:
    """A stream that gives what is played, and nothing while nothing is.

    Attributes:
        error: raised from now on.
    """

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.closed = False
        self.error: Exception | None = None
        self._played = np.zeros((0, channels), np.float32)

    def play(self, samples: Samples) -> None:
        self._played = np.concatenate([self._played, samples])

    def get_read_available(self) -> int:
        if self.error is not None:
            raise self.error
        if FakeTap.waiting and FakeTap.waiting[0].shape[1] == self.channels:
            self.play(FakeTap.waiting.pop(0))
        return len(self._played)

    def read(self, frames: int, exception_on_overflow: bool = True) -> bytes:
        assert not exception_on_overflow
        taken, self._played = self._played[:frames], self._played[frames:]
        return taken.astype(np.float32).tobytes()

    def close(self) -> None:
        self.closed = True
