"""Where lines are on their way to their places, and how far new words are out. Pure Python."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.ui.caption_lines import VisualLine

GLIDE_S = 0.16
"""How long lines take to move to their new place."""

FADE_S = 0.14
"""How long a new word takes to come out."""

_FAINT = 0.3

Window = tuple[VisualLine | None, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    x: float
    y: float
    began: float

    def at(self, now: float) -> tuple[float, float]:
        left = (1.0 - min((now - self.began) / GLIDE_S, 1.0)) ** 3
        return self.x * left, self.y * left


class Motion:
    """The movement between two states of the rows.

    Attributes:
        leaving: lines above the first row that still can be seen, with their (negative) rows.
    """

    def __init__(self) -> None:
        self.leaving: list[tuple[int, VisualLine]] = []
        self._ways: dict[tuple[int, int], _Way] = {}
        self._fresh: dict[tuple[tuple[int, int], int], float] = {}

    def stop(self) -> None:
        """Everything is in its place."""
        self.leaving.clear()
        self._ways.clear()
        self._fresh.clear()

    def gliding(self, now: float) -> bool:
        """Lines are on their way; those that arrived are forgotten."""
        self._ways = {k: way for k, way in self._ways.items() if now - way.began < GLIDE_S}
        if not self._ways:
            self.leaving.clear()
        return bool(self._ways)

    def fading(self, now: float) -> bool:
        """Words are coming out; those that are out are forgotten."""
        self._fresh = {word: at for word, at in self._fresh.items() if now - at < FADE_S}
        return bool(self._fresh)

    def offset(self, line: VisualLine, now: float) -> tuple[float, float]:
        """How far a line still is from its place, to the right and down."""
        way = self._ways.get(line.key)
        return way.at(now) if way else (0.0, 0.0)

    def opacity(self, line: VisualLine, index: int, now: float) -> float:
        """Of a word, 0 to 1."""
        began = self._fresh.get((line.key, index))
        if began is None:
            return 1.0
        return min(_FAINT + (1.0 - _FAINT) * (now - began) / FADE_S, 1.0)

    def fresh(self) -> dict[tuple[int, int], int]:
        """The lines in which words are coming out, and the first of these words."""
        first: dict[tuple[int, int], int] = {}
        for key, index in self._fresh:
            first[key] = min(index, first.get(key, index))
        return first

    def glide(
        self,
        before: Window,
        after: Window,
        risen: int,
        height: float,
        indents: tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]],
        now: float,
    ) -> None:
        """Send each line from where it is to where it belongs.

        Args:
            before, after: the rows.
            risen: by how many lines the text has moved up.
            height: of a row.
            indents: how far lines begin from the edge, before and after, by their keys.
            now: seconds.
        """
        old_rows = {line.key: row for row, line in enumerate(before) if line is not None}
        old_rows |= {line.key: row for row, line in self.leaving}
        kept = {line.key for line in after if line is not None}
        leaving = [*self.leaving, *((row, line) for row, line in enumerate(before) if line)]
        self.leaving = [
            (row - risen, line)
            for row, line in leaving
            if line.key not in kept and -len(after) <= row - risen < 0
        ]
        ways: dict[tuple[int, int], _Way] = {}
        # What is new at the lower end comes up with what stands above it; what is new between
        # lines that were there comes out in its place.
        from_below = True
        for row in range(len(after) - 1, -1, -1):
            line = after[row]
            if line is None:
                continue
            old_row = old_rows.get(line.key)
            x, y = self.offset(line, now)
            if old_row is not None:
                from_below = False
                y += (old_row - row) * height
                x += indents[0].get(line.key, 0.0) - indents[1].get(line.key, 0.0)
            elif from_below and risen:
                y = min(risen, len(after)) * height
            if abs(x) > 0.5 or abs(y) > 0.5:
                ways[line.key] = _Way(x, min(y, len(after) * height), now)
        for row, line in self.leaving:
            y = self.offset(line, now)[1] + (old_rows[line.key] - row) * height
            ways[line.key] = _Way(0.0, y, now)
        self._ways = ways

    def come_out(self, before: Window, after: Window, now: float) -> None:
        """Let the words come out that were not there before."""
        known = {line.key: len(line.words) for line in before if line is not None}
        known |= {line.key: len(line.words) for _, line in self.leaving}
        for line in after:
            if line is None:
                continue
            for index in range(known.get(line.key, 0), len(line.words)):
                self._fresh[line.key, index] = now
