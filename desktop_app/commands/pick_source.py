"""From what was typed to where the sound comes from."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from engine.errors import UsageError
from engine.sources.base import Source


def pick_source(text: str, *, realtime: bool = False) -> Source:
    """The source called ``text``: a file, ``mic``, ``mic:NAME`` or ``-``.

    Args:
        realtime: feed a file at the pace it was spoken.

    Raises:
        UsageError: no such file, device or kind of source.
        SourceError: it exists, but sound cannot be had from it.
    """
    if text in ("system", "both"):
        raise UsageError(
            f"capturing {text!r} is not available yet in this version", "use mic, a file or -"
        )
    if text == "-":
        from engine.sources.stdin import StdinSource

        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "'-' reads raw sound from a pipe, and standard input is a terminal",
                "pipe signed 16-bit little-endian mono sound at 16 kHz into it",
            )
        return StdinSource(sys.stdin.buffer)
    if text == "mic" or text.startswith("mic:"):
        return _microphone(text.partition(":")[2])
    path = Path(text)
    if not path.exists():
        raise UsageError(f"there is no file {text!r}", _near(path))
    if path.is_dir():
        raise UsageError(f"{text!r} is a folder", "name a sound file in it")
    from engine.sources.file import FileSource

    return FileSource(path, realtime=realtime)


def _microphone(name: str) -> Source:
    from engine.sources.device import DeviceSource, list_devices

    if not name:
        return DeviceSource()
    names = [device.name for device in list_devices()]
    matches = [known for known in names if name.casefold() in known.casefold()]
    exact = [known for known in matches if known.casefold() == name.casefold()]
    if exact or len(matches) == 1:
        return DeviceSource((exact or matches)[0])
    if matches:
        raise UsageError(f"{name!r} names several inputs", f"use one of {', '.join(matches)}")
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    known = ", ".join(names) or "none; see captionglass doctor"
    raise UsageError(
        f"there is no sound input {name!r}",
        f"did you mean {near[0]!r}?" if near else f"the inputs are {known}",
    )


def _near(path: Path) -> str:
    """What the reader may have meant by a file that is not there."""
    if not path.parent.is_dir():
        return f"there is no folder {str(path.parent)!r} either"
    names = [entry.name for entry in path.parent.iterdir()]
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean {str(path.with_name(near[0]))!r}?" if near else "check the name"
