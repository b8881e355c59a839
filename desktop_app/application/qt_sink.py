"""The one crossing from the inference thread to Qt.

The newest update of each line waits in a dictionary under a lock; one queued signal a batch wakes
the Qt thread, which takes all that waits. However slow the window is, what waits is bounded by
the number of lines, and the last word on each line, its final, is never lost.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.posting import post

if TYPE_CHECKING:
    from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary


class QtSink(QObject):
    """A sink whose signals are emitted on the thread it was made on.

    Attributes:
        name: as in notices about sinks.
    """

    opened = Signal(object)
    """A StreamHeader: what really runs."""
    captions = Signal(list)
    """CaptionUpdates, the newest of each line, in the order of the lines."""
    notices = Signal(list)
    """Notices, the newest of each code and lane, in the order in which they came."""
    closed = Signal(object)
    """The StreamSummary."""
    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = "window"
        self._lock = threading.Lock()
        self._woken = False
        self._header: StreamHeader | None = None
        self._updates: dict[int, CaptionUpdate] = {}
        self._notices: dict[tuple[str, str], Notice] = {}
        self._summary: StreamSummary | None = None
        self._wake.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def open(self, header: StreamHeader) -> None:
        """Before the first update."""
        with self._lock:
            self._header = header
        self._call()

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """One caption update; replaces what waits of the same line."""
        del published_at
        with self._lock:
            if update.replaces(self._updates.get(update.segment_id)):
                self._updates[update.segment_id] = update
        self._call()

    def notice(self, notice: Notice) -> None:
        """Something to say; replaces what waits of the same code and lane."""
        key = notice.code, notice.lane
        with self._lock:
            self._notices.pop(key, None)
            self._notices[key] = notice
        self._call()

    def close(self, summary: StreamSummary) -> None:
        """After the last update."""
        with self._lock:
            self._summary = summary
        self._call()

    def _call(self) -> None:
        with self._lock:
            if self._woken:
                return
            self._woken = True
        post(self._wake)

    @Slot()
    def _deliver(self) -> None:
        with self._lock:
            self._woken = False
            header, self._header = self._header, None
            updates, self._updates = self._updates, {}
            notices, self._notices = self._notices, {}
            summary, self._summary = self._summary, None
        if header is not None:
            self.opened.emit(header)
        if updates:
            self.captions.emit([updates[key] for key in sorted(updates)])
        if notices:
            self.notices.emit(list(notices.values()))
        if summary is not None:
            self.closed.emit(summary)
