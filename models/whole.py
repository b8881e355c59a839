"""Files that are replaced whole: nobody ever reads half of one, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_whole(
    path: Path, content: bytes, *, durable: bool = False, mode: int | None = None
) -> None:
    """Put a file in place of the one that is there, or of none.

    Args:
        path: of the file; its folder exists.
        content: all of it.
        durable: it is on the disk, not only in the system's memory, before it takes the place of
            the old one.
        mode: of the file; None for one that its owner alone may read and write.

    Raises:
        OSError: it could not be written; the old one is as it was.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
