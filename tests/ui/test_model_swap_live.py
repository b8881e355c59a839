"""Another model takes over while real speech is captioned, at the press of a row's button."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from assets import ASSETS
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from desktop_app.ui.model_window import ModelWindow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("^This plugin does not support", extend=True),
]

_LIMIT_MS = 30_000


@pytest.fixture
def app(qtbot: QtBot, tmp_path: Path) -> Iterator[CaptionApp]:
    del qtbot
    theme.load_fonts()
    options = OverlayOptions(source=str(ASSETS / "demo.wav"))
    made = CaptionApp(options, SettingsStore(tmp_path / "settings.toml"))
    made.begin()
    yield made
    made.shut_down()
    made.overlay.deleteLater()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_captions_go_on_with_the_model_that_was_chosen(qtbot: QtBot, app: CaptionApp) -> None:
    qtbot.waitUntil(lambda: app.stats().words + len(app.overlay.view.text) > 20, timeout=_LIMIT_MS)
    session = app.session
    app.show_models()
    window = app.windows.opened("models")
    assert isinstance(window, ModelWindow)
    qtbot.waitUntil(lambda: "whisper-tiny.en" in window.rows, timeout=_LIMIT_MS)
    assert window.rows["moonshine-tiny-en"].chip.text() == "In use"
    window.rows["whisper-tiny.en"].press("use")
    qtbot.waitUntil(
        lambda: window.rows["whisper-tiny.en"].chip.text() == "Loading…", timeout=_LIMIT_MS
    )
    qtbot.waitUntil(
        lambda: window.rows["whisper-tiny.en"].chip.text() == "In use", timeout=_LIMIT_MS
    )
    assert app.stats().model_id == "whisper-tiny.en"
    assert "use" in window.rows["moonshine-tiny-en"].buttons
    before = app.stats().words
    qtbot.waitUntil(lambda: app.stats().words > before, timeout=_LIMIT_MS)
    assert app.session is session
    app._save()
    assert SettingsStore(app._store.path).load().model == "whisper-tiny.en"
