"""Where the panel may stand: plain rectangles, so that every arrangement can be tried."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication

from desktop_app.settings.declared import Geometry

GRIP = 8
"""How near to an edge the pointer resizes, device-independent pixels."""

_REACHABLE = (80, 30)
"""The least part of the panel, width and height, that must lie on some screen."""


def arrangement(screens: Sequence[QRect]) -> str:
    """A name for this arrangement of screens, e.g. ``1920x1080+0+0 1280x1024+1920+0``."""
    ordered = sorted(screens, key=lambda screen: (screen.x(), screen.y(), screen.width()))
    return " ".join(
        f"{screen.width()}x{screen.height()}{screen.x():+d}{screen.y():+d}" for screen in ordered
    )


def here() -> str:
    """The name of the arrangement that there is now."""
    return arrangement([screen.geometry() for screen in QGuiApplication.screens()])


def places_are_known() -> bool:
    """Whether a window can tell where it is; on Wayland it cannot."""
    return not QGuiApplication.platformName().startswith("wayland")


def default_panel(screen: QRect, height: int) -> QRect:
    """The place for a first start: low and in the middle, where subtitles are looked for.

    Args:
        screen: the part of the screen that is free of docks.
        height: of the panel.
    """
    width = min(max(screen.width() * 11 // 20, 480), 1100, screen.width() - 40)
    x = screen.x() + (screen.width() - width) // 2
    y = screen.bottom() + 1 - height - max(screen.height() // 14, 24)
    return QRect(x, y, width, height)


def recalled_panel(
    saved: dict[str, Geometry], screens: Sequence[QRect], available: Sequence[QRect], height: int
) -> QRect:
    """Where the panel was with these screens, else where it was last, else the first place.

    Args:
        saved: places by arrangement, the newest last.
        screens: whole screens; the first is the primary one.
        available: the same screens without docks.
        height: of a panel that was never placed.

    Returns:
        A rectangle that can be reached with the pointer on one of the screens.
    """
    place = saved.get(arrangement(screens))
    if place is None and saved:
        place = list(saved.values())[-1]
    if place is None:
        return default_panel(available[0], height)
    panel = QRect(place.x, place.y, place.width, place.height)
    return brought_back(panel, available)


def docked_panel(screen: QRect, edge: str, height: int) -> QRect:
    """Along the ``top`` or ``bottom`` edge, as wide as the part of the screen without docks."""
    top = screen.top() if edge == "top" else screen.bottom() + 1 - height
    return QRect(screen.x(), top, screen.width(), height)


def brought_back(panel: QRect, available: Sequence[QRect]) -> QRect:
    """The panel itself where enough of it lies on a screen; else moved, and made smaller where it
    must be, onto the nearest screen."""
    for screen in available:
        seen = panel.intersected(screen)
        if seen.width() >= min(_REACHABLE[0], panel.width()) and seen.height() >= min(
            _REACHABLE[1], panel.height()
        ):
            return QRect(panel)
    screen = min(available, key=lambda screen: _distance(panel.center(), screen))
    width = min(panel.width(), screen.width())
    height = min(panel.height(), screen.height())
    x = min(max(panel.x(), screen.left()), screen.right() + 1 - width)
    y = min(max(panel.y(), screen.top()), screen.bottom() + 1 - height)
    return QRect(x, y, width, height)


def edges_at(point: QPoint, panel: QRect) -> Qt.Edge:
    """The edges of the panel that a press at ``point`` takes hold of; none in its middle."""
    edges = Qt.Edge(0)
    if not panel.contains(point):
        return edges
    # Where two edges meet, a wider grip makes the corner easy to catch.
    corner = 2 * GRIP
    left, right = point.x() - panel.left(), panel.right() - point.x()
    top, bottom = point.y() - panel.top(), panel.bottom() - point.y()
    near = min(left, right, top, bottom)
    if near > GRIP:
        return edges
    if left <= GRIP or (left <= corner and min(top, bottom) <= GRIP):
        edges |= Qt.Edge.LeftEdge
    elif right <= GRIP or (right <= corner and min(top, bottom) <= GRIP):
        edges |= Qt.Edge.RightEdge
    if top <= GRIP or (top <= corner and min(left, right) <= GRIP):
        edges |= Qt.Edge.TopEdge
    elif bottom <= GRIP or (bottom <= corner and min(left, right) <= GRIP):
        edges |= Qt.Edge.BottomEdge
    return edges


_CURSORS = {
    Qt.Edge.LeftEdge: Qt.CursorShape.SizeHorCursor,
    Qt.Edge.RightEdge: Qt.CursorShape.SizeHorCursor,
    Qt.Edge.TopEdge: Qt.CursorShape.SizeVerCursor,
    Qt.Edge.BottomEdge: Qt.CursorShape.SizeVerCursor,
    Qt.Edge.LeftEdge | Qt.Edge.TopEdge: Qt.CursorShape.SizeFDiagCursor,
    Qt.Edge.RightEdge | Qt.Edge.BottomEdge: Qt.CursorShape.SizeFDiagCursor,
    Qt.Edge.RightEdge | Qt.Edge.TopEdge: Qt.CursorShape.SizeBDiagCursor,
    Qt.Edge.LeftEdge | Qt.Edge.BottomEdge: Qt.CursorShape.SizeBDiagCursor,
}


def cursor_for(edges: Qt.Edge) -> Qt.CursorShape:
    """The pointer's shape over these edges; a hand over none, for there the panel is moved."""
    return _CURSORS.get(edges, Qt.CursorShape.OpenHandCursor)


def resized(panel: QRect, edges: Qt.Edge, moved: QPoint, least: tuple[int, int]) -> QRect:
    """The panel after its ``edges`` were dragged by ``moved``, never smaller than ``least``."""
    result = QRect(panel)
    if edges & Qt.Edge.LeftEdge:
        result.setLeft(min(panel.left() + moved.x(), panel.right() + 1 - least[0]))
    if edges & Qt.Edge.RightEdge:
        result.setRight(max(panel.right() + moved.x(), panel.left() - 1 + least[0]))
    if edges & Qt.Edge.TopEdge:
        result.setTop(min(panel.top() + moved.y(), panel.bottom() + 1 - least[1]))
    if edges & Qt.Edge.BottomEdge:
        result.setBottom(max(panel.bottom() + moved.y(), panel.top() - 1 + least[1]))
    return result


def _distance(point: QPoint, screen: QRect) -> int:
    x = max(screen.left() - point.x(), 0, point.x() - screen.right())
    y = max(screen.top() - point.y(), 0, point.y() - screen.bottom())
    return x * x + y * y
