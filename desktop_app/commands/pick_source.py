"""From what was typed to where the sound comes from."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import DeviceError, UsageError

if TYPE_CHECKING:
    from engine.sources.base import Source


def pick_source(text: str, *, realtime: bool = False) -> Source:
    """The source called ``text``: a file, ``mic``, ``mic:NAME`` or ``-``.

    Args:
        realtime: feed a file at the pace it was spoken; take a pipe as it comes.

    Raises:
        UsageError: no such file, device or kind of source.
        SourceError: it exists, but sound cannot be had from it.
    """
    check_source(text)
    if text == "-":
        from engine.sources.stdin import StdinSource

        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "'-' reads raw sound from a pipe, and standard input is a terminal",
                "pipe signed 16-bit little-endian mono sound at 16 kHz into it",
            )
        return StdinSource(sys.stdin.buffer, live=realtime)
    if text == "mic" or text.startswith("mic:"):
        return _microphone(text.partition(":")[2])
    from engine.sources.file import FileSource

    return FileSource(Path(text), realtime=realtime)


def check_source(text: str) -> None:
    """See that there is such a source, without opening it; devices are not asked.

    Raises:
        UsageError: no such file or kind of source.
    """
    if text in ("system", "both"):
        raise UsageError(
            f"capturing {text!r} is not available yet in this version", "use mic, a file or -"
        )
    if text in ("-", "mic") or text.startswith("mic:"):
        return
    path = Path(text)
    if not _is_there(path):
        raise UsageError(f"there is no file {text!r}", _near(path))
    if path.is_dir():
        raise UsageError(f"{text!r} is a folder", "name a sound file in it")


def _is_there(path: Path) -> bool:
    # What may not be looked at is left to whoever opens it, who can say why not.
    try:
        path.stat()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _microphone(name: str) -> Source:
    from engine.sources.device import DeviceSource, find_device, list_devices

    if not name:
        return DeviceSource()
    # A sound system that does not answer is no mistake of whoever typed the name.
    list_devices()
    try:
        find_device(name)
    except DeviceError as error:
        raise UsageError(error.message, error.remedy) from error
    return DeviceSource(name)


def _near(path: Path) -> str:
    """What the reader may have meant by a file that is not there."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return f"there is no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean {str(path.with_name(near[0]))!r}?" if near else "check the name"
