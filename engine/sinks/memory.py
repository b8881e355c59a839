"""Keeps everything it is given: for tests, and for whoever wants the captions as values."""

from __future__ import annotations

from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


class MemorySink:
    """A sink whose content can be read at any time, from any thread.

    Attributes:
        header, summary: as given; None until then.
        updates: every update, in order.
        times: ``published_at`` of each, seconds.
        notices: every notice, in order.
        closed: ``close`` was called.
    """

    def __init__(self, name: str = "memory") -> None:
        self.name = name
        self.header: StreamHeader | None = None
        self.summary: StreamSummary | None = None
        self.updates: list[CaptionUpdate] = []
        self.times: list[float] = []
        self.notices: list[Notice] = []
        self.closed = False

    def open(self, header: StreamHeader) -> None:
        """Remember the header."""
        self.header = header

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Remember the update."""
        self.updates.append(update)
        self.times.append(published_at)

    def notice(self, notice: Notice) -> None:
        """Remember the notice."""
        self.notices.append(notice)

    def close(self, summary: StreamSummary) -> None:
        """Remember the summary."""
        self.summary = summary
        self.closed = True

    @property
    def finals(self) -> list[CaptionUpdate]:
        """The finished lines in the order of their segments; a correction replaces its line."""
        lines: dict[int, CaptionUpdate] = {}
        for update in self.updates:
            if update.is_final:
                lines[update.segment_id] = update
        return [lines[key] for key in sorted(lines)]

    @property
    def text(self) -> str:
        """The finished lines, one a line."""
        return "\n".join(update.text for update in self.finals)


class NoticeSink:
    """Remembers which notices came, and nothing else.

    Attributes:
        codes: of every notice so far, in order.
    """

    name = "notices"

    def __init__(self) -> None:
        self.codes: list[str] = []

    def open(self, header: StreamHeader) -> None:
        """Nothing to prepare."""

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Captions are not its business."""

    def notice(self, notice: Notice) -> None:
        """Remember the code."""
        self.codes.append(notice.code)

    def close(self, summary: StreamSummary) -> None:
        """Nothing to close."""
