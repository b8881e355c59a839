"""The presets on their page: used, named, deleted, and what is set now kept as another one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from desktop_app.languages import error_text
from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import field, translated
from desktop_app.settings.presets import SHIPPED, Preset, checked_name, preset_title
from desktop_app.settings.styles import style_of
from desktop_app.ui.choice_editors import model_title, source_name
from desktop_app.ui.setting_editors import place_name
from desktop_app.ui.setting_rows import Card
from desktop_app.ui.setting_widgets import mark_refused
from desktop_app.ui.theme import ui_font
from engine.errors import CaptionglassError

if TYPE_CHECKING:
    from desktop_app.application.applying import Applying


class PresetRow(QWidget):
    """One preset."""

    renamed = Signal(str, str)

    def __init__(self, preset: Preset, in_use: bool) -> None:
        super().__init__()
        self.preset = preset
        self.name = QLabel(preset_title(preset.name))
        self.name.setFont(ui_font(14, QFont.Weight.DemiBold if in_use else QFont.Weight.Medium))
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.name.setWordWrap(True)
        self.line = _NameLine()
        self.line.hide()
        self.line.setText(preset.name)
        self.line.finished.connect(self._finish)
        self.about = QLabel(described(preset))
        self.about.setObjectName("help")
        self.about.setFont(ui_font(12.5, QFont.Weight.Normal))
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.about.setWordWrap(True)
        self.use = QPushButton(self.tr("In use") if in_use else self.tr("Use"))
        self.use.setEnabled(not in_use)
        self.rename = QPushButton(self.tr("Rename"))
        self.rename.clicked.connect(self._edit)
        again = preset.own and preset.name in SHIPPED
        self.delete = QPushButton(self.tr("Back to as it came") if again else self.tr("Delete"))
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self.name)
        words.addWidget(self.line)
        words.addWidget(self.about)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(words, 1)
        for button in (self.delete, self.rename, self.use):
            button.setFont(ui_font(13))
            button.setAccessibleName(f"{button.text()}: {self.name.text()}")
            layout.addWidget(button)
        self.delete.setVisible(preset.own)
        self.rename.setVisible(preset.own and not again)

    def _edit(self) -> None:
        self.name.hide()
        self.line.show()
        self.line.setFocus()
        self.line.selectAll()

    def _finish(self, text: str) -> None:
        self.line.hide()
        self.name.show()
        if text and text != self.preset.name:
            self.renamed.emit(self.preset.name, text)


class _NameLine(QLineEdit):
    """Enter takes what was typed, Escape leaves it."""

    finished = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(60)
        self.setFont(ui_font(13))
        self.setAccessibleName(self.tr("Name of the preset"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finished.emit(self.text())
        elif event.key() == Qt.Key.Key_Escape:
            self.finished.emit("")
        else:
            super().keyPressEvent(event)


class PresetsPage(QWidget):
    """All of them.

    Args:
        desk: has the presets, and uses them.
    """

    said = Signal(str)
    """What could not be done."""
    deleted = Signal(object)
    """A preset that could be had back."""

    def __init__(self, desk: Applying) -> None:
        super().__init__()
        self._desk = desk
        self.rows: list[PresetRow] = []
        self._shown: tuple[list[Preset], str] | None = None
        self.list = Card("")
        about = QLabel(
            self.tr(
                "A preset holds what is captioned, the model, the slider and the look. The tray, a "
                "hotkey and the command line switch between them."
            )
        )
        about.setObjectName("help")
        about.setFont(ui_font(13))
        about.setWordWrap(True)
        self.name = QLineEdit()
        self.name.setMaxLength(60)
        self.name.setFont(ui_font(13))
        self.name.setPlaceholderText(self.tr("Name for what is set now"))
        self.name.setAccessibleName(self.name.placeholderText())
        self.name.returnPressed.connect(self.save)
        self.name.textChanged.connect(self._look)
        self.save_button = QPushButton(self.tr("Save as preset"))
        self.save_button.setFont(ui_font(13))
        self.save_button.clicked.connect(self.save)
        self.save_button.setEnabled(False)
        entry = QWidget()
        row = QHBoxLayout(entry)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self.save_button)
        new = Card(self.tr("A preset of your own"))
        new.add(entry)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(14)
        layout.addWidget(about)
        layout.addWidget(self.list)
        layout.addWidget(new)
        self.renew()

    def renew(self) -> bool:
        """Show the presets that there are now.

        Returns:
            Whether they are others than before.
        """
        presets, now = self._desk.presets.presets(), self._desk.current_preset()
        if (presets, now) == self._shown:
            return False
        self._shown = presets, now
        for old in self.rows:
            old.hide()
            old.deleteLater()
        self.rows = []
        for preset in presets:
            row = PresetRow(preset, preset.name == now)
            row.use.clicked.connect(partial(self._desk.use_preset, preset.name))
            row.delete.clicked.connect(partial(self.delete, preset.name))
            row.renamed.connect(self.rename)
            self.list.add(row)
            self.rows.append(row)
        return True

    def save(self) -> None:
        """Keep what is set now under the name that was typed."""
        try:
            name = checked_name(self.name.text())
            self._desk.save_preset(name)
        except CaptionglassError as error:
            mark_refused(self.name, True)
            self.said.emit(error_text(error))
            return
        self.name.clear()
        self.said.emit(self.tr("Kept: {name}").format(name=name))

    def rename(self, name: str, new: str) -> None:
        """Give one of the user's own another name."""
        try:
            self._desk.rename_preset(name, new)
        except CaptionglassError as error:
            self.said.emit(error_text(error))

    def delete(self, name: str) -> None:
        """Forget one of the user's own."""
        try:
            self.deleted.emit(self._desk.delete_preset(name))
        except CaptionglassError as error:
            self.said.emit(error_text(error))

    def _look(self, text: str) -> None:
        mark_refused(self.name, False)
        self.save_button.setEnabled(bool(text.strip()))


def described(preset: Preset) -> str:
    """What a preset does, in a few words."""
    values = preset.values
    parts = []
    if "source" in values:
        parts.append(source_name(values["source"]))
    if "model" in values:
        parts.append(model_title(values["model"]))
    if "profile" in values:
        parts.append(place_name(values["profile"]))
    look = preset.used_on(Settings())
    if style := style_of(look):
        parts.append(QCoreApplication.translate("Styles", style))
    for name in ("font_size", "lines"):
        if name in values:
            about = field(name)
            both = QCoreApplication.translate("PresetRow", "{0}: {1}")
            parts.append(both.format(translated(about.title), about.said(values[name])))
    return " · ".join(parts)
