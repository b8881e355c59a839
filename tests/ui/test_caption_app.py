"""The wiring: what the windows do to the session, and what happens to it, to the windows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_session import FakeStart, caption
from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.application import starting, startup
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from engine.config import LatencyProfile
from engine.errors import DeviceError, ModelMissingError, UsageError
from engine.types import Notice

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeStart:
    fake = FakeStart()
    monkeypatch.setattr(starting, "start_session", fake)
    return fake


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.toml")


@pytest.fixture
def make(
    qtbot: QtBot, engine: FakeStart, store: SettingsStore
) -> Iterator[Callable[..., CaptionApp]]:
    del engine
    theme.load_fonts()
    made: list[CaptionApp] = []

    def begin(**options: Any) -> CaptionApp:
        app = CaptionApp(OverlayOptions(**options), store)
        made.append(app)
        app._watch_timer.setInterval(20)
        app._save_timer.setInterval(20)
        app.begin()
        return app

    yield begin
    for app in made:
        app.shut_down()
        # A notice would go by itself, in some later test.
        app.overlay.deleteLater()
    del qtbot


@pytest.fixture
def running(qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart) -> CaptionApp:
    app = make()
    qtbot.waitUntil(lambda: app.session is not None)
    engine.last.run()
    qtbot.waitUntil(lambda: app.overlay.view.message.startswith("Listening"))
    return app


def test_the_window_is_there_before_the_session(
    make: Callable[..., CaptionApp], engine: FakeStart, qtbot: QtBot
) -> None:
    engine.hold.clear()
    app = make()
    assert app.overlay.isVisible()
    assert app.session is None
    assert app.overlay.view.message == "Loading the model…"
    assert app.stats().state == "starting"
    engine.hold.set()
    qtbot.waitUntil(lambda: app.session is not None)


def test_captions_reach_the_window(qtbot: QtBot, running: CaptionApp, engine: FakeStart) -> None:
    assert running.overlay.view.message == "Listening to a microphone"
    engine.last.say(caption("Hello", " there"))
    qtbot.waitUntil(lambda: running.overlay.view.text == "Hello there")


def test_the_slider_moves_the_engine_at_once(
    qtbot: QtBot, running: CaptionApp, engine: FakeStart, store: SettingsStore
) -> None:
    running.overlay.bar.slider.setValue(100)
    assert engine.last.profile == LatencyProfile(100.0)
    qtbot.waitUntil(store.path.exists)
    assert SettingsStore(store.path).load().profile == 100.0


def test_a_profile_of_the_command_line_is_not_saved(
    qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart, store: SettingsStore
) -> None:
    app = make(profile="fastest")
    qtbot.waitUntil(lambda: app.session is not None)
    assert engine.wishes[0].profile == LatencyProfile(0.0)
    assert app.overlay.bar.slider.value() == 0
    app._save()
    assert not store.path.exists()


def test_options_go_before_settings(
    make: Callable[..., CaptionApp], engine: FakeStart, store: SettingsStore, qtbot: QtBot
) -> None:
    store.path.write_text('model = "a"\nsource = "mic:b"\nprovider = "cpu"\n', encoding="utf-8")
    app = make(model="whisper-base")
    qtbot.waitUntil(lambda: app.session is not None)
    wish = engine.wishes[0]
    assert (wish.model, wish.source, wish.provider) == ("whisper-base", "mic:b", "cpu")


def test_pause_and_resume_from_both_places(running: CaptionApp, engine: FakeStart) -> None:
    running.overlay.bar.pause.click()
    assert engine.last.calls[-1] == "pause"
    assert running.tray.pause_action.isChecked()
    assert running.overlay.notices.text == "Captions are paused"
    running.tray.pause_action.trigger()
    assert engine.last.calls[-1] == "resume"
    assert running.overlay.bar.pause.toolTip() == "Pause captions"
    assert running.overlay.notices.text == ""


def test_a_pause_before_the_session_is_kept(
    qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    engine.hold.clear()
    app = make()
    app.overlay.bar.pause.click()
    app.overlay.bar.slider.setValue(0)
    engine.hold.set()
    qtbot.waitUntil(lambda: app.session is not None)
    assert engine.last.calls[-1] == "pause"
    assert engine.last.profile == LatencyProfile(0.0)


def test_a_failed_start_is_a_notice_and_can_be_tried_again(
    qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    engine.error = ModelMissingError("the model cannot be had", "connect to the network")
    app = make()
    qtbot.waitUntil(lambda: app.overlay.notices.text != "")
    assert app.overlay.notices.text == "The model cannot be had: connect to the network"
    assert app.overlay.isVisible()
    assert app.stats().state == "failed"
    engine.error = None
    app.overlay.notices.retry.click()
    assert app.overlay.notices.text == ""
    qtbot.waitUntil(lambda: app.session is not None)


def test_a_bug_at_the_start_is_one_line_in_the_window(
    qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    engine.error = ZeroDivisionError("division by zero")
    app = make()
    qtbot.waitUntil(
        lambda: "Something unexpected happened (ZeroDivisionError" in app.overlay.notices.text
    )


def test_a_session_that_fails_leaves_the_window_and_the_words(
    qtbot: QtBot, running: CaptionApp, engine: FakeStart
) -> None:
    first = engine.last
    first.say(caption("Last words"))
    qtbot.waitUntil(lambda: running.overlay.view.text == "Last words")
    first.fail(DeviceError("The headset has gone", "plug it in again"))
    qtbot.waitUntil(lambda: running.overlay.notices.text.startswith("The headset has gone"))
    assert running.overlay.isVisible()
    running.overlay.notices.retry.click()
    qtbot.waitUntil(lambda: len(engine.sessions) == 2 and running.session is engine.last)
    assert "stop" in first.calls
    engine.last.run()
    engine.last.say(caption("First words"))
    qtbot.waitUntil(lambda: running.overlay.view.text.splitlines()[-1:] == ["First words"])
    assert "Last words" in running.overlay.view.text


def test_the_end_of_the_sound_is_said(qtbot: QtBot, running: CaptionApp, engine: FakeStart) -> None:
    engine.last.stop()
    qtbot.waitUntil(lambda: running.overlay.notices.text == "The sound has ended")


def test_notices_of_the_engine_are_shown(
    qtbot: QtBot, running: CaptionApp, engine: FakeStart
) -> None:
    engine.last.note(Notice("engine.behind", "warning", "The machine is too slow", "close others"))
    qtbot.waitUntil(lambda: running.overlay.notices.text == "The machine is too slow: close others")
    assert running.overlay.view.text == ""


def test_a_notice_of_the_start_is_shown(
    qtbot: QtBot, make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    engine.notices = (Notice("source.demo", "info", "This is a recording"),)
    app = make()
    qtbot.waitUntil(lambda: app.overlay.notices.text == "This is a recording")


def test_shutting_down_stops_the_session(running: CaptionApp, engine: FakeStart) -> None:
    running.shut_down()
    assert engine.last.calls.count("stop") == 1
    assert not running.overlay.isVisible()
    running.shut_down()
    assert engine.last.calls.count("stop") == 1


def test_closing_while_it_starts_leaves_nothing_running(
    make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    engine.hold.clear()
    app = make()
    app.shut_down()
    assert engine.sessions == []


def test_a_session_that_comes_up_in_the_last_moment_is_stopped(
    make: Callable[..., CaptionApp], engine: FakeStart
) -> None:
    app = make()
    thread = app.starting.worker
    assert thread is not None
    thread.join()
    # Its signal waits, and the loop that would deliver it has ended.
    assert app.session is None
    app.shut_down()
    assert "stop" in engine.last.calls


def test_the_place_is_saved_and_comes_back(
    qtbot: QtBot, running: CaptionApp, store: SettingsStore, make: Callable[..., CaptionApp]
) -> None:
    running.overlay.set_panel(QRect(70, 330, 520, 135))
    qtbot.waitUntil(store.path.exists, timeout=3000)
    running.shut_down()
    again = make()
    assert again.overlay.panel() == QRect(70, 330, 520, 135)


def test_diagnostics_open_with_the_session_and_close_with_the_app(
    qtbot: QtBot, running: CaptionApp
) -> None:
    running.show_diagnostics()
    pane = running.windows.opened("diagnostics")
    assert pane is not None
    qtbot.waitUntil(lambda: bool(pane.shown))
    assert pane.shown[0].rows[1].value == "fake-model"
    running.shut_down()
    assert not pane.isVisible()


def test_a_broken_settings_file_is_said_once(
    qtbot: QtBot, make: Callable[..., CaptionApp], store: SettingsStore
) -> None:
    store.path.write_text("= nonsense", encoding="utf-8")
    app = make()
    assert "settings.broken-1.toml" in app.overlay.notices.text
    app.overlay.notices.dismiss.click()
    app.overlay.move(app.overlay.pos() + QPoint(10, 0))
    qtbot.waitUntil(store.path.exists, timeout=3000)
    QApplication.processEvents()
    assert app.overlay.notices.text == ""


def test_the_last_words_of_a_session_that_is_begun_anew_are_shown_and_kept(
    qtbot: QtBot, running: CaptionApp, engine: FakeStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = engine.last
    first.say(caption("The last", " word"))
    stop = first.stop

    def finish(*arguments: Any) -> Any:
        first.say(caption("The last words", final=True, revision=1))
        return stop(*arguments)

    monkeypatch.setattr(first, "stop", finish)
    running.retry()
    qtbot.waitUntil(lambda: len(engine.sessions) == 2 and running.session is engine.last)
    engine.last.run()
    engine.last.say(caption("And the first", " ones"))
    qtbot.waitUntil(lambda: "And the first ones" in running.overlay.view.text)
    assert running.overlay.view.text == "The last words\nAnd the first ones"
    kept = [line.text for line in running.keeping.transcript.lines if hasattr(line, "text")]
    assert kept[0] == "The last words"


def test_fifty_sessions_leave_nothing_behind(
    qtbot: QtBot, running: CaptionApp, engine: FakeStart
) -> None:
    def begin_again() -> None:
        before = len(engine.sessions)
        running.retry()
        qtbot.waitUntil(lambda: len(engine.sessions) > before and running.session is engine.last)
        engine.last.run()
        engine.last.say(caption("Hello"))

    def held() -> tuple[int, int, int]:
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
        return (
            len(running.findChildren(QObject)),
            len(QApplication.topLevelWidgets()),
            threading.active_count(),
        )

    for _ in range(3):
        begin_again()
    before = held()
    for _ in range(50):
        begin_again()
    assert held() == before


def test_hiding_by_the_tray(running: CaptionApp) -> None:
    running.tray.show_action.trigger()
    assert not running.overlay.isVisible()
    assert running.tray.show_action.text() == "Show captions"
    running.tray.show_action.trigger()
    assert running.overlay.isVisible()


def test_no_input_device_gives_the_demo_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("soundfile")
    from engine.sources import device

    def none() -> list[device.InputDevice]:
        return []

    monkeypatch.setattr(device, "list_devices", none)
    (source,), notices = startup._open("mic")
    source.stop()
    assert source.lane == "demo"
    assert [notice.code for notice in notices] == ["source.demo"]


def test_a_microphone_that_is_held_is_no_reason_for_the_demo(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "_has_inputs", lambda: True)
    with pytest.raises((DeviceError, UsageError)):
        startup._open("mic:no such microphone")
