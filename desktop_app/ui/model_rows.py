"""One model in the model window: what it is, what happens to it, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop_app.languages import error_text, notice_text, phrase
from desktop_app.ui.model_facts import Entry, amount, facts, left, purpose, title
from desktop_app.ui.model_work import Job
from desktop_app.ui.theme import ui_font
from engine.types import Notice

_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Standing:
    """What a row shows beyond its entry.

    Attributes:
        job: that fetches it; None for none.
        leaving: it is removed in a moment, unless that is taken back.
        in_use: captions come from it.
        coming: it is being loaded to take over.
        refused: why it did not take over; None where it was not refused.
        suggested: it is the one to take.
    """

    job: Job | None = None
    leaving: bool = False
    in_use: bool = False
    coming: bool = False
    refused: Notice | None = None
    suggested: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """One thing that can be done: what the window is asked, and what stands on the button."""

    action: str
    text: str
    primary: bool = False


class ModelRow(QFrame):
    """A card. Whatever it shows is told by ``show_state``; whatever is pressed tells ``asked``."""

    asked = Signal(str, str)
    """An action and the id of the model."""

    def __init__(self, entry: Entry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.entry = entry
        self.standing = Standing()
        self.name = self._label("title", 15, QFont.Weight.DemiBold)
        self.name.setWordWrap(True)
        self.chip = self._label("chip", 12)
        self.suggestion = self._label("chip", 12)
        self.suggestion.setText(self.tr("Suggested"))
        self.suggestion.setProperty("tone", "suggested")
        self.purpose = self._label("purpose", 13)
        self.facts = self._label("facts", 13)
        self.caution = self._label("caution", 13)
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.how_far = self._label("facts", 13)
        self.problem = self._label("problem", 13)
        for label in (self.purpose, self.facts, self.caution, self.how_far, self.problem):
            label.setWordWrap(True)
        self.buttons: dict[str, QPushButton] = {}
        self._offered: tuple[Button, ...] = ()
        self._lay_out()
        self.show_state(entry, self.standing)

    def show_state(self, entry: Entry, standing: Standing) -> None:
        """Take what is known now."""
        self.entry, self.standing = entry, standing
        name, gone = title(entry.spec), standing.leaving
        self.setAccessibleName(name)
        _set(self.name, name)
        _set(self.purpose, self.tr("Removed from this computer") if gone else purpose(entry.spec))
        for label in (self.name, self.purpose):
            _style(label, "gone", "true" if gone else "false")
        _set(self.facts, "" if gone else " · ".join(facts(entry)))
        self.facts.setToolTip(f"{entry.spec.attribution}\n{entry.spec.id}")
        caution = self.tr("Not yet tried with its real weights")
        _set(self.caution, caution if entry.untried and not gone else "")
        chip, tone = self._state_word()
        _set(self.chip, chip)
        _style(self.chip, "tone", tone)
        self.suggestion.setVisible(standing.suggested and not chip)
        self._show_progress()
        _set(self.problem, self._trouble())
        self._offer(tuple(self._possible()))

    def press(self, action: str) -> None:
        """Do as if a button was pressed."""
        self.buttons[action].click()

    # What it says

    def _state_word(self) -> tuple[str, str]:
        if self.standing.coming:
            return self.tr("Loading…"), "use"
        if self.standing.in_use:
            return self.tr("In use"), "use"
        return "", ""

    def _trouble(self) -> str:
        job, refused = self.standing.job, self.standing.refused
        if job is not None:
            return begun_large(error_text(job.error)) if job.error is not None else ""
        if refused is not None:
            return begun_large(notice_text(refused))
        return "" if self.standing.leaving else begun_large(phrase(self.entry.error))

    def _show_progress(self) -> None:
        job = self.standing.job
        under_way = job is not None and job.state != "failed"
        self.progress.setVisible(under_way)
        if job is None or not under_way:
            here = self.entry.arrived if not self.standing.leaving else 0
            text = self.tr("{amount} of it is here already").format(amount=amount(here))
            _set(self.how_far, text if here and self.entry.state == "afar" else "")
            return
        self.progress.setValue(_STEPS * job.done // job.total if job.total else 0)
        _style(self.progress, "held", "true" if job.state == "paused" else "false")
        text = how_far(job)
        self.progress.setAccessibleName(text)
        _set(self.how_far, text)

    # What can be done

    def _possible(self) -> list[Button]:
        job, standing, entry = self.standing.job, self.standing, self.entry
        if standing.leaving:
            return [Button("undo", self.tr("Undo"), True)]
        if job is not None and job.state != "failed":
            if job.cancel.is_set():
                return []
            held = job.state == "paused"
            hold = (
                Button("resume", self.tr("Resume")) if held else Button("pause", self.tr("Pause"))
            )
            return [Button("cancel", self.tr("Cancel")), hold]
        offered = []
        if job is not None:
            offered.append(Button("cancel", self.tr("Dismiss")))
            offered.append(Button("get" if entry.state != "here" else "remove", _try_again(), True))
        elif entry.state == "afar":
            if entry.arrived:
                offered.append(Button("discard", self.tr("Discard")))
            text = self.tr("Resume") if entry.arrived else self.tr("Get")
            offered.append(Button("get", text))
        else:
            # What captions come from stays, and so does what finds the speech.
            if entry.removable and entry.spec.kind != "vad" and not self._needed():
                offered.append(Button("remove", self.tr("Remove")))
            if entry.state == "damaged":
                if not entry.spec.local:
                    offered.append(Button("get", self.tr("Repair"), True))
            elif entry.spec.kind == "recognizer" and not self._needed():
                again = standing.refused is not None
                text = _try_again() if again else self.tr("Use")
                offered.append(Button("use", text, True))
        return offered

    def _needed(self) -> bool:
        return self.standing.in_use or self.standing.coming

    def _offer(self, offered: tuple[Button, ...]) -> None:
        if offered == self._offered:
            return
        self._offered = offered
        had_focus = any(button.hasFocus() for button in self.buttons.values())
        for old in self.buttons.values():
            self._places.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = {}
        for each in offered:
            button = QPushButton(each.text)
            button.setObjectName("primary" if each.primary else "")
            button.setFont(ui_font(13))
            button.setAccessibleName(f"{each.text}: {title(self.entry.spec)}")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(partial(self._ask, each.action))
            self._places.addWidget(button)
            self.buttons[each.action] = button
        if had_focus and self.buttons:
            list(self.buttons.values())[-1].setFocus()

    def _ask(self, action: str, _checked: bool = False) -> None:
        self.asked.emit(action, self.entry.spec.id)

    # Inside

    def _label(
        self, name: str, pixels: float, weight: QFont.Weight = QFont.Weight.Medium
    ) -> QLabel:
        label = QLabel()
        label.setObjectName(name)
        label.setFont(ui_font(pixels, weight))
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        # Next to the name where it is short, and the name wraps where it is long.
        self.name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        head.addWidget(self.name, 1)
        head.addWidget(self.suggestion)
        head.addWidget(self.chip)
        words = QVBoxLayout()
        words.setSpacing(5)
        words.addLayout(head)
        for widget in (self.purpose, self.facts, self.caution):
            words.addWidget(widget)
        words.addSpacing(2)
        words.addWidget(self.progress)
        for widget in (self.how_far, self.problem):
            words.addWidget(widget)
        self._places = QHBoxLayout()
        self._places.setSpacing(8)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(18, 14, 16, 14)
        layout.setSpacing(20)
        layout.addLayout(words, 1)
        layout.addLayout(self._places)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)


def how_far(job: Job) -> str:
    """How far a transfer is, and how fast, in one line."""
    if job.cancel.is_set():
        return QCoreApplication.translate("Models", "Stopping…")
    if job.waiting:
        return QCoreApplication.translate("Models", "Waiting for another program to install it")
    if not job.total and job.state == "paused":
        return QCoreApplication.translate("Models", "Paused")
    if not job.total:
        return QCoreApplication.translate("Models", "Getting ready…")
    share = QLocale().toString(100.0 * job.done / job.total, "f", 0)
    told = [
        QCoreApplication.translate("Models", "{share} % of {size}").format(
            share=share, size=amount(job.total)
        )
    ]
    if job.moves:
        told.insert(0, QCoreApplication.translate("Models", "Pauses after this package"))
    elif job.state == "paused":
        told.insert(0, QCoreApplication.translate("Models", "Paused"))
    elif job.rate > 0:
        speed = QCoreApplication.translate("Models", "{amount}/s").format(
            amount=amount(job.rate, 1)
        )
        told += [speed, left((job.total - job.done) / job.rate)]
    return " · ".join(told)


def begun_large(text: str) -> str:
    """Errors begin small, as parts of a line in a terminal; a name like iPhone stays as it is."""
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]


def _try_again() -> str:
    return QCoreApplication.translate("Models", "Try again")


def _set(label: QLabel, text: str) -> None:
    """Only where it differs: setting a text lays the window out anew."""
    if label.text() != text:
        label.setText(text)
        label.setAccessibleName(text)
    label.setVisible(bool(text))


def _style(widget: QWidget, name: str, value: str) -> None:
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
