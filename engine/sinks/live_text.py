"""A small text file that always holds what is being said (``--live-text``), for programs that watch
one: a text source of a streaming program, a sign, a teleprompter."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from engine.errors import SinkError
from engine.sinks._cells import LINE_CHARACTERS, NARROW, parts, width
from engine.sinks._files import (
    OutputFile,
    Room,
    Tell,
    explain,
    is_full,
    tell_nobody,
)
from engine.sinks.text import plain
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary
from models.whole import write_whole

_MOST_OFTEN_S = 0.1
"""A reader polls; writing more often than it can look wears out a disk for nothing."""
_KEPT_LINES = 6
"""Caption lines that the rows on show are made of; each is at least one row."""


class NewestRows:
    """The last rows of what is said, for a place that is too small for all of it.

    Args:
        rows: how many.
        width: Latin characters a row; 18 Chinese ones take the room of 42.
    """

    def __init__(self, rows: int = 2, width: int = LINE_CHARACTERS) -> None:
        self._rows = rows
        self._width = width
        self._lines: dict[int, str] = {}

    def take(self, update: CaptionUpdate) -> list[str]:
        """The rows after an update."""
        self._lines[update.segment_id] = plain(update.text)
        for old in list(self._lines)[:-_KEPT_LINES]:
            del self._lines[old]
        rows = [row for text in self._lines.values() for row in wrapped(text, self._width)]
        return rows[-self._rows :]


class LiveTextSink:
    """Keeps the last rows of the captions in a file that is replaced whole, so that nobody ever
    reads half of one. What may still change is written too. The file is left empty at the end.

    Args:
        path: of the file.
        rows: how many.
        width: Latin characters a row; 18 Chinese ones take the room of 42.
        tell: told where it waits for a full disk, and when it goes on.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "live text"

    def __init__(
        self,
        path: Path,
        rows: int = 2,
        width: int = LINE_CHARACTERS,
        tell: Tell = tell_nobody,
    ) -> None:
        self._path = path
        self._room = Room(path, tell)
        self._rows = NewestRows(rows, width)
        self._shown = ""
        self._written_at = 0.0

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002
        """Create the file, empty."""
        OutputFile(self._path).probe()
        self._replace("")

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Write what is said now; an unfinished line no more often than it can be read."""
        rows = self._rows.take(update)
        now = time.monotonic()
        if not update.is_final and now - self._written_at < _MOST_OFTEN_S:
            return
        self._written_at = now
        text = "".join(f"{row}\n" for row in rows)
        if text != self._shown:
            self._replace(text)

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is written."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Leave an empty file: nobody is speaking any more."""
        with contextlib.suppress(SinkError):
            self._replace("")

    def _replace(self, text: str) -> None:
        try:
            write_whole(self._path, text.encode(errors="replace"), mode=0o644)
        except OSError as error:
            if not is_full(error):
                raise SinkError(*explain(self._path, error)) from error
            self._room.is_missing()
            return
        self._shown = text
        self._room.is_there()


def wrapped(text: str, columns: int) -> list[str]:
    """``text`` in rows of at most ``columns`` Latin characters, or as many Chinese ones as take
    their room. Scripts without spaces break between characters, but no row begins with closing
    punctuation."""
    most = columns * NARROW
    rows: list[str] = []
    for word in text.split():
        glue = " "
        for part in parts(word, most):
            joined = f"{rows[-1]}{glue}{part}" if rows else part
            if rows and width(joined) <= most:
                rows[-1] = joined
            else:
                rows.append(part)
            glue = ""
    return rows
