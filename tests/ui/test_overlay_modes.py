"""What the panel can be: locked, docked, filmed, gone in pauses; lanes, letters and lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fixtures_session import caption
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.settings.declared import Settings
from desktop_app.settings.styles import STYLES, with_style
from desktop_app.ui import theme
from desktop_app.ui.overlay import STRIP, Overlay
from engine.types import Notice

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def made(qtbot: QtBot, **settings: Any) -> Overlay:
    theme.load_fonts()
    window = Overlay(Settings.model_validate({"reduced_motion": True, "theme": "dark"} | settings))
    qtbot.addWidget(window, before_close_func=lambda widget: widget.hide())
    window.show()
    qtbot.waitExposed(window)
    return window


def change(overlay: Overlay, **settings: Any) -> None:
    overlay.restyle(overlay._settings.model_copy(update=settings))


def pixels(overlay: Overlay) -> np.ndarray[Any, Any]:
    image = overlay.grab(overlay.view.geometry()).toImage()
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def near(area: np.ndarray[Any, Any], colour: QColor, spread: int = 12) -> int:
    wanted = np.array([colour.red(), colour.green(), colour.blue()])
    return int((np.abs(area - wanted) <= spread).all(axis=-1).sum())


def say(overlay: Overlay, *updates: Any) -> None:
    overlay.apply(updates)
    overlay.view.flush()


def test_locked_lets_the_pointer_through_and_shows_no_bar(qtbot: QtBot) -> None:
    overlay = made(qtbot, locked=True)
    handle = overlay.windowHandle()
    assert handle.flags() & Qt.WindowType.WindowTransparentForInput
    overlay.enterEvent(None)  # type: ignore[arg-type]
    overlay.focus_controls()
    assert not overlay.bar.isVisible()
    change(overlay, locked=False)
    assert not handle.flags() & Qt.WindowType.WindowTransparentForInput
    overlay.enterEvent(None)  # type: ignore[arg-type]
    assert overlay.bar.isVisible()
    change(overlay, locked=True)
    assert not overlay.bar.isVisible()


@pytest.mark.parametrize("edge", ["top", "bottom"])
def test_docked_it_takes_the_whole_edge_and_comes_back(qtbot: QtBot, edge: str) -> None:
    overlay = made(qtbot)
    before = overlay.panel()
    change(overlay, dock=edge)
    screen = overlay.screen().availableGeometry()
    panel = overlay.panel()
    assert (panel.left(), panel.width()) == (screen.left(), screen.width())
    assert panel.top() == screen.top() if edge == "top" else panel.bottom() == screen.bottom()
    with qtbot.assertNotEmitted(overlay.placed, wait=500):
        change(overlay, font_size=40)
    assert overlay.panel().bottom() <= screen.bottom()
    assert overlay.view.rows == 3
    point = overlay.view.geometry().center()
    qtbot.mousePress(overlay, Qt.MouseButton.LeftButton, pos=point)
    qtbot.mouseMove(overlay, point * 2)
    qtbot.mouseRelease(overlay, Qt.MouseButton.LeftButton, pos=point)
    assert overlay.panel().left() == screen.left()
    change(overlay, dock="none", font_size=28)
    assert overlay.panel() == before


def test_for_a_colour_key_the_window_is_filled_to_its_corners(qtbot: QtBot) -> None:
    overlay = made(qtbot, capture="key", key_colour="#ff00ff")
    overlay.add_notice(Notice("x", "error", "Not for the stream"))
    overlay.enterEvent(None)  # type: ignore[arg-type]
    assert overlay.panel() == overlay.geometry()
    assert not overlay.bar.isVisible()
    assert not overlay.notices.isVisible()
    image = overlay.grab().toImage()
    for corner in (overlay.rect().topLeft(), overlay.rect().bottomRight()):
        assert image.pixelColor(corner) == QColor("#ff00ff")
    panel = overlay.panel()
    change(overlay, capture="off")
    assert overlay.panel() == panel
    assert overlay.height() == panel.height() + STRIP
    assert overlay.notices.isVisible()


def test_for_alpha_the_window_stays_translucent(qtbot: QtBot) -> None:
    overlay = made(qtbot, capture="alpha", opacity=50)
    image = overlay.grab().toImage()
    assert image.pixelColor(0, 0).alpha() == 0
    assert abs(image.pixelColor(overlay.width() // 2, 3).alpha() - 128) <= 3


def test_it_disappears_in_pauses_only_when_asked(qtbot: QtBot) -> None:
    overlay = made(qtbot)
    say(overlay, caption("Hello"))
    assert not overlay.view._rest_timer.isActive()
    change(overlay, clear_after=1)
    assert overlay.view._rest_timer.remainingTime() > 500
    overlay.view._rest_timer.setInterval(10)
    qtbot.waitUntil(lambda: not overlay.view.isVisible())
    assert overlay.grab().toImage().pixelColor(overlay.rect().center()).alpha() == 0
    say(overlay, caption("Hello again", revision=1))
    assert overlay.view.isVisible()
    assert overlay.view.text == "Hello again"


def test_a_long_text_stays_longer_than_the_pause_asked_for(qtbot: QtBot) -> None:
    overlay = made(qtbot, clear_after=1)
    say(overlay, caption("word " * 24))
    assert overlay.view._rest_timer.remainingTime() > 3000


def test_two_lanes_have_names_colours_and_marks(qtbot: QtBot) -> None:
    overlay = made(qtbot, opacity=100)
    overlay.view.begin_session(["mic", "system"])
    say(overlay, caption("HHHH", final=True), caption("HHHH", segment=1, lane="system"))
    assert overlay.view.text.splitlines() == ["You HHHH", "Others HHHH"]
    image = pixels(overlay)
    one, two = image[-2 * 37 - 12 : -37 - 12], image[-37 - 12 : -12]
    white, amber = theme.DARK.lanes
    assert near(one, white) > 100 > near(one, amber)
    assert near(two, amber) > 100 > near(two, white)
    # Without colour: a bar beside the first, dots beside the second.
    marks = [(row[:, 6:13].max(axis=(1, 2)) > 180).astype(int) for row in (one, two)]
    assert [int((np.diff(mark, prepend=0) == 1).sum()) for mark in marks] == [1, 3]


def test_one_lane_has_neither_name_nor_mark(qtbot: QtBot) -> None:
    overlay = made(qtbot, opacity=100)
    say(overlay, caption("HHHH", lane="system"))
    assert overlay.view.text == "HHHH"
    assert near(pixels(overlay)[:, :16], theme.DARK.lanes[1], 40) == 0
    change(overlay, lane_labels="always")
    assert overlay.view.text == "Others HHHH"


def test_a_second_lane_moves_nothing_that_is_shown(qtbot: QtBot) -> None:
    overlay = made(qtbot)
    say(overlay, caption("Hello there"))
    before = overlay.view.lines[-1]
    say(overlay, caption("Yes", segment=1, lane="system"))
    assert overlay.view.lines[-2] == before
    assert overlay.view.text.splitlines() == ["Hello there", "Others Yes"]


def test_letters_spacing_and_lines_are_as_asked(qtbot: QtBot) -> None:
    overlay = made(qtbot, letter_case="upper", line_height=200)
    say(overlay, caption("straße", " tail"))
    assert overlay.view.text == "STRASSE TAIL"
    assert overlay.view.height_for(2) - overlay.view.height_for(1) == 56
    narrow = overlay.view.lines[-1]
    change(overlay, letter_spacing=20)
    wide = overlay.view.lines[-1]
    assert narrow is not None
    assert wide is not None
    assert wide.width > narrow.width + 11 * 28 * 0.15


@pytest.mark.parametrize(("alignment", "left"), [("start", 0.0), ("centre", 0.5), ("end", 1.0)])
def test_lines_stand_where_they_are_aligned(qtbot: QtBot, alignment: str, left: float) -> None:
    overlay = made(qtbot, alignment=alignment, opacity=100)
    say(overlay, caption("HHHH"))
    columns = np.flatnonzero((pixels(overlay)[20:-20].min(axis=2) > 200).any(axis=0))
    line = overlay.view.lines[-1]
    assert line is not None
    free = overlay.view.width() - 40 - line.width
    assert columns[0] == pytest.approx(20 + free * left, abs=5)


def test_a_shadow_darkens_what_is_around_the_letters(qtbot: QtBot) -> None:
    areas = []
    for shadow in (0, 100):
        overlay = made(qtbot, opacity=0, outline=0, shadow=shadow)
        say(overlay, caption("HHHH"))
        image = overlay.grab().toImage().convertToFormat(QImage.Format.Format_Alpha8)
        alpha = np.frombuffer(image.constBits(), np.uint8)
        areas.append(int((alpha > 40).sum()))
    assert areas[1] > areas[0] * 1.5


@pytest.mark.parametrize("name", STYLES)
def test_every_style_is_painted(qtbot: QtBot, name: str) -> None:
    overlay = made(qtbot)
    overlay.restyle(with_style(overlay._settings, name))
    say(overlay, caption("Hello", " there"))
    colour = theme.theme_for(overlay._settings).text
    assert near(pixels(overlay), colour, 20) > 100


def test_new_words_come_out_softly_and_only_they_are_repainted(qtbot: QtBot) -> None:
    overlay = made(qtbot, reduced_motion=False)
    say(overlay, caption("one two"))
    qtbot.waitUntil(lambda: not overlay.view.gliding)
    say(overlay, caption("one two three", revision=1))
    assert overlay.view.gliding
    qtbot.waitUntil(lambda: not overlay.view.gliding)
    QApplication.processEvents()
    paints = overlay.view.paints
    qtbot.wait(80)
    assert overlay.view.paints == paints


def test_a_burst_is_shown_line_after_line(qtbot: QtBot) -> None:
    overlay = made(qtbot, lines=1, share_rows=False)
    say(overlay, caption("First.", final=True))
    say(overlay, caption("Second.", segment=1, final=True))
    assert overlay.view.text == "First."
    qtbot.waitUntil(lambda: overlay.view.text == "Second.", timeout=4000)


def test_where_no_place_is_known_the_one_in_the_settings_is_kept(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    overlay = made(qtbot)
    home = overlay.panel()
    monkeypatch.setattr("desktop_app.ui.overlay.places_are_known", lambda: False)
    overlay.move(0, 0)  # as Wayland says of every window
    with qtbot.assertNotEmitted(overlay.placed):
        overlay.settle()
    overlay.resize(overlay.width() - 40, overlay.height())
    with qtbot.waitSignal(overlay.placed) as told:
        overlay.settle()
    place = told.args[1]
    assert (place.x, place.y, place.width) == (home.x(), home.y(), home.width() - 40)


def test_it_follows_screens_that_change(qtbot: QtBot) -> None:
    overlay = made(qtbot)
    home = overlay.panel()
    overlay.setGeometry(QRect(4000, 4000, overlay.width(), overlay.height()))
    overlay._settle_timer.stop()
    overlay.screen().geometryChanged.emit(overlay.screen().geometry())
    qtbot.waitUntil(lambda: overlay.panel() == home, timeout=3000)
