"""Screens that come, go and change while the program runs."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

_SETTLED_MS = 350
"""A desktop that is rearranged changes one screen after the other."""
_RECENT_MS = 3000
"""So long after that, a native window may still be as it was on a screen that has gone."""


class ScreenWatch(QObject):
    """Says once that the screens are others than they were, when they have come to rest."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._timer.timeout.connect(self._tell)
        self._since = QElapsedTimer()
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenAdded.connect(self._take_in)
        application.screenRemoved.connect(self._timer.start)
        application.primaryScreenChanged.connect(self._timer.start)
        for screen in application.screens():
            self._follow(screen)

    @property
    def unsettled(self) -> bool:
        """Whether something has changed that was not told yet."""
        return self._timer.isActive()

    def mend(self, window: QWidget) -> None:
        """See that a window really is as large as it thinks, soon after screens have changed: where
        one of another scaling is gone, Qt leaves the native window scaled as it was there."""
        handle = window.windowHandle()
        if handle is None or not self._since.isValid() or self._since.elapsed() > _RECENT_MS:
            return
        place = window.geometry()
        if (
            handle.geometry() != place
            and QGuiApplication.screenAt(place.center()) == handle.screen()
        ):
            handle.setGeometry(place)

    def _tell(self) -> None:
        self._since.restart()
        self.changed.emit()

    def forget(self) -> None:
        """What has changed so far is known."""
        self._timer.stop()

    def _take_in(self, screen: QScreen) -> None:
        self._follow(screen)
        self._timer.start()

    def _follow(self, screen: QScreen) -> None:
        screen.geometryChanged.connect(self._timer.start)
        # A dock that appears takes some of it.
        screen.availableGeometryChanged.connect(self._timer.start)
