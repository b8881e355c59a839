"""Which words stand on which visual line. Pure Python: no Qt, so that its laws can be proven.

Lines are broken greedily from the start of a segment, and closing punctuation may hang into the
margin. So where a word stands depends on nothing that comes after it: text that grows at its end
never moves a word that has been placed. A person can go on reading while more is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from desktop_app.ui.line_breaking import (
    Token,
    against,
    cluster_end,
    core,
    is_wide,
    reads_right_to_left,
    tokens,
)

if TYPE_CHECKING:
    from engine.types import CaptionUpdate

Measure = Callable[[str], float]
"""The width of a run of text, in whatever unit the line width has."""

KEPT_LINES = 60
"""Lines remembered beyond those shown, so that a wider or taller window has something to show."""

PAUSE_S = 2.0
"""After a longer pause a sentence begins a line of its own."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A run of text with no break in it, and where it stands.

    Attributes:
        text: what is drawn.
        x: distance of its left edge from the start of the line.
        width: its advance.
        stable: how many of its leading characters will not change.
        label: it is no speech but the name of the lane.
    """

    text: str
    x: float
    width: float
    stable: int
    label: bool = False


@dataclass(frozen=True, slots=True)
class VisualLine:
    """One line as it is drawn.

    Attributes:
        key: names the line while the breaks stay: which sentence begins it, which of its lines.
        words: from the start of the line to its end.
        rtl: the segment reads from right to left; ``x`` then counts from the right edge.
        lane: who speaks.
    """

    key: tuple[int, int]
    words: tuple[PlacedWord, ...]
    rtl: bool = False
    lane: str = ""

    @property
    def width(self) -> float:
        """From its start to the end of its last word."""
        return max((word.x + word.width for word in self.words), default=0.0)


@dataclass(slots=True)
class _Placed:
    """A caption line and where it stands.

    Attributes:
        update: its newest state.
        session: sentences of one session alone share a line.
        lines: its visual lines; the first goes on behind what stands before where ``joined``.
        joined: it begins in the last line of the one before.
        label: the lane's name, where it is to stand before it.
    """

    update: CaptionUpdate
    session: int
    lines: list[VisualLine] = field(default_factory=list)
    joined: bool = False
    label: str = ""


class CaptionLines:
    """The newest state of each caption line, broken into visual lines.

    Args:
        measure: width of a run of text; results are remembered for each run.
        width: of a line, in the unit of ``measure``; positive.
        share: a finished sentence may be followed by the next of its lane in the same line.

    Attributes:
        label: gives the name to stand before what a lane says; empty for none. Asked once for
            each turn of a lane, so that nothing that is shown moves when the answer changes.
        measure_label: width of such a name.
        letters: turns what was said into what is shown, character by character.
        share: as above; asked for each new sentence.
    """

    def __init__(self, measure: Measure, width: float, *, share: bool = False) -> None:
        self._measure = measure
        self._width = max(width, 1.0)
        self._widths: dict[str, float] = {}
        self._placed: dict[int, _Placed] = {}
        self._order: list[int] = []
        self._dropped_lines = 0
        self._dropped_key = -1
        self._first_key = 0
        self._bottom = 0
        self.share = share
        self.label: Callable[[str], str] = lambda _lane: ""
        self.measure_label: Measure = measure
        self.letters: Callable[[str], str] = lambda text: text

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
        known = self._placed.get(key)
        if key <= self._dropped_key and known is None:
            return False
        if known is None:
            known = self._placed[key] = _Placed(update, self._first_key)
            self._insert(key)
        else:
            old = known.update
            if not update.correction and (old.is_final or update.revision <= old.revision):
                return False
            known.update = update
            if (old.stable, old.unstable) == (update.stable, update.unstable):
                return False
        before = known.lines
        self._place(key)
        changed = before != known.lines
        # What shares the line of a corrected sentence goes where that one now ends.
        for follower in self._order[self._order.index(key) + 1 :]:
            if not (changed and self._placed[follower].joined):
                break
            self._place(follower)
        self._trim()
        self._bottom = max(self._bottom, self._dropped_lines + self._count())
        return changed

    def rebreak(self, measure: Measure, width: float) -> None:
        """Break everything afresh, for a new width or font."""
        self._measure = measure
        self._width = max(width, 1.0)
        self._widths.clear()
        keys, self._order = self._order, []
        for key in keys:
            self._placed[key].lines = []
            self._order.append(key)
            self._place(key)
        self._dropped_lines = 0
        self._bottom = self._count()

    def begin_session(self) -> None:
        """Segments are numbered from 0 again; what was said before stays above."""
        self._first_key = max(self._placed, default=self._dropped_key) + 1

    @property
    def empty(self) -> bool:
        """Nothing was said yet."""
        return self._bottom == 0

    def window(self, rows: int, bottom: int | None = None) -> tuple[VisualLine | None, ...]:
        """The lines to show, top to bottom; None for an empty row. The newest is at the bottom.

        Args:
            rows: how many.
            bottom: how many lines have been shown by then; all of them where None.
        """
        everything: list[VisualLine] = []
        for key in self._order:
            placed = self._placed[key]
            lines = placed.lines
            if placed.joined and lines and everything:
                last = everything[-1]
                everything[-1] = replace(last, words=last.words + lines[0].words)
                lines = lines[1:]
            everything += lines
        first = (self._bottom if bottom is None else bottom) - rows - self._dropped_lines
        return tuple(
            everything[index] if 0 <= index < len(everything) else None
            for index in range(first, first + rows)
        )

    def _insert(self, key: int) -> None:
        """Sentences stand in the order of their numbers, but none comes between two that share a
        line: what is late stands behind them."""
        for index, other in enumerate(self._order):
            if other > key and not self._placed[other].joined:
                self._order.insert(index, key)
                return
        self._order.append(key)

    def _place(self, key: int) -> None:
        placed = self._placed[key]
        index = self._order.index(key)
        before = self._placed[self._order[index - 1]] if index else None
        if not placed.lines:
            # Decided once, when there is something to see: from then on it stays.
            newest = index == len(self._order) - 1
            placed.joined = newest and before is not None and self._may_join(placed, before)
            goes_on = before is not None and _goes_on(placed, before)
            placed.label = "" if goes_on else self.label(placed.update.lane)
        elif placed.joined and (before is None or not before.lines):
            placed.joined = False
        placed.lines = self._wrap(key, placed, before if placed.joined else None)

    def _may_join(self, placed: _Placed, before: _Placed) -> bool:
        text = self._text(placed.update)[0]
        first = next(tokens(text), None)
        if (
            not self.share
            or first is None
            or not before.lines
            or not before.update.is_final
            or not _goes_on(placed, before)
            or reads_right_to_left(text) != before.lines[-1].rtl
        ):
            return False
        end = before.lines[-1].width + self._gap(before.lines[-1], first.text)
        return end + self._width_of(core(first.text)) <= self._width

    def _gap(self, line: VisualLine, text: str) -> float:
        """Between two sentences in one line; Chinese and Japanese bring their own."""
        if line.words and is_wide(line.words[-1].text[-1]) and is_wide(text[0]):
            return 0.0
        return self._width_of(" ")

    def _count(self) -> int:
        return sum(
            len(placed.lines) - (placed.joined and bool(placed.lines))
            for placed in self._placed.values()
        )

    def _trim(self) -> None:
        total = self._count()
        while len(self._order) > 1:
            key, second = self._order[0], self._placed[self._order[1]]
            size = len(self._placed[key].lines)
            if second.joined and second.lines:
                size -= 1
            if total - size < KEPT_LINES:
                return
            total -= size
            self._dropped_lines += size
            self._dropped_key = max(self._dropped_key, key)
            del self._placed[key], self._order[0]
            if second.joined:
                second.joined = False

    def _width_of(self, text: str) -> float:
        width = self._widths.get(text)
        if width is None:
            if len(self._widths) > 4000:
                self._widths.clear()
            width = self._widths[text] = self._measure(text)
        return width

    def _text(self, update: CaptionUpdate) -> tuple[str, int]:
        """What is shown, and how much of it will not change."""
        stable = self.letters(update.stable)
        return stable + self.letters(update.unstable), len(stable)

    def _wrap(self, key: int, placed: _Placed, before: _Placed | None) -> list[VisualLine]:
        text, stable = self._text(placed.update)
        lines: list[list[PlacedWord]] = []
        row: list[PlacedWord] = []
        x = 0.0
        space = self._width_of(" ")
        begun = False
        if before is not None:
            begun, x = True, before.lines[-1].width
        elif placed.label and text.strip():
            width = self.measure_label(placed.label)
            row.append(PlacedWord(placed.label, 0.0, width, len(placed.label), True))
            x = width
        for token in tokens(text):
            gap = space if token.spaced and row else 0.0
            if begun and not row and before is not None:
                gap = self._gap(before.lines[-1], token.text)
            elif len(row) == 1 and row[0].label:
                gap = space * 1.5
            if (row or begun) and x + gap + self._width_of(core(token.text)) > self._width:
                lines.append(row)
                row, x, gap, begun = [], 0.0, 0.0, False
            pieces = [token]
            if not row and not begun and self._width_of(core(token.text)) > self._width:
                pieces = list(self._pieces(token))
            for number, piece in enumerate(pieces):
                if number:
                    lines.append(row)
                    row, x, gap = [], 0.0, 0.0
                width = self._width_of(piece.text)
                settled = min(max(stable - piece.start, 0), len(piece.text))
                row.append(PlacedWord(piece.text, x + gap, width, settled))
                x += gap + width
            begun = False
        if row:
            lines.append(row)
        rtl = reads_right_to_left(text)
        lane = placed.update.lane
        return [
            VisualLine((key, number), _in_order(words, rtl), rtl, lane)
            for number, words in enumerate(lines)
        ]

    def _pieces(self, token: Token) -> Iterator[Token]:
        """A word wider than a whole line, cut where it must be, never inside a cluster."""
        start = 0
        text = token.text
        while start < len(text):
            end = cluster_end(text, start)
            while end < len(text):
                longer = cluster_end(text, end)
                if self._measure(core(text[start:longer])) > self._width:
                    break
                end = longer
            yield Token(text[start:end], token.start + start, False)
            start = end


def _in_order(words: list[PlacedWord], rtl: bool) -> tuple[PlacedWord, ...]:
    """Words that read against the line, such as English in Arabic, change places with another."""
    for begin, end in against([word.text for word in words], rtl):
        left, right = words[begin].x, words[end - 1].x + words[end - 1].width
        words[begin:end] = [
            replace(word, x=left + right - word.x - word.width) for word in words[begin:end]
        ]
    return tuple(words)


def _goes_on(placed: _Placed, before: _Placed) -> bool:
    """Whether the same lane speaks on without a long pause."""
    update, said = placed.update, before.update
    return (
        placed.session == before.session
        and said.lane == update.lane
        and update.start - said.end <= PAUSE_S
    )
