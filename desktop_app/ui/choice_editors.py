"""Choosing what is only known on this computer: its devices, its models, their languages."""

from __future__ import annotations

import threading
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QShowEvent

from desktop_app.languages import error_text
from desktop_app.posting import post
from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import SettingField
from desktop_app.ui.model_facts import language_label
from desktop_app.ui.setting_editors import ChoiceEditor
from desktop_app.ui.setting_widgets import mark_refused
from desktop_app.ui.theme import Theme
from engine.errors import CaptionglassError
from models.languages import MANY, UNKNOWN

_WORDS = ("mic", "system", "both")
_KINDS = {"input": "mic", "output": "system"}
_MORE = "\n"
"""Stands in the list for another window; no id of a model."""


def list_devices() -> list[str]:
    """The devices there are now, as a source is written; may wait for the sound server."""
    from engine.sources.platforms import open_inventory

    try:
        devices = open_inventory().devices()
    except CaptionglassError:
        return []
    return [f"{_KINDS[each.kind]}:{each.name}" for each in devices]


class SourceEditor(ChoiceEditor):
    """Microphone, computer, both, one device of several, or whatever is typed."""

    _listed = Signal(list)

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._thread: threading.Thread | None = None
        self._value = ""
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(self.combo.InsertPolicy.NoInsert)
        line = self.combo.lineEdit()
        assert line is not None
        self._line = line
        line.setMaxLength(field.longest)
        line.editingFinished.connect(self._typed)
        for value in _WORDS:
            self._add(value)
        self._listed.connect(self._take)

    def show_value(self, value: Any) -> None:
        # What is being typed stays, whatever else changes meanwhile.
        if str(value) == self._value and self._line.isModified():
            return
        self._value = str(value)
        super().show_value(value)
        self._line.setCursorPosition(0)

    def say(self, problem: str) -> None:
        mark_refused(self.combo, bool(problem))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._list, name="settings devices", daemon=True)
            self._thread.start()

    def problem(self, value: Any) -> str:
        from desktop_app.pick_source import check_source

        try:
            check_source(value)
        except CaptionglassError as error:
            return error_text(error)
        return ""

    def _list(self) -> None:
        post(self._listed, list_devices())

    def _take(self, devices: list[str]) -> None:
        for index in reversed(range(len(_WORDS), self.combo.count())):
            if self.combo.itemData(index) != self._value:
                self.combo.removeItem(index)
        for value in devices:
            if self.combo.findData(value) < 0:
                self._add(value)
        self.show_value(self._value)

    def _add(self, value: Any) -> int:
        self.combo.addItem(source_name(value), value)
        return self.combo.count() - 1

    def _typed(self) -> None:
        text = self._line.text().strip()
        index = self.combo.findText(text)
        value = self.combo.itemData(index) if index >= 0 else text
        if value != self._value:
            self.chosen.emit(value)


class ModelEditor(ChoiceEditor):
    """The installed recognisers, and the way to more."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._value = ""

    def show_value(self, value: Any) -> None:
        self._value = str(value)
        super().show_value(value)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.renew()

    def renew(self) -> None:
        """Look again which models are installed."""
        from models import catalogue
        from models.store import ModelStore

        known, store = catalogue.load(), ModelStore()
        self.combo.clear()
        for spec in known.recognizers():
            if store.installed(spec):
                self.combo.addItem(model_title(spec.id), spec.id)
        self.combo.addItem(self.tr("More models…"), _MORE)
        self.show_value(self._value)

    def _add(self, value: Any) -> int:
        from models import catalogue

        known = {spec.id for spec in catalogue.load().recognizers()}
        title = model_title(value)
        if value in known:
            title = self.tr("{model} (not installed)").format(model=title)
        else:
            title = self.tr("{model} (unknown)").format(model=title)
        self.combo.insertItem(0, title, value)
        return 0

    def _choose(self, index: int) -> None:
        if self.combo.itemData(index) == _MORE:
            self.show_value(self._value)
            self.more_asked.emit("models")
        else:
            super()._choose(index)


class LanguageEditor(ChoiceEditor):
    """The languages of the chosen model."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._model = ""
        self._value = ""
        self._add("")

    def show_value(self, value: Any) -> None:
        self._value = str(value)
        super().show_value(value)

    def see(self, settings: Settings) -> None:
        if settings.model == self._model:
            return
        self._model = settings.model
        self.combo.clear()
        for code in ("", *languages_of(settings.model)):
            self._add(code)
        self.show_value(self._value)

    def _add(self, value: Any) -> int:
        text = language_label(value) if value else self.tr("As the model does")
        self.combo.addItem(text, value)
        return self.combo.count() - 1


def model_title(model_id: str) -> str:
    """A model's name for people; its id where nobody knows it."""
    from models import catalogue

    try:
        title = catalogue.load().get(model_id).title
    except CaptionglassError:
        return model_id
    return QCoreApplication.translate("Catalogue", title)


def languages_of(model_id: str) -> list[str]:
    """The codes of the languages a model captions, by their names; those of all models where
    nobody has written down its own."""
    from models import catalogue

    known = catalogue.load()
    try:
        codes = set(known.get(model_id).languages)
    except CaptionglassError:
        codes = {MANY}
    if codes & {MANY, UNKNOWN}:
        codes = {code for spec in known.recognizers() for code in spec.languages}
    return sorted(codes - {MANY, UNKNOWN}, key=lambda code: language_label(code).casefold())


def source_name(source: str) -> str:
    """What is captioned, for people."""
    word, _, name = source.partition(":")
    if word not in _WORDS:
        return source
    kind = {
        "mic": QCoreApplication.translate("SourceEditor", "Microphone"),
        "system": QCoreApplication.translate("SourceEditor", "What the computer plays"),
        "both": QCoreApplication.translate("SourceEditor", "Both, as two lanes"),
    }[word]
    if not name:
        return kind
    return QCoreApplication.translate("SourceEditor", "{kind}: {name}").format(kind=kind, name=name)
