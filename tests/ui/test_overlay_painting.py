"""The panel: what it shows, and what it repaints for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from fixtures_session import caption
from overlay_panel import made
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QColor, QImage, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.settings.declared import Settings
from desktop_app.ui import theme
from desktop_app.ui.overlay import Overlay

# The offscreen platform says so about masks, raising and size hints.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

LONG = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
    "age of foolishness, it was the epoch of belief, it was the epoch of incredulity,"
)


@pytest.fixture
def overlay(qtbot: QtBot) -> Iterator[Overlay]:
    window = made(qtbot)
    yield window
    window.hide()


def painted(qtbot: QtBot, overlay: Overlay) -> QImage:
    qtbot.waitUntil(lambda: not overlay.view.gliding)
    QApplication.processEvents()
    return overlay.grab().toImage()


def count(image: QImage, colour: QColor, spread: int = 12) -> int:
    """How many opaque pixels have nearly this colour."""
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    wanted = np.array([colour.red(), colour.green(), colour.blue()])
    near = (np.abs(pixels[..., :3].astype(int) - wanted) <= spread).all(axis=2)
    return int((near & (pixels[..., 3] > 250)).sum())


def test_the_panel_is_translucent_and_its_corners_are_round(qtbot: QtBot) -> None:
    overlay = made(qtbot, opacity=50, theme="dark")
    image = painted(qtbot, overlay)
    panel = overlay.panel().translated(-overlay.pos())
    assert image.pixelColor(panel.topLeft()).alpha() == 0
    inside = image.pixelColor(panel.left() + 200, panel.bottom() - 6)
    assert abs(inside.alpha() - 128) <= 3
    assert image.pixelColor(20, 5).alpha() == 0


def test_stable_text_is_solid_unstable_is_lighter_both_are_outlined(qtbot: QtBot) -> None:
    overlay = made(qtbot, theme="dark", reduced_motion=True)
    overlay.apply([caption("HHHH")])
    overlay.view.flush()
    stable = painted(qtbot, overlay)
    overlay.apply([caption("", "HHHH", revision=1)])
    overlay.view.flush()
    unstable = painted(qtbot, overlay)
    colours = theme.DARK
    assert count(stable, colours.text) > 100
    assert count(stable, colours.unstable) < count(stable, colours.text) / 10
    assert count(unstable, colours.unstable) > 100
    assert count(unstable, colours.text) == 0
    for image in (stable, unstable):
        assert count(image, colours.outline, 8) > 100


def test_the_message_gives_way_to_captions(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.set_message("Listening to a microphone")
    with_message = painted(qtbot, overlay)
    assert overlay.view.accessibleDescription() == "Listening to a microphone"
    overlay.apply([caption("Hello there")])
    overlay.view.flush()
    assert overlay.view.text == "Hello there"
    assert painted(qtbot, overlay) != with_message
    overlay.set_message("Something else")
    assert overlay.view.text == "Hello there"


def test_long_text_fills_the_lines_and_the_oldest_leaves(qtbot: QtBot) -> None:
    overlay = made(qtbot, lines=2, reduced_motion=True, share_rows=False)
    overlay.apply([caption(LONG, segment=3, final=True), caption("The end.", segment=4)])
    overlay.view.catch_up()
    shown = overlay.view.text.splitlines()
    assert len(shown) == 2
    assert shown[1] == "The end."
    assert LONG.endswith(shown[0])


def test_nothing_is_painted_when_nothing_changed(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.apply([caption("Hello there")])
    overlay.view.flush()
    painted(qtbot, overlay)
    paints = overlay.view.paints
    overlay.apply([caption("Hello there", revision=1)])
    overlay.apply([caption("Hello", revision=0)])
    overlay.view.flush()
    qtbot.wait(60)
    assert overlay.view.paints == paints


def test_many_updates_are_one_repaint(qtbot: QtBot) -> None:
    overlay = made(qtbot, reduced_motion=True)
    words = LONG.split()[:12]
    overlay.apply([caption(words[0])])
    overlay.view.flush()
    painted(qtbot, overlay)
    paints = overlay.view.paints
    for number in range(2, len(words)):
        overlay.apply([caption(" ".join(words[:number]), revision=number)])
    qtbot.waitUntil(lambda: overlay.view.text.endswith(words[-2]))
    painted(qtbot, overlay)
    # One for the text; grab itself paints once.
    assert overlay.view.paints - paints <= 3


def test_a_partial_repaint_looks_like_a_whole_one(qtbot: QtBot) -> None:
    overlay = made(qtbot, theme="dark", reduced_motion=True)
    states = (
        ("Over", " the fjord"),
        ("Over the", " fjords, AVATAR"),
        ("Over the fjords,", " 春江 潮水 ok"),
        ("Over the fjords, 春江", " x"),
        ("Over the fjords, 春江 潮水 j", ""),
    )
    for revision, (stable, unstable) in enumerate(states):
        overlay.apply([caption(stable, unstable, revision=revision)])
        overlay.view.flush()
        QApplication.processEvents()
        partial = on_screen(overlay)
        overlay.update()
        QApplication.processEvents()
        assert partial == on_screen(overlay), (stable, unstable)


def on_screen(overlay: Overlay) -> QImage:
    """What was painted so far, without painting anything for it."""
    image = overlay.backingStore().paintDevice()
    assert isinstance(image, QImage)
    return image.copy()


class Painted(QObject):
    """Notes what is repainted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.areas: list[QRect] = []
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.rect())
        return False


def test_only_the_end_of_the_last_line_is_repainted(qtbot: QtBot) -> None:
    overlay = made(qtbot, reduced_motion=True)
    overlay.apply([caption("The first line.", final=True), caption("one two", segment=1)])
    overlay.view.flush()
    QApplication.processEvents()
    painted = Painted(overlay.view)
    overlay.apply([caption("one two three", segment=1, revision=1)])
    overlay.view.flush()
    QApplication.processEvents()
    (area,) = painted.areas
    assert area.left() > 100
    assert area.top() > overlay.view.height() / 2


def test_lines_glide_up_unless_motion_is_reduced(qtbot: QtBot) -> None:
    for still in (False, True):
        overlay = made(qtbot, reduced_motion=still)
        overlay.apply([caption("first", final=True)])
        overlay.view.flush()
        overlay.apply([caption("second", segment=1)])
        overlay.view.flush()
        assert overlay.view.gliding is not still
        qtbot.waitUntil(lambda view=overlay.view: not view.gliding)


def test_a_new_session_keeps_what_was_said(qtbot: QtBot) -> None:
    overlay = made(qtbot, reduced_motion=True)
    overlay.apply([caption("before", segment=0, final=True)])
    overlay.view.begin_session()
    overlay.apply([caption("after", segment=0)])
    overlay.view.flush()
    assert overlay.view.text.splitlines() == ["before", "after"]


@pytest.mark.parametrize(
    "odd",
    [
        "नमस्ते দুনিয়া ไทย ខ្មែរ \u0860\u0861",  # scripts without an installed font
        "👩‍👩‍👧 ❤️ 🏳️‍🌈 ok",
        "\ud83d lone surrogate",
        "\u202eevil\u202c \u0000 \ufffd \U0010ffff",
        "a\u0301" * 300,
        "x" * 5000,
    ],
)
def test_no_text_breaks_the_window(qtbot: QtBot, odd: str) -> None:
    overlay = made(qtbot, reduced_motion=True)
    overlay.apply([caption(odd, odd)])
    overlay.view.flush()
    painted(qtbot, overlay)
    assert overlay.view.text


def test_new_settings_show_at_once(qtbot: QtBot, overlay: Overlay) -> None:
    overlay.apply([caption(LONG)])
    overlay.view.flush()
    bottom = overlay.panel().bottom()
    overlay.restyle(Settings(theme="light", font_size=40, lines=2))
    assert overlay.panel().bottom() == bottom
    assert overlay.view.rows == 2
    image = painted(qtbot, overlay)
    assert count(image, theme.LIGHT.text) > 100


def test_a_chosen_colour_is_used(qtbot: QtBot) -> None:
    overlay = made(qtbot, text_colour="#ffcc00", outline_colour="#0000aa", reduced_motion=True)
    overlay.apply([caption("HHHH")])
    overlay.view.flush()
    image = painted(qtbot, overlay)
    assert count(image, QColor("#ffcc00")) > 100
    assert count(image, QColor("#0000aa")) > 50
