"""Stands for the module ``sounddevice``: devices of one's choice, streams that a test drives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine.types import Samples


class PortAudioError(Exception):
    """As raised by the real one."""


def device(name: str, channels: int = 2, rate: float = 48_000.0, host_api: int = 0) -> Any:
    """One row of ``query_devices``."""
    return {
        "name": name,
        "hostapi": host_api,
        "max_input_channels": channels,
        "default_samplerate": rate,
    }


class FakeSoundDevice:
    """What ``engine.sources.device`` uses of the module.

    Attributes:
        streams: every stream opened, in order.
        restarts: how often PortAudio was asked to look for devices again.
        refused: settings (rate, channels) that no device takes.
        open_error: raised when a stream is opened, if set.
    """

    PortAudioError = PortAudioError

    def __init__(
        self, devices: list[Any], default: int = 0, host_apis: tuple[str, ...] = ("ALSA",)
    ):
        self.devices = devices
        self.default = SimpleNamespace(device=(default, -1))
        self.host_apis = [{"name": name, "default_input_device": default} for name in host_apis]
        self.streams: list[FakeInputStream] = []
        self.restarts = 0
        self.refused: set[tuple[int, int]] = set()
        self.open_error: Exception | None = None

    def query_devices(self) -> list[Any]:
        return self.devices

    def query_hostapis(self, index: int | None = None) -> Any:
        return self.host_apis if index is None else self.host_apis[index]

    def check_input_settings(self, device: int, channels: int, dtype: str, samplerate: int) -> None:
        assert dtype == "float32"
        if channels > self.devices[device]["max_input_channels"]:
            raise PortAudioError("Invalid number of channels [PaErrorCode -9998]")
        if (samplerate, channels) in self.refused:
            raise PortAudioError("Invalid sample rate [PaErrorCode -9997]")

    def InputStream(self, **options: Any) -> FakeInputStream:  # noqa: N802
        if self.open_error is not None:
            raise self.open_error
        self.streams.append(FakeInputStream(**options))
        return self.streams[-1]

    def _initialize(self) -> None:
        self.restarts += 1

    def _terminate(self) -> None:
        assert not any(stream.open for stream in self.streams), "streams die with PortAudio"


class FakeInputStream:
    """A stream whose blocks the test hands over, on whatever thread it likes."""

    def __init__(
        self,
        *,
        device: int,
        samplerate: int,
        channels: int,
        dtype: str,
        blocksize: int,
        latency: str,
        callback: Callable[[Samples, int, Any, Any], None],
    ) -> None:
        assert (dtype, latency) == ("float32", "low")
        self.device = device
        self.samplerate = samplerate
        self.channels = channels
        self.blocksize = blocksize
        self.active = False
        self.open = True
        self._callback = callback

    def start(self) -> None:
        self.active = True

    def close(self) -> None:
        self.active = False
        self.open = False

    def deliver(self, block: Samples, *, overflow: bool = False, age: float = 0.0) -> None:
        """Call back with a block, whose first sample was heard ``age`` seconds ago."""
        times = SimpleNamespace(currentTime=50.0, inputBufferAdcTime=50.0 - age if age else 0.0)
        # The real module hands over memory that it uses again for the next block.
        shared = np.array(block, np.float32)
        self._callback(shared, len(block), times, SimpleNamespace(input_overflow=overflow))
        shared[:] = np.nan

    def run(self, blocks: int, pause: threading.Event) -> None:
        """Deliver ``blocks`` blocks that count their samples, at the pace of a device."""
        for number in range(blocks):
            begin = number * self.blocksize
            row = np.arange(begin, begin + self.blocksize, dtype=np.float32)
            self.deliver(np.repeat(row[:, None], self.channels, axis=1))
            pause.wait(self.blocksize / self.samplerate)
