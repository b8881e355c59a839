"""A text file that is whole after every write, however the program ends."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from engine.errors import SinkError


class OutputFile:
    """A UTF-8 file written piece by piece, each piece in one go, none of it held back.

    A piece that does not fit on the disk is taken back, so that what is there stays well formed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._fd: int | None = None

    @property
    def is_open(self) -> bool:
        """Opened, not yet closed, and no write has failed."""
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
        self.size = 0

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
            SinkError: the disk is full or gone; nothing of ``text`` is left in the file.
        """
        begin = self.size
        self._write(begin, text.encode("utf-8", "replace"))
        return begin

    def patch(self, offset: int, text: str) -> None:
        """Overwrite what stands at ``offset`` with as many bytes of ``text``.

        Raises:
            SinkError: the disk is gone.
        """
        self._write(offset, text.encode("utf-8", "replace"))

    def close(self) -> None:
        """Close it; may be called twice, or before ``open``."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with contextlib.suppress(OSError):
                os.close(fd)

    def _write(self, offset: int, data: bytes) -> None:
        if self._fd is None:
            raise SinkError(f"{self.path} is closed")
        try:
            # A device or a pipe has no offsets; it is only ever appended to.
            with contextlib.suppress(OSError):
                os.lseek(self._fd, offset, os.SEEK_SET)
            done = 0
            while done < len(data):
                done += os.write(self._fd, data[done:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self.size)
            self.close()
            raise SinkError(*explain(self.path, error)) from error
        self.size = max(self.size, offset + len(data))


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
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{path} is cut short, the disk is full", "free some space and start again"
    return f"{path} cannot be written ({error.strerror or error})", "choose another place"
