"""The small widgets that settings are chosen with, where Qt's own will not do."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from desktop_app.settings.fields import SettingField
from desktop_app.ui.theme import Theme, mix, ui_font


class Switch(QCheckBox):
    """A check box that looks like a switch; a tick says it too, for those who see no colours."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(46, 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, place: Any) -> bool:  # noqa: N802 - Qt's name
        return self.rect().contains(place)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, on = self.theme, self.isChecked()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bed = QRectF(3, (self.height() - 22) / 2, 40, 22)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 2))
            painter.drawRoundedRect(bed.adjusted(-2, -2, 2, 2), 13, 13)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent if on else mix(theme.card, theme.label, 0.6))
        painter.drawRoundedRect(bed, 11, 11)
        knob = QPointF(bed.right() - 11 if on else bed.left() + 11, bed.center().y())
        painter.setBrush(theme.card if theme.name == "light" else theme.window)
        painter.drawEllipse(knob, 8, 8)
        if on:
            painter.setPen(QPen(theme.accent, 1.8, c=Qt.PenCapStyle.RoundCap))
            painter.drawPolyline(
                [knob + QPointF(-3.4, 0.2), knob + QPointF(-1, 2.6), knob + QPointF(3.4, -2.6)]
            )
        painter.end()


class Combo(QComboBox):
    """A list that the wheel does not turn while the page is scrolled over it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setFont(ui_font(13))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setMaxVisibleItems(14)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.label, 1.6, c=Qt.PenCapStyle.RoundCap))
        x, y = self.width() - 15.0, self.height() / 2 - 2
        painter.drawPolyline([QPointF(x - 4, y), QPointF(x, y + 4), QPointF(x + 4, y)])
        painter.end()


def show_number(spin: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Show a number without announcing it; what is being typed stays where it is no other one."""
    if spin.value() != value:
        spin.blockSignals(True)
        if isinstance(spin, QDoubleSpinBox):
            spin.setValue(value)
        else:
            spin.setValue(int(value))
        spin.blockSignals(False)


def number_line(field: SettingField) -> QSpinBox | QDoubleSpinBox:
    """Where the number of a setting is typed, with its unit."""
    spin: QSpinBox | QDoubleSpinBox
    if isinstance(field.default, float):
        spin = QDoubleSpinBox()
        spin.setRange(field.least, field.most)
        spin.setDecimals(1)
        spin.setSingleStep(field.step)
    else:
        spin = QSpinBox()
        spin.setRange(int(field.least), int(field.most))
    spin.setFont(ui_font(13))
    spin.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    # Not at every digit: 8 is no port.
    spin.setKeyboardTracking(False)
    spin.setMinimumWidth(110)
    spin.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    before, _, behind = field.said(1).partition("1")
    spin.setPrefix(before)
    spin.setSuffix(behind)
    zero = field.said(0)
    if not field.least and not any(letter.isdigit() for letter in zero):
        spin.setSpecialValueText(zero)
    # The wheel scrolls the page.
    spin.installEventFilter(WheelPasses(spin))
    return spin


class WheelPasses(QObject):
    """Lets the wheel scroll the page below a control."""

    def eventFilter(self, _watched: Any, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


def mark_refused(widget: QWidget, refused: bool) -> None:
    """Paint its frame anew."""
    if bool(widget.property("refused")) != refused:
        widget.setProperty("refused", refused)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
