"""What a soak plays: speech, noise, silence and pauses, hours of it, a second at a time."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from engine.bench.recordings import NO_LANGUAGE, Recording
from engine.errors import UsageError
from engine.resample import Resampler
from engine.types import SAMPLE_RATE, Samples

_NOISE_FLOOR = 3e-4
_PIECE = 16_000
_WHOLE = 0.9
_AHEAD_S = 10.0
"""Of the share of speech, seconds."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to play, or nothing (silence), and seconds of pause behind it."""

    recording: Recording | None
    pause: float


@dataclass(frozen=True, slots=True)
class Played:
    """A recording that was played.

    Attributes:
        start: stream time of its first sample, seconds.
        cut: stream time up to which words are its own.
        ends: reference words and their end, seconds from ``start``; empty for noise.
        stretch: in which it was played.
        calm: in the first stretch, or in the last.
    """

    start: float
    cut: float
    ends: tuple[tuple[str, float], ...]
    stretch: int
    calm: bool


class Programme:
    """What is played: the first ``every`` seconds again at the end of ``total`` seconds.

    Args:
        recordings: those with words and those in which nobody speaks; others, and those longer
            than a stretch, are left out.
        total, every: seconds, of all and of a stretch.
        seed: decides the order and the pauses.
        silence: the share of the time in which nobody speaks, which long pauses make up.

    Attributes:
        played: handed out, and not taken off by whoever scores it. In order.
        starts: stream times at which the stretches began that were begun so far, seconds; the
            last one ends with the programme.
        repeating: the last stretch has begun.
        spoken_s: seconds of speech so far.

    Raises:
        UsageError: nothing with words is left.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        total: float,
        every: float,
        seed: int,
        silence: float = 0.0,
    ) -> None:
        self.repeating = False
        self.spoken_s = 0.0
        self._silence = silence
        self.played: deque[Played] = deque()
        self.starts = [0.0]
        self._random = random.Random(seed)
        self._speech = [each for each in recordings if each.ends and each.seconds <= every]
        if not self._speech:
            raise UsageError("no recording is that short", "a greater --every")
        self._noise = [each for each in recordings if each.language == NO_LANGUAGE]
        self._pile: list[Recording] = []
        self._at = 0
        self._total, self._every = total, every

    def sound(self) -> Iterator[Samples]:
        """All of it in pieces: float32 mono at 16 kHz."""
        # A microphone that begins with digital silence would be taken for a muted one.
        first = [Item(None, 1.0)]
        yield from self._play(first[0])
        while self._now < self._every:
            first.append(self._draw())
            yield from self._play(first[-1])
        length = self._now
        while (left := self._total - length - self._now) > 0.0:
            if self._now >= self._every * len(self.starts):
                # No stretch is much shorter than the others: the last one is longer instead.
                if left >= _WHOLE * self._every:
                    self.starts.append(self._now)
                elif len(self.starts) == 1:
                    break
            yield from self._play(self._draw())
        self.starts.append(self._now)
        self.repeating = True
        for item in first:
            yield from self._play(item)

    @property
    def _now(self) -> float:
        return self._at / SAMPLE_RATE

    def _draw(self) -> Item:
        dice = self._random.random()
        if dice < 0.05 or self.spoken_s > (1.0 - self._silence) * self._now + _AHEAD_S:
            return Item(None, self._random.uniform(5.0, 30.0))
        pause = self._random.choice((0.2, 0.5, 1.0, 2.0)) * self._random.uniform(0.75, 1.5)
        if dice < 0.15 and self._noise:
            return Item(self._random.choice(self._noise), pause)
        if not self._pile:
            # All of them before any of them again.
            self._pile = self._random.sample(self._speech, len(self._speech))
        return Item(self._pile.pop(), pause)

    def _play(self, item: Item) -> Iterator[Samples]:
        start = self._now
        if item.recording is not None:
            for piece in _read(item.recording.path):
                self._at += piece.size
                self.spoken_s += piece.size / SAMPLE_RATE * bool(item.recording.ends)
                yield piece
        cut = self._now + item.pause / 2
        if item.recording is not None:
            stretch = len(self.starts) - 1
            calm = stretch == 0 or self.repeating
            self.played.append(Played(start, cut, item.recording.ends, stretch, calm))
        left = round(item.pause * SAMPLE_RATE)
        room = np.random.default_rng(left)
        while left:
            size = min(left, _PIECE)
            left -= size
            self._at += size
            yield (_NOISE_FLOOR * room.standard_normal(size)).astype(np.float32)


def _read(path: Path) -> Iterator[Samples]:
    with soundfile.SoundFile(path) as file:
        resampler = Resampler(file.samplerate)
        for block in file.blocks(_PIECE, dtype="float32", always_2d=True):
            yield resampler.push(np.ascontiguousarray(block.mean(axis=1)))
        yield resampler.flush()
