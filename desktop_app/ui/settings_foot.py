"""The foot of the settings window: what is said, and what can be done with all settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_app.languages import error_text
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import Preset
from desktop_app.settings.store import export_settings, import_settings
from desktop_app.ui.theme import ui_font
from engine.errors import CaptionglassError

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp


class SettingsFoot(QWidget):
    """Import, export, the file, reset; and the way back, instead of a question before.

    Args:
        app: whose settings they are.
    """

    undone = Signal()
    """What was taken away is back, and the button is gone."""

    def __init__(self, app: CaptionApp) -> None:
        super().__init__()
        self._app = app
        self._before: Settings | Preset | None = None
        self.status = QLabel()
        self.status.setObjectName("status")
        self.status.setFont(ui_font(13))
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        self.undo_button = self._button(self.tr("Undo"))
        self.undo_button.setObjectName("link")
        self.undo_button.hide()
        self.undo_button.clicked.connect(self.undo)
        self.import_button = self._button(self.tr("Import…"))
        self.import_button.clicked.connect(self.ask_import)
        self.export_button = self._button(self.tr("Export…"))
        self.export_button.clicked.connect(self.ask_export)
        self.open_button = self._button(self.tr("Open the file"))
        self.open_button.clicked.connect(self.open_file)
        self.reset_button = self._button(self.tr("Reset all"))
        self.reset_button.clicked.connect(self.reset_all)
        foot = QHBoxLayout(self)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self.status, 1)
        for button in (
            self.undo_button,
            self.import_button,
            self.export_button,
            self.open_button,
            self.reset_button,
        ):
            foot.addWidget(button)

    def say(self, text: str, before: Settings | Preset | None = None) -> None:
        """Say something at the foot.

        Args:
            text: one line.
            before: what can be had back.
        """
        self._before = before
        self.status.setText(text)
        self.undo_button.setVisible(before is not None)

    def kept(self) -> tuple[str, Settings | Preset | None]:
        """What is said and could be had back, for another one's ``say``."""
        return self.status.text(), self._before

    def reset_all(self) -> None:
        """Every setting back to its default; it can be undone."""
        before = self._app.settings
        self._app.applying.apply(Settings())
        self.say(self.tr("All settings are as they were at first."), before)

    def undo(self) -> None:
        """Bring back what the last reset, import or deletion took away."""
        before = self._before
        self.say("")
        if isinstance(before, Settings):
            self._app.applying.apply(before)
        elif before is not None:
            try:
                self._app.applying.keep_preset(before)
            except CaptionglassError as error:
                self.say(error_text(error))
        self.undone.emit()

    def ask_import(self) -> None:
        """Ask for a file to take settings from."""
        dialog = self._dialog(self.tr("Import settings"), QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(self.import_from)
        dialog.open()

    def import_from(self, path: str) -> None:
        """Take the settings of a file; what is wrong with it is said, and changes nothing."""
        before = self._app.settings
        try:
            new, problems = import_settings(Path(path))
        except CaptionglassError as error:
            self.say(error_text(error))
            return
        # Where the panel stood on somebody else's screens is of no use here.
        new = new.model_copy(update={"geometry": before.geometry})
        self._app.applying.apply(new)
        text = self.tr("Imported from {file}.").format(file=Path(path).name)
        if problems:
            left_out = self.tr("%n thing(s) in it were left out: {first}", "", len(problems))
            text += " " + left_out.format(first=problems[0])
        self.say(text, before)

    def ask_export(self) -> None:
        """Ask for a file to write settings to."""
        dialog = self._dialog(self.tr("Export settings"), QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.selectFile("captionglass-settings.toml")
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    def export_to(self, path: str) -> None:
        """Write the settings to a file."""
        try:
            export_settings(self._app.settings, Path(path))
        except CaptionglassError as error:
            self.say(error_text(error))
        else:
            self.say(self.tr("Written to {file}.").format(file=path))

    def open_file(self) -> None:
        """Open the settings file in whatever edits texts here."""
        path = self._app.applying.settings_file()
        if path is None:
            self.say(self.tr("There is no settings file, and none can be written."))
        elif QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self.say(
                self.tr("Changes you save in {file} are taken at once.").format(file=path.name)
            )
        else:
            self.say(self.tr("Nothing here opens it; the file is {file}").format(file=path))

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setFont(ui_font(13))
        return button

    def _dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(mode)
        dialog.setNameFilter(self.tr("Settings (*.toml)"))
        return dialog
