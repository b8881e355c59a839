"""Hotkeys in the settings window: recorded, taken away, and what hinders them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.application.caption_app import CaptionApp
from desktop_app.hotkeys.chords import ACTIONS, parse
from desktop_app.ui import settings_page
from desktop_app.ui.settings_window import SettingsWindow
from engine.types import Notice

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def test_a_hotkey_is_recorded_and_taken_away(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("hotkeys")
    editor = window.row("hotkeys").editor
    button = editor.buttons["toggle_lock"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.waits
    assert button.text() == "Press the keys…"
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(button, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    assert button.waits
    qtbot.keyClick(button, Qt.Key.Key_X, held)
    assert app.settings.hotkeys == {"toggle_lock": "Ctrl+Alt+X"}
    window.refresh()
    assert button.text() == "Ctrl+Alt+X"
    # A letter alone is for typing, and Escape leaves everything as it was.
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(button, Qt.Key.Key_Y)
    assert button.waits
    assert "Ctrl" in editor.words["toggle_lock"].text()
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert not button.waits
    assert app.settings.hotkeys == {"toggle_lock": "Ctrl+Alt+X"}
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(button, Qt.Key.Key_Delete)
    assert app.settings.hotkeys == {"toggle_lock": ""}
    window.refresh()
    editor.resets["toggle_lock"].click()
    assert app.settings.hotkeys == {}


def test_what_hinders_a_hotkey_stands_below_it(app: CaptionApp, window: SettingsWindow) -> None:
    window.show_page("hotkeys")
    editor = window.row("hotkeys").editor
    app.applying.change(hotkeys={"bigger": ACTIONS["toggle_lock"][1], "smaller": "Shift+B"})
    window.refresh()
    assert "already do this: Lock or unlock the panel" in editor.words["bigger"].text()
    assert "no keys for this" in editor.words["smaller"].text()
    app.hotkeys.refused = {"slider_up": parse("Ctrl+Alt+Shift+A")}
    window.refresh()
    assert "Another program has Ctrl+Alt+Shift+A" in editor.words["slider_up"].text()
    app.hotkeys.refused = {}


def test_keys_do_nothing_while_others_are_recorded(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(app.hotkeys, "close", lambda: done.append("closed"))
    monkeypatch.setattr(app, "renew_hotkeys", lambda: done.append("taken"))
    window.show_page("hotkeys")
    button = window.row("hotkeys").editor.buttons["bigger"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["closed"]
    window.close()
    assert done == ["closed", "taken"]


def test_where_the_desktop_gives_no_keys_the_page_says_so(
    app: CaptionApp, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = Notice("hotkeys.none", "info", "Wayland gives programs no global hotkeys", "bind them")
    monkeypatch.setattr(settings_page, "forbidden", lambda: none)
    window = SettingsWindow(app, app.overlay._theme)
    qtbot.addWidget(window)
    window.show_page("hotkeys")
    buttons = window.row("hotkeys").editor.buttons.values()
    assert not any(button.isEnabled() for button in buttons)
    words = [label.text() for label in window.pages["hotkeys"].findChildren(type(window.heading))]
    assert "Wayland gives programs no global hotkeys: bind them" in words
