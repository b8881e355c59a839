"""How loud the sound is that is heard now."""

from __future__ import annotations

import math

from PySide6.QtCore import QLocale, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.theme import Theme, with_alpha

_QUIETEST = -60.0
"""dBFS at the left end."""
_LOUD, _FULL = -6.0, -1.0


class LevelBar(QWidget):
    """One bar, by the loudest lane."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.level = -math.inf
        self.setFixedHeight(10)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_level(-math.inf)

    def set_level(self, level: float) -> None:
        """Take loudness in dBFS."""
        if level != self.level:
            self.level = level
            self.update()
        name = self.tr("Level of the sound")
        if math.isfinite(level):
            name = self.tr("Level of the sound: {level} dB").format(
                level=QLocale().toString(level, "f", 0)
            )
        self.setAccessibleName(name)

    @property
    def share(self) -> float:
        """How far the bar goes, from 0 to 1."""
        return min(max((self.level - _QUIETEST) / -_QUIETEST, 0.0), 1.0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        theme, height = self.theme, float(self.height())
        painter.setBrush(with_alpha(theme.value, 0.12))
        painter.drawRoundedRect(QRectF(0, 0, self.width(), height), height / 2, height / 2)
        loud = theme.error if self.level > _FULL else theme.warning
        painter.setBrush(loud if self.level > _LOUD else theme.good)
        width = max(self.width() * self.share, height if self.share > 0 else 0.0)
        painter.drawRoundedRect(QRectF(0, 0, width, height), height / 2, height / 2)
        painter.end()
