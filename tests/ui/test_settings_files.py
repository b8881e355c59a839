"""What settings leave on the disk: the password of OBS, and a file that others edit or protect."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app import secrets
from desktop_app.application.caption_app import CaptionApp
from desktop_app.secrets import Secrets
from desktop_app.settings.declared import Settings
from desktop_app.settings.store import SettingsStore
from desktop_app.ui.settings_window import SettingsWindow

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def notice_texts(app: CaptionApp) -> list[str]:
    return [notice.code for notice in app.overlay.notices._notices.values()]


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
