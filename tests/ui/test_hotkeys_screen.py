"""Global keys on a real X server, pressed by xdotool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fixtures_screen import XDisplay
from pytestqt.qtbot import QtBot

from desktop_app.hotkeys.chords import parse
from desktop_app.hotkeys.x11 import X11Keys

pytestmark = pytest.mark.slow


@pytest.fixture
def keys(
    qtbot: QtBot, x_display: XDisplay, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[X11Keys, X11Keys]]:
    del qtbot
    monkeypatch.setenv("DISPLAY", x_display.name)
    made = X11Keys(), X11Keys()
    yield made
    for each in made:
        each.close()


def test_a_key_is_heard_whatever_has_the_focus(
    qtbot: QtBot, keys: tuple[X11Keys, X11Keys], x_display: XDisplay
) -> None:
    first, _ = keys
    heard: list[str] = []
    first.pressed.connect(heard.append)
    chords = {"toggle_lock": parse("Ctrl+Alt+Shift+L"), "bigger": parse("F9")}
    assert first.grab(chords) == {}
    x_display.xdotool("key", "ctrl+alt+shift+l")
    x_display.xdotool("key", "F9")
    x_display.xdotool("key", "shift+F9")
    qtbot.waitUntil(lambda: heard == ["toggle_lock", "bigger"])
    first.grab({})
    x_display.xdotool("key", "F9")
    qtbot.wait(100)
    assert heard == ["toggle_lock", "bigger"]


def test_a_key_that_another_program_has_is_refused(
    keys: tuple[X11Keys, X11Keys],
) -> None:
    first, second = keys
    chords = {"toggle_lock": parse("Ctrl+F7"), "bigger": parse("Ctrl+F8")}
    assert first.grab({"other": parse("Ctrl+F7")}) == {}
    assert second.grab(chords) == {"toggle_lock": parse("Ctrl+F7")}
    first.grab({})
    assert second.grab(chords) == {}


def test_a_key_that_no_keyboard_has_is_refused(keys: tuple[X11Keys, X11Keys]) -> None:
    chord = parse("Ctrl+Nonsense")
    assert keys[0].grab({"bigger": chord}) == {"bigger": chord}


def test_a_toggle_held_down_toggles_once(
    qtbot: QtBot, keys: tuple[X11Keys, X11Keys], x_display: XDisplay
) -> None:
    heard: list[str] = []
    keys[0].pressed.connect(heard.append)
    keys[0].grab({"toggle_lock": parse("F9")})
    x_display.xdotool("keydown", "F9", "keyup", "F9", "keydown", "F9", "keyup", "F9")
    qtbot.waitUntil(lambda: heard == ["toggle_lock"])
    qtbot.wait(100)
    assert heard == ["toggle_lock"]
