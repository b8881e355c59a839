"""Recordings that give nothing while nothing plays: silence is put in by the clock.

A stream clock counts samples. Where a loopback delivers none in a pause, the words after it would
come too early by the length of the pause, and the end of a line would never be noticed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from engine.ring import SampleRing
from engine.types import Samples

_WAIT_S = 0.02
_QUIET_S = 0.25
"""So long nothing may come before silence is put in: a busy machine delivers late, in one piece."""


class Tap(Protocol):
    """An opened recording. Used by one thread."""

    def read(self, wait_s: float) -> Samples:
        """What has come, float32 (n, channels); n is 0 where nothing does within ``wait_s``.

        Raises:
            SourceError: nothing will come any more.
        """

    def close(self) -> None:
        """Release it."""


def pump(
    open_tap: Callable[[], Tap],
    rate: int,
    channels: int,
    ring: SampleRing,
    stop: threading.Event,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Write what a tap gives, and silence by the clock while it gives nothing, until ``stop``.

    Args:
        open_tap: called on this thread.
        rate: Hz of the tap.
        channels: of the tap.
        ring: written to.
        stop: ends it.
        clock: seconds; for tests.

    Raises:
        SourceError: as from ``open_tap`` and ``Tap.read``.
    """
    tap = open_tap()
    try:
        began = last = clock()
        written = 0
        while not stop.is_set():
            block = tap.read(_WAIT_S)
            now = clock()
            if len(block):
                last = now
            elif now - last > _QUIET_S:
                # Reckoned from the beginning: silence put in too early is made up for later.
                due = round((now - began) * rate) - written
                block = np.zeros((max(0, due), channels), np.float32)
            if len(block):
                ring.write(block, now)
                written += len(block)
    finally:
        tap.close()
