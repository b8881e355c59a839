"""Presets in the settings window and the tray: kept, named, used and deleted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.presets import SHIPPED
from desktop_app.ui.settings_window import SettingsWindow

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def preset_names(app: CaptionApp) -> list[str]:
    return [action.data() for action in app.tray.presets_menu.actions()]


def marked(app: CaptionApp) -> list[str]:
    return [a.data() for a in app.tray.presets_menu.actions() if a.isChecked()]


def notice_texts(app: CaptionApp) -> list[str]:
    return [notice.code for notice in app.overlay.notices._notices.values()]


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
