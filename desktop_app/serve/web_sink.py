"""The one crossing from the inference thread to the server's loop. Never blocks.

The newest update of each line waits in a dictionary under a lock; one call a batch wakes the loop,
which takes all that waits. A loop that has stopped costs no more than the newest lines.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from engine.sinks.jsonl import event

if TYPE_CHECKING:
    from desktop_app.serve.hub import CaptionHub
    from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

_MOST_LINES = 2000
_MOST_NOTICES = 100


class WebSink:
    """A sink whose captions come out of a hub, on the hub's loop.

    Args:
        hub: given each update.
        loop: what it lives on.

    Attributes:
        lost: lines thrown away because the loop did not run.
    """

    name = "web"

    def __init__(self, hub: CaptionHub, loop: asyncio.AbstractEventLoop) -> None:
        self.lost = 0
        self._hub = hub
        self._loop = loop
        self._lock = threading.Lock()
        self._woken = False
        self._begun = False
        self._updates: dict[int, tuple[CaptionUpdate, float]] = {}
        self._notices: dict[tuple[str, str], Notice] = {}

    def open(self, header: StreamHeader) -> None:
        """Segments are numbered from 0 again."""
        del header
        with self._lock:
            self._begun = True
            self._updates.clear()
        self._call()

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """One caption update; replaces what waits of the same line."""
        number = update.segment_id
        with self._lock:
            waiting = self._updates.get(number)
            if update.replaces(waiting[0] if waiting else None):
                self._updates[number] = update, published_at
            if len(self._updates) > _MOST_LINES:
                del self._updates[next(iter(self._updates))]
                self.lost += 1
        self._call()

    def notice(self, notice: Notice) -> None:
        """Something to say; replaces what waits of the same code and lane."""
        key = notice.code, notice.lane
        with self._lock:
            self._notices.pop(key, None)
            self._notices[key] = notice
            if len(self._notices) > _MOST_NOTICES:
                del self._notices[next(iter(self._notices))]
        self._call()

    def close(self, summary: StreamSummary) -> None:
        """Nothing to close: another session may come."""

    def _call(self) -> None:
        with self._lock:
            if self._woken:
                return
            self._woken = True
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            # The server was stopped before the session.
            with self._lock:
                self._updates.clear()
                self._notices.clear()

    def _deliver(self) -> None:
        with self._lock:
            self._woken = False
            begun, self._begun = self._begun, False
            updates, self._updates = self._updates, {}
            notices, self._notices = self._notices, {}
        if begun:
            self._hub.begin()
        for update, published_at in updates.values():
            self._hub.caption(event(update, published_at) | {"language": update.language})
        for notice in notices.values():
            self._hub.notice(
                {
                    "code": notice.code,
                    "severity": notice.severity,
                    "text": notice.text,
                    "remedy": notice.remedy,
                    "lane": notice.lane,
                }
            )
