"""What a policy makes of a decode, and what it leaves to the policy of another model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.lines import SpacedWord
from engine.matching import Said
from engine.units import Unit
from engine.window import Window


@dataclass(frozen=True, slots=True)
class Shown:
    """What a decode changed: words now settled, and the whole tail shown behind them."""

    settled: tuple[SpacedWord, ...]
    tail: tuple[SpacedWord, ...]


@dataclass(frozen=True, slots=True)
class Understanding:
    """Words in the tail, the geometric mean and the highest of their probabilities."""

    words: int
    mean: float
    best: float

    @classmethod
    def of(cls, units: Sequence[Unit]) -> Understanding:
        """Of the words that are not settled."""
        chances = [unit.probability for unit in units if unit.wordy]
        if not chances:
            return cls(0, 0.0, 0.0)
        mean = sum(math.log(max(chance, 1e-6)) for chance in chances) / len(chances)
        return cls(len(chances), math.exp(mean), max(chances))


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What one model leaves to the next: what is settled stays said, the rest is heard anew.

    Attributes:
        window: the sound behind the last settled word, and some before it.
        speech_end: of the last speech in it, window time in seconds.
        last_end: of the last settled word, seconds on the stream clock.
        said: the settled words in the window, in order.
    """

    window: Window
    speech_end: float
    last_end: float
    said: tuple[Said, ...] = ()

    def bare(self) -> Unsettled:
        """The same without the sound of what is settled."""
        dropped = self.window.cut(self.said[-1].end) if self.said else 0.0
        return Unsettled(self.window, max(0.0, self.speech_end - dropped), self.last_end)
