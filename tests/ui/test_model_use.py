"""Going over to another model: saved, taken back where it fails, fetched where it is not here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures_hub import LocalHub, contents
from fixtures_session import FakeSession, FakeStart
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from desktop_app.application import starting
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from engine.types import Notice
from models import catalogue
from models.catalogue import Catalogue
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


class Session(FakeSession):
    """Goes over to another model when a test says so."""

    def __init__(self, model_id: str, sinks: Any) -> None:
        super().__init__(sinks=sinks)
        self.numbers = replace(self.numbers, model_id=model_id)

    def swap_model(self, files: ModelFiles, at: float = 0.0, provider: Any = None) -> None:
        del at, provider
        self.calls.append("swap_model")
        self.numbers = replace(self.numbers, next_model_id=files.spec.id)

    def take_over(self) -> None:
        self.numbers = replace(self.numbers, model_id=self.numbers.next_model_id, next_model_id="")
        self.note(Notice("model.swapped", "info", "captions now come from another"))

    def refuse(self) -> None:
        self.numbers = replace(self.numbers, next_model_id="")
        self.note(
            Notice("model.swap_failed", "error", "it did not take over", "choose another one")
        )


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeStart:
    fake = FakeStart(lambda wish, sink: Session(wish.model, [sink]), running=True)
    monkeypatch.setattr(starting, "start_session", fake)
    return fake


@pytest.fixture
def known(
    local_hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ModelSpec, ...]:
    """One model that is here, a second one, and one that can be had."""
    store = ModelStore(tmp_path / "models")
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(store.root))
    far = local_hub.model("site", **contents())
    here = [replace(far, id=name, title=name.title()) for name in ("moonshine-tiny-en", "two")]
    for spec in here:
        store.folder(spec).mkdir(parents=True)
        for name, content in contents().items():
            (store.folder(spec) / name).write_bytes(content)
    specs = (*here, far)
    monkeypatch.setattr(catalogue, "load", lambda: Catalogue(specs, here[0].id, "vad"))
    return specs


@pytest.fixture
def app(
    qtbot: QtBot, engine: FakeStart, known: tuple[ModelSpec, ...], tmp_path: Path
) -> Iterator[CaptionApp]:
    del known
    theme.load_fonts()
    made = CaptionApp(OverlayOptions(), SettingsStore(tmp_path / "settings.toml"))
    made._save_timer.setInterval(10)
    made.begin()
    qtbot.waitUntil(lambda: made.session is not None and bool(engine.sessions))
    yield made
    made.shut_down()
    made.overlay.deleteLater()
    # Python would delete it where its garbage happens to be collected: on a thread of the hub.
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def saved(app: CaptionApp) -> str:
    app._save()
    return SettingsStore(app._store.path).load().model


def test_another_model_takes_over_and_is_kept(
    qtbot: QtBot, app: CaptionApp, engine: FakeStart
) -> None:
    session = engine.sessions[0]
    app.use_model("two")
    assert session.calls[-1] == "swap_model"
    assert (app.models.current, app.models.coming) == ("moonshine-tiny-en", "two")
    with qtbot.waitSignal(app.models.changed):
        session.take_over()
    assert (app.models.current, app.models.coming) == ("two", "")
    assert saved(app) == "two"
    assert len(engine.sessions) == 1


def test_one_that_does_not_take_over_is_not_kept_and_says_why(
    qtbot: QtBot, app: CaptionApp, engine: FakeStart
) -> None:
    app.use_model("two")
    with qtbot.waitSignal(app.models.changed):
        engine.sessions[0].refuse()
    assert app.models.refused["two"].text == "it did not take over"
    assert saved(app) == "moonshine-tiny-en"
    assert app.overlay.notices.models.isVisibleTo(app.overlay.notices)
    app.use_model("two")
    assert app.models.refused == {}


def test_one_that_is_not_here_is_fetched_first(
    qtbot: QtBot, app: CaptionApp, engine: FakeStart
) -> None:
    app.use_model("far.en")
    assert "swap_model" not in engine.sessions[0].calls
    qtbot.waitUntil(lambda: "swap_model" in engine.sessions[0].calls, timeout=10_000)
    assert app.models.coming == "far.en"


def test_where_captions_have_ended_they_begin_with_it(
    qtbot: QtBot, app: CaptionApp, engine: FakeStart
) -> None:
    app.override(model="moonshine-tiny-en")
    engine.sessions[0].stop()
    app.use_model("two")
    qtbot.waitUntil(lambda: len(engine.sessions) == 2)
    assert engine.wishes[1].model == "two"


def test_one_that_is_being_removed_stays(app: CaptionApp, qtbot: QtBot) -> None:
    with qtbot.waitSignal(app.models.work.listed):
        app.models.work.refresh()
    app.models.work.remove("two")
    app.use_model("two")
    assert app.models.work.leaving == {}


def test_a_damaged_one_is_refused_at_once(app: CaptionApp, tmp_path: Path) -> None:
    (tmp_path / "models" / "two" / "tokens.txt").write_bytes(b"")
    app.use_model("two")
    assert "damaged" in app.models.refused["two"].text
    assert saved(app) == "moonshine-tiny-en"


def test_a_slow_computer_is_led_to_the_models(
    qtbot: QtBot, app: CaptionApp, engine: FakeStart
) -> None:
    engine.sessions[0].note(Notice("engine.slow", "warning", "slow", "choose two"))
    qtbot.waitUntil(lambda: app.models.too_slow == "moonshine-tiny-en")
    app.overlay.notices.models.click()
    window = app.windows.opened("models")
    assert window is not None
    assert window.isVisible()
    app.use_model("two")
    engine.sessions[0].take_over()
    qtbot.waitUntil(lambda: app.models.too_slow == "")


def test_the_tray_and_the_bar_open_the_window(app: CaptionApp) -> None:
    app.tray.models_action.trigger()
    window = app.windows.opened("models")
    assert window is not None
    window.close()
    app.overlay.bar.models.click()
    assert window.isVisible()
