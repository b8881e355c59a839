"""Moving and resizing the panel with the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QMouseEvent
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
        self._by_hand = False
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
        self._by_hand = False
        self._panel = inside.translated(window.geometry().topLeft())
        if not edges:
            window.setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(
        self, window: QWidget, inside: QRect, event: QMouseEvent, least: tuple[int, int]
    ) -> QRect | None:
        """Follow the pointer; without a button, show what it would do.

        Returns:
            Where the panel is to be on the virtual desktop, at least ``least`` wide and high;
            None where it is not held.
        """
        if not self.held:
            point = event.position().toPoint()
            over = inside.contains(point)
            edges = edges_at(point, inside)
            window.setCursor(cursor_for(edges) if over else Qt.CursorShape.ArrowCursor)
            return None
        moved = event.globalPosition().toPoint() - self._begin
        if not self._by_hand:
            # A mere click is none of the window manager's business: with the button up again it
            # would hold on to pointer and keys.
            if moved.manhattanLength() < _DRAGGED:
                return None
            if self._by_system(window):
                self.release(window)
                return None
            self._by_hand = True
        if self._edges:
            return resized(self._panel, self._edges, moved, least)
        return self._panel.translated(moved)

    def _by_system(self, window: QWidget) -> bool:
        """The window manager moves it best (snapping, Wayland); where it cannot, by hand."""
        handle = window.windowHandle()
        return handle is not None and (
            handle.startSystemResize(self._edges) if self._edges else handle.startSystemMove()
        )

    def release(self, window: QWidget) -> bool:
        """Let go.

        Returns:
            Whether it was held.
        """
        held, self.held = self.held, False
        if held:
            window.setCursor(Qt.CursorShape.OpenHandCursor)
        return held
