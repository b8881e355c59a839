"""The list beside the transcript: now, and what was kept of earlier sessions."""

from __future__ import annotations

import threading

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.history.store import HistoryStore, Session
from desktop_app.languages import error_text, notice_text
from desktop_app.posting import post
from desktop_app.ui.theme import ui_font
from engine.errors import CaptionglassError
from engine.sinks.text import stamp

_SURE_MS = 4000
_ITEM_HEIGHT = 62
_SESSION = Qt.ItemDataRole.UserRole

_JOIN_S = 2.0


class SessionList(QWidget):
    """Reads the folder on a thread of its own.

    Args:
        store: the sessions.
    """

    chosen = Signal(str)
    """Id of a session, empty for what is said now."""
    deleted = Signal(str)
    failed = Signal(str)
    """One line, for people."""
    _read = Signal(int, list, list)

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.current = ""
        self._store = store
        self._reading: threading.Thread | None = None
        self._round = 0
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Sessions"))
        self.list.setFont(ui_font(13))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(self._changed)
        self.list.itemDelegate().closeEditor.connect(self._edited)
        self.rename_button = QPushButton(self.tr("Rename"))
        self.rename_button.clicked.connect(self.rename)
        self.delete_button = QPushButton(self.tr("Delete"))
        self.delete_button.clicked.connect(self.delete)
        for button in (self.rename_button, self.delete_button):
            button.setFont(ui_font(13))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.rename_button)
        buttons.addWidget(self.delete_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.list, 1)
        layout.addLayout(buttons)
        self._sure = QTimer(self, singleShot=True, interval=_SURE_MS)
        self._sure.timeout.connect(self._unsure)
        self._read.connect(self._take)
        self._fill([])

    def refresh(self, current: str) -> None:
        """Read the folder again.

        Args:
            current: id of the session that is being written; it stands first, as "Now".
        """
        self.current = current
        self._round += 1
        number, store = self._round, HistoryStore(self._store.folder)

        def read() -> None:
            sessions = store.sessions()
            post(self._read, number, sessions, [notice_text(notice) for notice in store.notices])

        self._reading = threading.Thread(target=read, name="history-list", daemon=True)
        self._reading.start()

    def stop(self) -> None:
        """Wait for the thread, unless the disk does not answer."""
        if self._reading is not None:
            self._reading.join(_JOIN_S)
            self._reading = None

    def session(self) -> Session | None:
        """The one that is chosen; None for what is said now."""
        item = self.list.currentItem()
        found: Session | None = item.data(_SESSION) if item is not None else None
        return found

    def rename(self) -> None:
        """Let the name of the chosen one be typed."""
        item, session = self.list.currentItem(), self.session()
        if session is None:
            return
        item.setText(session.title or session.first_words)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.list.editItem(item)

    def delete(self) -> None:
        """Delete the chosen one for good, at the second press."""
        if not self._sure.isActive():
            self.delete_button.setText(self.tr("Really delete?"))
            self._sure.start()
            return
        self._unsure()
        session = self.session()
        session_id = session.id if session is not None else self.current
        try:
            if session_id:
                self._store.delete(session_id)
        except CaptionglassError as error:
            self.failed.emit(error_text(error))
            return
        if session is not None:
            self.list.takeItem(self.list.currentRow())
        self.deleted.emit(session_id if session is not None else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F2:
            self.rename()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete()
        else:
            super().keyPressEvent(event)

    def _unsure(self) -> None:
        self._sure.stop()
        self.delete_button.setText(self.tr("Delete"))

    def _take(self, number: int, sessions: list[Session], told: list[str]) -> None:
        if number == self._round:
            self._fill([session for session in sessions if session.id != self.current])
            for text in told:
                self.failed.emit(text)

    def _fill(self, sessions: list[Session]) -> None:
        before = self.session()
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItem(QListWidgetItem(self.tr("Now")))
        for session in sessions:
            item = QListWidgetItem(described(session))
            item.setData(_SESSION, session)
            item.setToolTip(session.first_words)
            # Chinese is taller than what Qt reckons with: its second line would be left out.
            item.setSizeHint(QSize(0, _ITEM_HEIGHT))
            self.list.addItem(item)
        rows = [session.id for session in sessions]
        there = before is not None and before.id in rows
        self.list.setCurrentRow(rows.index(before.id) + 1 if there and before else 0)
        self.list.blockSignals(False)
        self._show_buttons()
        if before is not None and not there:
            self.chosen.emit("")

    def _changed(self, *_items: object) -> None:
        self._unsure()
        self._show_buttons()
        session = self.session()
        self.chosen.emit(session.id if session is not None else "")

    def _show_buttons(self) -> None:
        self.rename_button.setEnabled(self.session() is not None)

    def _edited(self, _editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        item, session = self.list.currentItem(), self.session()
        if session is None:
            return
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
        typed = item.text().strip()
        if hint != QAbstractItemDelegate.EndEditHint.RevertModelCache and typed not in (
            session.title,
            session.first_words,
        ):
            try:
                self._store.rename(session.id, typed)
            except CaptionglassError as error:
                self.failed.emit(error_text(error))
            else:
                from dataclasses import replace

                session = replace(session, title=typed)
                item.setData(_SESSION, session)
        item.setText(described(session))


def described(session: Session) -> str:
    """Name, beginning and length in two lines."""
    name = session.title or session.first_words or session.head.source
    began = QDateTime.fromSecsSinceEpoch(int(session.head.began))
    when = QLocale().toString(began, QLocale.FormatType.ShortFormat)
    return f"{name}\n{when} · {stamp(int(session.end))}"
