"""How long this machine has slept: its monotonic clock does not tell."""

from __future__ import annotations

import sys
import time


def slept_s() -> float:
    """Seconds asleep since some moment in the past: only differences mean something.

    0 where the system does not tell, or where its monotonic clock goes on in its sleep.
    """
    platform = sys.platform
    if platform == "linux":
        return _reading("CLOCK_BOOTTIME") - _reading("CLOCK_MONOTONIC")
    if platform == "darwin":
        # There time.monotonic() stops in sleep, and this one goes on.
        return _reading("CLOCK_MONOTONIC") - time.monotonic()
    return 0.0


def _reading(clock: str) -> float:
    # By name: a type checker knows those of one platform alone.
    return float(time.clock_gettime(getattr(time, clock)))
