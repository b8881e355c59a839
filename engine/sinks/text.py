"""Finished lines as plain text (``--txt``), one a line."""

from __future__ import annotations

from pathlib import Path

from engine.sinks._files import OutputFile
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


def plain(text: str) -> str:
    """One line without control characters or doubled spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


class TextSink:
    """Writes each finished line at once. Lines without words are left out.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "text"

    def __init__(self, path: Path) -> None:
        self._file = OutputFile(path)

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002 - plain text has no header
        """Create the file."""
        self._file.open()

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Write the line if it is finished."""
        if update.is_final and not update.correction and (line := plain(update.text)):
            self._file.append(line + "\n")

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is written."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Close the file."""
        self._file.close()
