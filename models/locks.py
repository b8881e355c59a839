"""One installer at a time: an advisory lock on a file, given back by the system if we die."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import TracebackType

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_HELD_BY_ANOTHER = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


class FileLock:
    """An exclusive lock on ``path``, between processes and between threads of one process.

    The file stays behind, empty: deleting it would let two owners hold two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._descriptor is not None

    def try_acquire(self) -> bool:
        """Take the lock if nobody holds it; never waits.

        Raises:
            OSError: the file cannot be opened, or its file system knows no locks.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _try_lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno in _HELD_BY_ANOTHER:
                return False
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Give it back; nothing happens if it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
