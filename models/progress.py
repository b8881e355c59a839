"""How far an installation is, for whoever watches."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TextIO

Progress = Callable[[int, int, str], None]
"""Told (bytes done, bytes in all, what is going on), about ten times a second, by the installing
thread. The first never falls within one installation, and ends equal to the second."""

_BAR_WIDTH = 20


def silent(done: int, total: int, what: str) -> None:
    """For callers who do not watch."""


def megabytes(count: int) -> str:
    """A number of bytes, in megabytes, for people."""
    return f"{count / 1e6:.1f}"


class ProgressBar:
    """Draws progress on one line of a terminal; elsewhere writes a line for each new step."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream
        self._live = stream.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int, what: str) -> None:
        line = f"{self._title}: {what}"
        if self._live:
            if total:
                filled = _BAR_WIDTH * done // total
                bar = "#" * filled + "." * (_BAR_WIDTH - filled)
                percent = 100 * done // total
                line = f"{self._title} [{bar}] {percent:3d} % of {megabytes(total)} MB, {what}"
            # A line that wraps cannot be drawn over.
            line = line[: shutil.get_terminal_size().columns - 1]
        if line == self._shown:
            return
        self._stream.write(f"\r{line:{len(self._shown)}}" if self._live else f"{line}\n")
        self._stream.flush()
        self._shown = line

    def close(self) -> None:
        """End the line."""
        if self._live and self._shown:
            self._stream.write("\n")
