"""What a change in the settings does at once: to the look, to what runs, to the tray."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from fixtures_session import FakeSession
from pytestqt.qtbot import QtBot

from desktop_app.application.caption_app import CaptionApp
from desktop_app.ui.settings_window import SettingsWindow

pytest_plugins = ["fixtures_settings"]
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


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
