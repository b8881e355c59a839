"""One setting on a page: its name, its help, what it is chosen with, and the way back."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import Kind, SettingField
from desktop_app.ui import setting_editors as editors
from desktop_app.ui.choice_editors import LanguageEditor, ModelEditor, SourceEditor
from desktop_app.ui.colour_edit import ColourEditor
from desktop_app.ui.font_picker import FontEditor
from desktop_app.ui.hotkey_edit import HotkeysEditor
from desktop_app.ui.theme import Theme, icon, ui_font

EDITORS: dict[Kind, type[editors.Editor]] = {
    "switch": editors.SwitchEditor,
    "choice": editors.ChoiceEditor,
    "number": editors.NumberEditor,
    "range": editors.RangeEditor,
    "text": editors.TextEditor,
    "folder": editors.PathEditor,
    "file": editors.PathEditor,
    "profile": editors.ProfileEditor,
    "places": editors.PlacesEditor,
    "colour": ColourEditor,
    "font": FontEditor,
    "source": SourceEditor,
    "model": ModelEditor,
    "language": LanguageEditor,
    "hotkeys": HotkeysEditor,
}
"""What a kind of setting is chosen with."""

_RESET = 30


class SettingRow(QWidget):
    """Tells of allowed values alone; says below itself why another one is not.

    Args:
        field: the setting.
        theme: its colours.
    """

    chosen = Signal(str, object)
    """Name and value."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__()
        self.field = field
        self._shown: Any = field.default
        self.editor = EDITORS[field.kind](field, theme)
        self.editor.chosen.connect(self.choose)
        self.title = QLabel(field.label)
        self.title.setFont(ui_font(14))
        self.title.setWordWrap(True)
        self.title.setBuddy(self.editor.focusProxy() or self.editor)
        self.help = QLabel(field.explanation)
        self.help.setObjectName("help")
        self.help.setFont(ui_font(12.5, QFont.Weight.Normal))
        self.help.setWordWrap(True)
        self.wrong = QLabel()
        self.wrong.setObjectName("wrong")
        self.wrong.setFont(ui_font(12.5))
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.reset_button = QToolButton()
        self.reset_button.setFixedSize(_RESET, _RESET)
        self.reset_button.setIconSize(QSize(17, 17))
        self.reset_button.clicked.connect(self.reset)
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(policy)
        words = QVBoxLayout()
        words.setSpacing(3)
        for label in (self.title, self.help, self.wrong):
            words.addWidget(label)
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addLayout(words, 1)
        top.addWidget(self.reset_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(top)
        if self.editor.wide:
            layout.addWidget(self.editor)
        else:
            self.editor.setFixedWidth(editors.WIDTH)
            top.addWidget(self.editor)
        self.set_theme(theme)

    def show_value(self, value: Any) -> None:
        """Show the value that holds."""
        self._shown = value
        self._say("")
        self.editor.show_value(value)
        changed = value != self.field.default
        self.reset_button.setVisible(changed)
        if changed:
            self.reset_button.setToolTip(self._way_back())
            self.reset_button.setAccessibleName(f"{self.field.label}: {self._way_back()}")

    def see(self, settings: Settings) -> None:
        """Show what these settings say."""
        self.editor.see(settings)
        value = getattr(settings, self.field.name)
        if value != self._shown or self.wrong.isHidden():
            self.show_value(value)

    def choose(self, value: Any) -> None:
        """Somebody chose a value."""
        if problem := self.field.refused(value):
            self._say(self._explained(value, problem))
            return
        if problem := self.editor.problem(value):
            self._say(problem)
            return
        self._say("")
        self.chosen.emit(self.field.name, value)

    def reset(self) -> None:
        """Back to where it was at first."""
        self.choose(self.field.default)
        (self.editor.focusProxy() or self.editor).setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.editor.set_theme(theme)
        self.reset_button.setIcon(icon("reset", theme.label))

    def _say(self, problem: str) -> None:
        self.wrong.setText(problem)
        self.wrong.setVisible(bool(problem))
        self.editor.say(problem)

    def _explained(self, value: Any, problem: str) -> str:
        if value == "":
            return self.tr("This cannot be empty; the setting stays as it was.")
        if "pattern" in problem:
            return self.tr("This is not of the form described above; the setting stays as it was.")
        return self.tr("This cannot be: {why}").format(why=problem)

    def _way_back(self) -> str:
        field = self.field
        if field.kind in ("choice", "number", "range"):
            return self.tr("Back to {value}").format(value=field.said(field.default))
        if field.kind == "profile":
            return self.tr("Back to {value}").format(value=editors.place_name(field.default))
        if field.kind in ("text", "model", "source") and field.default:
            return self.tr("Back to {value}").format(value=field.default)
        return self.tr("Back to what it was at first")


class Card(QFrame):
    """A title, and rows with space between them."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self.heading = QLabel(title)
        self.heading.setFont(ui_font(13, QFont.Weight.DemiBold))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(20, 16, 20, 18)
        self._layout.setSpacing(18)
        self._layout.addWidget(self.heading)
        self.heading.setVisible(bool(title))

    def add(self, widget: QWidget) -> None:
        """A row below the others."""
        self._layout.addWidget(widget)
