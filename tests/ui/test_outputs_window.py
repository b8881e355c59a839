"""The window's session writes what the settings ask for; OBS speaks in the notice line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fixtures_session import FakeSession, caption
from ports import free_port
from pytestqt.qtbot import QtBot

from desktop_app.application import startup
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.outputs.obs import NOT_STREAMING, STREAMING
from desktop_app.settings.declared import Settings
from desktop_app.settings.store import SettingsStore
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


def test_outputs_follow_the_settings_while_captions_run(
    qtbot: QtBot, tmp_path: Path, made: list[FakeSession]
) -> None:
    store = SettingsStore(tmp_path / "settings.toml")
    folder = tmp_path / "captions"
    store.save(Settings(outputs_txt=True, outputs_folder=str(folder)))
    app = opened(qtbot, store, made)
    try:
        qtbot.waitUntil(lambda: app.session is not None, timeout=10_000)
        session, outputs = made[0], app.outputs
        assert outputs is not None
        session.run()
        session.say(caption("first", final=True))
        app.change_settings(outputs_srt=True, live_text_file=str(tmp_path / "live.txt"))
        qtbot.waitUntil(lambda: outputs.running == {"txt", "srt", "live_text"}, timeout=10_000)
        session.say(caption("second", segment=1, final=True))
        app.change_settings(outputs_txt=False, live_text_file="")
        qtbot.waitUntil(lambda: outputs.running == {"srt"}, timeout=10_000)
        # It is there as soon as it is switched off, not when captions end.
        qtbot.waitUntil(lambda: (tmp_path / "live.txt").read_text("utf-8") == "")
        (text,) = folder.glob("*.txt")
        assert text.read_text("utf-8") == "first\nsecond\n"
        session.say(caption("third", segment=2, final=True))
    finally:
        app.shut_down()
    assert text.read_text("utf-8") == "first\nsecond\n"
    (subtitles,) = folder.glob("*.srt")
    written = subtitles.read_text("utf-8")
    assert ("first" in written, "second" in written, "third" in written) == (False, True, True)


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
