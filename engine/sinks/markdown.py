"""Finished lines as Markdown (``--md``): a transcript with times, for notes and wikis."""

from __future__ import annotations

import re
from pathlib import Path

from engine.sinks._files import OutputFile
from engine.sinks._order import Labels, TimeOrder
from engine.sinks.text import is_worth_a_line, not_heard, plain, stamp
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")


class MarkdownSink:
    """Writes ``**[00:12] Name:** what was said`` for each finished line at once, a paragraph each;
    of two lanes, in the order in which they began. What was said is text, never markup.

    Args:
        path: of the file.
        labels: names printed before the lines, where there are two lanes.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "markdown"

    def __init__(self, path: Path, labels: Labels | None = None) -> None:
        self._file = OutputFile(path)
        self._labels = labels
        self._order: TimeOrder[str] = TimeOrder()

    def open(self, header: StreamHeader) -> None:
        """Create the file and write what is being captioned."""
        self._file.open()
        self._file.append(f"# {escaped(plain(header.source)) or 'Captions'}\n")

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Write the line if it is finished."""
        if update.correction:
            return
        self._order.follow(update)
        if update.is_final and (line := plain(update.text)):
            self._hold(update.lane, update.start, escaped(line))
        self._write()

    def notice(self, notice: Notice) -> None:
        """Write where sound was not heard; other notices belong in no transcript."""
        if is_worth_a_line(notice) and notice.span is not None:
            self._hold(notice.lane, notice.span[0], f"*{escaped(not_heard(notice.span))}*")
            self._write()

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Write what was held back, and close the file."""
        try:
            for paragraph in self._order.rest():
                self._file.append(paragraph)
        finally:
            self._file.close()

    def _hold(self, lane: str, start: float, text: str) -> None:
        label = escaped(plain(self._labels.get(lane, ""))) if self._labels else ""
        head = f"[{stamp(int(start))}]" + (f" {label}:" if label else "")
        self._order.hold(lane, start, f"\n**{escaped_head(head)}** {text}\n")

    def _write(self) -> None:
        for paragraph in self._order.ready():
            self._file.append(paragraph)


def escaped(text: str) -> str:
    """``text`` such that Markdown shows it as it is."""
    text = _MARKUP.sub(r"\\\1", text)
    # "1. " and "- " begin lists, "+" too, at the start of a paragraph.
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", text))


def escaped_head(head: str) -> str:
    """The bracketed time, which is no link."""
    return head.replace("[", r"\[", 1).replace("]", r"\]", 1)
