"""A thread and a bounded queue for a sink that may block: the inference thread never waits."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from engine.errors import SinkError
from engine.sinks.base import Sink
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


@dataclass(frozen=True, slots=True)
class _Update:
    update: CaptionUpdate
    published_at: float


class QueuedSink:
    """Passes everything on to ``inner`` in order, on one thread of its own.

    While the queue is full a partial caption that a newer one of its line replaces is dropped and
    counted. Finished lines and notices are never dropped: where only those are left, the caller
    waits ``patience`` seconds for room, and then the sink has failed.

    Args:
        inner: only ever called on this sink's thread.
        max_pending: the most updates and notices that wait.
        patience: seconds to wait for ``inner`` to open, to make room, and to finish.

    Attributes:
        dropped: partial captions that ``inner`` never saw.
    """

    def __init__(self, inner: Sink, max_pending: int = 256, *, patience: float = 5.0) -> None:
        self.name = inner.name
        self.dropped = 0
        self._inner = inner
        self._max_pending = max_pending
        self._patience = patience
        self._items: deque[_Update | Notice] = deque()
        self._changed = threading.Condition()
        self._summary: StreamSummary | None = None
        self._error: Exception | None = None
        self._opened = False
        self._done = False
        self._thread: threading.Thread | None = None

    def open(self, header: StreamHeader) -> None:
        """Start the thread and open ``inner`` on it.

        Raises:
            SinkError: ``inner`` did not open, or not in time.
        """
        self._thread = threading.Thread(
            target=self._run, args=(header,), name=f"sink-{self.name}", daemon=True
        )
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._opened or self._done, self._patience)
            self._raise_failure()
            if not self._opened:
                self._error = SinkError(f"{self.name} did not open in {self._patience:g} s")
                self._summary = StreamSummary(0.0, 0.0, 0.0, 0.0, 0, 0.0, 0, 0)
                self._changed.notify_all()
                raise self._error

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Queue one update.

        Raises:
            SinkError: ``inner`` failed earlier, or is so far behind that lines would be lost.
        """
        with self._changed:
            self._raise_failure()
            if len(self._items) >= self._max_pending and not self._drop_one(update):
                if not update.is_final:
                    # Its own line goes on or is finished later: nothing a reader keeps is lost.
                    self.dropped += 1
                    return
                self._wait_for_room()
            self._items.append(_Update(update, published_at))
            self._changed.notify_all()

    def notice(self, notice: Notice) -> None:
        """Queue one notice.

        Raises:
            SinkError: as ``update``.
        """
        with self._changed:
            self._raise_failure()
            if len(self._items) >= self._max_pending and not self._drop_one(None):
                self._wait_for_room()
            self._items.append(notice)
            self._changed.notify_all()

    def close(self, summary: StreamSummary) -> None:
        """Let ``inner`` take what waits, close it, and end the thread.

        Raises:
            SinkError: ``inner`` failed, or did not finish in time.
        """
        if self._thread is None:
            return
        with self._changed:
            self._summary = summary
            self._changed.notify_all()
            # What has failed has had its time already.
            limit = self._patience if self._error is None else min(self._patience, 1.0)
        self._thread.join(limit)
        with self._changed:
            if self._thread.is_alive() and self._error is None:
                left = sum(isinstance(item, _Update) for item in self._items)
                self._error = SinkError(
                    f"{self.name} did not finish in {self._patience:g} s, {left} updates were lost"
                )
                self._items.clear()
            self._thread = None
            self._raise_failure()

    def _drop_one(self, incoming: CaptionUpdate | None) -> bool:
        """Take out the oldest waiting partial that a newer update of its line replaces."""
        newest: dict[int, int] = {}
        for index, item in enumerate(self._items):
            if isinstance(item, _Update):
                newest[item.update.segment_id] = index
        if incoming is not None:
            newest[incoming.segment_id] = len(self._items)
        for index, item in enumerate(self._items):
            if (
                isinstance(item, _Update)
                and not item.update.is_final
                and newest[item.update.segment_id] > index
            ):
                del self._items[index]
                self.dropped += 1
                return True
        return False

    def _wait_for_room(self) -> None:
        room = self._changed.wait_for(
            lambda: len(self._items) < self._max_pending or self._error is not None,
            self._patience,
        )
        if not room:
            self._error = SinkError(
                f"{self.name} does not keep up, {len(self._items)} updates were lost"
            )
            self._items.clear()
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self, header: StreamHeader) -> None:
        try:
            self._inner.open(header)
            with self._changed:
                self._opened = True
                self._changed.notify_all()
            while (item := self._next()) is not None:
                if isinstance(item, Notice):
                    self._inner.notice(item)
                else:
                    self._inner.update(item.update, item.published_at)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised to the caller
            self._fail(error)
        self._finish()

    def _next(self) -> _Update | Notice | None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._items or self._summary is not None or self._error is not None
            )
            if self._error is not None or not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def _fail(self, error: Exception) -> None:
        with self._changed:
            if self._error is None:
                self._error = error
            self._items.clear()
            self._changed.notify_all()

    def _finish(self) -> None:
        """Close ``inner``, which after a failure waits for the summary that ``close`` brings."""
        with self._changed:
            opened = self._opened
            if opened:
                self._changed.wait_for(lambda: self._summary is not None)
            summary = self._summary
        try:
            if opened and summary is not None:
                self._inner.close(summary)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised to the caller
            self._fail(error)
        with self._changed:
            self._done = True
            self._changed.notify_all()
