"""The small bar above the panel: latency or accuracy and what it does here, pause, diagnostics,
close."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QKeyCombination, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from assets import ASSETS
from desktop_app.languages import is_change
from desktop_app.ui.stop_button import StopButton
from desktop_app.ui.stop_texts import live_text, measured_text, stop_name, stop_tip, unmeasured
from desktop_app.ui.theme import Theme, css, icon, mix, ui_font, with_alpha
from engine.config import STOPS, LatencyProfile

if TYPE_CHECKING:
    from engine.bench.measured import StopFigures
    from engine.types import EngineStats

HEIGHT = 60
LIVE_MS = 1000
_CHECK = (ASSETS / "icons" / "check.svg").as_posix()
_CATCH = 3
_ROOMY, _TIGHT = 440, 390
"""Pixels from which all buttons have room beside a long name of a stop; all but two."""
"""How near to a named stop the slider falls onto it while it is dragged."""


class ProfileSlider(QSlider):
    """0 (words earliest) to 100 (fewest errors), with a tick at each named stop."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = theme
        self.figures: Mapping[str, StopFigures] = {}
        self.setRange(0, 100)
        self.setSingleStep(5)
        self.setPageStep(25)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.retranslate()
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def retranslate(self) -> None:
        """Say everything in the language of the interface."""
        self.setAccessibleName(self.tr("Latency or accuracy"))
        self.setToolTip(self.tr("Left: words appear earliest. Right: fewest errors."))

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

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return super().event(event)

    def tip_at(self, x: float) -> str:
        """What is said of the stop that is nearest to a place, device-independent pixels."""
        value = self._value_at(x)
        name = min(STOPS, key=lambda each: abs(STOPS[each] - value))
        return stop_tip(name, self.figures.get(name))

    def _value_at(self, x: float) -> int:
        return round((x - 8) / max(self.width() - 16, 1) * 100)

    def _follow(self, x: float) -> None:
        value = self._value_at(x)
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
    settings_asked = Signal()
    transcript_asked = Signal()
    models_asked = Signal()
    close_asked = Signal()
    measure_asked = Signal()
    """Begin to measure this computer, or stop it."""
    left = Signal()
    """Escape was pressed."""

    def __init__(self, theme: Theme, position: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self._paused = False
        self._theme = theme
        self._effect = ""
        self._progress = ""
        self._stats: Callable[[], EngineStats] | None = None
        self.pause = self._button(self._toggle_pause)
        self.slider = ProfileSlider(theme)
        self.slider.setValue(round(position))
        self.slider.valueChanged.connect(self._slider_moved)
        self.stop_name = StopButton(theme)
        self.stop_name.stop_chosen.connect(self.slider.setValue)
        self.stop_name.measure_asked.connect(self.measure_asked)
        self.effect = QLabel()
        self.effect.setFont(ui_font(12))
        self.effect.setTextFormat(Qt.TextFormat.PlainText)
        self.transcript = self._button(self.transcript_asked.emit)
        self.models = self._button(self.models_asked.emit)
        self.diagnostics = self._button(self.diagnostics_asked.emit)
        self.settings = self._button(self.settings_asked.emit)
        self.close_button = self._button(self.close_asked.emit)
        layout = QHBoxLayout()
        layout.setSpacing(2)
        layout.addWidget(self.pause)
        layout.addSpacing(4)
        layout.addWidget(self.slider, 1)
        layout.addSpacing(6)
        layout.addWidget(self.stop_name)
        layout.addWidget(self.transcript)
        layout.addWidget(self.models)
        layout.addWidget(self.diagnostics)
        layout.addWidget(self.settings)
        layout.addWidget(self.close_button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(6, 4, 6, 6)
        rows.setSpacing(0)
        rows.addLayout(layout)
        rows.addWidget(self.effect)
        self.effect.setContentsMargins(9, 0, 9, 0)
        self._live_timer = QTimer(self, interval=LIVE_MS)
        self._live_timer.timeout.connect(self._show_effect)
        self.set_theme(theme)
        self._retranslate()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.slider.theme = theme
        self.stop_name.theme = theme
        self.setStyleSheet(
            f"QToolButton {{ border: none; border-radius: 8px; color: {css(theme.value)}; }}"
            f"QToolButton:hover {{ background: {css(with_alpha(theme.value, 0.14))}; }}"
            f"QToolButton:pressed {{ background: {css(with_alpha(theme.value, 0.24))}; }}"
            f"QToolButton:focus {{ border: 2px solid {css(theme.accent)}; }}"
            f"QToolButton::menu-indicator {{ image: none; }}"
            f"QLabel {{ color: {css(theme.label)}; }}"
            f"QMenu {{ background: {css(theme.card)}; color: {css(theme.value)};"
            f" border: 1px solid {css(theme.edge)}; padding: 6px; }}"
            f"QMenu::item {{ padding: 6px 14px 6px 8px; border-radius: 6px; }}"
            f"QMenu::indicator {{ width: 14px; height: 14px; left: 4px; }}"
            f'QMenu::indicator:checked {{ image: url("{_CHECK}"); }}'
            f"QMenu::item:selected {{ background: {css(with_alpha(theme.accent, 0.28))}; }}"
            f"QMenu::item:disabled {{ color: {css(theme.label)}; }}"
            f"QMenu::separator {{ height: 1px; background: {css(theme.edge)}; margin: 6px 8px; }}"
        )
        self.transcript.setIcon(icon("transcript", theme.value))
        self.models.setIcon(icon("models", theme.value))
        self.diagnostics.setIcon(icon("diagnostics", theme.value))
        self.settings.setIcon(icon("settings", theme.value))
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

    def follow(self, stats: Callable[[], EngineStats]) -> None:
        """Show what the running captions do, once a second while the bar can be seen.

        Args:
            stats: gives a snapshot of the engine; called on the Qt thread.
        """
        self._stats = stats

    def show_figures(self, figures: Mapping[str, StopFigures], model: str, progress: str) -> None:
        """Show what the stops do on this computer.

        Args:
            figures: by the stop's name; empty where nothing was measured.
            model: which they are of.
            progress: how far measuring is; empty while it does not run.
        """
        self.slider.figures = dict(figures)
        self._progress = progress
        self.stop_name.show_figures(figures, model)
        self.stop_name.show_progress(progress)
        self._show_effect()

    def _retranslate(self) -> None:
        self.slider.retranslate()
        self._show_pause()
        for button, name in (
            (self.transcript, self.tr("Show transcript")),
            (self.models, self.tr("Show models")),
            (self.diagnostics, self.tr("Show diagnostics")),
            (self.settings, self.tr("Show settings")),
            (self.close_button, self.tr("Close Captionglass")),
        ):
            self._name_button(button, name)
        self._name_stop()

    def _button(self, action: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setFixedSize(30, 30)
        button.setIconSize(QSize(18, 18))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
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
        name = self.tr("Resume captions") if self._paused else self.tr("Pause captions")
        self._name_button(self.pause, name)

    def _slider_moved(self, value: int) -> None:
        self._name_stop()
        self.profile_moved.emit(float(value))

    def _name_stop(self) -> None:
        self.stop_name.name_stop(LatencyProfile(float(self.slider.value())).name)
        self._show_effect()

    def _show_effect(self) -> None:
        """One line: how far measuring is, else what happens now, else what was measured."""
        name = LatencyProfile(float(self.slider.value())).name
        figures = self.slider.figures.get(name)
        now = live_text(self._stats()) if self._stats and self.isVisible() else ""
        measured = measured_text(figures) if figures else ""
        lines = []
        if self._progress:
            lines.append(self.tr("Measuring this computer: {0}").format(self._progress))
        if now:
            lines.append(self.tr("Now: {0}").format(now))
        if measured:
            lines.append(self.tr("Measured: {0}").format(measured))
        if not self._progress and not self.slider.figures:
            lines.append(unmeasured())
        text = lines[0] if lines else ""
        self.effect.setToolTip("\n".join(lines))
        self.effect.setAccessibleName(text)
        stop = stop_name(name)
        said = self.tr("{0}. {1}").format(stop, text) if text else stop
        self.slider.setAccessibleDescription(said)
        self._effect = text
        self._cut()

    def _cut(self) -> None:
        metrics = QFontMetricsF(self.effect.font())
        room = self.width() - 12 - 18 - 2
        self.effect.setText(metrics.elidedText(self._effect, Qt.TextElideMode.ElideRight, room))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_change(event):
            self._retranslate()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        # A wider panel, the tray and the settings have them too.
        for least, button in (
            (_ROOMY, self.models),
            (_ROOMY, self.diagnostics),
            (_TIGHT, self.transcript),
        ):
            button.setVisible(self.width() >= least)
        self._cut()

    def showEvent(self, _event: QShowEvent) -> None:
        self._show_effect()
        self._live_timer.start()

    def hideEvent(self, _event: QHideEvent) -> None:
        self._live_timer.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.keyCombination() == QKeyCombination(
            Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_T
        ):
            self.transcript_asked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.edge, 1))
        painter.setBrush(with_alpha(self._theme.card, 0.97))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
        painter.end()
