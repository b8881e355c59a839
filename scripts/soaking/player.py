"""The microphone of a soak: it gives what the programme plays, breaks off, and comes back."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator

import numpy as np

from engine.errors import DeviceError, SourceError
from engine.ring import SampleRing
from engine.sources.inventory import SoundDevice
from engine.types import SAMPLE_RATE, Samples
from soaking.clock import Clock

_devices = importlib.import_module("fake_devices")  # of the tests
MICROPHONE: SoundDevice = _devices.sound_device("the microphone", default=True, system="portaudio")
_BLOCK = 320
_LOOK_EVERY = 5
"""Blocks between two looks of the supervisor: a tenth of a second."""


class Player:
    """Plays on, whether anybody listens or not.

    Args:
        sound: pieces of float32 mono at 16 kHz.
        clock: says what is due.
        each: called with the seconds played after each block.
        end: called with them at the end.

    Attributes:
        played: samples so far.
        unheard: of them, those that no device delivered.
        inventory: has the microphone while it is plugged in.
        failed: what went wrong in ``each``.
    """

    def __init__(
        self,
        sound: Iterator[Samples],
        clock: Clock,
        each: Callable[[float], None],
        end: Callable[[float], None],
    ) -> None:
        self.played = self.unheard = 0
        self.inventory = _devices.FakeInventory(MICROPHONE)
        self.failed: Exception | None = None
        self._sound = sound
        self._clock = clock
        self._each = each
        self._end = end
        self._waiting = np.zeros(0, np.float32)
        self._began: float | None = None
        self._device: _Microphone | None = None
        self._refuses = False
        self._deaf = 0  # samples that the driver will lose
        self._lock = threading.RLock()
        clock.advance = self.advance

    @property
    def there(self) -> bool:
        """The microphone delivers."""
        return self._device is not None and bool(self.inventory.there)

    def open(self, device: SoundDevice = MICROPHONE, lane: str = "mic") -> _Microphone:
        """The source; for a ``SourceOpener``."""
        return _Microphone(self, device, lane)

    def advance(self, now: float) -> None:
        """Play what is due."""
        began = self._began
        if began is None:
            return
        while not self._clock.finished.is_set():
            moment = began + (self.played + _BLOCK) / SAMPLE_RATE
            if moment > now:
                return
            try:
                with self._clock.showing(moment), self._lock:
                    self._play(moment)
            except Exception as error:  # noqa: BLE001 - raised to who waits for the end
                self.failed = error
                self._clock.finished.set()

    def _play(self, moment: float) -> None:
        while self._waiting.size < _BLOCK:
            piece = next(self._sound, None)
            if piece is None:
                self._end(self.played / SAMPLE_RATE)
                self._clock.finished.set()
                return
            self._waiting = np.concatenate((self._waiting, piece))
        block, self._waiting = self._waiting[:_BLOCK], self._waiting[_BLOCK:]
        self.played += _BLOCK
        device = self._device
        if device is None or device.dead:
            self.unheard += _BLOCK
        elif self._deaf:
            self._deaf -= _BLOCK
            self.unheard += _BLOCK
            device.ring.mark_lost(_BLOCK)
        else:
            device.ring.write(block[:, np.newaxis], moment)
        if self._clock.supervisor is not None and self.played // _BLOCK % _LOOK_EVERY == 0:
            self._clock.supervisor.look()
        self._each(self.played / SAMPLE_RATE)

    # -- what happens to a microphone ---------------------------------------------------------

    def break_off(self) -> None:
        """It ends with an error, and will not open until ``come_back``."""
        with self._lock:
            self._refuses = True
            if self._device is not None:
                self._device.ring.close(SourceError("the device stopped delivering"))
                self._device = None

    def fall_silent(self) -> None:
        """It delivers nothing any more, and says nothing; opened anew it is well."""
        with self._lock:
            if self._device is not None:
                self._device.dead = True

    def unplug(self) -> None:
        """It is no longer among the devices there are."""
        with self._lock:
            self.break_off()
            self.inventory.plug()

    def come_back(self) -> None:
        """It is there, and opens."""
        with self._lock:
            self._refuses = False
            if not self.inventory.there:
                self.inventory.plug(MICROPHONE)

    def overrun(self, seconds: float) -> None:
        """Its driver loses so much, and counts it."""
        with self._lock:
            self._deaf = round(seconds * SAMPLE_RATE / _BLOCK) * _BLOCK

    def opened(self, device: _Microphone) -> None:
        """A source begins to deliver.

        Raises:
            DeviceError: not now.
        """
        with self._lock:
            if self._refuses:
                raise DeviceError("the device cannot be opened")
            self._deaf = 0
            self._device = device
            if self._began is None:
                self._began = self._clock.now

    def closed(self, device: _Microphone) -> None:
        """A source was stopped."""
        with self._lock:
            if self._device is device:
                self._device = None


class _Microphone:
    live = True
    channels = 1
    sample_rate = SAMPLE_RATE
    pinned = True
    ring: SampleRing

    def __init__(self, player: Player, device: SoundDevice, lane: str) -> None:
        self.lane = lane
        self.description = device.name
        self.sound_device = device
        self.dead = False
        self._player = player

    def start(self, ring: SampleRing) -> None:
        self.ring = ring
        self._player.opened(self)

    def stop(self) -> None:
        self._player.closed(self)
