"""What the computer plays, on Windows: WASAPI loopback through PyAudioWPatch.

The PortAudio that sounddevice brings has no loopback. WASAPI delivers nothing while nothing plays,
so silence is put in by the clock.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from engine.errors import DeviceError
from engine.ring import SampleRing
from engine.sources import _windows
from engine.sources._paced import pump
from engine.sources._reader_thread import ReaderThread
from engine.sources.inventory import SoundDevice, choose_default
from engine.types import Samples

_BLOCK_S = 0.02
_POLL_S = 0.005
_MOST_CHANNELS = 2
_CHOOSE = "choose another: captionglass devices lists them"


class WasapiLoopbackSource:
    """Captions what an output plays, at the output's own rate.

    Args:
        device: of an inventory; None for the output Windows plays to.
        lane: the label of its captions.
        pinned: it was named: the default is not followed.

    Attributes:
        sound_device: what it records.
        pinned: as given.

    Raises:
        DeviceError: there is no such output, or no way to record it.
    """

    live = True

    def __init__(
        self, device: SoundDevice | None = None, lane: str = "system", *, pinned: bool = False
    ) -> None:
        if _windows.pyaudio() is None:
            raise DeviceError("what Windows plays is recorded by PyAudioWPatch, which is missing")
        chosen = device or choose_default(_windows.loopbacks(), "output")
        if chosen is None:
            raise DeviceError("no sound output was found", "connect loudspeakers or headphones")
        self.lane = lane
        self.pinned = pinned
        self.sound_device = chosen
        self.description = chosen.name
        self.sample_rate = chosen.sample_rate
        # More than stereo is folded here: a reader of two channels takes the mean of them.
        self.channels = min(_MOST_CHANNELS, chosen.channels)
        self._thread = ReaderThread(f"loopback {self.description}", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to record on a thread of its own; returns at once."""
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop, release the device, close the ring. May be called twice."""
        self._thread.stop()

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        pump(lambda: _WasapiTap(self.sound_device), self.sample_rate, self.channels, ring, stop)


class _WasapiTap:
    """An opened loopback, asked again and again: no thread of the library's own is needed."""

    def __init__(self, device: SoundDevice) -> None:
        self._name = device.name
        # A loopback takes the output's own format alone: all channels, its own rate.
        self._channels = device.channels
        library = _windows.pyaudio()
        with _windows.library_lock:
            self._manager: Any = library.PyAudio()
            try:
                self._stream: Any = self._manager.open(
                    format=library.paFloat32,
                    channels=device.channels,
                    rate=device.sample_rate,
                    input=True,
                    input_device_index=self._index(device),
                    frames_per_buffer=round(device.sample_rate * _BLOCK_S),
                )
            except (OSError, ValueError) as error:
                self._manager.terminate()
                raise self._failed("cannot be opened", error) from error

    def read(self, wait_s: float) -> Samples:
        """What has come: float32 (n, 1 or 2)."""
        until = time.monotonic() + wait_s
        try:
            while (frames := self._stream.get_read_available()) <= 0:
                if time.monotonic() >= until:
                    return np.zeros((0, min(_MOST_CHANNELS, self._channels)), np.float32)
                time.sleep(_POLL_S)
            data = self._stream.read(frames, exception_on_overflow=False)
        except OSError as error:
            raise self._failed("stopped delivering sound", error) from error
        return _stereo(np.frombuffer(data, np.float32).reshape(-1, self._channels))

    def close(self) -> None:
        """Release it."""
        with _windows.library_lock:
            try:
                self._stream.close()
            finally:
                self._manager.terminate()

    def _index(self, device: SoundDevice) -> int:
        for row in self._manager.get_loopback_device_info_generator():
            if _windows.PREFIX + _windows.plain_name(row["name"]) == device.id:
                return int(row["index"])
        raise ValueError("it is not there any more")

    def _failed(self, what: str, error: Exception) -> DeviceError:
        said = error.args[-1] if error.args else type(error).__name__
        return DeviceError(f"{self._name} {what} ({said})", f"check that it is on, or {_CHOOSE}")


def _stereo(samples: Samples) -> Samples:
    """Up to two channels as they are; of 5.1 and 7.1 those in front, the speech in the middle one
    being in both; the bass and what is behind left out."""
    channels = samples.shape[1]
    if channels <= _MOST_CHANNELS:
        return samples
    if channels in (6, 8):
        centre = np.float32(0.707) * samples[:, 2:3]
        folded: Samples = samples[:, :2] + centre
        return folded
    mean: Samples = samples.mean(axis=1, keepdims=True, dtype=np.float32)
    return np.repeat(mean, _MOST_CHANNELS, axis=1)
