"""The model window: what is here, what can be had, and going over to another model at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.languages import phrase
from desktop_app.ui.model_adding import AddCard
from desktop_app.ui.model_cards import Section, SlowCard
from desktop_app.ui.model_facts import (
    Entry,
    amount,
    language_label,
    matches,
    offered_languages,
    title,
)
from desktop_app.ui.model_rows import ModelRow, Standing, begun_large
from desktop_app.ui.model_style import style_sheet
from desktop_app.ui.model_work import ADDING
from desktop_app.ui.theme import Theme, ui_font

if TYPE_CHECKING:
    from desktop_app.application.model_use import ModelUse

_LOOK_MS = 500
_SEARCH_MS = 120
_HERE, _AFAR, _HELPERS = range(3)


class ModelWindow(QWidget):
    """A window of its own. What it has begun goes on when it is closed.

    Args:
        use: knows and changes the model in use.
        theme: its colours.
    """

    def __init__(self, use: ModelUse, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("models")
        self.setWindowTitle(self.tr("Models – Captionglass"))
        self.resize(880, 680)
        self.setMinimumSize(560, 400)
        self.setAcceptDrops(True)
        self._use, self._work = use, use.work
        self._in_use = self._coming = ""
        self.rows: dict[str, ModelRow] = {}
        self._make_controls()
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._take_list()

    # What can be asked

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.setStyleSheet(style_sheet(theme))

    def kept(self) -> tuple[str, str]:
        """What is looked for, for ``take_back`` of the next window."""
        return self.search.text(), self.language()

    def take_back(self, kept: tuple[str, str]) -> None:
        """Go on where another window was left."""
        self.search.setText(kept[0])
        self.languages.setCurrentIndex(max(0, self.languages.findData(kept[1])))

    def shown(self) -> list[str]:
        """Ids of the models that the search and the language leave, in their order."""
        return [
            row.entry.spec.id
            for section in self._sections
            for row in section.rows
            if not row.isHidden()
        ]

    def filter(self) -> None:
        """Show what is looked for, and nothing else."""
        wanted, language = self.search.text(), self.language()
        for row in self.rows.values():
            row.setVisible(matches(row.entry, wanted, language))
        for section in self._sections:
            section.show_title()
        found = bool(self.shown())
        self.nothing.setVisible(not found)
        if self._work.problem:
            self.nothing.setText(begun_large(phrase(self._work.problem)))
        elif not self._work.entries:
            self.nothing.setText(self.tr("Looking for models…"))
        else:
            self.nothing.setText(self.tr("No model is like that. Look for less, or any language."))
        self._update_rows()

    def language(self) -> str:
        """BCP 47 code that is chosen above the list; empty for any."""
        return str(self.languages.currentData() or "")

    def do(self, action: str, model_id: str) -> None:
        """Do what a row's button says."""
        work = self._work
        if action == "use":
            self._use.use(model_id)
        elif action == "remove":
            work.cancel(model_id)
            work.remove(model_id)
        else:
            what = {
                "get": work.get,
                "pause": work.pause,
                "resume": work.resume,
                "cancel": work.cancel,
                "discard": work.discard,
                "undo": work.undo,
            }
            what[action](model_id)

    def ask_for_folder(self) -> None:
        """Let a folder be chosen, to be added."""
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of a model"))
        if chosen:
            self.offer_folder(Path(chosen))

    def offer_folder(self, folder: Path) -> None:
        """Ask what has to be known of a folder before it is added."""
        self.adding.offer(folder, offered_languages(self._work.entries))
        self.area.ensureWidgetVisible(self.adding)

    # Following

    def _take_list(self) -> None:
        """The models are others, or elsewhere, now."""
        entries = self._work.entries
        for gone in self.rows.keys() - {entry.spec.id for entry in entries}:
            row = self.rows.pop(gone)
            row.hide()
            row.setParent(None)
            row.deleteLater()
        for entry in entries:
            if entry.spec.id not in self.rows:
                row = self.rows[entry.spec.id] = ModelRow(entry)
                row.asked.connect(self.do)
            else:
                self.rows[entry.spec.id].entry = entry
        self._fill_sections(entries)
        self._fill_languages(entries)
        here = [entry for entry in entries if entry.state == "here"]
        total = amount(sum(entry.spec.size for entry in here))
        text = self.tr("%n model(s) here, {size}", "", len(here)).format(size=total)
        self.status.setText(text if entries else "")
        self.filter()

    def _fill_sections(self, entries: tuple[Entry, ...]) -> None:
        sections: tuple[list[ModelRow], ...] = ([], [], [])
        now = self._use.current
        for entry in entries:
            if entry.spec.kind != "recognizer":
                place = _HELPERS
            else:
                place = _AFAR if entry.state == "afar" else _HERE
            if entry.spec.id == now:
                sections[place].insert(0, self.rows[entry.spec.id])
            else:
                sections[place].append(self.rows[entry.spec.id])
        for section, rows in zip(self._sections, sections, strict=True):
            section.set_rows(rows)

    def _fill_languages(self, entries: tuple[Entry, ...]) -> None:
        codes = offered_languages(entries)
        if codes == [self.languages.itemData(n) for n in range(1, self.languages.count())]:
            return
        chosen = self.language()
        self.languages.blockSignals(True)
        self.languages.clear()
        self.languages.addItem(self.tr("Any language"), "")
        for code in codes:
            self.languages.addItem(language_label(code), code)
        self.languages.setCurrentIndex(max(0, self.languages.findData(chosen)))
        self.languages.blockSignals(False)

    def _update_rows(self) -> None:
        self._in_use, self._coming = self._use.current, self._use.coming
        language = self.language() or self._use.language
        best = self._work.best_for(language) if language else ""
        for row in self.rows.values():
            if not row.isHidden():
                self._update(row, best)
        self._show_slow()

    def _update(self, row: ModelRow, best: str) -> None:
        model_id = row.entry.spec.id
        row.show_state(
            row.entry,
            Standing(
                job=self._work.jobs.get(model_id),
                leaving=model_id in self._work.leaving,
                in_use=model_id == self._in_use,
                coming=model_id == self._coming,
                refused=self._use.refused.get(model_id),
                suggested=model_id == best,
            ),
        )

    def _changed(self, model_id: str) -> None:
        if model_id == ADDING:
            self.adding.follow(self._work.jobs.get(ADDING))
        elif model_id in self.rows:
            language = self.language() or self._use.language
            best = self._work.best_for(language) if language else ""
            self._update(self.rows[model_id], best)

    def _came(self, model_id: str) -> None:
        entry = self._work.entry(model_id)
        name = title(entry.spec) if entry is not None else model_id
        self.say(self.tr("{name} is here now").format(name=name))

    def _look(self) -> None:
        if (self._use.current, self._use.coming) != (self._in_use, self._coming):
            self._update_rows()
            return
        for model_id, job in self._work.jobs.items():
            if job.state == "paused":
                self._changed(model_id)

    def _show_slow(self) -> None:
        slow = self._use.too_slow
        light = self._work.smaller(slow, self._use.language) if slow else None
        under_way = light is not None and (
            light.spec.id in self._work.jobs or light.spec.id == self._coming
        )
        self.slow.tell(self._work.entry(slow), light, under_way=under_way)

    def say(self, text: str) -> None:
        """One quiet line at the foot."""
        self.told.setText(text)
        self.told.setAccessibleName(text)

    # Inside

    def _make_controls(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the models"))
        self.search.setClearButtonEnabled(True)
        self.languages = QComboBox()
        self.languages.setAccessibleName(self.tr("Only models for this language"))
        self.languages.setMinimumWidth(190)
        self.languages.setMaxVisibleItems(16)
        self.add_button = QPushButton(self.tr("Add from folder…"))
        self.add_button.setToolTip(self.tr("Use a model of your own; a folder can also be dropped"))
        self.adding = AddCard()
        self.slow = SlowCard()
        self.nothing = QLabel()
        self.nothing.setObjectName("hint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.status = QLabel()
        self.told = QLabel()
        for label in (self.status, self.told):
            label.setObjectName("status")
            label.setTextFormat(Qt.TextFormat.PlainText)
        for widget in (
            self.search, self.languages, self.add_button, self.nothing, self.status, self.told
        ):  # fmt: skip
            widget.setFont(ui_font(13))
        self._sections = (
            Section(self.tr("On this computer")),
            Section(self.tr("Can be had")),
            Section(self.tr("Beside recognition")),
        )

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.search, 1)
        top.addWidget(self.languages)
        top.addWidget(self.add_button)
        inside = QWidget()
        inside.setObjectName("list")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 4)
        column.setSpacing(10)
        column.addWidget(self.adding)
        column.addWidget(self.slow)
        for section in self._sections:
            column.addWidget(section)
        column.addWidget(self.nothing)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inside)
        foot = QHBoxLayout()
        foot.addWidget(self.told, 1)
        foot.addWidget(self.status)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 10, 14)
        layout.setSpacing(14)
        layout.addLayout(top)
        layout.addWidget(self.area, 1)
        layout.addLayout(foot)
        top.setContentsMargins(0, 0, 8, 0)
        foot.setContentsMargins(2, 0, 8, 0)

    def _connect(self) -> None:
        self._search_timer = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._search_timer.timeout.connect(self.filter)
        self.search.textChanged.connect(self._search_timer.start)
        self.languages.currentIndexChanged.connect(self.filter)
        self.add_button.clicked.connect(self.ask_for_folder)
        self.adding.add_asked.connect(self._work.add)
        self.adding.cancel_asked.connect(self._cancel_adding)
        self.slow.use_asked.connect(self._use.use)
        self._work.listed.connect(self._take_list)
        self._work.changed.connect(self._changed)
        self._work.came.connect(self._came)
        self._use.changed.connect(self._update_rows)
        self._look_timer = QTimer(self, interval=_LOOK_MS)
        self._look_timer.timeout.connect(self._look)

    def _cancel_adding(self) -> None:
        self._work.cancel(ADDING)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.refresh()
        self.adding.follow(self._work.jobs.get(ADDING))
        self._update_rows()
        self._look_timer.start()
        self.search.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._look_timer.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._look_timer.stop()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self.search.setFocus()
            self.search.selectAll()
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _folder_in(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        folder = _folder_in(event)
        if folder is not None:
            event.acceptProposedAction()
            self.offer_folder(folder)


def _folder_in(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    if len(urls) == 1 and urls[0].isLocalFile() and Path(urls[0].toLocalFile()).is_dir():
        return Path(urls[0].toLocalFile())
    return None
