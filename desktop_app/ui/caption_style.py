"""What settings make of caption lines: fonts, colours, names of lanes, how a line is painted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from desktop_app.languages import named
from desktop_app.ui.glyphs import Glyphs
from desktop_app.ui.theme import caption_font, softened

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from desktop_app.ui.caption_lines import VisualLine
    from desktop_app.ui.theme import Theme

SIDE = 20
"""Free space left and right of the text; closing punctuation may hang into it, and the mark of the
lane stands there."""

_MARK = 3
_MARK_AT = 8
_LANES = ("mic", "system")


class CaptionStyle:
    """Everything about the look of the lines that does not change from line to line.

    Attributes:
        glyphs: of what is said.
        label_glyphs: of the names of the lanes.
        line_height: from line to line, device-independent pixels.
        letters: turns what was said into what is shown.
        lanes: those that were heard or are expected, in the order of their coming.
    """

    def __init__(self, settings: Settings, theme: Theme) -> None:
        size = settings.font_size
        bold = settings.font_weight == "bold"
        weight = QFont.Weight.DemiBold if bold else QFont.Weight.Medium
        spacing = size * settings.letter_spacing / 100
        outline = max(1.0, size * settings.outline / 100) if settings.outline else 0.0

        def glyphs(share: float, weight: QFont.Weight) -> Glyphs:
            font = caption_font(settings.font_family, size * share, weight, spacing * share)
            return Glyphs(font, outline * share, settings.shadow / 100)

        self.glyphs = glyphs(1.0, weight)
        self.label_glyphs = glyphs(0.72, QFont.Weight.DemiBold)
        self._small = glyphs(0.68, weight)
        self.line_height = math.ceil(size * settings.line_height / 100)
        self.letters = _LETTERS[settings.letter_case]
        self.lanes: list[str] = []
        self._align = settings.alignment
        self._labels = settings.lane_labels
        self._names = named(settings).lane_names
        self._theme = theme
        # Beside each other the glyphs of a line have one height, whatever scripts they are of.
        self._centre = (self.line_height + self.glyphs.ascent - self.glyphs.descent) / 2
        self._tails = [softened(colour, theme.panel) for colour in theme.lanes]

    @property
    def at_start(self) -> bool:
        """No line is moved by what follows."""
        return self._align == "start"

    def heard(self, lane: str) -> None:
        """A lane speaks, or will."""
        if lane not in self.lanes:
            self.lanes.append(lane)

    def label(self, lane: str) -> str:
        """The name to stand before what a lane says; empty for none."""
        wanted = self._labels == "always" or (self._labels == "auto" and len(self.lanes) > 1)
        return self._names.get(lane, lane.capitalize()).strip() if wanted else ""

    def indent(self, line: VisualLine, room: float) -> float:
        """How far a line begins from the edge at which it begins."""
        share = {"start": 0.0, "centre": 0.5, "end": 1.0}[self._align]
        return max(room - line.width, 0.0) * share

    def paint_line(
        self,
        painter: QPainter,
        line: VisualLine,
        place: tuple[float, int],
        width: int,
        dirty: QRectF,
        opacities: Sequence[float],
        ratio: float,
    ) -> None:
        """Draw the words of a line that touch ``dirty``.

        Args:
            painter: of the view.
            line: what to draw.
            place: distance from where it belongs, and the top of its row.
            width: of the view.
            dirty: what is to be repainted.
            opacities: of each word.
            ratio: device pixels in one device-independent pixel.
        """
        reach = self.glyphs.reach + self.line_height
        indent = self.indent(line, width - 2 * SIDE) + place[0]
        baseline = round(place[1] + self._centre)
        number = self._number(line.lane)
        text, tail = self._theme.text, self._theme.unstable
        if number is not None:
            text, tail = self._theme.lanes[number], self._tails[number]
        for word, opacity in zip(line.words, opacities, strict=True):
            x = SIDE + word.x + indent
            if line.rtl:
                x = width - x - word.width
            if x - reach > dirty.right() or x + word.width + reach < dirty.left():
                continue
            painter.setOpacity(opacity)
            (self.label_glyphs if word.label else self.glyphs).draw(
                painter,
                x,
                baseline,
                word.text,
                tail if word.label else text,
                self._theme.outline,
                tail=tail,
                head=word.stable,
                ratio=ratio,
            )

    def paint_mark(
        self, painter: QPainter, line: VisualLine, top: int, width: int, opacity: float
    ) -> None:
        """At the edge: a bar for the first lane, three dots for the second, told apart without
        colour."""
        number = self._number(line.lane)
        if number is None:
            return
        height = self.line_height * 0.56
        y = top + (self.line_height - height) / 2
        x = width - _MARK_AT - _MARK if line.rtl else _MARK_AT
        painter.setOpacity(opacity)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        bars = [QRectF(x, y, _MARK, height)]
        if number:
            bars = [QRectF(x - 0.5, y + height * part - 2, 4, 4) for part in (0.1, 0.5, 0.9)]
        for colour, grown in ((self._theme.outline, 1.5), (self._theme.lanes[number], 0.0)):
            painter.setBrush(QColor(colour))
            for bar in bars:
                bar = bar.adjusted(-grown, -grown, grown, grown)
                painter.drawRoundedRect(bar, bar.width() / 2, bar.width() / 2)

    def paint_message(self, painter: QPainter, room: QRectF, message: str, ratio: float) -> None:
        """One line in the middle of the height, cut with an ellipsis where it is too long."""
        glyphs = self._small
        space = glyphs.width(" ")
        end = room.width() - SIDE - glyphs.width("…")
        baseline = round((room.height() + glyphs.ascent - glyphs.descent) / 2)
        x = float(SIDE)
        theme = self._theme
        for word in message.split():
            cut = x + glyphs.width(word) > end
            while cut and word and x + glyphs.width(word) > end:
                word = word[:-1]
            text = word + "…" if cut else word
            glyphs.draw(painter, x, baseline, text, theme.unstable, theme.outline, ratio=ratio)
            x += glyphs.width(text) + space
            if cut:
                return

    def _number(self, lane: str) -> int | None:
        """Which of the two looks a lane has; None where there is only one lane."""
        if len(self.lanes) < 2:
            return None
        return (_LANES.index(lane) if lane in _LANES else self.lanes.index(lane)) % 2


_LETTERS: dict[str, Callable[[str], str]] = {
    "as heard": str,
    "upper": str.upper,
    "lower": str.lower,
}
