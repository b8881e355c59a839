"""The password of OBS: kept here, never shown. The keyring may wait for its owner, so it is asked
on a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from desktop_app import secrets
from desktop_app.languages import error_text
from desktop_app.outputs.obs import OBS_PASSWORD
from desktop_app.posting import post
from desktop_app.ui.theme import ui_font
from engine.errors import CaptionglassError


class PasswordRow(QWidget):
    """A line to type it into, and where it is kept."""

    kept = Signal()
    """Another one is kept, or none."""

    _found = Signal(str)
    _changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._thread: threading.Thread | None = None
        self.title = QLabel(self.tr("Password of OBS"))
        self.title.setFont(ui_font(14))
        self.status = QLabel(self.tr("Looking where it is kept…"))
        self.status.setObjectName("help")
        self.status.setFont(ui_font(12.5))
        self.status.setWordWrap(True)
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setMaxLength(500)
        self.line.setFont(ui_font(13))
        self.line.setAccessibleName(self.title.text())
        self.line.returnPressed.connect(self.keep)
        self.line.textChanged.connect(self._look)
        self.title.setBuddy(self.line)
        self.keep_button = QPushButton(self.tr("Keep"))
        self.keep_button.clicked.connect(self.keep)
        self.forget_button = QPushButton(self.tr("Forget"))
        self.forget_button.clicked.connect(self.forget)
        for button in (self.keep_button, self.forget_button):
            button.setFont(ui_font(13))
            button.setAccessibleName(f"{button.text()}: {self.title.text()}")
        self.keep_button.setEnabled(False)
        self.forget_button.setEnabled(False)
        entry = QHBoxLayout()
        entry.setSpacing(8)
        entry.addWidget(self.line, 1)
        entry.addWidget(self.keep_button)
        entry.addWidget(self.forget_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self.status)
        layout.addLayout(entry)
        self._found.connect(self._say)
        self._changed.connect(self.kept)

    def keep(self) -> None:
        """Keep what was typed, and show it no more."""
        if password := self.line.text():
            self.line.clear()
            self._ask(lambda: _keep(password), changes=True)

    def forget(self) -> None:
        """Keep none any more."""
        self._ask(_forget, changes=True)

    def _look(self, text: str) -> None:
        self.keep_button.setEnabled(bool(text))

    def _ask(self, work: Callable[[], str], *, changes: bool = False) -> None:
        last = self._thread

        def run() -> None:
            if last is not None:
                last.join()
            place = work()
            post(self._found, place)
            if changes:
                post(self._changed)

        self._thread = threading.Thread(target=run, name="settings password", daemon=True)
        self._thread.start()

    def _say(self, place: str) -> None:
        said = {
            "": self.tr("None is kept."),
            "keyring": self.tr("One is kept in the keyring of this computer."),
            "file": self.tr("One is kept in a file that only you can read."),
            "memory": self.tr(
                "One is kept until Captionglass ends: there is no keyring here, and Privacy does "
                "not allow a file."
            ),
            "environment": self.tr("The environment gives one, which goes before any kept here."),
        }
        self.status.setText(said.get(place, place))
        self.forget_button.setEnabled(place in ("keyring", "file", "memory"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._thread is None or not self._thread.is_alive():
            self._ask(_where)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.line.clear()


def _where() -> str:
    try:
        found, place = secrets.shared().find(OBS_PASSWORD)
    except CaptionglassError as error:
        return error_text(error)
    return place if found else ""


def _keep(password: str) -> str:
    try:
        secrets.set(OBS_PASSWORD, password)
    except CaptionglassError as error:
        return error_text(error)
    return _where()


def _forget() -> str:
    try:
        secrets.delete(OBS_PASSWORD)
    except CaptionglassError as error:
        return error_text(error)
    return _where()
