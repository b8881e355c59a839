"""Settings on disk: a TOML file of what differs from the defaults.

A file that cannot be read never stops the program and is never overwritten: it is kept beside as
``settings.broken-N.toml``, and a Notice says so. Comments and keys the program does not know stay
where they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from desktop_app.settings import Settings
from models.whole import write_whole

if TYPE_CHECKING:
    from engine.types import Notice

VERSION = 1
"""Of the file's format. A higher number was written by a newer program."""


def default_path() -> Path:
    """``settings.toml`` in the user's configuration folder."""
    from platformdirs import user_config_path

    return user_config_path("captionglass", appauthor=False) / "settings.toml"


class SettingsStore:
    """Reads and writes the settings file; never raises for what is on the disk.

    Args:
        path: the file; the user's own by default. Need not exist.

    Attributes:
        notices: what went wrong so far, for whoever can show it; taking them empties the list.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self.notices: list[Notice] = []
        self._saved = Settings()
        self._write_failed = False
        self._only_copy = False  # What is on the disk could not be read, nor kept beside.

    def load(self) -> Settings:
        """The settings of the file; a value that is out of its limits takes its default."""
        document = self._read().unwrap()
        problems: list[str] = []
        values: dict[str, Any] = {}
        for name in Settings.model_fields:
            if name not in document:
                continue
            value = document[name]
            try:
                Settings.model_validate({name: value})
            except ValidationError as error:
                problems.append(f"{name}: {error.errors()[0]['msg']}")
            else:
                values[name] = value
        settings = Settings.model_validate(values)
        version = document.get("version", VERSION)
        if problems:
            self._keep_beside(f"holds a value that is not allowed ({problems[0]})", rename=False)
        elif isinstance(version, int) and version > VERSION:
            self._keep_beside("was written by a newer Captionglass", rename=False)
        self._saved = settings
        return settings

    def save(self, settings: Settings) -> bool:
        """Write what changed since the last load or save, in one rename.

        Returns:
            False where it could not be written; a Notice then stands in ``notices``, once.
        """
        changed = [
            name
            for name in Settings.model_fields
            if getattr(settings, name) != getattr(self._saved, name)
        ]
        if not changed:
            return True
        # Read again: another window or an editor may have changed other keys meanwhile.
        document = self._read()
        if self._only_copy:
            return False
        defaults = Settings()
        for name in changed:
            value = getattr(settings, name)
            if value == getattr(defaults, name):
                document.pop(name, None)
            else:
                document[name] = settings.model_dump(mode="json", include={name})[name]
        version = document.get("version", VERSION)
        document["version"] = max(version, VERSION) if isinstance(version, int) else VERSION
        try:
            self._write(tomlkit.dumps(document))
        except OSError as error:
            if not self._write_failed:
                self._note(
                    "settings.unwritable",
                    f"Settings cannot be saved in {self.path.parent} ({error.strerror})",
                    "make the folder writable; changes last until the program ends",
                )
            self._write_failed = True
            return False
        self._write_failed = False
        self._saved = settings
        return True

    def _read(self) -> tomlkit.TOMLDocument:
        self._only_copy = False
        try:
            return tomlkit.parse(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            pass
        except (TOMLKitError, UnicodeDecodeError):
            self._keep_beside("cannot be understood", rename=True)
        except OSError as error:
            self._only_copy = True
            self._note(
                "settings.unreadable",
                f"{self.path} cannot be read ({error.strerror})",
                "the default settings are used, and changes last until the program ends",
            )
        return tomlkit.document()

    def _keep_beside(self, why: str, *, rename: bool) -> None:
        """Keep the file as it is under another name, once for the same contents."""
        try:
            content = self.path.read_bytes()
            kept = self._place_beside(content)
            if rename:
                self.path.replace(kept)
            elif not kept.exists():
                kept.write_bytes(content)
        except OSError:
            self._only_copy = True
            self._note(
                "settings.broken",
                f"{self.path} {why}",
                "mend or delete it; until then changes last until the program ends",
            )
        else:
            self._note(
                "settings.broken", f"{self.path} {why}", f"the old file is kept as {kept.name}"
            )

    def _place_beside(self, content: bytes) -> Path:
        number = 1
        while True:
            place = self.path.with_name(f"{self.path.stem}.broken-{number}{self.path.suffix}")
            if not place.exists() or place.read_bytes() == content:
                return place
            number += 1

    def _write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, text.encode(), durable=True)

    def _note(self, code: str, text: str, remedy: str) -> None:
        from engine.types import Notice

        if all(notice.code != code for notice in self.notices):
            self.notices.append(Notice(code, "warning", text, remedy))
