"""Gentle automatic gain: who speaks too quietly for the recogniser is made louder.

Only that. Speech at an ordinary level passes bit for bit, nothing is ever made quieter, and the
gain rises only while somebody speaks: it stands still in pauses and does not pump up the noise.
Nothing is held back: the gain of a sample depends on what came before it.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from engine.types import SAMPLE_RATE, Samples

BLOCK = 160
"""Samples at 16 kHz whose loudness is taken together: 10 ms."""

_ENOUGH_DB = -38.0
"""Speech as loud as that needs no gain. In the recordings of ordinary speech that were measured it
lies above -33 dBFS; captions begin to suffer below about -55."""
MOST_DB = 30.0
_CEILING = 0.7
"""Full scale is 1: what is amplified stays below this."""
_OVER_FLOOR_DB = 12.0
"""Speech stands out of the noise by at least so much..."""
_FAINTEST_DB = -75.0
"""... and is louder than this."""
_FLOOR_BLOCKS = 50
_FLOOR_PARTS = 10
"""The noise is as loud as the quietest 50 ms of the last ten half seconds."""
_SMOOTHED = 5
_LOUDER = 0.1
_QUIETER = 1 / 150
"""How fast the level of speech follows louder and quieter blocks: in 0.1 s and in 1.5 s."""
_HEARD_BLOCKS = 10
"""Blocks of speech to hear before anything is amplified: a word may begin softly."""
_FIRST_BLOCKS = 120
"""Blocks of speech in which the first gain is found quickly."""
_FIRST_DB_S = 60.0
_RISE_DB_S = 6.0
_FALL_DB_S = 60.0


class AutoGain:
    """Of one stream. The same comes out however the sound is cut into pieces."""

    def __init__(self) -> None:
        self._block = np.zeros(BLOCK, np.float32)
        self._filled = 0
        self._from = self._to = 1.0  # gain at the beginning and the end of this block
        self._limit = math.inf  # no sample since this block began may be amplified by more
        self._recent: deque[float] = deque(maxlen=_SMOOTHED)
        self._quietest: deque[float] = deque([math.inf], maxlen=_FLOOR_PARTS)
        self._blocks = 0
        self._speech_blocks = 0
        self._level = -math.inf

    @property
    def db(self) -> float:
        """The gain now, decibels; 0 where nothing is amplified."""
        return 20.0 * math.log10(min(self._to, max(1.0, self._limit)))

    def push(self, samples: Samples) -> Samples:
        """Amplify.

        Args:
            samples: float32 mono at 16 kHz, shape (n,), any n.

        Returns:
            float32, shape (n,): ``samples`` themselves where nothing is amplified.
        """
        out: Samples | None = None
        at = 0
        while at < samples.size:
            count = min(BLOCK - self._filled, samples.size - at)
            piece = samples[at : at + count]
            self._block[self._filled : self._filled + count] = piece
            if self._from > 1.0 or self._to > 1.0:
                if out is None:
                    out = samples.copy()
                out[at : at + count] = self._amplified(piece)
            self._filled += count
            at += count
            if self._filled == BLOCK:
                self._filled = 0
                self._next()
        return samples if out is None else out

    def _amplified(self, piece: Samples) -> Samples:
        place = np.arange(self._filled, self._filled + piece.size, dtype=np.float32) / BLOCK
        gain = self._from + (self._to - self._from) * place
        loud = np.maximum(np.abs(piece), 1e-9)
        limit = np.minimum(np.minimum.accumulate(_CEILING / loud), self._limit)
        self._limit = float(limit[-1])
        gained: Samples = piece * np.maximum(np.minimum(gain, limit), 1.0).astype(np.float32)
        return gained

    def _next(self) -> None:
        """A block is full: learn from it what the gain of the next one ends at."""
        reached = max(1.0, min(self._to, self._limit))
        self._limit = math.inf
        self._from = reached
        self._to = reached
        power = float(np.dot(self._block, self._block)) / BLOCK
        decibels = 10.0 * math.log10(power) if power > 1e-12 else -120.0
        self._recent.append(decibels)
        self._blocks += 1
        smoothed = max(self._recent)
        if len(self._recent) == _SMOOTHED:
            self._quietest[-1] = min(self._quietest[-1], smoothed)
        if self._blocks % _FLOOR_BLOCKS == 0:
            self._quietest.append(smoothed)
        floor = min(self._quietest)
        if decibels > max(floor + _OVER_FLOOR_DB, _FAINTEST_DB):
            self._speech_blocks += 1
            self._follow(decibels)
            self._to = self._towards(reached)

    def _follow(self, decibels: float) -> None:
        if self._speech_blocks <= _HEARD_BLOCKS:
            self._level = max(self._level, decibels)
        rate = _LOUDER if decibels > self._level else _QUIETER
        self._level += rate * (decibels - self._level)

    def _towards(self, gain: float) -> float:
        if self._speech_blocks <= _HEARD_BLOCKS:
            return gain
        now = 20.0 * math.log10(gain)
        wanted = min(max(0.0, _ENOUGH_DB - self._level), MOST_DB)
        rise = _FIRST_DB_S if self._speech_blocks <= _FIRST_BLOCKS else _RISE_DB_S
        step = BLOCK / SAMPLE_RATE
        after = min(max(wanted, now - _FALL_DB_S * step), now + rise * step)
        return max(1.0, math.pow(10.0, after / 20.0))
