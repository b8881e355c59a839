"""The panel: its bar and its notices, and how it is moved and comes back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from fixtures_session import caption
from overlay_panel import made
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.settings.declared import Geometry
from desktop_app.ui import theme
from desktop_app.ui.geometry import arrangement
from desktop_app.ui.hover_bar import HoverBar
from desktop_app.ui.overlay import STRIP, Overlay
from engine.types import Notice

# The offscreen platform says so about masks, raising and size hints.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def overlay(qtbot: QtBot) -> Iterator[Overlay]:
    window = made(qtbot)
    yield window
    window.hide()


def test_the_window_takes_no_focus_and_stays_on_top(overlay: Overlay) -> None:
    flags = overlay.windowFlags()
    for flag in (
        Qt.WindowType.FramelessWindowHint,
        Qt.WindowType.WindowStaysOnTopHint,
        Qt.WindowType.WindowDoesNotAcceptFocus,
    ):
        assert flags & flag
    # OBS does not list tool windows on Windows.
    assert flags & Qt.WindowType.WindowType_Mask == Qt.WindowType.Window


def test_the_bar_comes_with_the_pointer_and_goes_after_it(qtbot: QtBot, overlay: Overlay) -> None:
    assert not overlay.bar.isVisible()
    overlay.enterEvent(None)  # type: ignore[arg-type]
    assert overlay.bar.isVisible()
    assert not overlay.bar.geometry().intersects(overlay.view.geometry())
    overlay.leaveEvent(None)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: not overlay.bar.isVisible())


def test_an_empty_strip_lets_the_pointer_through(overlay: Overlay) -> None:
    strip = QPoint(40, 10)
    assert not overlay.mask().contains(strip)
    overlay.enterEvent(None)  # type: ignore[arg-type]
    assert overlay.mask().contains(overlay.bar.geometry().center())


def test_the_slider_speaks_at_every_step(qtbot: QtBot, overlay: Overlay) -> None:
    told: list[float] = []
    overlay.profile_moved.connect(told.append)
    overlay.focus_controls()
    slider = overlay.bar.slider
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert told == [75.0]
    assert overlay.bar.stop_name.text() == "Steady"
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert told[-1] == 100.0
    assert overlay.bar.stop_name.text() == "Accurate"
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert told[-1] == 95.0
    assert overlay.bar.stop_name.text() == "95"


def test_the_slider_falls_onto_a_named_stop(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.enterEvent(None)  # type: ignore[arg-type]
    slider = overlay.bar.slider
    x = 8 + (slider.width() - 16) * 0.235
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPointF(x, 12).toPoint())
    assert slider.value() == 25
    assert overlay.bar.stop_name.text() == "Fast"
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton)


def test_every_control_has_a_name_and_is_reached_by_keyboard(qtbot: QtBot) -> None:
    overlay = made(qtbot)
    overlay.focus_controls()
    bar = overlay.bar
    for widget in (bar.pause, bar.slider, bar.stop_name, bar.diagnostics, bar.close_button):
        assert widget.accessibleName()
        assert widget.toolTip()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not bar.isVisible())


def test_buttons_say_what_they_are_for(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.enterEvent(None)  # type: ignore[arg-type]
    bar = overlay.bar
    with qtbot.waitSignal(overlay.pause_toggled) as paused:
        qtbot.mouseClick(bar.pause, Qt.MouseButton.LeftButton)
    assert paused.args == [True]
    assert bar.pause.toolTip() == "Resume captions"
    with qtbot.waitSignal(overlay.diagnostics_asked):
        qtbot.mouseClick(bar.diagnostics, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(overlay.close_asked):
        qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)


def test_closing_by_the_window_manager_asks_first(qtbot: QtBot, overlay: Overlay) -> None:
    with qtbot.waitSignal(overlay.close_asked):
        overlay.close()
    assert overlay.isVisible()


def test_a_notice_stands_beside_the_captions_with_its_remedy(
    qtbot: QtBot, overlay: Overlay
) -> None:
    overlay.apply([caption("Words that were said")])
    overlay.view.flush()
    overlay.add_notice(Notice("source.lost", "error", "The microphone has gone", "plug it in"))
    assert overlay.notices.isVisible()
    assert overlay.notices.text == "The microphone has gone: plug it in"
    assert not overlay.notices.geometry().intersects(overlay.view.geometry())
    assert "microphone" not in overlay.view.text
    qtbot.mouseClick(overlay.notices.dismiss, Qt.MouseButton.LeftButton)
    assert not overlay.notices.isVisible()


def test_the_gravest_notice_comes_first(overlay: Overlay) -> None:
    overlay.add_notice(Notice("a", "error", "grave"))
    overlay.add_notice(Notice("b", "info", "iPhone light"))
    assert overlay.notices.text == "Grave"
    overlay.notices.withdraw("a")
    assert overlay.notices.text == "iPhone light"


def test_the_same_words_are_not_said_twice(overlay: Overlay) -> None:
    overlay.add_notice(Notice("source.lost", "warning", "It has gone"))
    overlay.add_notice(Notice("session.failed", "error", "It has gone", recoverable=False))
    overlay.notices.withdraw("session.")
    assert not overlay.notices.isVisible()


def test_try_again_is_offered_where_it_helps(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.add_notice(Notice("x", "warning", "It goes on"))
    assert not overlay.notices.retry.isVisible()
    overlay.add_notice(Notice("source.lost", "error", "It stopped", recoverable=False))
    assert overlay.notices.retry.isVisible()
    with qtbot.waitSignal(overlay.retry_asked):
        qtbot.mouseClick(overlay.notices.retry, Qt.MouseButton.LeftButton)
    assert overlay.notices.text == "It goes on"


def here() -> str:
    return arrangement([screen.geometry() for screen in QApplication.screens()])


def test_it_comes_back_where_it_was(qtbot: QtBot) -> None:
    place = {"x": 100, "y": 300, "width": 500, "height": 135}
    overlay = made(qtbot, geometry={here(): place})
    assert overlay.panel() == QRect(100, 300, 500, 135)


def test_it_comes_back_onto_a_screen_when_the_old_one_is_gone(qtbot: QtBot) -> None:
    place = {"x": 5000, "y": -900, "width": 500, "height": 135}
    overlay = made(qtbot, geometry={"other screens": place})
    assert overlay.screen().availableGeometry().contains(overlay.panel())


def test_moving_it_is_told_once_with_the_new_place(qtbot: QtBot, overlay: Overlay) -> None:
    with qtbot.waitSignal(overlay.placed, timeout=3000) as told:
        overlay.set_panel(QRect(60, 350, 480, 135))
    assert told.args is not None
    name, place, lines = told.args
    assert name == here()
    assert place == Geometry(x=60, y=350, width=480, height=135)
    assert lines == 3
    with qtbot.assertNotEmitted(overlay.placed, wait=500):
        overlay.set_panel(QRect(60, 350, 480, 135))


def test_near_the_top_of_the_screen_the_strip_goes_below(overlay: Overlay) -> None:
    overlay.set_panel(QRect(100, 4, 500, 135))
    assert overlay.panel() == QRect(100, 4, 500, 135)
    assert overlay.pos().y() == 4
    overlay.enterEvent(None)  # type: ignore[arg-type]
    assert overlay.bar.y() > overlay.view.geometry().bottom()
    overlay.set_panel(QRect(100, 4 + STRIP, 500, 135))
    assert overlay.bar.y() < overlay.view.y()


def test_it_is_dragged_by_its_middle_and_resized_by_its_edges(
    qtbot: QtBot, overlay: Overlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = overlay.windowHandle()
    # Without a window manager it is moved by hand.
    monkeypatch.setattr(type(handle), "startSystemMove", lambda *_: False)
    monkeypatch.setattr(type(handle), "startSystemResize", lambda *_: False)
    overlay.set_panel(QRect(100, 300, 500, 135))
    QApplication.processEvents()
    middle = overlay.view.geometry().center()
    drag(qtbot, overlay, middle, QPoint(30, 40))
    assert overlay.panel() == QRect(130, 340, 500, 135)
    corner = overlay.view.geometry().bottomRight() - QPoint(2, 2)
    drag(qtbot, overlay, corner, QPoint(50, 37))
    assert overlay.panel() == QRect(130, 340, 550, 172)
    assert overlay.view.rows == 4
    left = QPoint(1, overlay.view.geometry().center().y())
    drag(qtbot, overlay, left, QPoint(5000, 0))
    assert overlay.panel().right() == 679
    assert overlay.panel().width() == overlay.minimumWidth()


def drag(qtbot: QtBot, overlay: Overlay, start: QPoint, by: QPoint) -> None:
    qtbot.mousePress(overlay, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(overlay, start + by)
    # The window moved under the pointer: the release is at the place that was grasped.
    qtbot.mouseRelease(overlay, Qt.MouseButton.LeftButton, pos=start)


@pytest.mark.parametrize(
    ("at", "shape"),
    [
        ((250, 60), Qt.CursorShape.OpenHandCursor),
        ((2, 60), Qt.CursorShape.SizeHorCursor),
        ((250, 2), Qt.CursorShape.SizeVerCursor),
        ((3, 3), Qt.CursorShape.SizeFDiagCursor),
        ((497, 3), Qt.CursorShape.SizeBDiagCursor),
    ],
)
def test_the_pointer_shows_what_it_would_do(
    qtbot: QtBot, overlay: Overlay, at: tuple[int, int], shape: Qt.CursorShape
) -> None:
    overlay.set_panel(QRect(100, 300, 500, 135))
    QApplication.processEvents()
    qtbot.mouseMove(overlay, overlay.view.pos() + QPoint(*at))
    assert overlay.cursor().shape() == shape


@pytest.mark.parametrize("width", [300, 360, 439, 440, 556])
def test_nothing_on_the_bar_covers_anything(qtbot: QtBot, width: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(700, 100)
    bar = HoverBar(theme.DARK, 50.0, window)
    bar.setGeometry(0, 0, width, bar.height())
    window.show()
    QApplication.processEvents()
    parts = [bar.pause, bar.slider, bar.stop_name, bar.transcript, bar.models, bar.diagnostics]
    parts += [bar.settings, bar.close_button]
    shown = [part.geometry() for part in parts if part.isVisible()]
    assert all(not one.intersects(two) for one, two in itertools.combinations(shown, 2))
    assert all(bar.rect().contains(place) for place in shown)
    assert bar.stop_name.width() >= bar.stop_name.sizeHint().width()
    assert bar.slider.width() >= 60, "a slider that can be moved"
