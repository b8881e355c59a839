"""Finished lines as plain text (``--txt``), one a line."""

from __future__ import annotations

import math
from pathlib import Path

from engine.sinks._files import OutputFile, Tell, tell_nobody
from engine.sinks._order import Labels, TimeOrder
from engine.types import GAP, CaptionUpdate, Notice, StreamHeader, StreamSummary

_GAP_S = 0.5
"""Sound that was missing for less is not worth a line."""


def plain(text: str) -> str:
    """One line without control characters or doubled spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def labelled(text: str, lane: str, labels: Labels | None) -> str:
    """``text`` behind the name of its lane, where the lane has one."""
    label = plain(labels.get(lane, "")) if labels else ""
    return f"{label}: {text}" if label else text


def not_heard(span: tuple[float, float]) -> str:
    """``[not heard 00:12–00:15]``: from and to in seconds, to whole ones outwards."""
    return f"[not heard {stamp(math.floor(span[0]))}–{stamp(math.ceil(span[1]))}]"


def is_worth_a_line(notice: Notice) -> bool:
    """It tells of sound that was not heard for long enough."""
    span = notice.span
    return notice.code == GAP and span is not None and span[1] - span[0] >= _GAP_S


def stamp(seconds: int) -> str:
    """``02:05``, from an hour on ``1:02:05``."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"


class TextSink:
    """Writes each finished line at once; of two lanes, in the order in which they began.

    Lines without words are left out. Where sound was not heard for half a second or more, a line
    says so.

    Args:
        path: of the file.
        labels: names printed before the lines, where there are two lanes.
        tell: told where it waits for a full disk, and when it goes on.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "text"

    def __init__(self, path: Path, labels: Labels | None = None, tell: Tell = tell_nobody) -> None:
        self._file = OutputFile(path, tell)
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
            self._order.hold(update.lane, update.start, self._said(line, update))
        for line in self._order.ready():
            self._file.append(line)

    def notice(self, notice: Notice) -> None:
        """Write where sound was not heard; other notices belong in no transcript."""
        if not is_worth_a_line(notice) or notice.span is None:
            return
        self._order.hold(notice.lane, notice.span[0], self._missed(notice.span, notice.lane))
        for ready in self._order.ready():
            self._file.append(ready)

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Write what was held back, and close the file."""
        try:
            for line in self._order.rest():
                self._file.append(line)
        finally:
            self._file.close()

    def _said(self, text: str, update: CaptionUpdate) -> str:
        """A finished line as it stands in the file."""
        return labelled(text, update.lane, self._labels) + "\n"

    def _missed(self, span: tuple[float, float], lane: str) -> str:
        """Sound that was not heard, as it stands in the file."""
        return labelled(not_heard(span), lane, self._labels) + "\n"
