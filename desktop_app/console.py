"""What the command line says to people: words on standard output, complaints on standard error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import TextIO

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


def one_line(text: str) -> str:
    """``text`` with every run of blanks and line breaks made one space."""
    return " ".join(text.split())


def say(text: str) -> None:
    """One line or more on standard output; nothing where its reader has gone (``| head``)."""
    try:
        sys.stdout.write(text + "\n")
    except BrokenPipeError:
        _to_nowhere(sys.stdout)


def complain(text: str) -> None:
    """One line on standard error."""
    # A terminal that has gone is no reason to fail.
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"captionglass: {one_line(text)}\n")
        sys.stderr.flush()


def prepare_streams() -> None:
    """Let neither a closed stream nor a character that its encoding lacks stop a caption."""
    # None where the descriptor was closed (``>&-``) or there is no console (pythonw).
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def flush_streams() -> None:
    """Push out what is buffered; a reader that has gone (``| head``) is no error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _to_nowhere(stream)


def _to_nowhere(stream: TextIO) -> None:
    # The interpreter flushes once more at its end, and would complain about the same pipe.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
