"""What keys and tray do to the window and the engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from desktop_app.application.applying import Applying
from desktop_app.application.commands import AppCommands
from desktop_app.application.startup import OverlayOptions, Wish, wish_for
from desktop_app.hotkeys.chords import ACTIONS
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import SHIPPED
from desktop_app.settings.store import SettingsStore
from desktop_app.settings.styles import STYLES, style_of
from desktop_app.ui import theme
from desktop_app.ui.overlay import Overlay
from desktop_app.ui.tray import Tray
from engine.config import LatencyProfile
from models import catalogue
from models.store import ModelStore

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


class Commanded(AppCommands):
    """An application that only notes what it is asked for."""

    def __init__(self, qtbot: QtBot, **settings: Any) -> None:
        super().__init__()
        theme.load_fonts()
        self.settings = Settings.model_validate(settings)
        self.overlay = Overlay(self.settings)
        qtbot.addWidget(self.overlay, before_close_func=lambda widget: widget.hide())
        self.tray = Tray(self)
        self.applying = Applying(cast(Any, self), SettingsStore())
        self._position = self.settings.profile
        self._paused = False
        self.overlay.show()
        self.begin_commands()

    def set_paused(self, paused: bool) -> None:
        self._paused = paused

    def set_profile(self, position: float) -> None:
        self._position = position

    session = None
    begun = False
    starting = SimpleNamespace(under_way=False)

    def retry(self) -> None:
        """Nothing runs."""

    def wish(self) -> Wish:
        return wish_for(OverlayOptions(), self.settings, LatencyProfile(self._position))

    def override(self, **chosen: str | None) -> None:
        """The command line has said nothing."""

    def change_settings(self, **changed: object) -> None:
        self.settings = self.settings.model_copy(update=changed)


@pytest.fixture
def app(qtbot: QtBot) -> Any:
    made = Commanded(qtbot)
    # As if there were a tray, so that a lock can be undone.
    made.tray.icon = QSystemTrayIcon(made.tray)
    yield made
    made.end_commands()
    made.tray.close()
    made.overlay.hide()


def test_every_hotkey_has_its_command(app: Commanded) -> None:
    for action in ACTIONS:
        app.hotkeys.pressed.emit(action)


def test_show_pause_and_lock(app: Commanded) -> None:
    app.toggle_visible()
    assert not app.overlay.isVisible()
    assert app.tray.show_action.text() == "Show captions"
    app.toggle_visible()
    app.toggle_pause()
    assert app._paused
    app.toggle_lock()
    assert app.settings.locked
    assert app.tray.lock_action.isChecked()
    assert app.overlay.notices.text == "Clicks go through: unlock by the tray"
    app.tray.lock_action.trigger()
    assert not app.settings.locked
    assert app.overlay.notices.text == ""


def test_nothing_is_locked_that_could_not_be_unlocked(app: Commanded) -> None:
    app.tray.icon = None
    app.tray.lock_action.trigger()
    assert not app.settings.locked
    assert not app.tray.lock_action.isChecked()
    assert "cannot be locked" in app.overlay.notices.text


def test_text_grows_and_shrinks_within_its_limits(app: Commanded) -> None:
    size, bottom = app.settings.font_size, app.overlay.panel().bottom()
    app.bigger()
    assert app.settings.font_size > size
    assert app.overlay.view.rows == app.settings.lines
    assert app.overlay.panel().bottom() == bottom
    for _ in range(40):
        app.bigger()
    assert app.settings.font_size == 120
    for _ in range(60):
        app.smaller()
    assert app.settings.font_size == 12
    Settings.model_validate(app.settings.model_dump())


def test_the_slider_goes_from_stop_to_stop(app: Commanded) -> None:
    places = []
    for _ in range(3):
        app.slider_up()
        places.append(app._position)
    assert places == [75.0, 100.0, 100.0]
    assert app.overlay.bar.slider.value() == 100
    for _ in range(6):
        app.slider_down()
    assert app._position == 0.0


def test_styles_go_round_and_are_marked_in_the_tray(app: Commanded) -> None:
    seen = []
    for _ in STYLES:
        app.next_style()
        seen.append(style_of(app.settings))
        (marked,) = [each.text() for each in app.tray.styles_menu.actions() if each.isChecked()]
        assert marked == seen[-1]
    assert sorted(seen) == sorted(STYLES)
    app.tray.styles_menu.actions()[2].trigger()
    assert style_of(app.settings) == list(STYLES)[2]


def test_presets_go_round(app: Commanded) -> None:
    seen = []
    for _ in SHIPPED:
        app.next_preset()
        seen.append(app.applying.current_preset())
    assert seen == list(SHIPPED)
    assert app.settings.source == "mic"
    assert app.settings.lines == 5
    app.next_preset()
    assert app.applying.current_preset() == "Meeting"
    assert app.overlay.notices.text == "Preset: Meeting"


def test_installed_models_go_round(app: Commanded, monkeypatch: pytest.MonkeyPatch) -> None:
    known = catalogue.load()
    ids = ["whisper-tiny.en", "moonshine-tiny-en", "whisper-base"]
    used: list[str] = []
    monkeypatch.setattr(ModelStore, "installed", lambda _store, spec: spec.id in ids)
    monkeypatch.setattr(app.models, "use", used.append)
    order = [spec.id for spec in known.recognizers() if spec.id in ids]
    for now in order:
        app.change_settings(model=now)
        app.next_model()
    assert used == [*order[1:], order[0]]
    app.tray.models_menu.aboutToShow.emit()
    offered = [action.data() for action in app.tray.models_menu.actions()]
    assert offered == [*order, None]
    checked = [action.data() for action in app.tray.models_menu.actions() if action.isChecked()]
    assert checked == [order[-1]]


def test_a_wrong_hotkey_is_told(qtbot: QtBot) -> None:
    app = Commanded(qtbot, hotkeys={"bigger": "Shift+B"})
    assert app.overlay.notices.text == (
        "Shift+B: Ctrl, Alt or Meta is missing: choose other keys in the settings"
    )
    app.tray.close()
    app.overlay.hide()
