"""Finished lines as Markdown (``--md``): a transcript with times, for notes and wikis."""

from __future__ import annotations

import re

from engine.sinks.text import TextSink, not_heard, plain, stamp
from engine.types import CaptionUpdate, StreamHeader

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")


class MarkdownSink(TextSink):
    """Writes ``**[00:12] Name:** what was said`` for each finished line at once, a paragraph each;
    all else is as in ``TextSink``. What was said is text, never markup.

    Args:
        path: of the file.
        labels: names printed before the lines, where there are two lanes.

    Raises:
        SinkError: from ``open`` and ``update``, where the file cannot be written.
    """

    name = "markdown"

    def open(self, header: StreamHeader) -> None:
        """Create the file and write what is being captioned."""
        super().open(header)
        self._file.append(f"# {escaped(plain(header.source)) or 'Captions'}\n")

    def _said(self, text: str, update: CaptionUpdate) -> str:
        return self._paragraph(update.lane, update.start, escaped(text))

    def _missed(self, span: tuple[float, float], lane: str) -> str:
        return self._paragraph(lane, span[0], f"*{escaped(not_heard(span))}*")

    def _paragraph(self, lane: str, start: float, text: str) -> str:
        label = escaped(plain(self._labels.get(lane, ""))) if self._labels else ""
        # The bracketed time is no link.
        head = f"\\[{stamp(int(start))}\\]" + (f" {label}:" if label else "")
        return f"\n**{head}** {text}\n"


def escaped(text: str) -> str:
    """``text`` such that Markdown shows it as it is."""
    text = _MARKUP.sub(r"\\\1", text)
    # "1. " and "- " begin lists, "+" too, at the start of a paragraph.
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", text))
