"""The transcript window: all that was said, live or of an earlier session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.finding import folded
from desktop_app.history.export import FORMATS, format_of, write
from desktop_app.history.lines import Transcript
from desktop_app.history.store import HistoryStore
from desktop_app.languages import error_text
from desktop_app.ui.theme import Theme, icon, ui_font
from desktop_app.ui.transcript_model import TranscriptModel
from desktop_app.ui.transcript_rows import RowPainter, TranscriptTable
from desktop_app.ui.transcript_sessions import SessionList
from desktop_app.ui.transcript_style import style_sheet
from engine.errors import CaptionglassError

_SEARCH_MS = 120
_SIDE = 236


class TranscriptWindow(QWidget):
    """A window of its own. Closing it keeps the place for the next time.

    Args:
        live: what is said now.
        theme: its colours.
        names: of the lanes, for people.
        store: earlier sessions.
        current: gives the id of the session that is being written; empty for none.
    """

    private_toggled = Signal(bool)

    def __init__(
        self,
        live: Transcript,
        theme: Theme,
        names: Mapping[str, str],
        store: HistoryStore,
        current: Callable[[], str] = str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("transcript")
        self.setWindowTitle(self.tr("Transcript – Captionglass"))
        self.resize(940, 640)
        self._live, self._names, self._store, self._current = live, dict(names), store, current
        self.session_id = ""
        self.title = ""
        self.hits: list[int] = []
        self.at_hit = -1
        self._new = 0
        self._mark_seen = True
        self._live_mark = -1
        self.model = TranscriptModel(names, self)
        self.rows = RowPainter(self.model, theme, self)
        self.table = TranscriptTable(self.model, self.rows)
        self.sessions = SessionList(store)
        self._make_controls()
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.model.show(live, names)
        self.table.setFocus()

    # What can be asked

    def set_private(self, private: bool) -> None:
        """Show whether what is said is kept, without announcing it."""
        self.private.blockSignals(True)
        self.private.setChecked(private)
        self.private.blockSignals(False)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.rows.theme = theme
        for button, name in (
            (self.previous_button, "up"),
            (self.next_button, "down"),
            (self.latest_button, "down"),
        ):
            button.setIcon(icon(name, theme.value, 16))
        self.copy_button.setIcon(icon("copy", theme.value, 16))
        self.setStyleSheet(style_sheet(theme))
        self.table.viewport().update()

    def open_session(self, session_id: str) -> None:
        """Show an earlier session; what is said now where the id is empty."""
        if session_id == self.session_id:
            return
        if not session_id:
            self.session_id, self.title = "", ""
            self.rows.mark, self._mark_seen, self._new = self._live_mark, False, 0
            self.model.show(self._live, self._names)
        else:
            try:
                record = self._store.read(session_id, words=False)
            except CaptionglassError as error:
                self.say(error_text(error))
                return
            if not self.session_id:
                self._stop_reading()
                self._live_mark = self.rows.mark
            self.rows.mark, self._new = -1, 0
            transcript = Transcript()
            transcript.lines.extend(record.lines)
            self.session_id = session_id
            self.title = record.title or record.head.source
            self.model.show(transcript, record.head.lane_names or self._names)
            self.table.verticalScrollBar().setValue(0)
        self.look_up()

    def kept(self) -> tuple[str, str]:
        """What is open and looked for, for ``take_back`` of the next window."""
        self.model.release()
        return self.session_id, self.search.text()

    def take_back(self, kept: tuple[str, str]) -> None:
        """Go on where another window was left."""
        self.open_session(kept[0])
        self.search.setText(kept[1])

    def look_up(self) -> None:
        """Look for what stands in the search field."""
        wanted = folded(self.search.text().strip())
        moved = wanted != self.rows.wanted
        self.rows.wanted = wanted
        self.hits = self.model.hits(wanted)
        if moved and self.hits:
            self._stand_on(len(self.hits) - 1)
        else:
            self.at_hit = min(self.at_hit, len(self.hits) - 1)
            self._show_hits()
        self.table.viewport().update()

    def next_hit(self) -> None:
        """Go to the next place; behind the last comes the first."""
        if self.hits:
            self._stand_on((self.at_hit + 1) % len(self.hits))

    def previous_hit(self) -> None:
        """Go to the place before; before the first comes the last."""
        if self.hits:
            self._stand_on((self.at_hit - 1) % len(self.hits))

    def copy(self, *, times: bool = False) -> None:
        """Put the selected rows, or all of them, on the clipboard."""
        chosen = self.table.selectionModel().selectedRows()
        rows = sorted(index.row() for index in chosen) or range(len(self.model.lines))
        texts = [self.model.as_text(self.model.lines[row], times=times) for row in rows]
        QGuiApplication.clipboard().setText("\n".join(texts))
        self.say(self.tr("Copied %n line(s)", "", len(texts)))

    def export(self, path: Path, asked: str = "") -> None:
        """Write what is shown to a file; what goes wrong is said in the window."""
        try:
            title = self.title or self.tr("Transcript")
            names = self.model.names
            lines = self.model.lines
            if self.session_id:
                # Subtitles go by the times of words, which are not read for the window.
                lines = list(self._store.read(self.session_id).lines)
            write(lines, format_of(path, asked), path, title=title, lane_names=names)
        except CaptionglassError as error:
            self.say(error_text(error))
        else:
            self.say(self.tr("Written to {0}").format(path))

    def say(self, text: str) -> None:
        """One quiet line at the foot."""
        self.status.setText(text)
        self.status.setAccessibleName(text)

    # Where one stopped reading

    def _reading(self) -> bool:
        return self.isVisible() and self.isActiveWindow() and self.table.at_end

    def _stop_reading(self) -> None:
        """The reader looks away from the end: what comes from now on is new."""
        if self.session_id == "" and (self.rows.mark < 0 or self._mark_seen):
            self.rows.mark = len(self.model.lines)
            self._mark_seen = False

    def _look(self) -> None:
        """Take note of what the reader can see."""
        mark = self.rows.mark
        if self.isActiveWindow() and 0 <= mark < len(self.model.lines):
            self._mark_seen = self._mark_seen or mark in self.table.seen()
        if self.table.at_end:
            self._new = 0
        self._show_new()

    def _rows_came(self, _parent: QModelIndex, first: int, last: int) -> None:
        if self.rows.mark > first:
            self.rows.mark += last - first + 1
        if not self.table.at_end:
            self._new += last - first + 1
        self._search_timer.start()
        self._look()

    def _rows_went(self, _parent: QModelIndex, first: int, last: int) -> None:
        if self.rows.mark > first:
            self.rows.mark -= min(last, self.rows.mark - 1) - first + 1
        self._search_timer.start()
        self._look()

    # Inside

    def _make_controls(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the transcript"))
        self.search.setClearButtonEnabled(True)
        self.count = QLabel()
        self.previous_button = self._tool(self.tr("Previous place"), self.previous_hit)
        self.next_button = self._tool(self.tr("Next place"), self.next_hit)
        self.private = QCheckBox(self.tr("Private"))
        self.private.setToolTip(self.tr("Keep nothing of what is said from now on"))
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.setToolTip(
            self.tr("The selected lines, or all (Ctrl+C; with times Ctrl+Shift+C)")
        )
        self.export_button = QPushButton(self.tr("Export"))
        self.export_menu = QMenu(self.export_button)
        for name, words in FORMATS.items():
            words = QCoreApplication.translate("Formats", words)
            action = self.export_menu.addAction(f"{words} (.{name})")
            action.triggered.connect(lambda _=False, name=name: self._ask_where(name))
        self.export_button.setMenu(self.export_menu)
        self.latest_button = QPushButton(self.tr("Jump to latest"))
        self.latest_button.hide()
        self.status = QLabel()
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        for widget in (self.search, self.count, self.private, self.status):
            widget.setFont(ui_font(13))
        for button in (self.copy_button, self.export_button, self.latest_button):
            button.setFont(ui_font(13))
            button.setIconSize(QSize(16, 16))

    def _tool(self, name: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setIconSize(QSize(16, 16))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: action())
        return button

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.search, 1)
        for widget in (self.count, self.previous_button, self.next_button):
            top.addWidget(widget)
        top.addSpacing(8)
        for button in (self.copy_button, self.export_button):
            top.addWidget(button)
        foot = QHBoxLayout()
        foot.addWidget(self.private)
        foot.addSpacing(12)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.latest_button)
        main = QVBoxLayout()
        main.setSpacing(12)
        main.addLayout(top)
        main.addWidget(self.table, 1)
        main.addLayout(foot)
        self.sessions.setFixedWidth(_SIDE)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(14)
        layout.addWidget(self.sessions)
        layout.addLayout(main, 1)
        QWidget.setTabOrder(self.search, self.previous_button)

    def _connect(self) -> None:
        self._search_timer = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._search_timer.timeout.connect(self.look_up)
        self.search.textChanged.connect(self._search_timer.start)
        self.copy_button.clicked.connect(lambda: self.copy())
        self.latest_button.clicked.connect(self.table.to_end)
        self.private.toggled.connect(self.private_toggled)
        self.sessions.chosen.connect(self.open_session)
        self.sessions.failed.connect(self.say)
        self.sessions.deleted.connect(self._deleted)
        self.model.rowsInserted.connect(self._rows_came)
        self.model.rowsRemoved.connect(self._rows_went)
        self.model.dataChanged.connect(self._search_timer.start)
        self.table.left_end.connect(self._stop_reading)
        self.table.left_end.connect(self._look)
        self.table.came_to_end.connect(self._look)
        self.table.verticalScrollBar().valueChanged.connect(self._look)
        self._show_hits()

    def _stand_on(self, number: int) -> None:
        self.at_hit = number
        self.table.show_row(self.hits[number])
        self.table.setCurrentIndex(self.model.index(self.hits[number], 0))
        self.table.clearSelection()
        self._show_hits()

    def _show_hits(self) -> None:
        self.rows.hit = self.hits[self.at_hit] if self.hits and self.at_hit >= 0 else -1
        if self.hits:
            text = self.tr("{0} of {1}").format(self.at_hit + 1, len(self.hits))
        else:
            text = self.tr("Not found")
        self.count.setText(text if self.rows.wanted else "")
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(self.hits))
        self.table.viewport().update()

    def _show_new(self) -> None:
        self.latest_button.setVisible(not self.table.at_end and bool(self.model.lines))
        text = self.tr("Jump to latest")
        if self._new:
            text = self.tr("Jump to latest (%n new)", "", self._new)
        self.latest_button.setText(text)

    def _deleted(self, session_id: str) -> None:
        if not session_id:
            self._live.clear()
        self.say(self.tr("Deleted for good"))

    def _ask_where(self, asked: str) -> None:
        stem = self.session_id or self.tr("transcript", "name of a file")
        words = QCoreApplication.translate("Formats", FORMATS[asked])
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export the transcript"), f"{stem}.{asked}", f"{words} (*.{asked})"
        )
        if chosen:
            self.export(Path(chosen), asked)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            if self.isActiveWindow():
                self._look()
            elif self.table.at_end:
                self._stop_reading()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.sessions.refresh(self._current())
        self.table.settle()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._stop_reading()
        self.sessions.stop()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.matches(QKeySequence.StandardKey.Find):
            self.search.setFocus()
            self.search.selectAll()
        elif control and event.key() == Qt.Key.Key_C:
            self.copy(times=shift)
        elif event.key() in (Qt.Key.Key_F3, Qt.Key.Key_Return) and self.rows.wanted:
            (self.previous_hit if shift else self.next_hit)()
        elif control and event.key() == Qt.Key.Key_End:
            self.table.to_end()
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)
