"""How the curves of a plot look, and the key that says what each stands for."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop_app.ui.theme import Theme, mix, ui_font, with_alpha

DASHES = ((1, 0), (8, 5), (2, 4))
"""Of the first, second and third curve of a plot: pixels strong, pixels pale."""
SHADE = 0.24
"""Opacity of what is shaded."""

_WIDTH = 1.8
_PALE = 0.68
_LINE = 21


def pen(theme: Theme, place: int, ratio: float, *, pale: bool = False) -> QPen:
    """Of a curve. The dashes are not the pen's own: Qt takes ten times as long for those.

    Args:
        ratio: device pixels to one of the window's; a cosmetic pen is as wide as so many of them.
        pale: for what lies between the dashes, so that nothing is hidden there.
    """
    colour = (theme.accent, theme.warning, theme.good)[place]
    line = QPen(mix(colour, theme.card, _PALE) if pale else colour, _WIDTH * ratio)
    line.setCosmetic(True)
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    return line


class Key(QWidget):
    """A piece of a curve's line, or of a shade, and what it stands for."""

    def __init__(self, theme: Theme, place: int | None) -> None:
        super().__init__()
        self.theme = theme
        self._place = place
        self.text = ""
        self._wanted = 34
        self.setFont(figures_of(ui_font(12)))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        """What stands behind the line."""
        if text == self.text:
            return
        self.text = text
        self.update()
        wanted = math.ceil(QFontMetricsF(self.font()).horizontalAdvance(text)) + 34
        # Never narrower again: a new layout every second costs more than all the plots.
        if wanted > self._wanted:
            self._wanted = wanted
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._wanted, 18)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle = self.height() / 2
        if self._place is None:
            painter.fillRect(QRectF(0, middle - 5, _LINE, 10), with_alpha(self.theme.good, SHADE))
        else:
            ratio = self.devicePixelRatioF()
            painter.setPen(pen(self.theme, self._place, ratio, pale=True))
            painter.drawLine(QLineF(0, middle, _LINE, middle))
            painter.setPen(pen(self.theme, self._place, ratio))
            strong, weak = DASHES[self._place]
            for left in range(0, _LINE, strong + weak):
                painter.drawLine(QLineF(left, middle, min(left + strong, _LINE), middle))
        painter.setPen(self.theme.value)
        room = QRectF(self.rect()).adjusted(28, 0, 0, 0)
        text = QFontMetricsF(self.font()).elidedText(
            self.text, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


class Figure(QLabel):
    """A figure that changes every second and asks for a new layout only where it grows."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(figures_of(ui_font(13)))
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFixedSize(20, 18)

    def show_text(self, text: str) -> None:
        """Show another figure."""
        if text == self.text():
            return
        wanted = math.ceil(QFontMetricsF(self.font()).horizontalAdvance(text)) + 2
        if wanted > self.width():
            self.setFixedSize(wanted, 18)
        self.setText(text)


def figures_of(font: QFont) -> QFont:
    """Figures of one width, so that changing numbers do not jitter."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
