"""The small bar above the panel: latency or accuracy, pause, diagnostics, close."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from desktop_app.ui.theme import Theme, css, icon, mix, ui_font, with_alpha
from engine.config import STOPS, LatencyProfile

HEIGHT = 38
_CATCH = 3
"""How near to a named stop the slider falls onto it while it is dragged."""


class ProfileSlider(QSlider):
    """0 (words earliest) to 100 (fewest errors), with a tick at each named stop."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = theme
        self.setRange(0, 100)
        self.setSingleStep(5)
        self.setPageStep(25)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Latency or accuracy")
        self.setToolTip("Left: words appear earliest. Right: fewest errors.")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(150, 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 24)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._follow(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._follow(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            self.update()

    def _follow(self, x: float) -> None:
        value = round((x - 8) / max(self.width() - 16, 1) * 100)
        for stop in STOPS.values():
            if abs(value - stop) <= _CATCH:
                value = stop
        self.setValue(min(max(value, 0), 100))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        left, span = 8.0, self.width() - 16.0
        theme = self.theme
        place = left + span * self.value() / 100
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(with_alpha(theme.value, 0.22))
        painter.drawRoundedRect(QRectF(left, middle - 1.5, span, 3), 1.5, 1.5)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(QRectF(left, middle - 1.5, place - left, 3), 1.5, 1.5)
        for stop in STOPS.values():
            x = left + span * stop / 100
            passed = stop <= self.value()
            painter.setBrush(theme.accent if passed else mix(theme.card, theme.value, 0.45))
            painter.drawEllipse(QPointF(x, middle), 2.6, 2.6)
        if self.hasFocus():
            painter.setBrush(with_alpha(theme.accent, 0.30))
            painter.drawEllipse(QPointF(place, middle), 11, 11)
        painter.setPen(QPen(theme.card, 1.5))
        painter.setBrush(theme.value)
        painter.drawEllipse(QPointF(place, middle), 7, 7)
        painter.end()


class HoverBar(QWidget):
    """Appears while the pointer is over the panel, or by the tray for the keyboard."""

    profile_moved = Signal(float)
    """A position from 0 to 100, at every step of the slider."""
    pause_toggled = Signal(bool)
    diagnostics_asked = Signal()
    close_asked = Signal()
    left = Signal()
    """Escape was pressed."""

    def __init__(self, theme: Theme, position: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self._paused = False
        self._theme = theme
        self.pause = self._button("Pause captions", self._toggle_pause)
        self.slider = ProfileSlider(theme)
        self.slider.setValue(round(position))
        self.slider.valueChanged.connect(self._slider_moved)
        self.stop_name = QLabel()
        self.stop_name.setFont(ui_font(12))
        self.stop_name.setFixedWidth(66)
        self.diagnostics = self._button("Show diagnostics", self.diagnostics_asked.emit)
        self.close_button = self._button("Close Captionglass", self.close_asked.emit)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(2)
        layout.addWidget(self.pause)
        layout.addSpacing(4)
        layout.addWidget(self.slider, 1)
        layout.addSpacing(6)
        layout.addWidget(self.stop_name)
        layout.addWidget(self.diagnostics)
        layout.addWidget(self.close_button)
        self._name_stop()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.slider.theme = theme
        self.setStyleSheet(
            f"QToolButton {{ border: none; border-radius: 8px; }}"
            f"QToolButton:hover {{ background: {css(with_alpha(theme.value, 0.14))}; }}"
            f"QToolButton:pressed {{ background: {css(with_alpha(theme.value, 0.24))}; }}"
            f"QToolButton:focus {{ border: 2px solid {css(theme.accent)}; }}"
            f"QLabel {{ color: {css(theme.value)}; }}"
        )
        self.diagnostics.setIcon(icon("diagnostics", theme.value))
        self.close_button.setIcon(icon("close", theme.value))
        self._show_pause()

    def set_paused(self, paused: bool) -> None:
        """Show what the session does, without asking it for anything."""
        self._paused = paused
        self._show_pause()

    def set_position(self, position: float) -> None:
        """Show another position of the slider, without announcing it."""
        self.slider.blockSignals(True)
        self.slider.setValue(round(position))
        self.slider.blockSignals(False)
        self._name_stop()

    def _button(self, name: str, action: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setFixedSize(30, 30)
        button.setIconSize(QSize(18, 18))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._name_button(button, name)
        button.clicked.connect(lambda: action())
        return button

    def _name_button(self, button: QToolButton, name: str) -> None:
        button.setToolTip(name)
        button.setAccessibleName(name)

    def _toggle_pause(self) -> None:
        self.set_paused(not self._paused)
        self.pause_toggled.emit(self._paused)

    def _show_pause(self) -> None:
        self.pause.setIcon(icon("resume" if self._paused else "pause", self._theme.value))
        self._name_button(self.pause, "Resume captions" if self._paused else "Pause captions")

    def _slider_moved(self, value: int) -> None:
        self._name_stop()
        self.profile_moved.emit(float(value))

    def _name_stop(self) -> None:
        name = LatencyProfile(float(self.slider.value())).name
        self.stop_name.setText(name.capitalize())
        self.slider.setAccessibleDescription(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.edge, 1))
        painter.setBrush(with_alpha(self._theme.card, 0.97))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
        painter.end()
