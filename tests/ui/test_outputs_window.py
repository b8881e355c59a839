"""The window's session writes what the settings ask for; OBS speaks in the notice line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fixtures_session import FakeSession, caption
from ports import free_port
from pytestqt.qtbot import QtBot

from desktop_app import startup
from desktop_app.app import OverlayOptions
from desktop_app.caption_app import CaptionApp
from desktop_app.outputs import NOT_STREAMING, STREAMING
from desktop_app.settings import Settings
from desktop_app.settings_store import SettingsStore
from engine.types import Notice

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FakeSession]:
    """The sessions that were made; none needs a model or a device."""
    monkeypatch.setattr(startup, "_installed", lambda spec, *_: spec)
    monkeypatch.setattr(startup, "_open", lambda _: ([], ()))
    monkeypatch.setattr("engine.config.EngineConfig", lambda **_: None)
    return []


def opened(qtbot: QtBot, store: SettingsStore, made: list[FakeSession]) -> CaptionApp:
    """The application, once its session is there."""

    def make(*arguments: Any) -> FakeSession:
        made.append(FakeSession(*arguments))
        return made[-1]

    app = CaptionApp(OverlayOptions(source="mic"), store, make)
    qtbot.addWidget(app.overlay, before_close_func=lambda widget: widget.hide())
    app.begin()
    return app


def test_files_are_written_and_obs_that_is_away_is_told(
    qtbot: QtBot, tmp_path: Path, made: list[FakeSession]
) -> None:
    store = SettingsStore(tmp_path / "settings.toml")
    store.save(
        Settings(
            outputs_srt=True,
            outputs_folder=str(tmp_path / "captions"),
            obs_enabled=True,
            obs_port=free_port(),
        )
    )
    app = opened(qtbot, store, made)
    try:
        qtbot.waitUntil(lambda: app.session is not None, timeout=10_000)
        made[0].run()
        made[0].say(caption("good morning", final=True))
        qtbot.waitUntil(lambda: "OBS is not there" in app.overlay.notices.text, timeout=10_000)
    finally:
        app.shut_down()
    (written,) = (tmp_path / "captions").iterdir()
    assert written.suffix == ".srt"
    assert "good morning" in written.read_text("utf-8")


def test_captions_wait_for_the_stream_and_run_with_it(
    qtbot: QtBot, tmp_path: Path, made: list[FakeSession]
) -> None:
    store = SettingsStore(tmp_path / "settings.toml")
    store.save(Settings(obs_enabled=True, obs_port=free_port(), obs_follow_stream=True))
    app = opened(qtbot, store, made)
    try:
        qtbot.waitUntil(lambda: app.session is not None, timeout=10_000)
        made[0].run()
        # No OBS is no stream.
        qtbot.waitUntil(lambda: app._paused, timeout=10_000)
        app.follow_stream(Notice(STREAMING, "info", "OBS streams"))
        assert not app._paused
        app.follow_stream(Notice(NOT_STREAMING, "info", "it is over"))
        assert app._paused
    finally:
        app.shut_down()
