"""A TOML file that a person may edit too: read and written so that nothing in it is ever lost.

A file that cannot be read never stops the program and is never overwritten: it is kept beside as
``NAME.broken-N.toml``, and a Notice says so. Comments and keys the program does not know stay
where they are.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit
from tomlkit.exceptions import TOMLKitError

from models.whole import write_whole

if TYPE_CHECKING:
    from engine.types import Notice


class TomlFile:
    """One file; never raises for what is on the disk.

    Args:
        path: of it. Need not exist.
        code: begins the codes of its notices.
        version: of its format. A higher number was written by a newer program.

    Attributes:
        notices: what went wrong so far, for whoever can show it.
        text: what was read or written last; None where nothing could be read.
        mended: the last ``read`` found nothing it could go on from, and gave an empty document.
        unclear: the last ``peek`` found a file that cannot be understood.
        full: the last ``write`` that failed did so because the disk is full.
    """

    def __init__(self, path: Path, code: str, version: int) -> None:
        self.path = path
        self.version = version
        self.notices: list[Notice] = []
        self.text: str | None = None
        self.mended = False
        self.unclear = False
        self.full = False
        self._code = code
        self._write_failed = False
        self._only_copy = False  # What is on the disk could not be read, nor kept beside.

    def read(self) -> tomlkit.TOMLDocument:
        """What stands there; empty where there is no file or none that can be understood."""
        self._only_copy, self.mended, self.text = False, True, None
        try:
            text = self.path.read_text(encoding="utf-8")
            document = tomlkit.parse(text)
        except FileNotFoundError:
            pass
        except (TOMLKitError, UnicodeDecodeError):
            self._keep_beside("cannot be understood", rename=True)
        except OSError as error:
            from engine.types import Notice

            self._only_copy = True
            self.note(
                Notice(
                    f"{self._code}.unreadable",
                    "warning",
                    f"{self.path} cannot be read ({error.strerror})",
                    "what it says is not used, and changes last until the program ends",
                )
            )
        else:
            self.text, self.mended = text, False
            return document
        return tomlkit.document()

    def peek(self) -> tomlkit.TOMLDocument | None:
        """What stands there now, for whoever only looks: nothing is kept beside, nothing told.

        Returns:
            None where there is no file, or none that can be understood, or nothing new.
        """
        self.unclear = False
        try:
            text = self.path.read_text(encoding="utf-8")
            document = None if text == self.text else tomlkit.parse(text)
        except OSError:
            return None
        except (TOMLKitError, UnicodeDecodeError):
            self.unclear = True
            return None
        if document is not None:
            self.text, self.mended, self._only_copy = text, False, False
        return document

    def check(self, document: tomlkit.TOMLDocument, problem: str = "") -> None:
        """Keep a copy beside of what a newer program wrote, or of what holds a wrong value.

        Args:
            document: what was read.
            problem: the first wrong value; empty for none.
        """
        version = document.get("version", self.version)
        if problem:
            self._keep_beside(f"holds a value that is not allowed ({problem})", rename=False)
        elif isinstance(version, int) and version > self.version:
            self._keep_beside("was written by a newer Captionglass", rename=False)

    @property
    def locked(self) -> bool:
        """Writing would destroy the only copy of something that could not be read."""
        return self._only_copy

    def write(self, document: tomlkit.TOMLDocument) -> bool:
        """Put a document in place of the file, in one rename.

        Returns:
            False where it could not be written; a Notice then stands in ``notices``, once.
        """
        if self._only_copy:
            return False
        version = document.get("version", self.version)
        known = isinstance(version, int)
        document["version"] = max(version, self.version) if known else self.version
        text = tomlkit.dumps(document)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, text.encode(), durable=True)
        except OSError as error:
            from engine.types import Notice

            self.full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            if not self._write_failed:
                self.note(
                    Notice(
                        f"{self._code}.unwritable",
                        "warning",
                        f"Settings cannot be saved in {self.path.parent} ({error.strerror})",
                        "free some space; changes last until the program ends"
                        if self.full
                        else "make the folder writable; changes last until the program ends",
                    )
                )
            self._write_failed = True
            return False
        self._write_failed = False
        self.text = text
        return True

    def note(self, notice: Notice) -> None:
        """Add a notice, one of each code."""
        if all(other.code != notice.code for other in self.notices):
            self.notices.append(notice)

    def _keep_beside(self, why: str, *, rename: bool) -> None:
        """Keep the file as it is under another name, once for the same contents."""
        from engine.types import Notice

        code = f"{self._code}.broken"
        try:
            content = self.path.read_bytes()
            kept = self._place_beside(content)
            if rename:
                self.path.replace(kept)
            elif not kept.exists():
                kept.write_bytes(content)
        except OSError:
            self._only_copy = True
            remedy = "mend or delete it; until then changes last until the program ends"
            self.note(Notice(code, "warning", f"{self.path} {why}", remedy))
        else:
            remedy = f"the old file is kept as {kept.name}"
            self.note(Notice(code, "warning", f"{self.path} {why}", remedy))

    def _place_beside(self, content: bytes) -> Path:
        number = 1
        while True:
            place = self.path.with_name(f"{self.path.stem}.broken-{number}{self.path.suffix}")
            if not place.exists() or place.read_bytes() == content:
                return place
            number += 1
