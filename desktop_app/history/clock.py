"""Whether the time of day can be trusted with deleting.

A clock that leapt ahead, as after a flat battery, would make every session old at once. So the
folder of the history remembers when the program last looked at it; where that is suspiciously long
ago, a day has to pass by the same clock before anything is deleted.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

NAME = ".clock"
LONG_S = 30 * 86400.0
"""Seconds without a start or a session after which a leap is as likely as a holiday."""
DOUBT_S = 86400.0


def is_trusted(folder: Path, now: float, newest: float | None) -> bool:
    """Whether what is old by ``now`` may go.

    Args:
        folder: of the history; where it was looked at is remembered in it.
        now: time of day, seconds since 1970.
        newest: when something was last added to a session; None for never.
    """
    path = folder / NAME
    seen, doubted = _read(path)
    known = [each for each in (seen, newest) if each is not None and each <= now]
    if seen is not None and seen > now:
        doubted = None  # it had leapt, and is right again
    if known and now - max(known) > LONG_S:
        doubted = now
    if doubted is not None and now - doubted >= DOUBT_S:
        doubted = None
    with contextlib.suppress(OSError):
        path.write_text(json.dumps({"seen": now, "doubted": doubted}), encoding="utf-8")
    return doubted is None


def _read(path: Path) -> tuple[float | None, float | None]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        seen, doubted = kept["seen"], kept["doubted"]
        return float(seen), None if doubted is None else float(doubted)
    except (OSError, ValueError, LookupError, TypeError):
        return None, None
