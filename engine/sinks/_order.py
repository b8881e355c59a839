"""Two lanes in one file: what was said first stands first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from engine.types import CaptionUpdate

Item = TypeVar("Item")

Labels = Mapping[str, str]
"""The name to print for each lane; a lane without one is printed without."""


class TimeOrder(Generic[Item]):
    """Holds things back while a line of another lane, begun earlier, is still being spoken.

    One lane alone is never held back; of two, none longer than the other's line lasts. A line that
    nobody has seen yet holds nothing back: what a busy machine recognises late comes late.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[str, float]] = {}
        self._held: list[tuple[float, int, str, Item]] = []
        self._count = 0

    def follow(self, update: CaptionUpdate) -> None:
        """Take note of a line that begins, goes on or ends."""
        if update.correction:
            return
        if update.is_final or not update.text.strip():
            self._open.pop(update.segment_id, None)
        else:
            self._open[update.segment_id] = update.lane, update.start

    def hold(self, lane: str, start: float, item: Item) -> None:
        """Something of ``lane`` that begins at ``start``, seconds; of one lane, in order."""
        # The count keeps apart, and in order, what begins at the same time.
        heapq.heappush(self._held, (start, self._count, lane, item))
        self._count += 1

    def ready(self) -> Iterator[Item]:
        """What nothing can come before any more, the earliest first; each is given once."""
        while self._held:
            start, _, lane, item = self._held[0]
            if any(other != lane and begun < start for other, begun in self._open.values()):
                return
            heapq.heappop(self._held)
            yield item

    def rest(self) -> Iterator[Item]:
        """All that is held, the earliest first."""
        self._open.clear()
        yield from self.ready()
