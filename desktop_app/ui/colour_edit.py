"""Choosing a colour: a swatch that opens a picker, and its code, which can be typed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QColorDialog, QLineEdit

from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import SettingField
from desktop_app.ui.setting_editors import Editor
from desktop_app.ui.setting_widgets import mark_refused
from desktop_app.ui.theme import Theme, theme_for, ui_font, with_alpha

_LANES = {"lane_colour_mic": 0, "lane_colour_system": 1}


class Swatch(QAbstractButton):
    """A button of one colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.colour = QColor()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(44, 32)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.hasFocus()
        edge = self.theme.accent if focus else with_alpha(self.theme.label, 0.6)
        painter.setPen(QPen(edge, 2 if focus else 1))
        painter.setBrush(self.colour)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 8, 8)
        painter.end()


class ColourEditor(Editor):
    """A colour, or the theme's own."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._value = ""
        self._own = QColor()
        self._dialog: QColorDialog | None = None
        self.swatch = Swatch(theme)
        self.swatch.clicked.connect(self.pick)
        self.swatch.setAccessibleName(self.tr("Pick: {name}").format(name=field.label))
        self.swatch.setToolTip(self.tr("Pick a colour"))
        self.line = QLineEdit()
        self.line.setFont(ui_font(13))
        self.line.setMaxLength(7)
        self.line.setPlaceholderText(self.tr("The theme's own"))
        self.line.editingFinished.connect(self._finish)
        self._row.addStretch(1)
        self._row.addWidget(self.swatch)
        self._row.addWidget(self.line)
        self.line.setFixedWidth(170)
        self._lead(self.line)

    def show_value(self, value: Any) -> None:
        # What is being typed stays, whatever else changes meanwhile.
        if str(value) != self._value or not self.line.isModified():
            self._value = str(value)
            self.line.setText(self._value)
        self._paint_swatch()

    def see(self, settings: Settings) -> None:
        self._own = own_colour(self.field.name, settings)
        self._paint_swatch()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.swatch.theme = theme
        self.swatch.update()

    def say(self, problem: str) -> None:
        mark_refused(self.line, bool(problem))

    def pick(self) -> None:
        """Open the picker; every colour it goes through is shown at once."""
        if self._dialog is None:
            dialog = self._dialog = QColorDialog(self)
            dialog.setWindowTitle(self.field.label)
            # The desktop's own may be modal, and tells only at its end.
            dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
            dialog.setOption(QColorDialog.ColorDialogOption.NoButtons)
            dialog.setModal(False)
            dialog.currentColorChanged.connect(self._picked)
        self._dialog.blockSignals(True)
        self._dialog.setCurrentColor(self.swatch.colour)
        self._dialog.blockSignals(False)
        self._dialog.show()
        self._dialog.raise_()

    def _picked(self, colour: QColor) -> None:
        self.chosen.emit(colour.name())

    def _finish(self) -> None:
        text = self.line.text().strip().lower()
        if text and not text.startswith("#"):
            text = QColor(text).name() if QColor.isValidColorName(text) else f"#{text}"
        if text != self._value:
            self.chosen.emit(text)

    def _paint_swatch(self) -> None:
        self.swatch.colour = QColor(self._value) if self._value else self._own
        self.swatch.update()


def own_colour(name: str, settings: Settings) -> QColor:
    """What an empty colour setting stands for, with the other settings as they are."""
    theme = theme_for(settings.model_copy(update={name: ""}))
    if name in _LANES:
        return theme.lanes[_LANES[name]]
    colours = {
        "text_colour": theme.text,
        "panel_colour": theme.panel,
        "outline_colour": theme.outline,
    }
    return colours.get(name, QColor(getattr(settings, name)))
