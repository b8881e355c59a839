"""What a reader of captions meets, as numbers: latency, erasure, word error rate.

- first latency: a word is first seen at its place, minus its end in the audio.
- stable latency: it is there and stays to the end, minus its end in the audio.
- erasure: characters taken back by all updates / characters of the final text (normalised erasure,
  Arivazhagan et al. 2020, arXiv 1912.03393, on characters, since those are what flickers).
- word error rate: of the final lines, lower case, punctuation stripped, numbers spelled out; of
  Chinese and Japanese the character error rate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from engine.numerals import in_digits
from engine.scripts import is_chinese, is_kana
from engine.stats import common_length
from engine.types import CaptionUpdate

# fmt: off
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on
_CHINESE_DIGITS = str.maketrans("零〇一二两三四五六七八九", "001223456789")
_SPOKEN = {"mr": "mister", "mrs": "missus", "dr": "doctor"}


def normalised(text: str) -> list[str]:
    """Words for scoring: lower case, no punctuation, apostrophes kept inside words, hyphens
    split, whole numbers below a million and the commonest titles spelled out.

    Chinese and Japanese are scored by the character, Chinese in its simplified form and with its
    numbers in digits, so that neither script nor spelling counts as an error.
    """
    text = text.lower().replace("’", "'")
    if any(map(is_chinese, text)):
        text = str(_simplifier().convert(in_digits(text))).translate(_CHINESE_DIGITS)
        text = re.sub(r"\d", r" \g<0> ", text)
    text = "".join(f" {each} " if is_chinese(each) or is_kana(each) else each for each in text)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"[^\w\s']|_", " ", text)
    text = re.sub(r"(?<!\w)'|'(?!\w)", " ", text)
    words: list[str] = []
    for word in text.split():
        if word.isdecimal() and len(word) <= 6:
            words += _spelled(int(word))
        else:
            words.append(_SPOKEN.get(word, word))
    return words


@cache
def _simplifier() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


def _spelled(number: int) -> list[str]:
    if number < 20:
        return [_SMALL[number]]
    if number < 100:
        tens, rest = divmod(number, 10)
        return [_TENS[tens - 2], *([_SMALL[rest]] if rest else [])]
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            head, rest = divmod(number, size)
            return [*_spelled(head), name, *(_spelled(rest) if rest else [])]
    return []


@dataclass(frozen=True, slots=True)
class Score:
    """Word errors of one text.

    Attributes:
        errors: substitutions + deletions + insertions.
        words: in the reference.
        pairs: (reference index, hypothesis index) of the words that are right.
    """

    errors: int
    words: int
    pairs: tuple[tuple[int, int], ...]


def score(reference: Sequence[str], hypothesis: Sequence[str]) -> Score:
    """Levenshtein alignment of two lists of normalised words."""
    rows, columns = len(reference), len(hypothesis)
    cost = np.zeros((rows + 1, columns + 1), np.int32)
    cost[0] = np.arange(columns + 1)
    vocabulary: dict[str, int] = {}
    codes = np.array([vocabulary.setdefault(w, len(vocabulary)) for w in hypothesis], np.int64)
    order = np.arange(columns + 1)
    for i, word in enumerate(reference, 1):
        miss = (codes != vocabulary.get(word, -1)).astype(np.int32)
        best = np.minimum(cost[i - 1, :-1] + miss, cost[i - 1, 1:] + 1)
        row = np.concatenate(([i], best)) - order
        # An insertion costs one a column: a running minimum once the columns are levelled.
        cost[i] = np.minimum.accumulate(row) + order
    pairs = []
    i, j = rows, columns
    while i and j:
        same = reference[i - 1] == hypothesis[j - 1]
        if cost[i, j] == cost[i - 1, j - 1] + (not same):
            if same:
                pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return Score(int(cost[rows, columns]), rows, tuple(reversed(pairs)))


@dataclass(frozen=True, slots=True)
class Timed:
    """An update and when it was published, seconds since the first sample was handed over."""

    update: CaptionUpdate
    at: float


@dataclass(slots=True)
class Measured:
    """Figures of one or several recordings; add recordings with ``measure``.

    Attributes:
        first, stable: latencies in seconds, one for each word that came out right.
        erased, erased_stable: characters taken back, of the whole text and of ``stable``.
        characters: of the final text.
        errors, words: word errors and reference words.
    """

    first: list[float] = field(default_factory=list)
    stable: list[float] = field(default_factory=list)
    erased: int = 0
    erased_stable: int = 0
    characters: int = 0
    errors: int = 0
    words: int = 0

    @property
    def erasure(self) -> float:
        """Of the whole text."""
        return self.erased / max(1, self.characters)

    @property
    def wer(self) -> float:
        """Per cent."""
        return 100.0 * self.errors / max(1, self.words)

    def measure(
        self,
        timeline: Sequence[Timed],
        reference: Sequence[str] | None,
        ends: Sequence[tuple[str, float]] = (),
    ) -> None:
        """Add one recording.

        Args:
            timeline: its updates in order.
            reference: normalised words of its transcript; None where unknown: no word errors.
            ends: reference words with their end in the audio, seconds; empty where unknown.
        """
        texts: dict[int, tuple[str, str]] = {}
        shown: list[tuple[float, list[str]]] = []
        for item in timeline:
            update = item.update
            before = texts.get(update.segment_id, ("", ""))
            self.erased += _taken_back(before[0] + before[1], update.text)
            self.erased_stable += _taken_back(before[0], update.stable)
            texts[update.segment_id] = (update.stable, update.unstable)
            shown.append((item.at, [w for t in texts.values() for w in normalised("".join(t))]))
        final = " ".join("".join(text) for text in texts.values())
        self.characters += len(final)
        words = normalised(final)
        if reference is not None:
            result = score(reference, words)
            self.errors += result.errors
            self.words += result.words
        if ends:
            self._latencies(shown, words, ends)

    def _latencies(
        self,
        shown: Sequence[tuple[float, list[str]]],
        final: list[str],
        ends: Sequence[tuple[str, float]],
    ) -> None:
        first = [float("inf")] * len(final)
        stable = [float("inf")] * len(final)
        for at, words in shown:
            present = _present(words, final)
            for place in range(len(final)):
                if place in present:
                    first[place] = min(first[place], at)
                    stable[place] = min(stable[place], at)
                else:
                    stable[place] = float("inf")
        spoken = [(word, end) for text, end in ends for word in normalised(text)]
        for there, here in score([word for word, _ in spoken], final).pairs:
            self.first.append(first[here] - spoken[there][1])
            self.stable.append(stable[here] - spoken[there][1])

    def add(self, other: Measured) -> None:
        """Add the recordings of another."""
        self.first += other.first
        self.stable += other.stable
        self.erased += other.erased
        self.erased_stable += other.erased_stable
        self.characters += other.characters
        self.errors += other.errors
        self.words += other.words


def _taken_back(before: str, after: str) -> int:
    return len(before) - common_length(before, after)


def _present(words: list[str], final: list[str]) -> set[int]:
    """Places of ``final`` that are to be read in ``words``. Captions grow at their end, so nearly
    all is a common beginning; only what follows needs aligning."""
    common = common_length(words, final)
    rest = words[common:]
    near = final[common : common + 2 * len(rest) + 4]
    here = {common + place for place, _ in score(near, rest).pairs}
    return here.union(range(common))
