"""Whether a source is too loud for its own digits, or speech in it too quiet: told once, withdrawn
when it is over."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from engine.types import Notice, Samples

_FULL = 0.99
_RUN = 3
"""So many samples in a row at full scale are no peak but one cut off."""
_CLIPPED_S = 0.5
"""Seconds of speech with such, of the last..."""
_RECENT_S = 5.0
"""... so many."""
_FAINT_DBFS = -50.0
"""Speech below that is captioned with more errors, unless it is amplified."""
_BACK_DB = 4.0
"""So much louder, and it is no longer too quiet."""
_SPEECH_S = 3.0
"""Seconds of speech to hear before it is called too quiet."""
_FOLLOWED_S = 1.5


class LevelWatch:
    """Of one source.

    Attributes:
        clipping, too_quiet: so it is now.
    """

    def __init__(self) -> None:
        self.clipping = False
        self.too_quiet = False
        self._recent: deque[tuple[float, bool]] = deque()
        self._speech_s = 0.0
        self._power = 0.0

    def look(
        self, samples: Samples, rate: int, *, lane: str, name: str, speaking: bool, gain_db: float
    ) -> list[Notice]:
        """Look at what came from the source, before anything is done to it.

        Args:
            samples: float32 mono, shape (n,).
            rate: Hz.
            lane, name: of the source.
            speaking: somebody speaks in them; else nothing is learnt from them.
            gain_db: the most that a quiet voice is amplified by.

        Returns:
            What is to be told, if anything.
        """
        if not speaking or not samples.size:
            return []
        seconds = samples.size / rate
        return [
            *self._look_for_clipping(samples, seconds, lane, name),
            *self._look_for_quiet(samples, seconds, lane, name, _FAINT_DBFS - gain_db),
        ]

    def _look_for_clipping(
        self, samples: Samples, seconds: float, lane: str, name: str
    ) -> list[Notice]:
        self._recent.append((seconds, _is_cut_off(samples)))
        while sum(part for part, _ in self._recent) > _RECENT_S:
            self._recent.popleft()
        clipped = sum(part for part, cut in self._recent if cut)
        if not self.clipping and clipped >= _CLIPPED_S:
            self.clipping = True
            text = f"{name} is too loud: its sound is cut off at the top"
            return [Notice("level.clipping", "warning", text, "lower its input volume", lane=lane)]
        if self.clipping and not clipped:
            self.clipping = False
            text = f"{name} is no longer too loud"
            return [Notice("level.clipping", "info", text, lane=lane)]
        return []

    def _look_for_quiet(
        self, samples: Samples, seconds: float, lane: str, name: str, faint: float
    ) -> list[Notice]:
        self._speech_s += seconds
        power = float(np.dot(samples, samples)) / samples.size
        follow = min(1.0, seconds / min(self._speech_s, _FOLLOWED_S))
        self._power += follow * (power - self._power)
        level = 10.0 * math.log10(max(self._power, 1e-12))
        if not self.too_quiet and self._speech_s >= _SPEECH_S and level < faint:
            self.too_quiet = True
            text = f"speech from {name} is very quiet"
            remedy = "raise its input volume, or come closer"
            return [Notice("level.quiet", "warning", text, remedy, lane=lane)]
        if self.too_quiet and level > faint + _BACK_DB:
            self.too_quiet = False
            text = f"speech from {name} is loud enough"
            return [Notice("level.quiet", "info", text, lane=lane)]
        return []


def _is_cut_off(samples: Samples) -> bool:
    if np.abs(samples).max() < _FULL:
        return False
    full = (np.abs(samples) >= _FULL).astype(np.int8)
    return bool((np.convolve(full, np.ones(_RUN, np.int8)) >= _RUN).any())
