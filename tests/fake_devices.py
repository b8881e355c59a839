"""Devices of one's choice, an inventory that lists them, and a machine whose clock a test moves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from engine.errors import DeviceError
from engine.inlet import Inlet
from engine.ring import SampleRing
from engine.sources.inventory import Kind, SoundDevice, choose_default
from engine.types import AudioChunk, Notice


def sound_device(
    name: str,
    kind: Kind = "input",
    *,
    default: bool = False,
    bluetooth: bool = False,
    rate: int = 16_000,
    system: str = "pulse",
) -> SoundDevice:
    """A device called ``name``, whose id is made of it."""
    return SoundDevice(f"{system}:{name}", name, kind, default, bluetooth, 1, rate)


class FakeInventory:
    """Lists ``there``; a test changes it and calls ``plug``."""

    def __init__(self, *there: SoundDevice) -> None:
        self.there = list(there)
        self._changed: list[Callable[[], None]] = []

    def devices(self) -> list[SoundDevice]:
        return list(self.there)

    def default(self, kind: Kind) -> SoundDevice | None:
        return choose_default(self.there, kind)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(changed)
        return lambda: self._changed.remove(changed) if changed in self._changed else None

    def plug(self, *there: SoundDevice) -> None:
        """These are the devices now."""
        self.there = list(there)
        for changed in list(self._changed):
            changed()


class FakeSource:
    """A device's source that delivers when it is told to.

    Args:
        device: what it records.
        mute: it gives nothing by itself when it is started.
    """

    live = True
    channels = 1

    def __init__(self, device: SoundDevice, lane: str, *, mute: bool = False) -> None:
        self.lane = lane
        self.description = device.name
        self.sample_rate = device.sample_rate
        self.sound_device = device
        self.pinned = False
        self.ring: SampleRing | None = None
        self.stops = 0
        self._mute = mute

    def start(self, ring: SampleRing) -> None:
        self.ring = ring
        if not self._mute:
            self.deliver(0.02)

    def deliver(self, seconds: float, value: float = 0.1) -> None:
        """So much sound."""
        assert self.ring is not None
        if not self.ring.closed:
            block = np.full((round(seconds * self.sample_rate), 1), value, np.float32)
            self.ring.write(block, time.monotonic())

    def stop(self) -> None:
        self.stops += 1
        if self.ring is not None:
            self.ring.close()


@dataclass
class FakeEngine:
    """Remembers what the supervisor asked for.

    Attributes:
        inlets: handed over, with the index of their lane.
        sleeps: seconds.
        notices: published.
    """

    inlets: list[tuple[int, Inlet]] = field(default_factory=list)
    sleeps: list[float] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def succeed(self, index: int, inlet: Inlet) -> None:
        self.inlets.append((index, inlet))

    def slept(self, seconds: float) -> None:
        self.sleeps.append(seconds)

    def tell(self, notice: Notice) -> None:
        self.notices.append(notice)

    @property
    def codes(self) -> list[str]:
        """Of the notices, without the word they begin with."""
        return [notice.code.removeprefix("source.") for notice in self.notices]


@dataclass
class Opener:
    """Opens fake sources.

    Attributes:
        opened: every source, in order.
        refuses: raised instead, for devices of this name.
        mute: names of devices that deliver nothing by themselves.
    """

    opened: list[FakeSource] = field(default_factory=list)
    refuses: dict[str, DeviceError] = field(default_factory=dict)
    mute: set[str] = field(default_factory=set)

    def __call__(self, device: SoundDevice, lane: str) -> FakeSource:
        if device.name in self.refuses:
            raise self.refuses[device.name]
        self.opened.append(FakeSource(device, lane, mute=device.name in self.mute))
        return self.opened[-1]


def look_at(inlet: Inlet, seconds: float, value: float, at: float, stream_s: float) -> None:
    """As the inference thread does with what it reads: so much of ``value``, up to ``at``."""
    rate = inlet.source.sample_rate
    samples = np.full(round(seconds * rate), value, np.float32)
    inlet.look_at(AudioChunk(samples, rate, 0, at), stream_s)
