"""The last of the first steps: hear, and be captioned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop_app.languages import error_text, notice_text, phrase
from desktop_app.ui.level_bar import LevelBar
from desktop_app.ui.model_rows import begun_large, how_far
from desktop_app.ui.theme import Theme, caption_font, ui_font

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp

_LOOK_MS = 100
_SHOWN_LINES = 2
_STEPS = 1000


class TryPage(QWidget):
    """Follows the running captions while it can be seen.

    Args:
        app: what runs.
        theme: its colours.
    """

    def __init__(self, app: CaptionApp, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = self.tr("Say something")
        self.lead = self.tr("The panel at the edge of the screen shows the same words.")
        self._app = app
        self.model = ""
        self.level = LevelBar(theme)
        self.words = QLabel()
        self.words.setObjectName("words")
        self.words.setFont(caption_font("", 26, QFont.Weight.Medium))
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        self.words.setMinimumHeight(180)
        self.words.setAccessibleName(self.tr("Captions"))
        self.doing = self._line("facts")
        self.problem = self._line("problem")
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.again = QPushButton(self.tr("Try again"))
        self.again.setFont(ui_font(13))
        self.again.clicked.connect(self.try_again)
        heard = QFrame()
        heard.setObjectName("card")
        inside = QVBoxLayout(heard)
        inside.setContentsMargins(20, 16, 20, 18)
        inside.setSpacing(12)
        inside.addWidget(self.words, 1)
        inside.addWidget(self.level)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(heard)
        layout.addWidget(self.progress)
        layout.addWidget(self.doing)
        layout.addWidget(self.problem)
        layout.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.level.theme = theme
        self.level.update()

    def name_for(self, source: str) -> None:
        """Ask for what there is to be heard from a source, as the settings say it."""
        plays = source.partition(":")[0] == "system"
        self.title = self.tr("Play something") if plays else self.tr("Say something")

    def look(self) -> None:
        """Show what is heard now, and what is in the way."""
        app = self._app
        job = app.models.work.jobs.get(self.model)
        stats = app.stats()
        self.level.set_level(max(stats.level_dbfs.values(), default=-math.inf))
        said = "\n".join(app.overlay.view.text.splitlines()[-_SHOWN_LINES:])
        hint = self.tr("Your words come here") if stats.state == "running" else ""
        self._write(self.words, said or hint)
        self.words.setEnabled(bool(said))
        fetching = job is not None and job.state != "failed"
        problem = self._problem()
        self.progress.setVisible(fetching)
        if job is not None and fetching:
            self.progress.setValue(_STEPS * job.done // job.total if job.total else 0)
            self._write(self.doing, self.tr("The model comes: {how}").format(how=how_far(job)))
        else:
            self._write(self.doing, "" if problem else phrase(app.overlay.view.message))
        self._write(self.problem, problem)
        self.problem.setVisible(bool(problem))
        self.doing.setVisible(not problem)
        self.again.setVisible(bool(problem))

    def try_again(self) -> None:
        """Do once more what has failed."""
        work = self._app.models.work
        job = work.jobs.get(self.model)
        if job is not None and job.state == "failed":
            self._app.models.use(self.model, begin=True)
        else:
            self._app.overlay.notices.withdraw("session.", "source.", "model.")
            self._app.retry()

    def _problem(self) -> str:
        job = self._app.models.work.jobs.get(self.model)
        if job is not None and job.error is not None:
            return begun_large(error_text(job.error))
        notice = self._app.models.refused.get(self.model) or self._app.overlay.notices.notice
        if notice is None or notice.severity != "error":
            return ""
        return begun_large(notice_text(notice))

    def _line(self, name: str) -> QLabel:
        label = QLabel()
        label.setObjectName(name)
        label.setFont(ui_font(13))
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _write(self, label: QLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)
            if label is not self.words:
                label.setAccessibleName(text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
