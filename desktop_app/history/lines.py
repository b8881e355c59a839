"""A transcript: lines in the order in which they were begun, and what is not speech among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.sinks.text import plain
from engine.types import CaptionUpdate, Notice, Word

GAPS = ("source.gap", "engine.gap")
"""Codes of notices that tell of sound that was not heard."""

_SHORTEST_GAP_S = 0.5

Kind = Literal["speech", "gap", "start"]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a transcript.

    Attributes:
        kind: ``gap`` for sound that was not heard, ``start`` where another session begins.
        lane: who speaks; empty where it is about none.
        text: as shown; empty for a gap.
        start, end: seconds on the stream clock.
        id: the segment's, unique in its session; -1 for what is no speech.
        is_final: it will change no more, unless it is corrected.
        language: BCP 47 code where known.
        words: with times; empty where none are known.
    """

    kind: Kind
    lane: str
    text: str
    start: float
    end: float
    id: int = -1
    is_final: bool = True
    language: str = ""
    words: tuple[Word, ...] = ()


def line_of(update: CaptionUpdate) -> Line:
    """A caption line as it stands."""
    text = plain(update.text)
    words = update.words if update.is_final else ()
    return Line(
        "speech",
        update.lane,
        text,
        update.start,
        update.end,
        update.segment_id,
        update.is_final,
        update.language,
        words,
    )


def gap_of(notice: Notice) -> Line | None:
    """Sound that was not heard; None where the notice is of something else, or too short."""
    if notice.code not in GAPS or notice.span is None:
        return None
    start, end = notice.span
    return Line("gap", notice.lane, "", start, end) if end - start >= _SHORTEST_GAP_S else None


class Follower(Protocol):
    """Told of every change, before and after rows come or go."""

    def inserting(self, row: int) -> None: ...
    def inserted(self) -> None: ...
    def removing(self, first: int, last: int) -> None: ...
    def removed(self) -> None: ...
    def changed(self, row: int) -> None: ...


class _Nobody:
    """Stands for a follower where there is none."""

    def inserting(self, row: int) -> None:
        pass

    def inserted(self) -> None:
        pass

    def removing(self, first: int, last: int) -> None:
        pass

    def removed(self) -> None:
        pass

    def changed(self, row: int) -> None:
        pass


class Transcript:
    """All that was said, newest state of each line; of two lanes, what began first stands first.

    Belongs to one thread.

    Attributes:
        lines: read only from outside.
    """

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._rows: dict[int, int] = {}
        self._begin = 0
        self._follower: Follower = _Nobody()

    def follow(self, follower: Follower | None) -> None:
        """Who is told of changes from now on; one at a time."""
        self._follower = follower or _Nobody()

    def begin(self, text: str) -> None:
        """Another session: its lines stand below, and its numbers begin anew.

        Args:
            text: says so, where lines stand above.
        """
        self._rows = {}
        if self.lines:
            self._put(len(self.lines), Line("start", "", text, 0.0, 0.0))
        self._begin = len(self.lines)

    def apply(self, update: CaptionUpdate) -> None:
        """Take the newest state of a line; a finished one without words goes."""
        self.take(line_of(update))

    def take(self, line: Line) -> None:
        """Put a line in its place, or change the one that is there."""
        row = self._rows.get(line.id) if line.id >= 0 else None
        if row is not None and not line.text:
            self._drop(row)
        elif row is not None:
            # It stays where a reader saw it, though its first word may have moved in time.
            self.lines[row] = line
            self._follower.changed(row)
        elif line.text or line.kind == "gap":
            self._put(self._place(line), line)

    def clear(self) -> None:
        """Forget everything."""
        if self.lines:
            self._follower.removing(0, len(self.lines) - 1)
            self.lines.clear()
            self._rows, self._begin = {}, 0
            self._follower.removed()

    def _place(self, line: Line) -> int:
        row = len(self.lines)
        while row > self._begin and self.lines[row - 1].start > line.start:
            row -= 1
        return row

    def _put(self, row: int, line: Line) -> None:
        self._follower.inserting(row)
        self.lines.insert(row, line)
        self._number_from(row)
        self._follower.inserted()

    def _drop(self, row: int) -> None:
        self._follower.removing(row, row)
        self._rows.pop(self.lines[row].id, None)
        del self.lines[row]
        self._number_from(row)
        self._follower.removed()

    def _number_from(self, row: int) -> None:
        for number in range(max(row, self._begin), len(self.lines)):
            if self.lines[number].id >= 0:
                self._rows[self.lines[number].id] = number


def finished(line: Line) -> Line:
    """``line`` as nobody will go on with it."""
    return replace(line, is_final=True)
