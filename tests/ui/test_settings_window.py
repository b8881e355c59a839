"""The settings window as a whole: reset, undo, import, keyboard, and what it leaves behind."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from fixtures_session import FakeSession
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.declared import Geometry, Settings
from desktop_app.settings.pages import PAGES
from desktop_app.ui.settings_window import SettingsWindow

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

PLACES = {"1x1": Geometry(x=1, y=2, width=300, height=90)}


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
