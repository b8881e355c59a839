"""The settings window: every setting through its row, search, reset, undo, import, keyboard."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fixtures_session import FakeSession
from PySide6.QtCore import QPoint, Qt
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


def test_the_look_acts_at_once_on_captions_and_sample(
    app: CaptionApp, window: SettingsWindow
) -> None:
    window.show_page("look")
    assert window.sample.isVisible()
    height = app.overlay.panel().height()
    window.row("font_size").editor.slider.setValue(60)
    assert app.overlay.panel().height() > height
    window.row("text_colour").choose("#444444")
    window.row("panel_colour").choose("#555555")
    window.refresh()
    assert window.sample.verdict.text().startswith("⚠")
    assert "less than 7 : 1" in window.sample.verdict.text()
    app.use_style("High contrast")
    window.refresh()
    assert window.sample.verdict.text().startswith("✓")
    window.show_page("sound")
    assert not window.sample.isVisible()


def test_what_the_session_can_do_it_does_and_else_it_is_begun_anew(
    app: CaptionApp, window: SettingsWindow, qtbot: QtBot
) -> None:
    session = app.session
    assert isinstance(session, FakeSession)
    window.row("auto_gain").choose(False)
    assert session.asked == {"auto_gain": False}
    window.row("profile").choose(75.0)
    assert session.profile.position == 75.0
    assert app.overlay.bar.slider.value() == 75
    window.row("denoise").choose("off")
    assert app.session is session
    window.row("language").choose("de")
    window.row("source").choose("system")
    qtbot.waitUntil(lambda: app.session is not None and app.session is not session)
    assert "stop" in session.calls
    assert app.wish().source == "system"
    assert app.wish().language == "de"


def test_provider_and_denoiser_change_while_captions_run(
    app: CaptionApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = app.session
    assert isinstance(session, FakeSession)
    here: dict[str, Any] = {}
    monkeypatch.setattr(app.applying, "_installed", here.get)
    for name in (app.models.current, "rnnoise"):
        here[name] = SimpleNamespace(spec=SimpleNamespace(id=name))
    app.applying.change(provider="cpu")
    assert session.asked == {"model": app.models.current, "provider": "cpu"}
    app.applying.change(denoise="light")
    assert session.asked == {"denoiser": "rnnoise"}
    app.applying.change(denoise="off")
    assert session.asked == {"denoiser": None}
    assert not app.applying._restart.isActive()
    # One that is not here is fetched by beginning anew.
    app.applying.change(denoise="strong")
    assert app.applying._restart.isActive()


def test_a_model_goes_the_way_of_all_models(
    app: CaptionApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    monkeypatch.setattr(app, "use_model", used.append)
    monkeypatch.setattr(app.applying, "_installed", lambda name: name == "whisper-base" or None)
    app.applying.change(model="whisper-base")
    assert used == ["whisper-base"]
    # Where everything is begun anew, it begins with the model, if that is here.
    app.applying.change(model="whisper-base", source="system")
    assert used == ["whisper-base"]
    assert app.settings.model == "whisper-base"
    app.applying.change(model="whisper-small", source="both")
    assert used == ["whisper-base", "whisper-small"]
    assert app.settings.source == "both"


def test_what_the_command_line_said_gives_way_to_a_choice(
    app: CaptionApp, window: SettingsWindow
) -> None:
    app.override(source="system", language="fr")
    window.row("source").choose("both")
    assert app.wish().source == "both"
    assert app.wish().language == "fr"


def test_private_is_the_same_here_as_in_the_tray(app: CaptionApp, window: SettingsWindow) -> None:
    window.row("keep_history").choose(False)
    assert app.tray.private_action.isChecked()
    app.tray.private_action.trigger()
    window.refresh()
    assert app.settings.keep_history
    assert window.row("keep_history").editor.switch.isChecked()


def test_nothing_is_locked_here_that_could_not_be_unlocked(
    app: CaptionApp, window: SettingsWindow
) -> None:
    app.tray.icon = None
    window.row("locked").choose(True)
    window.refresh()
    assert not app.settings.locked
    assert not window.row("locked").editor.switch.isChecked()


def test_all_are_reset_and_that_is_undone(app: CaptionApp, window: SettingsWindow) -> None:
    app.applying.change(lines=7, lane_name_mic="我", hotkeys={"bigger": ""})
    before = app.settings
    assert window.foot.undo_button.isHidden()
    window.foot.reset_button.click()
    assert app.settings == Settings()
    assert not window.foot.undo_button.isHidden()
    window.foot.undo_button.click()
    assert app.settings == before
    assert window.foot.undo_button.isHidden()


def test_settings_go_to_another_computer_and_back(
    app: CaptionApp, window: SettingsWindow, tmp_path: Path
) -> None:
    app.applying.change(lines=7, lane_name_mic="我", geometry=PLACES)
    file = tmp_path / "mine.toml"
    window.foot.export_to(str(file))
    window.foot.reset_all()
    app.applying.change(geometry={})
    window.foot.import_from(str(file))
    assert (app.settings.lines, app.settings.lane_name_mic) == (7, "我")
    assert app.settings.geometry == {}
    assert window.foot.status.text() == "Imported from mine.toml."
    window.foot.undo()
    assert app.settings == Settings()


@pytest.mark.parametrize("content", [b"= = [", b"\xff\xfe", b"colour = 1\n", None])
def test_an_import_that_fails_changes_nothing_and_says_so(
    content: bytes | None, app: CaptionApp, window: SettingsWindow, tmp_path: Path
) -> None:
    app.applying.change(lines=7)
    file = tmp_path / "other.toml"
    if content is not None:
        file.write_bytes(content)
    before = app.settings
    window.foot.import_from(str(file))
    assert app.settings == before
    assert "other.toml" in window.foot.status.text()
    assert window.foot.undo_button.isHidden()


def test_a_newer_file_is_imported_as_far_as_it_is_known(
    app: CaptionApp, window: SettingsWindow, tmp_path: Path
) -> None:
    file = tmp_path / "newer.toml"
    file.write_text("version = 9\nlines = 5\nopacity = 300\n", encoding="utf-8")
    window.foot.import_from(str(file))
    assert app.settings == Settings(lines=5)
    assert "opacity" in window.foot.status.text()


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


def test_every_control_is_reached_by_tab_in_order_and_has_a_name(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    for page in PAGES:
        window.show_page(page.name)
        window.list.setFocus()
        QApplication.processEvents()
        seen: list[QWidget] = []
        for _ in range(120):
            qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            assert focus is not None
            if focus is window.list:
                break
            seen.append(focus)
        reached = set(seen)
        for row in window.pages[page.name].rows.values():
            control = row.editor.focusProxy() or row.editor
            if control.isEnabled():
                assert control in reached, (page.name, row.field.name)
        # The pages, then the foot, then the search and the list.
        assert seen[-2:] == [window.foot.reset_button, window.search]
        for part in reached:
            said = part.accessibleName() or getattr(part, "text", str)()
            if not isinstance(part, QLineEdit) or not part.parent().inherits("QAbstractSpinBox"):
                assert said, (page.name, part)


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


def test_long_help_is_never_cut(window: SettingsWindow) -> None:
    window.resize(window.minimumSize())
    for page in PAGES:
        window.show_page(page.name)
        QApplication.processEvents()
        for row in window.pages[page.name].rows.values():
            for label in (row.title, row.help):
                assert label.height() >= label.heightForWidth(label.width()), row.field.name
            right = row.mapTo(window, QPoint(row.width(), 0)).x()
            assert right <= window.width(), row.field.name


def test_the_theme_is_followed(window: SettingsWindow) -> None:
    window.row("theme").choose("light")
    light = window.styleSheet()
    window.row("theme").choose("dark")
    assert window.styleSheet() != light
