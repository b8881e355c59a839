"""Presets, hotkeys, the password of OBS and the files on the disk, in the settings window."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from fixtures_session import FakeSession
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import secrets
from desktop_app.application.caption_app import CaptionApp
from desktop_app.hotkeys.chords import ACTIONS, parse
from desktop_app.secrets import Secrets
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import SHIPPED
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import settings_page
from desktop_app.ui.settings_window import SettingsWindow
from engine.types import Notice

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def preset_names(app: CaptionApp) -> list[str]:
    return [action.data() for action in app.tray.presets_menu.actions()]


def marked(app: CaptionApp) -> list[str]:
    return [a.data() for a in app.tray.presets_menu.actions() if a.isChecked()]


def notice_texts(app: CaptionApp) -> list[str]:
    return [notice.code for notice in app.overlay.notices._notices.values()]


# Presets


def test_a_preset_is_kept_used_named_and_deleted(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("presets")
    page = window.pages["presets"].presets
    assert page is not None
    app.applying.change(lines=8, profile=75.0)
    window.refresh()
    qtbot.keyClicks(page.name, "Interviews")
    qtbot.keyClick(page.name, Qt.Key.Key_Return)
    assert window.foot.status.text() == "Kept: Interviews"
    assert [row.preset.name for row in page.rows] == [*SHIPPED, "Interviews"]
    assert not page.rows[-1].use.isEnabled()
    page.rows[2].use.click()
    assert app.settings.lines == SHIPPED["Lecture"]["lines"]
    window.refresh()
    page.rows[-1].use.click()
    assert app.settings.lines == 8
    row = page.rows[-1]
    row.rename.click()
    row.line.selectAll()
    qtbot.keyClicks(row.line, "Talks")
    qtbot.keyClick(row.line, Qt.Key.Key_Return)
    assert preset_names(app) == [*SHIPPED, "Talks"]
    page.rows[-1].delete.click()
    assert preset_names(app) == list(SHIPPED)
    window.foot.undo_button.click()
    assert preset_names(app) == [*SHIPPED, "Talks"]
    assert page.rows[0].delete.isHidden()


def test_a_name_that_is_taken_or_none_is_said(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("presets")
    page = window.pages["presets"].presets
    assert page is not None
    app.applying.save_preset("Talks")
    page.rename("Talks", "meeting")
    assert "another preset is called meeting" in window.foot.status.text().lower()
    assert not page.save_button.isEnabled()
    qtbot.keyClick(page.name, Qt.Key.Key_Space)
    qtbot.keyClick(page.name, Qt.Key.Key_Return)
    assert "cannot be called" in window.foot.status.text()


def test_the_tray_offers_the_presets_and_marks_the_one_in_use(app: CaptionApp) -> None:
    app.applying.save_preset("Q & A")
    assert preset_names(app) == [*SHIPPED, "Q & A"]
    assert app.tray.presets_menu.actions()[-1].text() == "Q && A"
    app.tray.presets_menu.actions()[2].trigger()
    assert app.settings.lines == 5
    assert marked(app) == ["Lecture"]
    app.bigger()
    assert marked(app) == []
    app.next_preset()
    assert marked(app) == ["Meeting"]
    app.use_preset("nonsense")
    assert "preset.none" in notice_texts(app)


def test_a_preset_moves_source_slider_and_look_of_what_runs(app: CaptionApp, qtbot: QtBot) -> None:
    before = app.session
    app.use_preset("meeting")
    qtbot.waitUntil(lambda: app.session is not None and app.session is not before)
    assert app.wish().source == "both"
    assert app.wish().profile.position == 50.0
    assert app.overlay.notices.text == "Preset: Meeting"


def test_a_preset_goes_before_what_the_command_line_said(app: CaptionApp) -> None:
    app.override(source="system", profile=None)
    app.use_preset("Lecture")
    assert app.wish().source == "mic"
    assert app.applying._restart.isActive()


def test_presets_that_an_editor_writes_are_taken(app: CaptionApp, qtbot: QtBot) -> None:
    app.applying.save_preset("One")
    path = app.applying.presets.path
    path.write_text(
        path.read_text(encoding="utf-8") + "\n[presets.Two]\nlines = 6\n", encoding="utf-8"
    )
    qtbot.waitUntil(lambda: "Two" in preset_names(app))
    app.applying.delete_preset("Two")


# Hotkeys


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


# The password of OBS


def test_a_password_is_kept_and_never_shown(
    window: SettingsWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Secrets(environ={})
    monkeypatch.setattr(secrets, "_shared", kept)
    window.show_page("outputs")
    row = window.pages["outputs"].password
    assert row is not None
    qtbot.waitUntil(lambda: row.status.text() == "None is kept.")
    qtbot.keyClicks(row.line, "hunter2 geheim")
    assert row.line.echoMode() == row.line.EchoMode.Password
    qtbot.keyClick(row.line, Qt.Key.Key_Return)
    qtbot.waitUntil(row.forget_button.isEnabled)
    assert kept.get("obs_password") == "hunter2 geheim"
    assert row.line.text() == ""
    assert "hunter2" not in row.status.text()
    row.forget_button.click()
    qtbot.waitUntil(lambda: row.status.text() == "None is kept.")
    assert kept.get("obs_password") is None


def test_passwords_move_into_the_file_when_that_is_chosen(
    app: CaptionApp, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Secrets(environ={})
    monkeypatch.setattr(secrets, "_shared", kept)
    assert kept.set("obs_password", "x") == "memory"
    app.applying.change(secrets_in_file=True)
    qtbot.waitUntil(lambda: kept.find("obs_password") == ("x", "file"))
    assert secrets.default_file().stat().st_mode & 0o077 == 0
    app.applying.change(secrets_in_file=False)
    assert kept.set("obs_password", "y") == "memory"
    # Somebody else can read it: said, and nothing is written.
    secrets.default_file().chmod(0o644)
    app.applying.change(secrets_in_file=True)
    qtbot.waitUntil(lambda: "secrets.file" in notice_texts(app))
    assert kept.get("obs_password") == "y"


# The file


def test_an_edit_of_the_file_is_taken_while_it_runs(app: CaptionApp, qtbot: QtBot) -> None:
    app.applying.change(lines=4)
    path = app.applying.settings_file()
    assert path is not None
    path.write_text(path.read_text(encoding="utf-8") + "opacity = 33\n", encoding="utf-8")
    qtbot.waitUntil(lambda: app.settings.opacity == 33)
    assert app.overlay._settings.opacity == 33
    # As editors do that write another file and rename it.
    for number in (5, 6):
        other = path.with_name("other")
        other.write_text(f"lines = {number}\n", encoding="utf-8")
        other.replace(path)
        qtbot.waitUntil(lambda number=number: app.settings.lines == number)
        assert app.settings.opacity == Settings().opacity


def test_an_edit_that_breaks_the_file_is_told_and_changes_nothing(
    app: CaptionApp, qtbot: QtBot
) -> None:
    app.applying.change(lines=4, opacity=9)
    path = app.applying.settings_file()
    assert path is not None
    path.write_text("lines = = 5", encoding="utf-8")
    qtbot.waitUntil(lambda: "settings.unclear" in notice_texts(app))
    assert (app.settings.lines, app.settings.opacity) == (4, 9)
    assert path.read_text(encoding="utf-8") == "lines = = 5"
    path.write_text("lines = 5", encoding="utf-8")
    qtbot.waitUntil(lambda: app.settings.lines == 5)
    assert app.settings.opacity == Settings().opacity
    assert "settings.unclear" not in notice_texts(app)


def test_a_folder_that_cannot_be_written_stops_nothing(
    app: CaptionApp, window: SettingsWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("a file where the folder should be")
    store = SettingsStore(blocker / "settings.toml")
    store.load()
    monkeypatch.setattr(app, "_store", store)
    monkeypatch.setattr(app.applying, "_store", store)
    window.row("lines").choose(9)
    app._save()
    assert app.settings.lines == 9
    assert [notice.code for notice in app.applying.notices] == ["settings.unreadable"]
    window.foot.open_file()
    assert window.foot.status.text() == "There is no settings file, and none can be written."
    window.hide()
    window.show()
    assert "cannot be read" in window.foot.status.text()


def test_the_file_is_opened_in_whatever_edits_texts(
    app: CaptionApp, window: SettingsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "desktop_app.ui.settings_foot.QDesktopServices.openUrl",
        lambda url: opened.append(url.toLocalFile()) or True,
    )
    window.foot.open_file()
    assert opened == [str(app._store.path)]
    assert app._store.path.exists()
    assert window.foot.status.text() == "Changes you save in settings.toml are taken at once."


# What it leaves behind


def test_it_stands_where_it_stood_when_the_language_changes(
    app: CaptionApp, window: SettingsWindow
) -> None:
    window.show_page("privacy")
    window.foot.reset_all()
    app.windows.renew()
    again = app.windows.opened("settings")
    assert isinstance(again, SettingsWindow)
    assert again is not window
    assert again.heading.text() == "Privacy"
    assert not again.foot.undo_button.isHidden()


@pytest.mark.slow
def test_fifty_openings_leave_nothing_behind(app: CaptionApp, qtbot: QtBot) -> None:
    def open_and_close() -> None:
        app.show_settings()
        window = app.windows.opened("settings")
        assert isinstance(window, SettingsWindow)
        window.show_page("look")
        window.show_page("outputs")
        window.row("font_family").editor.open_list()
        window.row("font_family").editor.list.hide()
        app.windows._forget("settings")
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def counted() -> tuple[int, int, int, int, int]:
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return (
            threading.active_count(),
            len(QApplication.topLevelWidgets()),
            len(app.findChildren(QTimer)),
            len(app.findChildren(QObject)),
            sum(isinstance(each, SettingsWindow) for each in gc.get_objects()),
        )

    def quiet() -> bool:
        return not any(thread.name.startswith("settings") for thread in threading.enumerate())

    open_and_close()
    qtbot.waitUntil(quiet)
    before = counted()
    for _ in range(50):
        open_and_close()
    qtbot.waitUntil(quiet)
    assert counted() == before
    assert isinstance(app.session, FakeSession)
