"""Finished lines as plain text (``--txt``), one a line."""

from __future__ import annotations

from pathlib import Path

from engine.sinks._files import OutputFile
from engine.sinks._order import Labels, TimeOrder
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


def plain(text: str) -> str:
    """One line without control characters or doubled spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def labelled(text: str, lane: str, labels: Labels | None) -> str:
    """``text`` behind the name of its lane, where the lane has one."""
    label = plain(labels.get(lane, "")) if labels else ""
    return f"{label}: {text}" if label else text


class TextSink:
    """Writes each finished line at once; of two lanes, in the order in which they began.

    Lines without words are left out.

    Args:
        path: of the file.
        labels: names printed before the lines, where there are two lanes.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "text"

    def __init__(self, path: Path, labels: Labels | None = None) -> None:
        self._file = OutputFile(path)
        self._labels = labels
        self._order: TimeOrder[str] = TimeOrder()

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002 - plain text has no header
        """Create the file."""
        self._file.open()

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Write the line if it is finished."""
        if update.correction:
            return
        self._order.follow(update)
        if update.is_final and (line := plain(update.text)):
            line = labelled(line, update.lane, self._labels)
            self._order.hold(update.lane, update.start, line + "\n")
        for line in self._order.ready():
            self._file.append(line)

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is written."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Write what was held back, and close the file."""
        try:
            for line in self._order.rest():
                self._file.append(line)
        finally:
            self._file.close()
