"""A text file that is whole after every write, however the program ends."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from engine.errors import SinkError
from engine.types import Notice

Tell = Callable[[Notice], None]

WAITS, GOES_ON = "sink.waits", "sink.goes_on"
"""Codes of the notices that a file waits for room on its disk, and that there is some."""
_MOST_WAITING = 8 << 20
"""Bytes that are kept for a full disk: a working day of captions."""


def tell_nobody(notice: Notice) -> None:
    """For files that are written in one go."""
    del notice


class Room:
    """Tells once that a file waits for room on its disk, and once that there is some again.

    Args:
        path: of the file.
        tell: takes notices of the codes ``WAITS`` and ``GOES_ON``.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        self._path = path
        self._tell = tell
        self._missing = False

    def is_missing(self) -> None:
        """Something did not fit, and waits."""
        if not self._missing:
            self._missing = True
            remedy = "free some space; nothing is lost until the program ends"
            self._tell(Notice(WAITS, "warning", f"{self._path} waits, the disk is full", remedy))

    def is_there(self) -> None:
        """All was written."""
        if self._missing:
            self._missing = False
            self._tell(Notice(GOES_ON, "info", f"{self._path} is written again"))


class OutputFile:
    """A UTF-8 file written piece by piece, each piece in one go.

    What does not fit on the disk waits in memory, in front of all that follows, and is tried again
    with the next piece and at the end; what is there stays well formed meanwhile.

    Args:
        path: of the file.
        tell: takes notices of the codes ``WAITS`` and ``GOES_ON``.

    Attributes:
        size: bytes that were given to it, those that wait included.
    """

    def __init__(self, path: Path, tell: Tell = tell_nobody) -> None:
        self.path = path
        self.size = 0
        self._written = 0
        self._waiting = bytearray()
        self._room = Room(path, tell)
        self._fd: int | None = None

    @property
    def is_open(self) -> bool:
        """Opened, not yet closed, and no write has failed for good."""
        return self._fd is not None

    def open(self) -> None:
        """Create the file, or empty the one that is there.

        Raises:
            SinkError: it cannot be written there.
        """
        try:
            self._fd = os.open(
                self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666
            )
        except OSError as error:
            raise SinkError(*explain(self.path, error)) from error
        self.size = self._written = 0
        self._waiting.clear()

    def probe(self) -> None:
        """See whether it could be opened, leaving a file that is there as it is.

        Raises:
            SinkError: it cannot be written there.
        """
        try:
            was_there = self.path.exists()
            # Opening a named pipe would wait for its reader.
            if was_there and not (self.path.is_file() or self.path.is_dir()):
                return
            with self.path.open("ab"):
                pass
            if not was_there:
                self.path.unlink()
        except OSError as error:
            raise SinkError(*explain(self.path, error)) from error

    def append(self, text: str) -> int:
        """Write ``text`` at the end; returns the byte offset where it begins.

        Raises:
            SinkError: the disk is gone, or has been full for too long; nothing of ``text`` is left
                in the file.
        """
        if self._fd is None:
            raise SinkError(f"{self.path} is closed")
        begin = self.size
        data = text.encode("utf-8", "replace")
        self._waiting += data
        self.size += len(data)
        self._write_waiting()
        return begin

    def patch(self, offset: int, text: str) -> None:
        """Overwrite what stands at ``offset`` with as many bytes of ``text``, all of them within
        one piece.

        Raises:
            SinkError: the disk is gone.
        """
        if self._fd is None:
            raise SinkError(f"{self.path} is closed")
        data = text.encode("utf-8", "replace")
        if offset >= self._written:
            begin = offset - self._written
            self._waiting[begin : begin + len(data)] = data
            return
        try:
            self._put(offset, data)
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Write what waits, and close it; may be called twice, or before ``open``.

        Raises:
            SinkError: the disk is full or gone; what is there is well formed.
        """
        if self._fd is None:
            return
        try:
            if self._waiting:
                self._put(self._written, self._waiting)
        except OSError as error:
            self._give_up(error)
        fd, self._fd = self._fd, None
        with contextlib.suppress(OSError):
            os.close(fd)

    def _write_waiting(self) -> None:
        """All of it, or nothing."""
        try:
            self._put(self._written, self._waiting)
        except OSError as error:
            if not self._can_wait(error):
                self._give_up(error)
            self._room.is_missing()
            return
        self._written += len(self._waiting)
        self._waiting.clear()
        self._room.is_there()

    def _can_wait(self, error: OSError) -> bool:
        assert self._fd is not None
        # What was written to a device or a pipe cannot be taken back.
        return (
            is_full(error)
            and len(self._waiting) <= _MOST_WAITING
            and stat.S_ISREG(os.fstat(self._fd).st_mode)
        )

    def _put(self, offset: int, data: bytes | bytearray) -> None:
        assert self._fd is not None
        # A device or a pipe has no offsets; it is only ever appended to.
        with contextlib.suppress(OSError):
            os.lseek(self._fd, offset, os.SEEK_SET)
        done = 0
        try:
            while done < len(data):
                done += os.write(self._fd, data[done:])
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._written)
            raise

    def _give_up(self, error: OSError) -> NoReturn:
        fd, self._fd = self._fd, None
        if fd is not None:
            with contextlib.suppress(OSError):
                os.close(fd)
        raise SinkError(*explain(self.path, error)) from error


def is_full(error: OSError) -> bool:
    """There is no room for it."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def explain(path: Path, error: OSError) -> tuple[str, str]:
    """What went wrong with a file, and what to do, for people."""
    if isinstance(error, FileNotFoundError):
        return f"{path} cannot be written, its folder does not exist", f"create {path.parent} first"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder", "give the name of a file in it"
    if isinstance(error, NotADirectoryError):
        return f"{path} cannot be written, {path.parent} is no folder", "choose another folder"
    if isinstance(error, PermissionError):
        return f"{path} cannot be written, permission denied", "choose a folder of your own"
    if is_full(error):
        return f"{path} is cut short, the disk is full", "free some space and start again"
    return f"{path} cannot be written ({error.strerror or error})", "choose another place"
