"""How long lines stay: a line leaves only when it could have been read. Pure Python.

The time counts from a line's first appearing, by its length, and a little longer from its last
change. Where more is said than anybody can read, it first goes twice as fast, and what is far
behind is passed over: captions never lag further and further behind.
"""

from __future__ import annotations

import math

from desktop_app.ui.caption_lines import CaptionLines, VisualLine

CHARACTERS_S = 20.0
"""What is read in a second; subtitles are made for 15 to 20."""

WIDE_S = 9.0
"""The same for Chinese and Japanese."""

LEAST_S = 0.8
MOST_S = 6.0
LAST_WORD_S = 0.5
"""From the last change of a line to its leaving."""

_FAR_BEHIND = 3


def reading_s(line: VisualLine) -> float:
    """Seconds that it takes to read a line."""
    text = [word.text for word in line.words if not word.label]
    wide = sum(ord(character) >= 0x2E80 for word in text for character in word)
    narrow = sum(map(len, text)) + len(text) - wide
    return min(max(narrow / CHARACTERS_S + wide / WIDE_S, LEAST_S), MOST_S)


class Reading:
    """Says how far the lines may have moved up by now.

    Attributes:
        bottom: how many lines have been shown so far, as ``CaptionLines.bottom`` counts.
    """

    def __init__(self) -> None:
        self.bottom = 0
        self._all_read = False
        self._seen: dict[tuple[int, int], tuple[float, float, VisualLine]] = {}

    def catch_up(self, lines: CaptionLines) -> None:
        """Go to the newest line at once: the breaks have changed, or nobody was looking."""
        self.bottom = lines.bottom
        self._seen.clear()
        self._all_read = True

    def advance(self, lines: CaptionLines, rows: int, now: float) -> float | None:
        """Move up as far as may be.

        Args:
            lines: what was said.
            rows: how many lines are shown.
            now: seconds on any clock that does not jump.

        Returns:
            Seconds until more may move; None where the newest line is shown.
        """
        self.bottom = max(self.bottom, lines.bottom - _FAR_BEHIND * rows)
        while True:
            window = lines.window(rows, self.bottom)
            self._look(window, now)
            behind = lines.bottom - self.bottom
            if behind <= 0:
                return None
            leaving = window[0]
            if leaving is not None:
                wait = self._until(leaving, 2.0 if behind > rows else 1.0) - now
                if wait > 0:
                    return wait
            self.bottom += 1

    def _look(self, window: tuple[VisualLine | None, ...], now: float) -> None:
        seen = {}
        # What stood there before the breaks changed must not keep new words waiting.
        since = -math.inf if self._all_read else now
        self._all_read = False
        for line in window:
            if line is None:
                continue
            first, changed, before = self._seen.get(line.key, (since, since, line))
            same = [word.text for word in before.words] == [word.text for word in line.words]
            seen[line.key] = first, changed if same else now, line
        self._seen = seen

    def _until(self, line: VisualLine, speed: float) -> float:
        first, changed, _ = self._seen[line.key]
        return max(first + reading_s(line) / speed, changed + LAST_WORD_S / speed)
