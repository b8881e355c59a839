"""A source that plays what a test gives it and lets the test act at exact places of the stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

import numpy as np

from engine.errors import SourceError
from engine.ring import SampleRing
from engine.sources._reader_thread import ReaderThread
from engine.types import SAMPLE_RATE, Samples

_BLOCK = 1_600


class PlayedSource:
    """Plays samples as fast as they are taken.

    Args:
        samples: float32 mono, shape (n,).
        rate: Hz.
        lane: the label of its captions.
        live: blocks are written without waiting for room, as a device would.
        doing: what to do at which second of the stream: each is called with the ring, once the
            engine has taken in all that lies before.
        stays: after the last sample it stays open until it is stopped.
        breaks_off: after the last sample it ends with this error.
        refuses: ``start`` raises this.

    Attributes:
        starts, stops: how often it was started and stopped.
        played: set once the last sample is written and taken.
    """

    def __init__(
        self,
        samples: Samples,
        *,
        rate: int = SAMPLE_RATE,
        lane: str = "mic",
        live: bool = False,
        doing: Mapping[float, Callable[[SampleRing], object]] | None = None,
        stays: bool = False,
        breaks_off: SourceError | None = None,
        refuses: SourceError | None = None,
    ) -> None:
        self.lane = lane
        self.description = "a played source"
        self.sample_rate = rate
        self.channels = 1
        self.live = live
        self.starts = 0
        self.stops = 0
        self.played = threading.Event()
        self._samples = samples
        self._doing = sorted((doing or {}).items())
        self._stays = stays
        self._breaks_off = breaks_off
        self._refuses = refuses
        self._thread = ReaderThread(f"played {lane}", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to play."""
        self.starts += 1
        if self._refuses is not None:
            raise self._refuses
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop playing."""
        self.stops += 1
        self._thread.stop()

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        place = 0
        for second, act in [*self._doing, (float("inf"), None)]:
            until = min(self._samples.size, round(min(second, 1e6) * self.sample_rate))
            while place < until:
                block = self._samples[place : min(until, place + _BLOCK), np.newaxis]
                place += len(block)
                if self.live:
                    ring.write(block, time.monotonic())
                elif not ring.write_waiting(block, time.monotonic(), stop):
                    return
            self._wait_until_taken(ring, stop)
            if act is not None:
                act(ring)
        self.played.set()
        if self._stays:
            stop.wait()
        if self._breaks_off is not None:
            raise self._breaks_off

    def _wait_until_taken(self, ring: SampleRing, stop: threading.Event) -> None:
        while ring.pending and not stop.is_set():
            time.sleep(0.001)
