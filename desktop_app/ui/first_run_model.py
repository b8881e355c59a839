"""The third of the first steps: which language is spoken, and which model captions it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QVBoxLayout, QWidget

from desktop_app.ui.choice_card import ChoiceCard
from desktop_app.ui.first_run_pages import column, exclusive
from desktop_app.ui.model_facts import (
    Entry,
    amount,
    language_label,
    offered_languages,
    purpose,
    title,
)
from desktop_app.ui.theme import ui_font
from models.languages import MANY, fit

if TYPE_CHECKING:
    from desktop_app.ui.model_work import ModelWork

_SEVERAL = 10
"""A model of so many languages is for whoever speaks several."""
_MOST_CHOICES = 4


class ModelPage(QWidget):
    """Which language is spoken, and which model captions it.

    Args:
        work: knows the models.
        language: BCP 47 code of the settings; empty where not known.
        model: id of the model of the settings.
    """

    more_asked = Signal()

    def __init__(
        self, work: ModelWork, language: str, model: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.title = self.tr("Which language is spoken?")
        self.lead = self.tr("A model for it recognises the words, on this computer.")
        self._work = work
        self._wanted, self._model = language or system_language(), model
        self.languages = QComboBox()
        self.languages.setAccessibleName(self.tr("Language that is spoken"))
        self.languages.setFont(ui_font(14))
        self.languages.setMinimumWidth(300)
        self.languages.setMaxVisibleItems(14)
        self.cards: dict[str, ChoiceCard] = {}
        self._cards = QVBoxLayout()
        self._cards.setSpacing(10)
        self._group = exclusive(self, [])
        self.more = QPushButton(self.tr("All models…"))
        self.more.setObjectName("quiet")
        self.more.setFont(ui_font(13))
        self.more.clicked.connect(self.more_asked)
        layout = column(self)
        layout.addWidget(self.languages, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addSpacing(4)
        layout.addLayout(self._cards)
        layout.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        self.languages.currentIndexChanged.connect(self._offer)
        work.listed.connect(self.fill)
        self.fill()

    def language(self) -> str:
        """What the settings are to say: a code only where the model captions several."""
        code = self.spoken()
        entry = self._work.entry(self.model())
        several = entry is not None and len(entry.spec.languages) > 1
        return code if several else ""

    def spoken(self) -> str:
        """BCP 47 code; empty for several, or one that is not known."""
        return str(self.languages.currentData() or "")

    def model(self) -> str:
        """Id of the model that is chosen."""
        return next((name for name, card in self.cards.items() if card.chosen), self._model)

    def want(self, language: str, model: str) -> None:
        """Choose a language and a model, where they are known."""
        self._wanted, self._model = language, model
        self.languages.setCurrentIndex(max(0, self.languages.findData(language)))
        if model in self.cards:
            self.cards[model].choose()

    def fill(self) -> None:
        """Take the models that are known now."""
        codes = offered_languages(self._work.entries)
        if codes != [self.languages.itemData(n) for n in range(1, self.languages.count())]:
            wanted = self.spoken() or self._wanted
            entry = self._work.entry(self._model)
            if not wanted and entry is not None and len(entry.spec.languages) == 1:
                wanted = entry.spec.languages[0]
            self.languages.blockSignals(True)
            self.languages.clear()
            self.languages.addItem(self.tr("Several, or I do not know"), "")
            for code in codes:
                self.languages.addItem(language_label(code), code)
            found = [code for code in codes if fit(wanted, [code])] if wanted else []
            self.languages.setCurrentIndex(self.languages.findData(found[0]) if found else 0)
            self.languages.blockSignals(False)
        self._offer()

    def _offer(self) -> None:
        """Show a few models for the language: what is here, and what could be fetched."""
        before, best = self.model(), self._work.best_for(self.spoken())
        offered = choices(self._work.entries, self.spoken(), best)
        if [entry.spec.id for entry in offered] == list(self.cards):
            for entry in offered:
                self.cards[entry.spec.id].set_hint(self._about(entry))
            return
        for name, card in list(self.cards.items()):
            self._cards.removeWidget(card)
            self._group.removeButton(card.radio)
            card.hide()
            card.deleteLater()
            del self.cards[name]
        for entry in offered:
            card = self.cards[entry.spec.id] = ChoiceCard(title(entry.spec), self._about(entry))
            self._group.addButton(card.radio)
            self._cards.addWidget(card)
        chosen = self.cards.get(before) or next(iter(self.cards.values()), None)
        if chosen is not None:
            chosen.choose()

    def _about(self, entry: Entry) -> str:
        if entry.state == "here":
            where = self.tr("on this computer already")
        else:
            where = self.tr("{size} to fetch").format(size=amount(entry.spec.size))
        return f"{purpose(entry.spec)} · {where}"


def choices(entries: Sequence[Entry], language: str, best: str) -> list[Entry]:
    """A few models to choose from: the best first, then those that are here, then small ones
    before large ones; what was never run on its real weights only where nothing else is left.

    Args:
        entries: all there are.
        language: BCP 47 code; empty for several.
        best: id of the one to take.
    """

    def suits(entry: Entry) -> bool:
        codes = entry.spec.languages
        if language:
            return bool(fit(language, codes))
        return MANY in codes or len(codes) >= _SEVERAL

    def rank(entry: Entry) -> tuple[bool, bool, bool, int]:
        return (
            entry.spec.id != best,
            entry.state != "here",
            entry.untried,
            entry.spec.size,
        )

    fitting = [each for each in entries if each.spec.kind == "recognizer" and suits(each)]
    return sorted(fitting, key=rank)[:_MOST_CHOICES]


def system_language() -> str:
    """BCP 47 code of the language that the desktop speaks; empty where it does not say."""
    locale = QLocale.system()
    if locale.language() == QLocale.Language.C:
        return ""
    return locale.bcp47Name().partition("-")[0]
