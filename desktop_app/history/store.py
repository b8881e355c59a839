"""The sessions on disk: listed, read, named, deleted for good, forgotten when they are old."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from desktop_app.history.clock import is_trusted
from desktop_app.history.record import (
    Head,
    NotARecordError,
    Record,
    decode,
    encode,
)
from desktop_app.history.sink import SUFFIX, sync_folder
from engine.errors import CaptionglassError, UsageError
from engine.sinks.text import plain
from engine.types import Notice

_BROKEN = ".broken"
_DAY_S = 86_400.0
_BEGINNING = b'{"session":'


class HistoryError(CaptionglassError):
    """What was said cannot be read or changed on the disk."""


def default_folder() -> Path:
    """``history`` in the user's data folder; the variable CAPTIONGLASS_HISTORY names another."""
    named = os.environ.get("CAPTIONGLASS_HISTORY")
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("captionglass", appauthor=False) / "history"


@dataclass(frozen=True, slots=True)
class Session:
    """A session on disk.

    Attributes:
        id: names it on the command line.
        head: when it began, and of what.
        title: the name a person gave it; empty for none.
        lines: how many lines it has.
        end: seconds from its start to its last word.
        first_words: of its first line, for people.
    """

    id: str
    head: Head
    title: str
    lines: int
    end: float
    first_words: str

    @property
    def when(self) -> str:
        """Its beginning, in the time of this place."""
        return f"{datetime.fromtimestamp(self.head.began).astimezone():%Y-%m-%d %H:%M}"


class HistoryStore:
    """Reads and changes the files of a folder; listing never raises for what a file holds.

    Args:
        folder: where they lie; the user's own by default. Need not exist.

    Attributes:
        notices: what was found damaged, for whoever can show it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()
        self.notices: list[Notice] = []

    def sessions(self) -> list[Session]:
        """All sessions, the newest first."""
        found = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}"), reverse=True):
            record = self._read(path, words=False)
            if record is not None:
                found.append(_session(path, record))
        return sorted(found, key=lambda session: session.head.began, reverse=True)

    def find(self, name: str) -> str:
        """The id that ``name`` means: an id, its beginning, or ``last``.

        Raises:
            UsageError: none, or several.
        """
        ids = sorted(path.stem for path in self.folder.glob(f"*{SUFFIX}"))
        if name == "last" and ids:
            return self.sessions()[0].id if self.sessions() else ids[-1]
        found = [name] if name in ids else [each for each in ids if name and each.startswith(name)]
        if len(found) != 1:
            what = f"{len(found)} sessions begin with" if found else "there is no session"
            raise UsageError(f"{what} {name!r}", "see captionglass history list")
        return found[0]

    def read(self, session_id: str, *, words: bool = True) -> Record:
        """All of a session, with or without the times of each word.

        Raises:
            HistoryError: it is gone, or nothing of it can be read.
        """
        record = self._read(self._path(session_id), words=words)
        if record is None:
            raise HistoryError(
                f"the session {session_id} cannot be read", "see captionglass history list"
            )
        return record

    def rename(self, session_id: str, title: str) -> None:
        """Give it a name; empty takes the name away.

        Raises:
            HistoryError: it cannot be written.
        """
        path = self._path(session_id)
        try:
            fd = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
            try:
                size = os.fstat(fd).st_size
                torn = size > 0 and path.read_bytes()[-1:] != b"\n"
                # In one write: the program that keeps this session may be appending too.
                os.write(fd, (b"\n" if torn else b"") + encode({"title": plain(title)}))
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise _failed(path, "cannot be renamed", error) from error

    def delete(self, session_id: str) -> None:
        """Overwrite and remove it, and copies kept of it. Nothing brings it back.

        Raises:
            HistoryError: it cannot be removed.
        """
        _shred(self._path(session_id))
        for copy in self.folder.glob(f"{session_id}{SUFFIX}{_BROKEN}*"):
            _shred(copy)
        sync_folder(self.folder)

    def delete_all(self) -> int:
        """Delete everything, damaged files too; returns how many files there were.

        Raises:
            HistoryError: one cannot be removed.
        """
        paths = self._all_files()
        for path in paths:
            _shred(path)
        sync_folder(self.folder)
        return len(paths)

    def expire(self, days: int) -> int:
        """Delete what was last added to more than ``days`` ago; 0 keeps everything.

        A clock that may have leapt ahead has to say the same for a day first (``clock``).

        Returns:
            How many files went. What cannot be removed stays, and a Notice says so.
        """
        if days <= 0:
            return 0
        paths, now = self._all_files(), time.time()
        if not paths or not is_trusted(self.folder, now, _newest(paths, now)):
            return 0
        before = now - days * _DAY_S
        gone = 0
        for path in paths:
            try:
                if path.stat().st_mtime < before:
                    _shred(path)
                    gone += 1
            except FileNotFoundError:
                continue
            except (OSError, HistoryError):
                self._note("history.kept", f"{path.name} is old but cannot be deleted", "delete it")
        return gone

    def _all_files(self) -> list[Path]:
        return sorted(
            path for path in self.folder.glob(f"*{SUFFIX}*") if path.is_file() or path.is_symlink()
        )

    def _path(self, session_id: str) -> Path:
        path = self.folder / f"{session_id}{SUFFIX}"
        if Path(session_id).name != session_id or not path.is_file():
            raise HistoryError(
                f"there is no session {session_id!r}", "see captionglass history list"
            )
        return path

    def _read(self, path: Path, *, words: bool) -> Record | None:
        try:
            data = path.read_bytes()
            if b"\n" not in data and _BEGINNING.startswith(data[: len(_BEGINNING)]):
                # Just made by another program, or by one that ended in its first moment.
                return None
            record = decode(data, words=words)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("history.unreadable", f"{path} cannot be read ({error.strerror})", "")
            return None
        except NotARecordError:
            self._keep_beside(path)
            return None
        if record.damaged:
            self._note(
                "history.damaged",
                f"{record.damaged} lines of {path.name} are damaged",
                "the rest is shown; the file was left as it is",
            )
        return record

    def _keep_beside(self, path: Path) -> None:
        kept = path.with_name(path.name + _BROKEN)
        number = 1
        while kept.exists():
            number += 1
            kept = path.with_name(f"{path.name}{_BROKEN}-{number}")
        with contextlib.suppress(OSError):
            path.rename(kept)
        self._note(
            "history.broken", f"{path.name} cannot be understood", f"it is kept as {kept.name}"
        )

    def _note(self, code: str, text: str, remedy: str) -> None:
        if all((notice.code, notice.text) != (code, text) for notice in self.notices):
            self.notices.append(Notice(code, "warning", text, remedy))


def _session(path: Path, record: Record) -> Session:
    speech = [line for line in record.lines if line.kind == "speech"]
    first = speech[0].text if speech else ""
    end = max((line.end for line in record.lines), default=0.0)
    return Session(path.stem, record.head, record.title, len(speech), end, first)


def _newest(paths: list[Path], now: float) -> float | None:
    """When something was last added to any of them, leaving out what a wrong clock has dated."""
    times: list[float] = []
    for path in paths:
        with contextlib.suppress(OSError):
            times.append(path.stat().st_mtime)
    return max((each for each in times if each <= now), default=None)


def _shred(path: Path) -> None:
    """Overwrite a file where it stands, then remove it."""
    try:
        if path.is_file() and not path.is_symlink():
            with path.open("r+b") as file:
                file.write(bytes(path.stat().st_size))
                file.flush()
                os.fsync(file.fileno())
                file.truncate(0)
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failed(path, "cannot be deleted", error) from error


def _failed(path: Path, what: str, error: OSError) -> HistoryError:
    return HistoryError(
        f"{path} {what} ({error.strerror or error})", "see who else uses it, and whose it is"
    )
