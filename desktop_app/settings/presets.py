"""Presets: what is captioned, by which model, where the slider stands and how captions look, under
one name. Three are shipped; a user's own lie in ``presets.toml`` beside the settings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_app.settings.declared import Settings
from desktop_app.settings.store import allowed, default_path
from desktop_app.settings.styles import STYLE_FIELDS, STYLES
from desktop_app.settings.toml_file import TomlFile
from engine.errors import CaptionglassError, UsageError

if TYPE_CHECKING:
    from engine.types import Notice

_VERSION = 1
_LONGEST = 60

WORK_FIELDS = ("source", "model", "profile")
"""What a preset leaves as it is where it does not name it."""

LOOK_FIELDS = (*STYLE_FIELDS, "font_size", "lines", "share_rows", "clear_after", "dock")
"""What a preset sets to its default where it does not name it."""

SHIPPED: Mapping[str, Mapping[str, Any]] = {
    "Meeting": {"source": "both", "profile": 50.0},
    "Stream": {"source": "mic", "profile": 25.0, "lines": 2, "font_size": 34}
    | dict(STYLES["Text only"]),
    "Lecture": {"source": "mic", "profile": 75.0, "lines": 5, "font_size": 32},
}
"""By the name that is shown. None names a model: it would have to be there."""


class PresetError(CaptionglassError):
    """A preset that cannot be kept, or is not the user's to change."""


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset.

    Attributes:
        name: as it is shown.
        values: settings of ``WORK_FIELDS`` and ``LOOK_FIELDS``, by name.
        own: the user made it.
    """

    name: str
    values: Mapping[str, Any]
    own: bool = False

    def used_on(self, settings: Settings) -> Settings:
        """The settings with this preset in use."""
        fields = Settings.model_fields
        looks = {name: fields[name].get_default() for name in LOOK_FIELDS}
        return settings.model_copy(update=looks | dict(self.values))


def of_settings(name: str, settings: Settings) -> Preset:
    """What is set now, as a preset."""
    values = {field: getattr(settings, field) for field in WORK_FIELDS}
    fields = Settings.model_fields
    for field in LOOK_FIELDS:
        if (value := getattr(settings, field)) != fields[field].get_default():
            values[field] = value
    return Preset(checked_name(name), values, own=True)


def checked_name(name: str) -> str:
    """A name as it is kept.

    Raises:
        UsageError: it is none.
    """
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise UsageError(
            f"a preset cannot be called {name[:_LONGEST]!r}", f"give 1 to {_LONGEST} characters"
        )
    return name


class PresetStore:
    """The shipped presets and the user's own. Reading never raises for what is on the disk.

    Args:
        path: the file; beside the user's settings by default. Need not exist.

    Attributes:
        path: where the user's own lie.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path().with_name("presets.toml")
        self._file = TomlFile(self.path, "presets", _VERSION)
        self._own: dict[str, Preset] | None = None

    @property
    def notices(self) -> list[Notice]:
        """What went wrong so far, for whoever can show it."""
        return self._file.notices

    def presets(self) -> list[Preset]:
        """All of them: the shipped ones, or what the user made of them, then the user's own."""
        own = self._load()
        shipped = [own.get(name, Preset(name, values)) for name, values in SHIPPED.items()]
        return shipped + [preset for name, preset in own.items() if name not in SHIPPED]

    def look_again(self) -> bool:
        """Take what an editor has made of the file; False where it says nothing new."""
        document = self._file.peek()
        if document is None:
            return False
        self._own, problems = _presets_in(document.unwrap())
        self._file.check(document, next(iter(problems), ""))
        return True

    def find(self, name: str) -> Preset:
        """The preset of that name; case does not matter.

        Raises:
            UsageError: there is none.
        """
        presets = self.presets()
        wanted = " ".join(name.split())
        for preset in presets:
            if preset.name == wanted:
                return preset
        for preset in presets:
            if preset.name.casefold() == wanted.casefold():
                return preset
        names = [preset.name for preset in presets]
        near = difflib.get_close_matches(wanted.title(), names, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"no preset is called {name!r}", f"{hint}there are {', '.join(names)}")

    def save(self, preset: Preset) -> None:
        """Keep a preset of the user's own, in place of one of that name.

        Raises:
            PresetError: it cannot be written.
        """
        document = self._document()
        document["presets"][preset.name] = dict(preset.values)
        self._write(document)

    def delete(self, name: str) -> Preset:
        """Forget one of the user's own; a shipped one of that name is there again.

        Returns:
            What it was.

        Raises:
            UsageError: there is none of that name.
            PresetError: it is a shipped one, or the file cannot be written.
        """
        preset = self.find(name)
        if not preset.own:
            raise PresetError(f"{preset.name} comes with the program", "it cannot be deleted")
        document = self._document()
        document["presets"].pop(preset.name, None)
        self._write(document)
        return preset

    def rename(self, name: str, new: str) -> Preset:
        """Give one of the user's own another name.

        Raises:
            UsageError: there is none of that name, or the new one is none, or taken.
            PresetError: it is a shipped one, or the file cannot be written.
        """
        preset, new = self.find(name), checked_name(new)
        if not preset.own:
            raise PresetError(
                f"{preset.name} comes with the program", "save what is set now under another name"
            )
        taken = {other.name.casefold() for other in self.presets()} - {preset.name.casefold()}
        if new.casefold() in taken:
            raise UsageError(f"another preset is called {new}", "choose another name")
        renamed = Preset(new, preset.values, own=True)
        document = self._document()
        # With whatever else stands in it.
        document["presets"][new] = document["presets"].pop(preset.name, dict(preset.values))
        self._write(document)
        return renamed

    def _load(self) -> dict[str, Preset]:
        if self._own is None:
            document = self._file.read()
            self._own, problems = _presets_in(document.unwrap())
            self._file.check(document, next(iter(problems), ""))
        return self._own

    def _document(self) -> Any:
        """The file as it is now, to be changed and written."""
        own = self._load()
        document = self._file.read()
        if self._file.mended:
            # Nothing of it is there any more: all of them have to be written.
            document["presets"] = {name: dict(preset.values) for name, preset in own.items()}
        elif not isinstance(document.get("presets"), Mapping):
            document["presets"] = {}
        return document

    def _write(self, document: Any) -> None:
        if not self._file.write(document):
            raise PresetError(
                f"presets cannot be kept in {self.path.parent}",
                "free some space, then try again"
                if self._file.full
                else "make the folder writable",
            )
        self._own, _ = _presets_in(document.unwrap())


def preset_title(name: str) -> str:
    """The name as it is shown: the shipped ones are translated, a person's own are not."""
    from PySide6.QtCore import QCoreApplication

    return QCoreApplication.translate("Presets", name) if name in SHIPPED else name


def preset_of(settings: Settings, presets: list[Preset]) -> str:
    """The name of the preset these settings are in; empty where they are in none."""
    for preset in presets:
        if preset.used_on(settings) == settings:
            return preset.name
    return ""


def next_of(settings: Settings, presets: list[Preset]) -> Preset | None:
    """The one that follows on the one in use, or the first; None where all are the same."""
    names = [preset.name for preset in presets]
    now = preset_of(settings, presets)
    first = names.index(now) + 1 if now else 0
    for preset in presets[first:] + presets[:first]:
        if preset.used_on(settings) != settings:
            return preset
    return None


def _presets_in(document: Mapping[str, Any]) -> tuple[dict[str, Preset], list[str]]:
    """The presets in what a file says, and what is wrong with others, a clause each."""
    found: dict[str, Preset] = {}
    table = document.get("presets", {})
    if not isinstance(table, Mapping):
        return {}, ["presets: no table"]
    problems: list[str] = []
    for name, said in table.items():
        try:
            name = checked_name(name)
            if not isinstance(said, Mapping):
                raise UsageError("no table")
        except UsageError as error:
            problems.append(f"presets.{name}: {error.message}")
            continue
        names = (*WORK_FIELDS, *LOOK_FIELDS)
        values, wrong = allowed({key: said[key] for key in said if key in names})
        problems += [f"presets.{name}.{each}" for each in wrong]
        # Validated, so that 50 is 50.0 and compares as it will when it is set.
        valid = Settings.model_validate(values)
        found[name] = Preset(name, {key: getattr(valid, key) for key in values}, own=True)
    return found, problems
