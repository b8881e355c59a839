"""Measuring this computer from the slider: a real process beside the window, what it says, and
what the slider makes of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest
from fixtures_session import FakeStart
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app import __version__
from desktop_app.application import starting
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from desktop_app.ui.hover_bar import HoverBar
from desktop_app.ui.measuring import Measuring
from desktop_app.ui.stop_texts import UNMEASURED
from engine.bench.measured import MeasuredFile, Measurement, StopFigures
from engine.config import STOPS
from engine.errors import CaptionglassError
from engine.types import EngineStats, Percentiles

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

MODEL = "moonshine-tiny-en"
STOPS_DONE = {
    name: StopFigures(100.0 + position, 200.0 + position, 0.1, 0.3)
    for name, position in STOPS.items()
}
DONE = Measurement(MODEL, "cpu", __version__, STOPS_DONE)
LIVE = EngineStats(
    "running",
    first_latency=Percentiles(212.0, 480.0),
    stable_latency=Percentiles(340.0, 900.0),
    revisions=0.07,
    rtf=0.31,
)
PROGRESS = {"stop": "fast", "number": 2, "of": 5}


def child(*lines: str) -> list[str]:
    """The command of a process that runs these lines; ``say`` writes an answer."""
    begin = "import json, sys, time\ndef say(it): print(json.dumps(it), flush=True)\n"
    return [sys.executable, "-c", begin + "\n".join(lines)]


FINISHES = child(f"say({PROGRESS})", f"say({ {'measured': asdict(DONE)} })")
STAYS = child(f"say({PROGRESS})", "time.sleep(60)")


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[list[str]], Measuring]]:
    made: list[Measuring] = []

    def begin(command: list[str]) -> Measuring:
        made.append(Measuring(MeasuredFile(tmp_path / "measured.json"), command))
        return made[-1]

    yield begin
    for measuring in made:
        measuring.cancel()
    del qtbot


def failure(qtbot: QtBot, measuring: Measuring) -> CaptionglassError:
    with qtbot.waitSignal(measuring.failed, timeout=20_000) as failed:
        measuring.start(MODEL, "cpu")
    error = failed.args[0]
    assert isinstance(error, CaptionglassError)
    assert not measuring.running
    assert measuring.progress == ""
    return error


def test_it_measures_says_how_far_it_is_and_keeps_the_figures(
    qtbot: QtBot, make: Callable[[list[str]], Measuring], tmp_path: Path
) -> None:
    measuring = make(FINISHES)
    said: list[str] = []
    measuring.changed.connect(lambda: said.append(measuring.progress))
    with qtbot.waitSignal(measuring.measured, timeout=20_000):
        measuring.start(MODEL, "cpu")
    assert said == ["getting ready", "fast, 2 of 5", ""]
    assert measuring.figures == STOPS_DONE
    assert MeasuredFile(tmp_path / "measured.json").load(MODEL, __version__) == DONE
    assert not measuring.running


def test_it_is_told_which_model_on_what(
    qtbot: QtBot, make: Callable[[list[str]], Measuring]
) -> None:
    measuring = make(child("say({'error': ' '.join(sys.argv[1:]), 'remedy': ''})"))
    assert failure(qtbot, measuring).message == f"--model {MODEL} --provider cpu"


def test_cancelling_ends_the_process_and_keeps_nothing(
    qtbot: QtBot, make: Callable[[list[str]], Measuring], tmp_path: Path
) -> None:
    measuring = make(STAYS)
    measuring.start(MODEL, "cpu")
    qtbot.waitUntil(lambda: measuring.progress == "fast, 2 of 5", timeout=20_000)
    assert measuring._process is not None
    process = psutil.Process(measuring._process.processId())
    with qtbot.assertNotEmitted(measuring.failed, wait=50):
        measuring.cancel()
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    assert not measuring.running
    assert measuring.progress == ""
    assert not (tmp_path / "measured.json").exists()
    measuring.cancel()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["say({'error': 'the model is not here', 'remedy': 'get it'})"], "the model is not here"),
        (["raise SystemError('bad luck')"], "ended too early (SystemError: bad luck)"),
        (["sys.exit(3)"], "ended too early (exit code 3)"),
        (["print('hello')"], "makes no sense (JSONDecodeError)"),
        (["say({'measured': {}})"], "makes no sense (KeyError)"),
        (["say([1])"], "makes no sense"),
    ],
)
def test_what_goes_wrong_is_one_line(
    qtbot: QtBot, make: Callable[[list[str]], Measuring], lines: list[str], message: str
) -> None:
    measuring = make(child(*lines))
    assert message in failure(qtbot, measuring).message
    assert measuring.figures == {}


def test_a_process_that_does_not_start_is_one_line(
    qtbot: QtBot, make: Callable[[list[str]], Measuring]
) -> None:
    measuring = make(["/no/such/program"])
    assert "could not be started" in failure(qtbot, measuring).message


def test_figures_that_cannot_be_kept_are_shown_all_the_same(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("", encoding="utf-8")
    measuring = Measuring(MeasuredFile(tmp_path / "cache" / "measured.json"), FINISHES)
    assert "cannot be kept" in failure(qtbot, measuring).message
    assert measuring.figures == STOPS_DONE


@pytest.fixture
def bar(qtbot: QtBot) -> HoverBar:
    theme.load_fonts()
    bar = HoverBar(theme.DARK, 50.0)
    bar.resize(492, bar.height())
    qtbot.addWidget(bar)
    return bar


def test_every_stop_says_what_it_does_here_once_measured(bar: HoverBar) -> None:
    bar.show_figures({}, "", "")
    assert [action.text() for action in bar.stop_name.stops.actions()[:5]] == [
        name.capitalize() for name in STOPS
    ]
    assert bar.effect.text() == UNMEASURED
    assert UNMEASURED in bar.slider.tip_at(0)
    bar.show_figures(STOPS_DONE, MODEL, "")
    texts = [action.text() for action in bar.stop_name.stops.actions()]
    assert texts[2] == (
        "Balanced\twords after 0.15 s, stay after 0.25 s, 0.10 changes a word, 0.30 cores"
    )
    assert texts[6] == f"Measured\ton this computer with {MODEL}"
    assert bar.effect.text().startswith("Measured: words after 0.15 s, stay after 0.25 s")
    assert "words after 0.10 s" in bar.slider.tip_at(0)
    assert "words after 0.20 s" in bar.slider.tip_at(bar.slider.width())
    bar.slider.setValue(100)
    assert bar.effect.text().startswith("Measured: words after 0.20 s, stay after 0.30 s")
    assert "words after 0.20 s" in bar.slider.accessibleDescription()


def test_between_stops_nothing_is_claimed(bar: HoverBar) -> None:
    bar.show_figures(STOPS_DONE, MODEL, "")
    bar.slider.setValue(60)
    assert bar.effect.text() == ""
    assert not any(action.isChecked() for action in bar.stop_name.stops.actions())


def test_the_menu_moves_the_slider_and_asks_to_measure(qtbot: QtBot, bar: HoverBar) -> None:
    moved: list[float] = []
    bar.profile_moved.connect(moved.append)
    actions = bar.stop_name.stops.actions()
    assert [action.isChecked() for action in actions[:5]] == [False, False, True, False, False]
    actions[4].trigger()
    assert moved == [100.0]
    assert bar.stop_name.text() == "Accurate"
    with qtbot.waitSignal(bar.measure_asked):
        bar.stop_name.measure.trigger()


def test_the_menu_is_opened_and_used_by_the_keyboard(qtbot: QtBot, bar: HoverBar) -> None:
    bar.show()
    qtbot.waitExposed(bar)
    menu = bar.stop_name.stops

    def choose() -> None:
        qtbot.keyClick(menu, Qt.Key.Key_Up)
        qtbot.keyClick(menu, Qt.Key.Key_Return)

    menu.aboutToShow.connect(choose, Qt.ConnectionType.QueuedConnection)
    with qtbot.waitSignal(bar.measure_asked):
        qtbot.keyClick(bar.stop_name, Qt.Key.Key_Space)


def test_live_figures_are_read_only_while_the_bar_can_be_seen(qtbot: QtBot, bar: HoverBar) -> None:
    asked = 0

    def stats() -> EngineStats:
        nonlocal asked
        asked += 1
        return replace(LIVE, rtf=asked / 100)

    bar.follow(stats)
    bar.show_figures(STOPS_DONE, MODEL, "")
    bar._live_timer.setInterval(20)
    qtbot.wait(80)
    assert asked == 0
    bar.show()
    assert bar.effect.text() == (
        f"Now: words after 0.21 s, stay after 0.34 s, 0.07 changes a word, busy {asked} %"
    )
    assert "Measured: words after 0.15 s" in bar.effect.toolTip()
    qtbot.waitUntil(lambda: "busy 4 %" in bar.effect.text())
    bar.hide()
    assert not bar._live_timer.isActive()
    asked_before = asked
    qtbot.wait(80)
    assert asked == asked_before


def test_a_line_too_long_for_the_bar_is_cut_and_whole_in_the_tooltip(bar: HoverBar) -> None:
    bar.show_figures(STOPS_DONE, MODEL, "")
    bar.show()
    assert not bar.effect.text().endswith("…")
    bar.resize(300, bar.height())
    assert bar.effect.text().endswith("…")
    assert bar.effect.toolTip().endswith("0.30 cores")


@pytest.fixture
def app(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaptionApp]:
    monkeypatch.setattr(starting, "start_session", FakeStart())
    theme.load_fonts()
    MeasuredFile().save(DONE)
    app = CaptionApp(OverlayOptions(), SettingsStore(tmp_path / "settings.toml"))
    app.begin()
    qtbot.waitUntil(lambda: app.session is not None)
    yield app
    app.shut_down()
    # A notice would go by itself, in some later test.
    app.overlay.deleteLater()


def test_a_stored_measurement_is_there_from_the_start(app: CaptionApp) -> None:
    app.overlay.focus_controls()
    assert "words after 0.15 s" in app.overlay.bar.stop_name.stops.actions()[2].text()


def test_the_button_starts_and_stops(qtbot: QtBot, app: CaptionApp) -> None:
    measure = app.overlay.bar.stop_name.measure
    app.measuring._command = STAYS
    app.overlay.focus_controls()
    assert measure.text() == "Measure again"
    measure.trigger()
    qtbot.waitUntil(lambda: measure.text() == "Stop measuring\tfast, 2 of 5", timeout=20_000)
    assert app.overlay.bar.effect.text() == "Measuring this computer: fast, 2 of 5"
    measure.trigger()
    assert not app.measuring.running
    assert measure.text() == "Measure again"
    assert app.overlay.notices.text == ""


def test_the_end_and_an_error_are_notices(qtbot: QtBot, app: CaptionApp) -> None:
    app.measuring._command = child("say({'error': 'the model is not here', 'remedy': 'get it'})")
    app.measure()
    notices = app.overlay.notices
    qtbot.waitUntil(lambda: notices.text == "The model is not here: get it", timeout=20_000)
    app.measuring._command = FINISHES
    app.measure()
    qtbot.waitUntil(lambda: notices.text.startswith("Measured: the slider"), timeout=20_000)


def test_closing_ends_a_measurement(qtbot: QtBot, app: CaptionApp) -> None:
    app.measuring._command = STAYS
    app.measure()
    qtbot.waitUntil(lambda: app.measuring.progress.startswith("fast"), timeout=20_000)
    assert app.measuring._process is not None
    number = app.measuring._process.processId()
    app.shut_down()
    deadline = time.monotonic() + 5
    while psutil.pid_exists(number) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not psutil.pid_exists(number)
