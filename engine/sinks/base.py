"""What a sink is: somewhere captions go."""

from __future__ import annotations

from typing import Protocol

from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


class Sink(Protocol):
    """Receives every update in order, on one thread.

    A sink that may block (a file, a socket) is wrapped in ``engine.sinks.queued.QueuedSink``,
    which gives it a thread and a bounded queue of its own. A sink that raises ``SinkError`` is
    closed and reported by a Notice; the others go on.
    """

    name: str

    def open(self, header: StreamHeader) -> None:
        """Before the first update.

        Raises:
            SinkError: it cannot be written.
        """

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """One caption update.

        Args:
            update: the whole state of its line.
            published_at: seconds since the first sample was handed over (monotonic clock),
                taken when the update was published.
        """

    def notice(self, notice: Notice) -> None:
        """Something the program has to say; most sinks ignore it."""

    def close(self, summary: StreamSummary) -> None:
        """After the last update. Whatever was written is whole afterwards."""
