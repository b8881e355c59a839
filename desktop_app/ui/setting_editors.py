"""What settings are chosen with: one small widget for each kind of value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QWidget,
)

from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import SettingField
from desktop_app.ui.hover_bar import ProfileSlider
from desktop_app.ui.setting_widgets import (
    Combo,
    Switch,
    WheelPasses,
    mark_refused,
    number_line,
    show_number,
)
from desktop_app.ui.stop_texts import stop_title
from desktop_app.ui.theme import Theme, ui_font
from engine.config import LatencyProfile

WIDTH = 290
"""Of all editors, device-independent pixels."""


class Editor(QWidget):
    """Shows a value, and tells of another one that somebody chose.

    Args:
        field: what is chosen.
        theme: its colours.

    Attributes:
        wide: it stands below its help, over the whole width.
    """

    chosen = Signal(object)
    """A value, not yet seen to be within its limits."""
    more_asked = Signal(str)
    """Another window is wanted, by its kind."""

    wide = False

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__()
        self.field = field
        self.theme = theme
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)

    def show_value(self, value: Any) -> None:
        """Show a value without announcing it."""
        raise NotImplementedError

    def see(self, settings: Settings) -> None:
        """Take note of the other settings, where the choice depends on them."""

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.theme = theme
        self.update()

    def say(self, problem: str) -> None:
        """Show what is wrong with what was typed; empty where nothing is."""

    def problem(self, value: Any) -> str:  # noqa: ARG002
        """Why a value within its limits cannot be; empty where it can."""
        return ""

    def _tell(self, value: Any) -> None:
        self.chosen.emit(value)

    def _lead(self, widget: QWidget) -> None:
        """The part that has the keyboard and the name."""
        self.setFocusProxy(widget)
        widget.setAccessibleName(self.field.label)
        widget.setAccessibleDescription(self.field.explanation)


class SwitchEditor(Editor):
    """On or off."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.switch = Switch(theme)
        self.switch.toggled.connect(self._tell)
        self._row.addStretch(1)
        self._row.addWidget(self.switch)
        self._lead(self.switch)

    def show_value(self, value: Any) -> None:
        self.switch.blockSignals(True)
        self.switch.setChecked(bool(value))
        self.switch.blockSignals(False)
        self.switch.update()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.switch.theme = theme
        self.switch.update()


class ChoiceEditor(Editor):
    """One of a few."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.combo = Combo(theme)
        for value in field.choices:
            self.combo.addItem(field.said(value), value)
        self.combo.activated.connect(self._choose)
        self._row.addWidget(self.combo)
        self._lead(self.combo)

    def show_value(self, value: Any) -> None:
        index = self.combo.findData(value)
        if index < 0:
            index = self._add(value)
        self.combo.setCurrentIndex(index)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.combo.theme = theme

    def _add(self, value: Any) -> int:
        """A value that is not in the list."""
        self.combo.addItem(str(value), value)
        return self.combo.count() - 1

    def _choose(self, index: int) -> None:
        self.chosen.emit(self.combo.itemData(index))


class NumberEditor(Editor):
    """A number that is typed."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.spin = number_line(field)
        self.spin.valueChanged.connect(self._tell)
        self._row.addStretch(1)
        self._row.addWidget(self.spin)
        self._lead(self.spin)

    def show_value(self, value: Any) -> None:
        show_number(self.spin, value)


class RangeEditor(Editor):
    """A number on a slider, which can be typed too."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._step = field.step
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(field.least / self._step), round(field.most / self._step))
        self.slider.setPageStep(max(1, round((field.most - field.least) / self._step) // 8))
        self.slider.installEventFilter(WheelPasses(self.slider))
        self.slider.setFixedHeight(26)
        self.spin = number_line(field)
        self.spin.setFixedWidth(88)
        self.slider.valueChanged.connect(self._slid)
        self.spin.valueChanged.connect(self._choose)
        self._row.addWidget(self.slider, 1)
        self._row.addWidget(self.spin)
        self._lead(self.slider)
        self.spin.setAccessibleName(field.label)

    def show_value(self, value: Any) -> None:
        place = round(value / self._step)
        if self.slider.value() != place:
            self.slider.blockSignals(True)
            self.slider.setValue(place)
            self.slider.blockSignals(False)
        show_number(self.spin, value)

    def _slid(self, place: int) -> None:
        self._choose(place * self._step)

    def _choose(self, value: float) -> None:
        self.show_value(value)
        self.chosen.emit(value)


class ProfileEditor(Editor):
    """The slider of the hover bar."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.slider = ProfileSlider(theme)
        self.slider.valueChanged.connect(self._slid)
        self.stop = QLabel()
        self.stop.setFont(ui_font(13))
        self.stop.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.stop.setMinimumWidth(88)
        self._row.addWidget(self.slider, 1)
        self._row.addWidget(self.stop)
        self._lead(self.slider)

    def show_value(self, value: Any) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(round(value))
        self.slider.blockSignals(False)
        self.stop.setText(place_name(float(value)))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.slider.theme = theme
        self.slider.update()

    def _slid(self, value: int) -> None:
        self.stop.setText(place_name(float(value)))
        self.chosen.emit(float(value))


class TextEditor(Editor):
    """A line of text; taken when it is finished, so that nothing acts on half a word."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.line = QLineEdit()
        self.line.setFont(ui_font(13))
        self.line.setMaxLength(field.longest)
        self.line.editingFinished.connect(self._finish)
        self._row.addWidget(self.line, 1)
        self._lead(self.line)
        self._value = self._shown = ""

    def show_value(self, value: Any) -> None:
        # What is being typed stays, whatever else changes meanwhile.
        if str(value) == self._value and self.line.isModified():
            return
        self._value, self._shown = str(value), self._said(str(value))
        self.line.setText(self._shown)
        self.line.setCursorPosition(0)

    def _said(self, value: str) -> str:
        # Lanes that nobody has named are named in the language of the interface.
        named = self.field.name.startswith("lane_name_") and value == self.field.default
        return QCoreApplication.translate("Lanes", value) if named else value

    def say(self, problem: str) -> None:
        mark_refused(self.line, bool(problem))

    def _finish(self) -> None:
        if self.line.text() != self._shown:
            self.chosen.emit(self.line.text())


class PathEditor(TextEditor):
    """A folder or a file."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.browse = QPushButton(self.tr("Choose…"))
        self.browse.setFont(ui_font(13))
        self.browse.setAccessibleName(f"{self.browse.text()} {field.label}")
        self.browse.clicked.connect(self._browse)
        self._row.addWidget(self.browse)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.field.label)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.field.kind == "folder":
            dialog.setFileMode(QFileDialog.FileMode.Directory)
        else:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDirectory(str(Path(self.line.text() or Path.home()).expanduser()))
        dialog.fileSelected.connect(self._take)
        dialog.open()

    def _take(self, path: str) -> None:
        self.chosen.emit(path)


class PlacesEditor(Editor):
    """Where the panel was on each arrangement of screens: it can only be forgotten."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self.count = QLabel()
        self.count.setObjectName("help")
        self.count.setFont(ui_font(13))
        self.forget = QPushButton(self.tr("Forget"))
        self.forget.setFont(ui_font(13))
        self.forget.clicked.connect(self._forget)
        self._row.addStretch(1)
        self._row.addWidget(self.count)
        self._row.addWidget(self.forget)
        self._lead(self.forget)

    def show_value(self, value: Any) -> None:
        self.count.setText(self.tr("%n arrangement(s)", "", len(value)))
        self.forget.setEnabled(bool(value))

    def _forget(self) -> None:
        self.chosen.emit({})


def place_name(position: float) -> str:
    """What a place on the latency slider is called."""
    return stop_title(LatencyProfile(position).name)
