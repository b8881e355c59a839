"""Where the panel may stand, whatever screens come and go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt

from desktop_app.settings.declared import Geometry
from desktop_app.ui.geometry import (
    arrangement,
    brought_back,
    default_panel,
    edges_at,
    recalled_panel,
    resized,
)

LAPTOP = QRect(0, 0, 1440, 900)
DESK = QRect(1440, -200, 2560, 1440)
PANEL = QRect(100, 100, 600, 140)


def saved(panel: QRect) -> Geometry:
    return Geometry(x=panel.x(), y=panel.y(), width=panel.width(), height=panel.height())


def test_an_arrangement_has_one_name_in_any_order() -> None:
    assert arrangement([LAPTOP, DESK]) == arrangement([DESK, LAPTOP])
    assert arrangement([LAPTOP]) != arrangement([LAPTOP, DESK])


def test_each_arrangement_has_its_own_place() -> None:
    places = {
        arrangement([LAPTOP]): saved(PANEL),
        arrangement([LAPTOP, DESK]): saved(PANEL.translated(2000, 0)),
    }
    assert recalled_panel(places, [LAPTOP], [LAPTOP], 140) == PANEL
    both = [LAPTOP, DESK]
    assert recalled_panel(places, both, both, 140) == PANEL.translated(2000, 0)


def test_an_unknown_arrangement_takes_the_last_place_and_brings_it_back() -> None:
    places = {arrangement([LAPTOP, DESK]): saved(PANEL.translated(2500, 300))}
    panel = recalled_panel(places, [LAPTOP], [LAPTOP], 140)
    assert LAPTOP.contains(panel)
    assert panel.size() == PANEL.size()


@given(
    st.integers(-9000, 9000),
    st.integers(-9000, 9000),
    st.integers(50, 5000),
    st.integers(40, 3000),
)
def test_it_can_always_be_reached(x: int, y: int, width: int, height: int) -> None:
    panel = brought_back(QRect(x, y, width, height), [LAPTOP, DESK])
    seen = [panel.intersected(screen) for screen in (LAPTOP, DESK)]
    assert any(
        part.width() >= min(80, panel.width()) and part.height() >= min(30, panel.height())
        for part in seen
    )


@pytest.mark.parametrize("screen", [LAPTOP, DESK, QRect(0, 0, 800, 480), QRect(0, 0, 320, 240)])
def test_the_first_place_is_on_the_screen(screen: QRect) -> None:
    assert screen.contains(default_panel(screen, 135))


@pytest.mark.parametrize(
    ("point", "edges"),
    [
        ((100, 100), Qt.Edge.LeftEdge | Qt.Edge.TopEdge),
        ((112, 101), Qt.Edge.LeftEdge | Qt.Edge.TopEdge),
        ((698, 238), Qt.Edge.RightEdge | Qt.Edge.BottomEdge),
        ((400, 239), Qt.Edge.BottomEdge),
        ((101, 170), Qt.Edge.LeftEdge),
        ((400, 170), Qt.Edge(0)),
        ((50, 50), Qt.Edge(0)),
    ],
)
def test_edges_are_caught_near_them(point: tuple[int, int], edges: Qt.Edge) -> None:
    assert edges_at(QPoint(*point), PANEL) == edges


@given(st.integers(-2000, 2000), st.integers(-2000, 2000), st.integers(0, 15))
def test_resizing_keeps_the_other_edges_and_the_least_size(dx: int, dy: int, bits: int) -> None:
    edges = Qt.Edge(bits)
    result = resized(PANEL, edges, QPoint(dx, dy), (300, 60))
    assert result.width() >= 300
    assert result.height() >= 60
    if not edges & Qt.Edge.LeftEdge:
        assert result.left() == PANEL.left()
    if not edges & Qt.Edge.TopEdge:
        assert result.top() == PANEL.top()
    if not edges & Qt.Edge.RightEdge:
        assert result.right() == PANEL.right()
    if not edges & Qt.Edge.BottomEdge:
        assert result.bottom() == PANEL.bottom()
