"""Recognisers whose answers a test writes, and sound that says where in the stream it lies.

``sound(first, count)`` gives samples whose values are their own stream indices, in units of
``2**-24``: within full scale and exact for 17 minutes. So a fake
recogniser knows exactly which stretch of the stream it is shown, and a scripted detector which
frame it is asked about, whatever the policy cut, skipped or left out.

- ``ScriptedRecognizer``: a function of the test gives each hypothesis.
- ``Listener``: hears the words of a script, whole ones, at their true times: what a faultless
  model would say. It checks on every call that the policy keeps prefix and sound together.
- ``ScriptedDetector``: hears speech in given stretches of the stream; ``LoudIsSpeech`` in whatever
  is not quiet.

All of them remember what they were asked (``asks``). A window of nothing but silence is a warm-up,
and only counted (``warm_ups``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.recognizers.base import Hypothesis, Token
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelSpec

Indices = NDArray[np.int64]

_UNIT = np.float32(2.0**-24)

SPEC = ModelSpec(
    id="fake",
    title="Fake",
    family="fake",
    kind="recognizer",
    languages=("en",),
    licence="MIT",
    attribution="nobody",
    files=(),
)


def sound(first: int, count: int) -> Samples:
    """Samples that say which of the stream they are."""
    return (np.arange(first, first + count) * _UNIT).astype(np.float32)


def indices(samples: Samples) -> Indices:
    """Which they are. The zeros that fill up the last frame of a stream are left out."""
    said = np.rint(samples / _UNIT).astype(np.int64)
    return said[: np.flatnonzero(said)[-1] + 1] if said.any() else said[:0]


def seconds(start: float, stop: float) -> Samples:
    """The same, from stream time to stream time."""
    first = round(start * SAMPLE_RATE)
    return sound(first, round(stop * SAMPLE_RATE) - first)


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of ``decode``.

    Attributes:
        window_s: length of the window, seconds.
        starts_at, ends_at: stream time of its first sample and behind its last; 0 where empty.
        prefix, draft, tolerance: as passed.
    """

    window_s: float
    starts_at: float
    ends_at: float
    prefix: tuple[int, ...]
    draft: tuple[int, ...]
    tolerance: tuple[float, ...]


Answer = Callable[[Ask], Sequence[Token]]


class ScriptedRecognizer:
    """Answers as it is told.

    Args:
        pieces: the vocabulary: text of each token id. One that begins with a space starts a word.
        answer: gives the tokens behind the prefix.
    """

    spec = SPEC
    provider = "cpu"
    aligned = True
    prefixed = True

    def __init__(self, pieces: Sequence[str], answer: Answer) -> None:
        self.pieces = list(pieces)
        self.answer = answer
        self.asks: list[Ask] = []
        self.warm_ups = 0

    def stream(self) -> ScriptedRecognizer:
        """Itself: it keeps nothing between calls but what it was asked."""
        return self

    def text(self, ids: Sequence[int]) -> str:
        """The pieces put together, as a tokenizer does it."""
        return "".join(self.pieces[token] for token in ids).strip()

    def token(self, token: int, time: float | None, probability: float = 0.99) -> Token:
        """A token of the vocabulary, ending ``time`` seconds into the window."""
        return Token(token, self.pieces[token].startswith(" "), float(np.log(probability)), time)

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``engine.recognizers.base.WindowStream.decode``."""
        if audio.size and not audio.any():
            self.warm_ups += 1
            return Hypothesis((), True)
        samples = indices(audio)
        ask = Ask(
            audio.size / SAMPLE_RATE,
            float(samples[0]) / SAMPLE_RATE if samples.size else 0.0,
            (float(samples[-1]) + 1) / SAMPLE_RATE if samples.size else 0.0,
            tuple(prefix),
            tuple(draft),
            tuple(tolerance),
        )
        self.asks.append(ask)
        return Hypothesis(tuple(self.heard(ask, samples)), True)

    def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
        """The answer to one call about these samples of the stream."""
        del samples
        return self.answer(ask)


@dataclass(frozen=True, slots=True)
class Said:
    """A word of a listener's script: stream times in seconds."""

    text: str
    start: float
    end: float


def script(text: str, start: float = 0.5, pace: float = 0.4, length: float = 0.3) -> list[Said]:
    """Words at an even pace."""
    return [
        Said(word, start + number * pace, start + number * pace + length)
        for number, word in enumerate(text.split())
    ]


class Listener(ScriptedRecognizer):
    """Hears every word of its script that lies in the window, and no other. Word ``n`` of the
    script is token ``n``.

    Args:
        words: what is said, in order.
        timed: its tokens carry times.
        late: by how many seconds its times trail the ends of the words.

    Attributes:
        breaches: what it was asked and should not have been, in words; empty where all is well.
    """

    def __init__(self, words: Sequence[Said], *, timed: bool = True, late: float = 0.0) -> None:
        super().__init__([" " + word.text for word in words], lambda _: ())
        self.words = list(words)
        self.aligned = timed
        self.late = late
        self.breaches: list[str] = []

    def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
        """The words whose sound is in the window, behind the prefix."""
        present = [number for number, word in enumerate(self.words) if _inside(word, samples)]
        self._check(ask.prefix, samples)
        first = ask.prefix[-1] + 1 if ask.prefix else 0
        return [
            self.token(number, self._time(number, samples)) for number in present if number >= first
        ]

    def _time(self, number: int, samples: Indices) -> float | None:
        if not self.aligned:
            return None
        end = np.searchsorted(samples, round(self.words[number].end * SAMPLE_RATE))
        return max(0.0, float(end) / SAMPLE_RATE + self.late)

    def _check(self, prefix: Sequence[int], samples: Indices) -> None:
        if not samples.size:
            self.breaches.append("it was asked about an empty window")
            return
        if not prefix:
            return
        if list(prefix) != list(range(prefix[0], prefix[0] + len(prefix))):
            self.breaches.append(f"the prefix {list(prefix)} has a gap or a repetition")
        for number in prefix:
            if samples[0] >= round(self.words[number].end * SAMPLE_RATE):
                self.breaches.append(f"{self.words[number]} is in the prefix but not in the window")
        if prefix[0] > 0 and _inside(self.words[prefix[0] - 1], samples):
            self.breaches.append(f"{self.words[prefix[0] - 1]} is heard but not in the prefix")


def _inside(word: Said, samples: Indices) -> bool:
    """Most of the word, its end included, is among the samples."""
    start, end = round(word.start * SAMPLE_RATE), round(word.end * SAMPLE_RATE)
    first, behind = np.searchsorted(samples, (start, end))
    return bool(behind - first > 0.6 * (end - start) and samples[behind - 1] == end - 1)


class ScriptedDetector:
    """Hears speech in stretches of the stream.

    Args:
        stretches: (start, stop) in seconds; speech everywhere where None.
    """

    def __init__(self, stretches: Sequence[tuple[float, float]] | None = None) -> None:
        self.stretches = stretches
        self.resets = 0

    def probability(self, frame: Samples) -> float:
        """1 inside a stretch, 0 outside."""
        assert frame.shape == (512,), "a detector is fed 512 samples at a time"
        if self.stretches is None:
            return 1.0
        at = float(np.rint(frame[0] / _UNIT)) / SAMPLE_RATE
        return float(any(start <= at < stop for start, stop in self.stretches))

    def reset(self) -> None:
        """Count it."""
        self.resets += 1


class LoudIsSpeech:
    """A detector without weights: whatever is not quiet is speech."""

    def __init__(self, floor: float) -> None:
        self.floor = floor

    def probability(self, frame: Samples) -> float:
        return 0.95 if float(np.abs(frame).max(initial=0.0)) >= self.floor else 0.0

    def reset(self) -> None:
        """It remembers nothing."""
