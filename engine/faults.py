"""What can be wrong with a source of sound, and how it is said."""

from __future__ import annotations

from typing import Literal

from engine.errors import SourceError
from engine.types import GAP, Notice

Cause = Literal[
    "stalled", "silent", "gone", "default", "returned", "slept", "rate", "busy", "moved", "refused"
]
"""Why a source is opened anew, or warned of:

- ``stalled``: no frames arrive, and nobody says why;
- ``silent``: nothing but exact zeros where there should be the noise of a room;
- ``gone``: the device is no longer there, or the whole sound server;
- ``default``: the system has another default, and that is what is followed;
- ``returned``: a device that the user chose is back;
- ``slept``: the computer slept;
- ``rate``: samples come at another rate than they did;
- ``busy``: another program holds the device;
- ``moved``: the sound server gives us another device than we asked for;
- ``refused``: the device will not be opened, for another reason.
"""


def told(cause: Cause, lane: str, name: str, other: str = "", why: str = "") -> Notice:
    """What is said of it: the cause, and what is done.

    Args:
        name: of the device that is in trouble.
        other: of the one listened to instead; empty where there is none, or none is needed.
        why: in the sound system's own words, where it has any.
    """
    instead = f"listening to {other} until it is back" if other else "waiting for it"
    texts: dict[Cause, tuple[str, str]] = {
        "stalled": (f"{name} delivers no sound any more: opening it again", ""),
        "silent": (
            f"{name} delivers nothing but digital silence",
            "see whether it is muted, and whether the system lets this program use it",
        ),
        "gone": (f"{name} is gone: {instead}", "plug it in again, or choose another"),
        "default": (f"Now listening to {other}, which the system has made its default", ""),
        "returned": (f"{name} is back and listened to again", ""),
        "slept": (f"The computer slept: opening {name} again", ""),
        "rate": (f"{name} changed its sample rate: opening it again", ""),
        "busy": (f"{name} is held by another program: trying again", "close that program"),
        "moved": (
            f"The sound system records {other or 'something else'} instead of {name}:"
            " opening it again",
            "",
        ),
        "refused": (f"{why or f'{name} cannot be opened'}: trying again", ""),
    }
    text, remedy = texts[cause]
    severity: Literal["info", "warning"] = (
        "info" if cause in ("default", "returned", "slept") else "warning"
    )
    return Notice(f"source.{cause}", severity, text, remedy, lane=lane)


def heard_again(lane: str, name: str, gap: tuple[float, float], what: str = "missing") -> Notice:
    """Sound is back, and from ``gap[0]`` to ``gap[1]`` on the stream clock there was none."""
    text = f"{name} is heard; {duration(*gap)} before that are {what}"
    return Notice(GAP, "info", text, lane=lane, span=gap)


def broken(lane: str, error: SourceError) -> Notice:
    """A source that nobody opens anew broke off, or would not start."""
    return Notice("source.failed", "error", error.message, error.remedy, lane=lane)


def skipped(lane: str, gap: tuple[float, float], seconds: float) -> Notice:
    """Sound was left out because the machine is too slow."""
    return Notice(
        "engine.gap",
        "warning",
        f"{seconds:.1f} s of sound were skipped to catch up",
        "choose a smaller model, or close what else is working",
        lane=lane,
        span=gap,
    )


def duration(start: float, stop: float) -> str:
    """How long from ``start`` to ``stop``, seconds, for people."""
    seconds = max(0.0, stop - start)
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
