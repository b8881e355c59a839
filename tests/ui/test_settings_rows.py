"""The rows of the settings window: every setting is changed, reset, refused and found there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.declared import Geometry, Settings
from desktop_app.settings.pages import PAGES
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import choice_editors
from desktop_app.ui.colour_edit import ColourEditor
from desktop_app.ui.font_picker import FontEditor
from desktop_app.ui.hotkey_edit import HotkeysEditor
from desktop_app.ui.setting_editors import (
    ChoiceEditor,
    NumberEditor,
    PlacesEditor,
    ProfileEditor,
    RangeEditor,
    SwitchEditor,
    TextEditor,
)
from desktop_app.ui.settings_window import SettingsWindow

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

PLACES = {"1x1": Geometry(x=1, y=2, width=300, height=90)}
TYPED = {
    "hotwords": "Captionglass, Röde",
    "models_mirror": "https://mirror.example",
    "redis_url": "redis://127.0.0.1:6379/0",
    "obs_host": "obs.example",
}


def press(qtbot: QtBot, widget: QWidget, text: str) -> None:
    if isinstance(widget, QLineEdit):
        # There are no keys for Chinese.
        widget.insert(text)
    else:
        qtbot.keyClicks(widget, text)
    qtbot.keyClick(widget, Qt.Key.Key_Return)


def choose(editor: QWidget, qtbot: QtBot) -> None:
    """Choose another value as a person does, whatever it is chosen with."""
    if isinstance(editor, SwitchEditor):
        qtbot.mouseClick(editor.switch, Qt.MouseButton.LeftButton)
    elif isinstance(editor, (RangeEditor, ProfileEditor)):
        qtbot.keyClick(editor.slider, Qt.Key.Key_Right)
    elif isinstance(editor, NumberEditor):
        editor.spin.selectAll()
        press(qtbot, editor.spin, "1234")
    elif isinstance(editor, ColourEditor):
        editor.line.clear()
        press(qtbot, editor.line, "#123456")
    elif isinstance(editor, TextEditor):
        editor.line.clear()
        press(qtbot, editor.line, TYPED.get(editor.field.name, "another 别的"))
    elif isinstance(editor, FontEditor):
        editor.open_list()
        assert editor.list is not None
        qtbot.keyClicks(editor.list.search, "noto sans")
        qtbot.keyClick(editor.list.search, Qt.Key.Key_Return)
    elif isinstance(editor, HotkeysEditor):
        qtbot.mouseClick(editor.buttons["bigger"], Qt.MouseButton.LeftButton)
        qtbot.keyClick(editor.buttons["bigger"], Qt.Key.Key_F9)
    elif isinstance(editor, PlacesEditor):
        qtbot.mouseClick(editor.forget, Qt.MouseButton.LeftButton)
    elif isinstance(editor, choice_editors.ModelEditor):
        # Only one is installed here: one that is not will do for the setting.
        editor.chosen.emit("moonshine-base-en")
    elif isinstance(editor, choice_editors.SourceEditor):
        line = editor.combo.lineEdit()
        assert line is not None
        line.clear()
        press(qtbot, line, "system:Speakers")
    else:
        assert isinstance(editor, ChoiceEditor)
        editor.combo.setCurrentIndex(0)
        qtbot.keyClick(editor.combo, Qt.Key.Key_Down)


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_every_setting_is_changed_through_its_row_and_reset(
    page: str,
    app: CaptionApp,
    window: SettingsWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The model's own way is fetching it first; it has tests of its own.
    monkeypatch.setattr(app, "use_model", lambda name: app.change_settings(model=name))
    monkeypatch.setattr(app, "use_language", lambda: None)
    monkeypatch.setattr(app, "_can_unlock", lambda: True)
    monkeypatch.setattr(app.serving, "follow", lambda: None)
    window.show_page(page)
    QApplication.processEvents()
    for name, row in window.pages[page].rows.items():
        first = getattr(Settings(), name)
        if name == "geometry":
            app.applying.change(geometry=PLACES)
            window.refresh()
        before = getattr(app.settings, name)
        window.area.ensureWidgetVisible(row)
        choose(row.editor, qtbot)
        window.refresh()
        after = getattr(app.settings, name)
        assert after != before, name
        if name == "geometry":
            assert after == first
            continue
        app._save()
        # Another program that starts now finds it.
        assert getattr(SettingsStore(app._store.path).load(), name) == after
        assert not row.reset_button.isHidden(), name
        assert row.wrong.isHidden(), row.wrong.text()
        row.reset_button.click()
        window.refresh()
        assert getattr(app.settings, name) == first, name
        assert row.reset_button.isHidden(), name
        app._save()
        assert getattr(SettingsStore(app._store.path).load(), name) == first


def test_a_value_that_is_not_allowed_is_said_and_not_taken(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    row = window.row("redis_url")
    window.show_page("outputs")
    press(qtbot, row.editor.line, "not an address")
    assert not row.wrong.isHidden()
    assert app.settings.redis_url == ""
    # Something else changes meanwhile: what was typed, and the word on it, stay.
    app.bigger()
    window.refresh()
    assert row.editor.line.text() == "not an address"
    assert not row.wrong.isHidden()
    row.editor.line.clear()
    press(qtbot, row.editor.line, "redis://127.0.0.1/0")
    assert row.wrong.isHidden()
    assert app.settings.redis_url == "redis://127.0.0.1/0"


def test_a_change_from_elsewhere_is_shown(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("look")
    app.use_style("High contrast")
    qtbot.waitUntil(lambda: window.row("opacity").editor.slider.value() == 100)
    assert window.pages["look"].styles.buttons["High contrast"].isChecked()
    app.bigger()
    qtbot.waitUntil(lambda: window.row("font_size").editor.slider.value() == app.settings.font_size)


def test_searching_shows_what_is_meant_and_nothing_else(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(window.search.hasFocus)
    press(qtbot, window.search, "PORT")
    shown = {
        name for page in window.pages.values() for name, row in page.rows.items() if row.isVisible()
    }
    assert {"obs_port", "web_port"} <= shown
    assert "font_size" not in shown
    assert not window.sample.isVisible()
    window.search.clear()
    press(qtbot, window.search, "qwertz")
    assert window.nothing.isVisible()
    qtbot.keyClick(window.search, Qt.Key.Key_Escape)
    assert window.search.text() == ""
    assert window.heading.text() == "Sound"
    assert window.row("source").isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_a_colour_is_picked_and_shown_while_it_is(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("look")
    editor = window.row("text_colour").editor
    own = editor.swatch.colour.name()
    qtbot.mouseClick(editor.swatch, Qt.MouseButton.LeftButton)
    dialog = editor._dialog
    assert dialog.isVisible()
    assert not dialog.isModal()
    dialog.setCurrentColor(QColor("#00ff00"))
    assert app.settings.text_colour == "#00ff00"
    window.row("text_colour").reset_button.click()
    window.refresh()
    assert editor.swatch.colour.name() == own
    # A name will do too.
    press(qtbot, editor.line, "tomato")
    assert app.settings.text_colour == "#ff6347"
    dialog.close()


def test_fonts_are_searched_without_case_and_taken_by_keys(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("look")
    editor = window.row("font_family").editor
    editor.open_list()
    fonts = editor.list
    everything = fonts.families.rowCount()
    assert fonts.families.data(fonts.families.index(0)).startswith("Inter")
    qtbot.keyClicks(fonts.search, "DEJAVU mono")
    assert 0 < fonts.families.rowCount() < everything
    qtbot.keyClick(fonts.search, Qt.Key.Key_Down)
    qtbot.keyClick(fonts.search, Qt.Key.Key_Return)
    assert app.settings.font_family == "DejaVu Sans Mono"
    assert not fonts.isVisible()
    window.refresh()
    assert editor.button.text() == "DejaVu Sans Mono"


def test_devices_are_listed_and_anything_can_be_typed(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show_page("sound")
    combo = window.row("source").editor.combo
    qtbot.waitUntil(lambda: combo.count() == 5)
    assert combo.itemText(3) == "Microphone: Röde NT"
    combo.setCurrentIndex(3)
    combo.activated.emit(3)
    assert app.settings.source == "mic:Röde NT"
    window.refresh()
    combo.lineEdit().clear()
    press(qtbot, combo.lineEdit(), "app:Firefox")
    assert app.settings.source == "app:Firefox"
    combo.lineEdit().clear()
    press(qtbot, combo.lineEdit(), "no such file.wav")
    assert app.settings.source == "app:Firefox"
    assert "no such file.wav" in window.row("source").wrong.text()
    combo.lineEdit().clear()
    press(qtbot, combo.lineEdit(), "")
    assert "cannot be empty" in window.row("source").wrong.text()
