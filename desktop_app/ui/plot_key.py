"""How the curves of a plot look, and the key that says what each stands for."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.theme import Theme, ui_font, with_alpha

DASHES: tuple[tuple[float, ...], ...] = ((), (4.0, 2.5), (1.2, 2.0))
"""Of the first, second and third curve of a plot, in widths of the line; empty is solid."""

_WIDTH = 1.8
SHADE = 0.24
"""Opacity of what is shaded."""


def pen(theme: Theme, place: int, ratio: float) -> QPen:
    """Of a curve: colour and dashes both tell it apart.

    Args:
        ratio: device pixels to one of the window's; a cosmetic pen is as wide as so many of them.
    """
    colour = (theme.accent, theme.warning, theme.good)[place % 3]
    line = QPen(colour, _WIDTH * ratio)
    line.setCosmetic(True)
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    if DASHES[place % 3]:
        line.setDashPattern(DASHES[place % 3])
    return line


class Key(QWidget):
    """A piece of a curve's line, or of a shade, and what it stands for."""

    def __init__(self, theme: Theme, place: int | None) -> None:
        super().__init__()
        self.theme = theme
        self._place = place
        self.text = ""
        self.setFont(figures_of(ui_font(12)))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        """What stands behind the line."""
        if text != self.text:
            self.text = text
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        return QSize(math.ceil(metrics.horizontalAdvance(self.text)) + 34, 18)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle = self.height() / 2
        if self._place is None:
            painter.fillRect(QRectF(0, middle - 5, 22, 10), with_alpha(self.theme.good, SHADE))
        else:
            painter.setPen(pen(self.theme, self._place, self.devicePixelRatioF()))
            painter.drawLine(QLineF(0, middle, 22, middle))
        painter.setPen(self.theme.value)
        room = QRectF(self.rect()).adjusted(28, 0, 0, 0)
        text = QFontMetricsF(self.font()).elidedText(
            self.text, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


def figures_of(font: QFont) -> QFont:
    """Figures of one width, so that changing numbers do not jitter."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
