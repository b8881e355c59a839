"""Real time without the waiting: sound is fed as fast as it goes, work is charged to a clock.

The clock is the machine on which nothing else runs: it jumps to the next block of sound where
nothing waits, and on by the processor time that each push really took, on all threads. What is
shown, and when, then depends on the speed of the machine but neither on its load nor on anybody's
patience.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import numpy as np

from engine.bench.metrics import Timed
from engine.lane import LanePipeline
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples

BLOCK = 320
"""Samples a device hands over at a time."""
_AT_MOST = 1600
_CAUGHT_UP = 1024
"""As the worker does: samples looked at together, and samples waiting below which there is time
for a partial caption."""


class VirtualClock:
    """Plays sound to a lane.

    Args:
        lane: fresh.
        charge: seconds of the clock that a processor second costs: 1 is this machine, 2 one half
            as fast; 0 is infinitely fast, which makes every figure reproducible.

    Attributes:
        now: seconds since the first sample was handed over.
        compute_s: processor seconds spent so far.
        heard_s: seconds of sound given to the lane.
    """

    def __init__(self, lane: LanePipeline, charge: float = 1.0) -> None:
        self.now = 0.0
        self.compute_s = 0.0
        self.heard_s = 0.0
        self._lane = lane
        self._price = charge

    def play(self, sound: Samples | Iterable[Samples]) -> Iterator[Timed]:
        """The updates, each stamped with the clock after the work that gave it.

        Args:
            sound: float32 mono at 16 kHz, shape (n,); or such pieces, one after another, for
                recordings that memory should not hold.
        """
        heard = 0  # samples given to the lane
        waiting = np.zeros(0, np.float32)
        pieces = iter([sound] if isinstance(sound, np.ndarray) else sound)
        ended = False
        while True:
            while waiting.size < 2 * SAMPLE_RATE and not ended:
                piece = next(pieces, None)
                ended = piece is None
                if piece is not None:
                    waiting = np.concatenate((waiting, piece))
            if not waiting.size:
                break
            self.now = max(self.now, (heard + min(BLOCK, waiting.size)) / SAMPLE_RATE)
            spoken = int(self.now * SAMPLE_RATE + 0.5) // BLOCK * BLOCK - heard
            available = max(spoken, min(BLOCK, waiting.size))
            if ended:
                available = min(available, waiting.size)
            count = min(available, _AT_MOST, waiting.size)
            caught_up = available - count < _CAUGHT_UP
            updates = self._push(waiting[:count], decode=caught_up)
            heard += count
            self.heard_s = heard / SAMPLE_RATE
            waiting = waiting[count:]
            for update in updates:
                yield Timed(update, self.now)
        for update in self._end():
            yield Timed(update, self.now)

    def _push(self, samples: Samples, *, decode: bool) -> list[CaptionUpdate]:
        started = time.process_time()
        updates = self._lane.push(samples, self.now, decode=decode)
        self._charge(time.process_time() - started)
        return updates

    def _end(self) -> list[CaptionUpdate]:
        started = time.process_time()
        updates = self._lane.end()
        self._charge(time.process_time() - started)
        return updates

    def _charge(self, seconds: float) -> None:
        self.compute_s += seconds
        self.now += seconds * self._price
