"""Settings on disk: a TOML file of what differs from the defaults (``toml_file`` says how it is
kept safe), and the same file somewhere else, for taking settings to another computer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from desktop_app.settings.declared import Settings
from desktop_app.settings.toml_file import TomlFile
from engine.errors import CaptionglassError
from models.whole import write_whole

if TYPE_CHECKING:
    from engine.types import Notice

VERSION = 1
"""Of the file's format. A higher number was written by a newer program."""

_LARGEST = 1_000_000
"""Bytes of a file that is looked at as settings."""


class SettingsFileError(CaptionglassError):
    """A file to import that holds no settings, or one that cannot be written."""


def default_path() -> Path:
    """``settings.toml`` in the user's configuration folder."""
    from platformdirs import user_config_path

    return user_config_path("captionglass", appauthor=False) / "settings.toml"


class SettingsStore:
    """Reads and writes the settings file; never raises for what is on the disk.

    Args:
        path: the file; the user's own by default. Need not exist.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self._file = TomlFile(self.path, "settings", VERSION)
        self._saved = Settings()

    @property
    def notices(self) -> list[Notice]:
        """What went wrong so far, for whoever can show it."""
        return self._file.notices

    @property
    def unclear(self) -> bool:
        """What an editor has made of the file cannot be understood."""
        return self._file.unclear

    def load(self) -> Settings:
        """The settings of the file; a value that is out of its limits takes its default."""
        document = self._file.read()
        values, problems = allowed(document.unwrap())
        self._file.check(document, next(iter(problems), ""))
        self._saved = Settings.model_validate(values)
        return self._saved

    def reload(self, now: Settings) -> Settings:
        """What an editor has made of the file while the program runs.

        Args:
            now: the settings that hold. What has changed since the last save stays, and so does
                everything the file does not say well.

        Returns:
            ``now`` itself where the file says nothing new, is gone or cannot be understood; it is
            then looked at again when it is next written.
        """
        document = self._file.peek()
        if document is None:
            return now
        values, problems = allowed(document.unwrap())
        self._file.check(document, next(iter(problems), ""))
        kept = {name: getattr(now, name) for name in _wrong(document, values)}
        before, self._saved = self._saved, Settings.model_validate(values)
        kept |= {name: getattr(now, name) for name in differing(before, now)}
        return self._saved.model_copy(update=kept)

    def establish(self) -> bool:
        """Have a file there, though nothing in it differs from the defaults.

        Returns:
            False where none can be written.
        """
        return self.path.exists() or self._file.write(self._file.read())

    def save(self, settings: Settings) -> bool:
        """Write what changed since the last load or save, in one rename.

        Returns:
            False where it could not be written; a Notice then stands in ``notices``, once.
        """
        changed = differing(self._saved, settings)
        if not changed:
            return True
        # Read again: another window or an editor may have changed other keys meanwhile.
        known = self._file.text
        document = self._file.read()
        news = self._file.text != known
        if self._file.mended:
            # Nothing of it is there any more: all that is chosen has to be written.
            changed |= differing(Settings(), settings)
        _put(document, settings, changed)
        if not self._file.write(document):
            return False
        if news:
            # Not lost: it is still to be taken, by the next ``reload``.
            self._file.text = None
        self._saved = settings
        return True


def allowed(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings in what a file says.

    Returns:
        Those within their limits, by name, and what is wrong with the others, a clause each.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name in Settings.model_fields:
        if name not in document:
            continue
        try:
            Settings.model_validate({name: document[name]})
        except ValidationError as error:
            problems.append(f"{name}: {error.errors()[0]['msg']}")
        else:
            values[name] = document[name]
    return values, problems


def differing(one: Settings, other: Settings) -> set[str]:
    """The names of the settings in which two differ."""
    return {name for name in Settings.model_fields if getattr(one, name) != getattr(other, name)}


def export_settings(settings: Settings, path: Path) -> None:
    """Write what differs from the defaults to a file of its own.

    Raises:
        SettingsFileError: it cannot be written.
    """
    document = tomlkit.document()
    _put(document, settings, differing(Settings(), settings))
    document["version"] = VERSION
    try:
        write_whole(path, tomlkit.dumps(document).encode(), durable=True)
    except OSError as error:
        raise SettingsFileError(
            f"the settings cannot be written to {path} ({error.strerror})", "choose another folder"
        ) from error


def import_settings(path: Path) -> tuple[Settings, list[str]]:
    """Read settings from a file that somebody chose.

    Returns:
        The settings, the rest at their defaults, and what was left out, a clause each.

    Raises:
        SettingsFileError: it cannot be read, or holds no settings at all.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise SettingsFileError(f"{path.name} is too large for settings", "choose another file")
        document = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    except OSError as error:
        raise SettingsFileError(
            f"{path.name} cannot be read ({error.strerror})", "choose another file"
        ) from error
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise SettingsFileError(
            f"{path.name} holds no settings that can be understood", "choose another file"
        ) from error
    values, problems = allowed(document)
    unknown = document.keys() - set(Settings.model_fields) - {"version"}
    # One of defaults alone holds its version and nothing else.
    if not values and (unknown or not isinstance(document.get("version"), int)):
        raise SettingsFileError(f"{path.name} holds no settings", "choose another file")
    problems += [f"{name}: not known here" for name in sorted(unknown)]
    return Settings.model_validate(values), problems


def _put(document: tomlkit.TOMLDocument, settings: Settings, names: Iterable[str]) -> None:
    defaults = Settings()
    # In the order of their declaration: a table has to come after all plain values.
    for name in [name for name in Settings.model_fields if name in set(names)]:
        value = getattr(settings, name)
        if value == getattr(defaults, name):
            document.pop(name, None)
        else:
            document[name] = settings.model_dump(mode="json", include={name})[name]


def _wrong(document: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    return [name for name in Settings.model_fields if name in document and name not in values]
