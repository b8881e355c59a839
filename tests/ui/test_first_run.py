"""The first steps: nothing is opened before somebody has chosen, and they come once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures_hub import LocalHub, contents
from fixtures_session import FakeSession, FakeStart, caption
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from desktop_app.application import starting, windows
from desktop_app.application.app import OverlayOptions, perform
from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.startup import Wish
from desktop_app.commands import overlay as overlay_command
from desktop_app.commands.overlay import OverlayRequest
from desktop_app.settings.store import SettingsStore, default_path
from desktop_app.ui import first_run_model, theme
from desktop_app.ui.first_run import MODEL, PERMISSION, SOURCE, TRY, FirstRun
from desktop_app.ui.first_run_model import choices
from desktop_app.ui.first_run_pages import PermissionPage, SourcePage
from desktop_app.ui.model_facts import Entry
from engine.errors import DeviceError
from engine.sources.inventory import SoundDevice
from models import catalogue
from models.catalogue import Catalogue
from models.spec import ModelSpec
from models.store import ModelStore

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


def device(name: str, kind: Any, *, default: bool = False, bluetooth: bool = False) -> SoundDevice:
    return SoundDevice(f"pulse:{name}", name, kind, default, bluetooth, 2, 48_000)


DEVICES = (
    device("Desk microphone", "input", default=True),
    device("Headset", "input", bluetooth=True),
    device("Loudspeakers", "output", default=True),
)


def listening(wish: Wish, sink: Any) -> FakeSession:
    """A session that hears a voice."""
    session = FakeSession(sinks=[sink])
    session.numbers = replace(session.numbers, model_id=wish.model, level_dbfs={"mic": -20.0})
    return session


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeStart:
    fake = FakeStart(listening, running=True)
    monkeypatch.setattr(starting, "start_session", fake)
    return fake


@pytest.fixture
def known(
    local_hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ModelSpec, ...]:
    """A model for English that is here, and one for Korean and Chinese that can be had."""
    store = ModelStore(tmp_path / "models")
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(store.root))
    far = replace(local_hub.model("site", **contents()), languages=("ko", "zh"))
    here = replace(far, id="moonshine-tiny-en", title="Moonshine", languages=("en",))
    store.folder(here).mkdir(parents=True)
    for name, content in contents().items():
        (store.folder(here) / name).write_bytes(content)
    specs = (here, far)
    monkeypatch.setattr(catalogue, "load", lambda: Catalogue(specs, here.id, "vad"))
    monkeypatch.setattr(first_run_model, "system_language", lambda: "en")
    return specs


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.toml")


@pytest.fixture
def app(
    qtbot: QtBot,
    engine: FakeStart,
    known: tuple[ModelSpec, ...],
    store: SettingsStore,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[CaptionApp]:
    del engine, known, qtbot
    theme.load_fonts()
    monkeypatch.setitem(
        windows.MAKERS, "first_run", lambda app: FirstRun(app, theme.DARK, lambda: DEVICES)
    )
    made = CaptionApp(OverlayOptions(first_run="due"), store)
    made.begin()
    yield made
    made.shut_down()
    made.overlay.deleteLater()
    # Python would delete it where its garbage happens to be collected: on a thread of the hub.
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def steps(qtbot: QtBot, app: CaptionApp) -> FirstRun:
    window = app.windows.opened("first_run")
    assert isinstance(window, FirstRun)
    qtbot.waitUntil(lambda: bool(window.source_page.known) and bool(app.models.work.entries))
    return window


def choose(window: FirstRun, language: str) -> None:
    box = window.model_page.languages
    box.setCurrentIndex(box.findData(language))


def test_nothing_is_opened_before_somebody_has_chosen(
    steps: FirstRun, app: CaptionApp, engine: FakeStart
) -> None:
    assert app.overlay.isVisible()
    assert app.overlay.view.message.startswith("Captions begin once you have chosen")
    for step in (PERMISSION, MODEL):
        steps.next_button.click()
        assert steps.step == step
    assert engine.wishes == []
    assert app.session is None


def test_what_was_chosen_is_captioned_and_kept(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart, store: SettingsStore
) -> None:
    page = steps.source_page
    page.system.choose()
    page.output.setCurrentIndex(page.output.findData("Loudspeakers"))
    steps.go_on()
    steps.permission_page.keep.setChecked(False)
    steps.go_on()
    assert steps.model_page.spoken() == "en"
    steps.go_on()
    assert steps.step == TRY
    qtbot.waitUntil(lambda: app.session is not None)
    (wish,) = engine.wishes
    assert (wish.source, wish.model, wish.language) == (
        "system:Loudspeakers", "moonshine-tiny-en", "",
    )  # fmt: skip
    engine.sessions[0].say(caption("Hello", " there"))
    qtbot.waitUntil(lambda: steps.try_page.words.text() == "Hello there")
    assert steps.try_page.level.level == -20.0
    assert steps.try_page.level.share == pytest.approx(2 / 3)
    assert steps.try_page.doing.text() == "Listening to a microphone"
    steps.go_on()
    assert not steps.isVisible()
    kept = SettingsStore(store.path).load()
    assert (kept.source, kept.keep_history) == ("system:Loudspeakers", False)
    assert len(engine.wishes) == 1


@pytest.mark.parametrize("step", [SOURCE, PERMISSION, MODEL])
def test_each_can_be_left_out_and_none_comes_again(
    qtbot: QtBot,
    steps: FirstRun,
    app: CaptionApp,
    engine: FakeStart,
    store: SettingsStore,
    step: int,
) -> None:
    steps.source_page.both.choose()
    choose(steps, "ko")
    for _ in range(step):
        steps.go_on()
    steps.skip_button.click()
    qtbot.waitUntil(lambda: app.session is not None)
    (wish,) = engine.wishes
    assert wish.source == ("both" if step > SOURCE else "mic")
    assert wish.model == "moonshine-tiny-en"
    assert not steps.isVisible()
    assert store.path.exists()


def test_back_goes_back_and_what_was_chosen_stays(steps: FirstRun) -> None:
    steps.source_page.both.choose()
    steps.go_on()
    steps.go_on()
    steps.back_button.click()
    steps.back_button.click()
    assert steps.step == SOURCE
    assert steps.source_page.source() == "both"
    assert not steps.back_button.isVisible()


def test_another_source_than_before_is_opened_when_one_has_gone_back(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart
) -> None:
    for _ in range(TRY):
        steps.go_on()
    qtbot.waitUntil(lambda: app.session is not None)
    for _ in range(TRY):
        steps.back()
    steps.source_page.both.choose()
    for _ in range(TRY):
        steps.go_on()
    qtbot.waitUntil(lambda: len(engine.wishes) == 2)
    assert engine.wishes[1].source == "both"


def test_a_model_that_is_not_here_is_fetched_and_then_used(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart, local_hub: LocalHub
) -> None:
    local_hub.behaviour.slow = True
    choose(steps, "ko")
    assert steps.model_page.model() == "far.en"
    for _ in range(TRY):
        steps.go_on()
    qtbot.waitUntil(local_hub.halfway.is_set)
    qtbot.waitUntil(lambda: "50 % of 1 MB" in steps.try_page.doing.text())
    assert engine.wishes == []
    # It goes on behind the steps.
    steps.go_on()
    local_hub.go_on.set()
    qtbot.waitUntil(lambda: app.session is not None, timeout=10_000)
    (wish,) = engine.wishes
    assert (wish.model, wish.language) == ("far.en", "ko")


def test_what_fails_is_said_and_can_be_tried_again(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart
) -> None:
    engine.error = DeviceError("no microphone was found", "plug one in")
    for _ in range(TRY):
        steps.go_on()
    page = steps.try_page
    qtbot.waitUntil(page.again.isVisible)
    assert page.problem.text() == "No microphone was found: plug one in"
    engine.error = None
    page.again.click()
    qtbot.waitUntil(lambda: app.session is not None)
    qtbot.waitUntil(lambda: not page.again.isVisible())


def test_closed_before_anything_was_chosen_nothing_is_opened_and_they_come_again(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart, store: SettingsStore
) -> None:
    qtbot.keyClick(steps, Qt.Key.Key_Escape)
    assert not steps.isVisible()
    assert engine.wishes == []
    assert not store.path.exists()
    assert app.overlay.notices.text.startswith("Nothing is captioned yet")
    app.overlay.notices.retry.click()
    qtbot.waitUntil(lambda: app.session is not None)


def test_they_can_be_shown_anew_without_stopping_what_runs(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart
) -> None:
    for _ in range(TRY + 1):
        steps.go_on()
    qtbot.waitUntil(lambda: app.session is not None)
    assert not steps.isVisible()
    perform(app, "first-run")
    again = app.windows.opened("first_run")
    assert isinstance(again, FirstRun)
    assert again.isVisible()
    assert again.step == SOURCE
    for _ in range(TRY):
        again.go_on()
    again.go_on()
    assert len(engine.wishes) == 1


def test_in_another_language_they_stand_where_they_stood(
    qtbot: QtBot, steps: FirstRun, app: CaptionApp, engine: FakeStart
) -> None:
    steps.source_page.both.choose()
    choose(steps, "ko")
    steps.go_on()
    steps.permission_page.keep.setChecked(False)
    app.windows.renew()
    again = app.windows.opened("first_run")
    assert isinstance(again, FirstRun)
    assert again is not steps
    assert again.step == PERMISSION
    assert again.kept()[1:] == ("both", False, "ko", "far.en")
    assert app.overlay.notices.text == ""
    assert engine.wishes == []
    del qtbot


def test_who_asks_for_a_source_or_has_settings_sees_none(own_folders: Path) -> None:
    del own_folders
    first = overlay_command._first_run
    assert first(OverlayRequest()) == "due"
    assert first(OverlayRequest(source="mic")) == ""
    assert first(OverlayRequest(first_run=True, source="mic")) == "asked"
    default_path().parent.mkdir(parents=True, exist_ok=True)
    default_path().write_text("version = 1\n", encoding="utf-8")
    assert first(OverlayRequest()) == ""
    assert first(OverlayRequest(first_run=True)) == "asked"


def test_devices_are_offered_as_they_are(qtbot: QtBot) -> None:
    found = list(DEVICES)
    page = SourcePage("mic:Headset", lambda: tuple(found))
    qtbot.addWidget(page)
    assert page.source() == "mic"
    page.look()
    qtbot.waitUntil(lambda: bool(page.known))
    assert page.source() == "mic:Headset"
    assert "telephone" in page.microphone.currentText()
    page.microphone.setCurrentIndex(0)
    assert page.source() == "mic"
    found[:] = [DEVICES[1]]
    page.look()
    qtbot.waitUntil(lambda: len(page.known) == 1)
    assert "Bluetooth headset" in page.mic.hint.text()
    assert not page.system.radio.isEnabled()
    found.clear()
    page.look()
    qtbot.waitUntil(lambda: not page.known)
    assert page.mic.hint.text().startswith("No microphone was found")


def test_a_system_that_forbids_the_microphone_is_told_of(qtbot: QtBot) -> None:
    denied = [True]
    page = PermissionPage(True, lambda: denied[0], "darwin")
    qtbot.addWidget(page)
    page.show()
    assert page.problem.isVisible()
    assert "System Settings" in page.problem.text()
    denied[0] = False
    page.again.click()
    assert not page.problem.isVisible()
    assert page.words.text().startswith("macOS asks once")


def test_a_few_models_are_offered_for_a_language() -> None:
    known = catalogue.load(catalogue.CATALOGUE)
    here = {"whisper-base", "moonshine-tiny-en"}
    entries = [Entry(spec, "here" if spec.id in here else "afar") for spec in known]
    english = choices(entries, "en", "moonshine-tiny-en")
    assert [each.spec.id for each in english[:2]] == ["moonshine-tiny-en", "whisper-base"]
    assert len(english) == 4
    several = choices(entries, "", "")
    assert several[0].spec.id == "whisper-base"
    assert all(len(each.spec.languages) > 10 for each in several)


def test_everything_is_named_and_reached_by_the_keyboard(qtbot: QtBot, steps: FirstRun) -> None:
    for kind in (QPushButton, QRadioButton):
        for control in steps.findChildren(kind):
            assert control.text() or control.accessibleName()
            assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert steps.next_button.hasFocus()
    qtbot.keyClick(steps, Qt.Key.Key_Return)
    assert steps.step == PERMISSION
