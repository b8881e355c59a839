"""The card that asks about a folder before it becomes a model, and says how that goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.languages import error_text
from desktop_app.ui.model_facts import language_label
from desktop_app.ui.model_rows import begun_large, how_far
from desktop_app.ui.model_work import Job
from desktop_app.ui.theme import ui_font

_STEPS = 1000


class AddCard(QFrame):
    """Hidden until a folder is offered."""

    add_asked = Signal(Path, str, bool)
    """The folder, the language it captions (empty: as its files tell), and whether to copy it."""
    cancel_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.folder = Path()
        self.title = QLabel()
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.where = QLabel()
        self.where.setObjectName("facts")
        self.where.setWordWrap(True)
        asks = QLabel(self.tr("It captions"))
        asks.setObjectName("facts")
        self.languages = QComboBox()
        asks.setBuddy(self.languages)
        self.languages.setAccessibleName(self.tr("Language that the model captions"))
        self.copy = QCheckBox(self.tr("Copy its files; else they are used where they lie"))
        self.add = QPushButton(self.tr("Add"))
        self.add.setObjectName("primary")
        self.cancel = QPushButton(self.tr("Cancel"))
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.told = QLabel()
        self.told.setWordWrap(True)
        for widget in (
            self.where, asks, self.languages, self.copy, self.add, self.cancel, self.told
        ):  # fmt: skip
            widget.setFont(ui_font(13))
        self.title.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.add.clicked.connect(self._add)
        self.cancel.clicked.connect(self._cancel)
        options = QHBoxLayout()
        options.setSpacing(10)
        options.addWidget(asks)
        options.addWidget(self.languages)
        options.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.copy, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.add)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 14, 16, 14)
        layout.setSpacing(8)
        for widget in (self.title, self.where):
            layout.addWidget(widget)
        layout.addLayout(options)
        layout.addWidget(self.progress)
        layout.addWidget(self.told)
        layout.addLayout(buttons)
        self._asking = (asks, self.languages, self.copy, self.add)
        self.hide()

    def offer(self, folder: Path, languages: Sequence[str]) -> None:
        """Ask about a folder.

        Args:
            folder: of a model.
            languages: BCP 47 codes to choose from.
        """
        self.folder = folder
        self.title.setText(self.tr("Add {name}").format(name=folder.name))
        self.where.setText(str(folder))
        self.languages.clear()
        self.languages.addItem(self.tr("what its files tell"), "")
        for code in languages:
            self.languages.addItem(language_label(code), code)
        self.follow(None)
        self.show()
        self.languages.setFocus()

    def follow(self, job: Job | None) -> None:
        """Show how it goes.

        Args:
            job: that adds it; None where it has not begun, or has ended well.
        """
        under_way = job is not None and job.state != "failed"
        if job is None and self.progress.isVisibleTo(self):
            self.hide()
        if under_way and not self.folder.name:
            self.title.setText(self.tr("Adding a model"))
        for widget in self._asking:
            widget.setVisible(not under_way)
        self.progress.setVisible(under_way)
        problem = job is not None and job.error is not None
        self.told.setObjectName("problem" if problem else "facts")
        self.told.style().unpolish(self.told)
        self.told.style().polish(self.told)
        text = ""
        if job is not None:
            self.show()
            text = how_far(job) if job.error is None else begun_large(error_text(job.error))
            self.progress.setValue(_STEPS * job.done // job.total if job.total else 0)
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self.add.setText(self.tr("Try again") if problem else self.tr("Add"))

    def _add(self) -> None:
        self.add_asked.emit(self.folder, self.languages.currentData() or "", self.copy.isChecked())

    def _cancel(self) -> None:
        self.cancel_asked.emit()
        self.hide()
