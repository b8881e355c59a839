"""Which words stand on which visual line. Pure Python: no Qt, so that its laws can be proven.

Lines are broken greedily from the start of a segment, and closing punctuation may hang into the
margin. So where a word stands depends on nothing that comes after it: text that grows at its end
never moves a word that has been placed. A person can go on reading while more is said.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.types import CaptionUpdate

Measure = Callable[[str], float]
"""The width of a run of text, in whatever unit the line width has."""

KEPT_LINES = 60
"""Lines remembered beyond those shown, so that a wider or taller window has something to show."""

_HANGING = frozenset(".,;:!?…%)]}\"'”’»、。，．：；！？）」』】》〉〕％")
_MAX_HANGING = 3
_OPENING = frozenset("([{“‘«「『【《〈（〔")
_WIDE_BREAKS = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3000, 0x30FF),  # CJK punctuation, kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF00, 0xFF60),  # full-width forms
    (0x20000, 0x3FFFF),
)


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A run of text with no break in it, and where it stands.

    Attributes:
        text: what is drawn.
        x: distance of its left edge from the start of the line.
        width: its advance.
        stable: how many of its leading characters will not change.
    """

    text: str
    x: float
    width: float
    stable: int


@dataclass(frozen=True, slots=True)
class VisualLine:
    """One line as it is drawn.

    Attributes:
        segment_id: the caption line it belongs to.
        words: from the start of the line to its end.
        rtl: the segment reads from right to left; ``x`` then counts from the right edge.
    """

    segment_id: int
    words: tuple[PlacedWord, ...]
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    spaced: bool


class CaptionLines:
    """The newest state of each caption line, broken into visual lines.

    Args:
        measure: width of a run of text; results are remembered for each run.
        width: of a line, in the unit of ``measure``; positive.
    """

    def __init__(self, measure: Measure, width: float) -> None:
        self._measure = measure
        self._width = max(width, 1.0)
        self._widths: dict[str, float] = {}
        self._updates: dict[int, CaptionUpdate] = {}
        self._wrapped: dict[int, list[VisualLine]] = {}
        self._dropped_lines = 0
        self._dropped_key = -1
        self._first_key = 0
        self._bottom = 0

    @property
    def width(self) -> float:
        """Of a line."""
        return self._width

    @property
    def bottom(self) -> int:
        """How many lines have been shown since the last re-break. Never falls: when the unstable
        tail shrinks from two lines to one, what is above does not slide back down."""
        return self._bottom

    def update(self, update: CaptionUpdate) -> bool:
        """Take the newest state of a line.

        Returns:
            False where nothing to be seen changed: the update is older than what is known, or
            differs only in things that are not drawn.
        """
        key = self._first_key + update.segment_id
        known = self._updates.get(key)
        if key <= self._dropped_key and known is None:
            return False
        if known is not None and not update.correction:
            if known.is_final or update.revision <= known.revision:
                return False
            if (known.stable, known.unstable) == (update.stable, update.unstable):
                self._updates[key] = update
                return False
        self._updates[key] = update
        before = self._wrapped.get(key, [])
        after = self._wrapped[key] = self._wrap(update)
        self._trim()
        self._bottom = max(self._bottom, self._dropped_lines + self._count())
        return before != after

    def rebreak(self, measure: Measure, width: float) -> None:
        """Break everything afresh, for a new width or font."""
        self._measure = measure
        self._width = max(width, 1.0)
        self._widths.clear()
        self._wrapped = {key: self._wrap(update) for key, update in self._updates.items()}
        self._dropped_lines = 0
        self._bottom = self._count()

    def begin_session(self) -> None:
        """Segments are numbered from 0 again; what was said before stays above."""
        self._first_key = max(self._updates, default=self._dropped_key) + 1

    @property
    def empty(self) -> bool:
        """Nothing was said yet."""
        return self._bottom == 0

    def window(self, rows: int) -> tuple[VisualLine | None, ...]:
        """The lines to show, top to bottom; None for an empty row. The newest is at the bottom."""
        everything = [line for key in sorted(self._wrapped) for line in self._wrapped[key]]
        first = self._bottom - rows - self._dropped_lines
        return tuple(
            everything[index] if 0 <= index < len(everything) else None
            for index in range(first, first + rows)
        )

    def _count(self) -> int:
        return sum(len(lines) for lines in self._wrapped.values())

    def _trim(self) -> None:
        total = self._count()
        for key in sorted(self._wrapped):
            size = len(self._wrapped[key])
            if total - size < KEPT_LINES:
                return
            total -= size
            self._dropped_lines += size
            self._dropped_key = key
            del self._wrapped[key], self._updates[key]

    def _width_of(self, text: str) -> float:
        width = self._widths.get(text)
        if width is None:
            if len(self._widths) > 4000:
                self._widths.clear()
            width = self._widths[text] = self._measure(text)
        return width

    def _wrap(self, update: CaptionUpdate) -> list[VisualLine]:
        stable = len(update.stable)
        lines: list[list[PlacedWord]] = []
        row: list[PlacedWord] = []
        x = 0.0
        space = self._width_of(" ")
        for token in _tokens(update.text):
            gap = space if token.spaced and row else 0.0
            if row and x + gap + self._width_of(_core(token.text)) > self._width:
                lines.append(row)
                row, x, gap = [], 0.0, 0.0
            pieces = [token]
            if not row and self._width_of(_core(token.text)) > self._width:
                pieces = list(self._pieces(token))
            for number, piece in enumerate(pieces):
                if number:
                    lines.append(row)
                    row, x, gap = [], 0.0, 0.0
                width = self._width_of(piece.text)
                settled = min(max(stable - piece.start, 0), len(piece.text))
                row.append(PlacedWord(piece.text, x + gap, width, settled))
                x += gap + width
        if row:
            lines.append(row)
        rtl = _reads_right_to_left(update.text)
        return [VisualLine(update.segment_id, tuple(words), rtl) for words in lines]

    def _pieces(self, token: _Token) -> Iterator[_Token]:
        """A word wider than a whole line, cut where it must be, never inside a cluster."""
        start = 0
        text = token.text
        while start < len(text):
            end = _cluster_end(text, start)
            while end < len(text):
                longer = _cluster_end(text, end)
                if self._measure(_core(text[start:longer])) > self._width:
                    break
                end = longer
            yield _Token(text[start:end], token.start + start, False)
            start = end


def _tokens(text: str) -> Iterator[_Token]:
    """Runs between which a line may break: words, and single characters of Chinese and Japanese
    with the punctuation that belongs to them."""
    begin = -1
    spaced = False
    seen_space = False
    for index, character in enumerate(text):
        if character.isspace() or unicodedata.category(character) == "Cc":
            if begin >= 0:
                yield _Token(text[begin:index], begin, spaced)
                begin = -1
            seen_space = True
            continue
        if begin >= 0 and _may_break(text, begin, index):
            yield _Token(text[begin:index], begin, spaced)
            begin = -1
        if begin < 0:
            begin, spaced, seen_space = index, seen_space, False
    if begin >= 0:
        yield _Token(text[begin:], begin, spaced)


def _may_break(text: str, begin: int, index: int) -> bool:
    """Whether the line may break before ``text[index]``, inside a run without spaces."""
    before, after = text[index - 1], text[index]
    if after in _HANGING or before in _OPENING or unicodedata.combining(after):
        return False
    if after in "\u200d\ufe0e\ufe0f" or before == "\u200d":
        return False
    return begin < index and (_is_wide(before) or _is_wide(after))


def _is_wide(character: str) -> bool:
    code = ord(character)
    return code >= 0x2E80 and any(low <= code <= high for low, high in _WIDE_BREAKS)


def _core(text: str) -> str:
    """The part that must fit: closing punctuation may hang into the margin, so that a full stop
    which arrives late does not carry its word to the next line."""
    end = len(text)
    while end > 1 and len(text) - end < _MAX_HANGING and text[end - 1] in _HANGING:
        end -= 1
    return text[:end]


def _cluster_end(text: str, start: int) -> int:
    end = start + 1
    while end < len(text) and (
        unicodedata.combining(text[end])
        or text[end] in "\u200d\ufe0e\ufe0f"
        or text[end - 1] == "\u200d"
    ):
        end += 1
    return end


def _reads_right_to_left(text: str) -> bool:
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False
