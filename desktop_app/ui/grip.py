"""Moving and resizing the panel with the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.geometry import cursor_for, edges_at, resized

_DRAGGED = 4
"""How far the pointer goes before it drags, device-independent pixels."""


class Grip:
    """Holds the panel of a window while it is dragged.

    Attributes:
        held: the pointer drags it.
    """

    def __init__(self) -> None:
        self.held = False
        self._dragged = False
        self._begin = QPoint()
        self._panel = QRect()
        self._edges = Qt.Edge(0)

    def press(self, window: QWidget, inside: QRect, event: QMouseEvent) -> None:
        """Take hold where the left button was pressed on the panel.

        Args:
            window: the window the panel is in.
            inside: where in the window the panel is.
            event: where it was pressed.
        """
        point = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or not inside.contains(point):
            return
        edges = edges_at(point, inside)
        self.held, self._begin, self._edges = True, event.globalPosition().toPoint(), edges
        self._dragged = False
        self._panel = inside.translated(window.geometry().topLeft())
        if not edges:
            window.setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(
        self, window: QWidget, inside: QRect, event: QMouseEvent, least: tuple[int, int]
    ) -> QRect | None:
        """Follow the pointer; without a button, show what it would do.

        Returns:
            Where the panel is to be on the virtual desktop, at least ``least`` wide and high;
            None where it is not held, or does not move yet.
        """
        if not self.held:
            point = event.position().toPoint()
            over = inside.contains(point)
            edges = edges_at(point, inside)
            window.setCursor(cursor_for(edges) if over else Qt.CursorShape.ArrowCursor)
            return None
        moved = event.globalPosition().toPoint() - self._begin
        if not self._dragged and moved.manhattanLength() < _DRAGGED:
            return None
        if self._edges:
            return resized(self._panel, self._edges, moved, least)
        return self._panel.translated(moved)

    def hand_over(self, window: QWidget) -> None:
        """Let the system move it where it does so best; to be called when the panel is where the
        pointer has it. On X11 it is moved by hand: the window manager would begin late, and hold
        on to pointer and keys where the button is up by then."""
        handle = window.windowHandle()
        if self._dragged or handle is None:
            return
        self._dragged = True
        if QGuiApplication.platformName() == "xcb":
            return
        if handle.startSystemResize(self._edges) if self._edges else handle.startSystemMove():
            self.release(window)

    def release(self, window: QWidget) -> bool:
        """Let go.

        Returns:
            Whether it was held.
        """
        held, self.held = self.held, False
        if held:
            window.setCursor(Qt.CursorShape.OpenHandCursor)
        return held
