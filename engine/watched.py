"""A lane whose device is watched: how it is opened anew, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.faults import Cause
from engine.inlet import Inlet
from engine.sources.base import Source
from engine.sources.inventory import Kind, SoundDevice
from engine.sources.platforms import open_device
from engine.symptoms import Symptoms
from engine.types import Notice

_FIRST_RETRY_S = 0.2
_LAST_RETRY_S = 2.0


@dataclass(frozen=True, slots=True)
class SourceOpener:
    """How the source of a lane is opened anew.

    Attributes:
        lane: the label of its captions.
        kind: a microphone, or what plays.
        device: what is open at first; None where that is not known.
        pinned: the user chose that device: it is taken back when it returns. Otherwise the
            system's default is followed.
        open: makes a source of a device.
    """

    lane: str
    kind: Kind
    device: SoundDevice | None = None
    pinned: bool = False
    open: Callable[[SoundDevice, str], Source] = open_device

    @classmethod
    def of(cls, source: Source) -> SourceOpener | None:
        """How a source is opened anew that records a device of an inventory; None for others."""
        device = getattr(source, "sound_device", None)
        if not isinstance(device, SoundDevice):
            return None
        return cls(source.lane, device.kind, device, bool(getattr(source, "pinned", False)))


class WatchedLane:
    """What is known of one lane. The supervisor's alone.

    Attributes:
        inlet: what is listened to, or was until it broke off.
        device: what that is of; None where it is not known.
        symptoms: what is seen of it.
        cause: why it is being opened anew; None while nothing is wrong.
        fresh: opened and not yet delivering: the inlet, its device, and since when (monotonic).
        try_at, delay: when to open it next (monotonic), and how long after that, seconds.
        refusals: attempts in a row that failed.
        patience: multiplies how long zeros are believed.
        silent_from: where on the stream clock zeros began that the user was told of.
        moved_at: when the sound server was last caught recording another device (monotonic).
        last_told: what was said last about this inlet.
    """

    def __init__(self, index: int, inlet: Inlet, opener: SourceOpener, now: float) -> None:
        self.index = index
        self.opener = opener
        self.device = opener.device
        self.patience = 1.0
        self.cause: Cause | None = None
        self.fresh: tuple[Inlet, SoundDevice, float] | None = None
        self.try_at = 0.0
        self.delay = _FIRST_RETRY_S
        self.refusals = 0
        self.last_told: Notice | None = None
        self.silent_from: float | None = None
        self.moved_at = float("-inf")
        self.take(inlet, now)

    @property
    def name(self) -> str:
        """Of the device, for people."""
        return self.device.name if self.device else self.inlet.source.description

    def take(self, inlet: Inlet, now: float) -> None:
        """Watch this one from now on; whatever was wrong is over."""
        self.inlet = inlet
        server = self.device is not None and self.device.id.startswith("pulse:")
        self.symptoms = Symptoms(
            inlet,
            now,
            server_pauses=server,
            may_be_silent=self.opener.kind == "output",
            patience=self.patience,
        )
        self.cause = None
        self.fresh = None
        self.delay = _FIRST_RETRY_S
        self.refusals = 0
        self.last_told = None

    def try_soon(self, now: float) -> None:
        """Something has changed: what did not open before may open now."""
        self.try_at, self.delay = now, _FIRST_RETRY_S

    def back_off(self, now: float) -> None:
        """It did not open: try again later, and then later still."""
        self.try_at = now + self.delay
        self.delay = min(_LAST_RETRY_S, 2.0 * self.delay)
