"""The application with its settings window, for tests that change settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fixtures_session import FakeStart
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.application import starting
from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.startup import OverlayOptions
from desktop_app.settings.declared import Settings
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import choice_editors, theme
from desktop_app.ui.settings_window import SettingsWindow


@pytest.fixture(scope="module")
def settings_app(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One for all tests of a file, since it takes a while to be made."""
    del qapp

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starting, "start_session", FakeStart())
        patch.setattr(choice_editors, "list_devices", lambda: ["mic:Röde NT", "system:Speakers"])
        theme.load_fonts()
        folder = tmp_path_factory.mktemp("settings")
        made = CaptionApp(OverlayOptions(), SettingsStore(folder / "settings.toml"))
        made._save_timer.setInterval(0)
        made.applying._restart.setInterval(0)
        made.begin()
        yield made
        made.shut_down()
        made.overlay.deleteLater()


@pytest.fixture
def app(settings_app: CaptionApp, qtbot: QtBot) -> Iterator[CaptionApp]:
    """With sessions that only note what they are told, and every setting at its default."""
    made = settings_app
    for preset in made.applying.presets.presets():
        if preset.own:
            made.applying.delete_preset(preset.name)
    made.applying.apply(Settings())
    made._options = OverlayOptions()
    made.retry()
    qtbot.waitUntil(lambda: made.session is not None)
    yield made
    if (window := made.windows.opened("settings")) is not None:
        window.close()


@pytest.fixture
def window(app: CaptionApp, qtbot: QtBot) -> SettingsWindow:
    """On the page of the sound."""
    app.show_settings()
    opened = app.windows.opened("settings")
    assert isinstance(opened, SettingsWindow)
    qtbot.waitExposed(opened)
    opened.show_page("sound")
    opened.foot.say("")
    opened.list.setFocus()
    return opened
