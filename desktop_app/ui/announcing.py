"""Finished lines for screen readers: polite, a few at a time, and only where switched on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from engine.types import CaptionUpdate

PAUSE_MS = 2500
"""Between two announcements; what is finished meanwhile is announced together."""

_MOST_CHARACTERS = 400
"""Of one announcement. Speech is faster than a reader reads aloud: what is older is left out."""


class Announcer(QObject):
    """Hands finished lines to the screen reader.

    Args:
        spoken_for: the window whose lines they are.
    """

    def __init__(self, spoken_for: QObject) -> None:
        super().__init__(spoken_for)
        self._spoken_for = spoken_for
        self._waiting: list[str] = []
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._announce)

    def take(self, updates: Sequence[CaptionUpdate]) -> None:
        """Take note of finished lines; the first one is announced at once."""
        self._waiting += [
            update.text
            for update in updates
            if update.is_final and not update.correction and update.text.strip()
        ]
        if self._waiting and not self._timer.isActive():
            self._announce()

    def _announce(self) -> None:
        lines, self._waiting = self._waiting, []
        while len(lines) > 1 and sum(map(len, lines)) > _MOST_CHARACTERS:
            del lines[0]
        if not lines:
            return
        event = QAccessibleAnnouncementEvent(self._spoken_for, " ".join(lines))
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)
        self._timer.start()
