"""The stop's name beside the slider, and behind it the menu of all stops with what they do here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QMenu,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from desktop_app.languages import is_change
from desktop_app.ui.stop_texts import measured_text, stop_name, stop_title, unmeasured
from desktop_app.ui.theme import Theme, ui_font
from engine.config import STOPS

if TYPE_CHECKING:
    from engine.bench.measured import StopFigures

_WIDTH = 92


class StopButton(QToolButton):
    """Opens a menu: five stops, and the measurement."""

    stop_chosen = Signal(int)
    """A position of the slider."""
    measure_asked = Signal()
    """Begin to measure, or stop it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setFont(ui_font(12))
        self.setFixedSize(_WIDTH, 30)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.stops = QMenu(self)
        self.stops.setFont(ui_font(12))
        self.stops.setToolTipsVisible(True)
        group = QActionGroup(self)
        group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        self._of_stop: dict[str, QAction] = {}
        self._name, self._model, self._progress = "", "", ""
        self._figures: Mapping[str, StopFigures] = {}
        for name, position in STOPS.items():
            action = QAction(group, checkable=True)
            action.triggered.connect(lambda _on, at=position: self.stop_chosen.emit(at))
            self.stops.addAction(action)
            self._of_stop[name] = action
        self.stops.addSeparator()
        self._about = self.stops.addAction("")
        self._about.setEnabled(False)
        self.measure = self.stops.addAction("")
        self.measure.triggered.connect(lambda: self.measure_asked.emit())
        self.setMenu(self.stops)
        self._retranslate()

    def name_stop(self, name: str) -> None:
        """Show where the slider stands: a stop's name, or a number between stops."""
        self._name = name
        self.setText(stop_title(name))
        self.setAccessibleName(self.tr("Stop: {0}").format(stop_name(name)))
        for each, action in self._of_stop.items():
            action.setChecked(each == name)

    def show_figures(self, figures: Mapping[str, StopFigures], model: str) -> None:
        """Write what each stop does on this computer behind its name.

        Args:
            figures: by the stop's name; empty where nothing was measured.
            model: which they are of.
        """
        self._figures, self._model = dict(figures), model
        for name, action in self._of_stop.items():
            # What follows a tab stands in a column of its own.
            said = f"\t{measured_text(figures[name])}" if name in figures else ""
            action.setText(stop_title(name) + said)
        measured = self.tr("Measured\ton this computer with {0}").format(model)
        self._about.setText(measured if figures else unmeasured())

    def show_progress(self, progress: str) -> None:
        """Say how far measuring is; empty while it does not run."""
        self._progress = progress
        if progress:
            stop = self.tr("Stop measuring")
            self.measure.setText(f"{stop}\t{progress}")
        elif self._figures:
            self.measure.setText(self.tr("Measure again"))
        else:
            self.measure.setText(self.tr("Measure on this computer"))

    def _retranslate(self) -> None:
        self.setToolTip(self.tr("Choose a stop, or measure what they do on this computer"))
        self.measure.setToolTip(self.tr("Takes about half a minute; captions go on meanwhile"))
        self.name_stop(self._name)
        self.show_figures(self._figures, self._model)
        self.show_progress(self._progress)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_change(event):
            self._retranslate()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 30)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = ""
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.theme.value)
        beside = self.rect().adjusted(10, 0, -20, 0)
        painter.drawText(
            beside, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self.text()
        )
        painter.setPen(QPen(self.theme.label, 1.6))
        x, y = self.width() - 14.0, self.height() / 2 - 1.5
        painter.drawPolyline([QPointF(x - 3.5, y), QPointF(x, y + 3.5), QPointF(x + 3.5, y)])
        painter.end()
