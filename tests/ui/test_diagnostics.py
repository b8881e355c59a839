"""The diagnostics pane: right figures, right colours, once a second, only while it is seen."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.health.report import Machine
from desktop_app.ui import theme
from desktop_app.ui.diagnostics import Diagnostics, read_machine
from desktop_app.ui.readings import DASH, Row, sections
from engine.gpu import GpuReading
from engine.types import EngineStats, Percentiles

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

RUNNING = EngineStats(
    state="running",
    model_id="moonshine-tiny-en",
    provider="cpu",
    provider_asked="auto",
    audio_s=3723.4,
    compute_s=1200.0,
    rtf=0.312,
    lag_s=0.12,
    level_dbfs={"mic": -23.4},
    speaking=frozenset({"mic"}),
    first_latency=Percentiles(212.0, 480.4),
    stable_latency=Percentiles(540.0, 1320.0),
    revisions=0.31,
    words=1204,
    segments=88,
    first_recent_ms=220.0,
    stable_recent_ms=530.0,
)
MACHINE = Machine(0.42, 250 * 2**20, None, "the driver is not installed")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


def rows(stats: EngineStats, machine: Machine | None = MACHINE) -> dict[str, Row]:
    return {row.label: row for section in sections(stats, machine) for row in section.rows}


def test_every_figure_is_there() -> None:
    shown = {label: row.value for label, row in rows(RUNNING).items()}
    assert shown == {
        "State": "running",
        "Model": "moonshine-tiny-en",
        "Weights": "as published",
        "Runs on": "cpu",
        "Asked for": "auto",
        "Real-time factor": "0.31",
        "Behind": "120 ms",
        "First shown": "212 ms, 95 % 480 ms",
        "Stable": "540 ms, 95 % 1,320 ms",
        "Erasure": "0.31",
        "Words": "1,204",
        "Lines": "88",
        "Level": "-23 dBFS",
        "Speech now": "yes",
        "Heard so far": "1:02:03",
        "Recogniser rested": "0 %",
        "Noise suppression": "off",
        "Lost samples": "0",
        "Processor": "0.42 cores",
        "Memory": "250 MiB",
        "GPU": "no NVIDIA GPU",
    }


def test_a_provider_that_was_not_asked_for_is_a_warning() -> None:
    shown = rows(replace(RUNNING, provider="cpu", provider_asked="cuda"))
    assert (shown["Runs on"].value, shown["Runs on"].tone) == ("cpu", "warning")
    assert shown["Asked for"].value == "cuda"
    assert rows(replace(RUNNING, provider="cuda", provider_asked="cuda"))["Runs on"].tone == "plain"


def test_why_another_provider_runs_and_what_it_took_are_told() -> None:
    reason = "CUDA 13 runtime not found: pip install it"
    fallen = replace(RUNNING, provider="cpu", provider_asked="cuda", provider_reason=reason)
    assert rows(fallen)["Why"].value == reason
    assert "Why" not in rows(RUNNING)
    automatic = replace(fallen, provider_asked="auto", warm_up_ms=31.4)
    row = rows(automatic)["Runs on"]
    assert (row.value, row.tone) == ("cpu", "plain")
    assert "took 31 ms" in row.help
    assert rows(automatic)["Why"].value == reason


def test_a_model_on_its_way_is_named() -> None:
    shown = rows(replace(RUNNING, model_id="old", next_model_id="new"))
    assert shown["Model"].value == "old"
    assert shown["Going over to"].value == "new"
    assert "Going over to" not in rows(RUNNING)


def test_what_the_weights_are_made_of_is_told() -> None:
    (engine, *_) = sections(RUNNING, MACHINE, "int8")
    assert {row.label: row.value for row in engine.rows}["Weights"] == "int8"


@pytest.mark.parametrize(
    ("change", "label", "tone"),
    [
        ({"rtf": 1.2}, "Real-time factor", "error"),
        ({"rtf": 0.9}, "Real-time factor", "warning"),
        ({"lag_s": 1.5}, "Behind", "warning"),
        ({"lost_samples": 3}, "Lost samples", "warning"),
        ({"state": "failed"}, "State", "error"),
        ({"level_dbfs": {"mic": -0.2}}, "Level", "warning"),
        ({"clipping": frozenset({"mic"})}, "Level", "warning"),
        ({"too_quiet": frozenset({"mic"})}, "Level", "warning"),
    ],
)
def test_what_is_wrong_stands_out(change: dict[str, object], label: str, tone: str) -> None:
    assert rows(RUNNING)[label].tone in ("plain", "good")
    assert rows(replace(RUNNING, **change))[label].tone == tone  # type: ignore[arg-type]


def test_nothing_is_invented_before_there_is_anything() -> None:
    shown = rows(EngineStats("starting"), None)
    for label in ("Runs on", "Real-time factor", "First shown", "Stable", "Erasure", "Level"):
        assert shown[label].value == DASH
    assert shown["GPU"].value == DASH


def test_digital_silence_has_a_word() -> None:
    assert rows(replace(RUNNING, level_dbfs={"mic": -math.inf}))["Level"].value == "silent"


def test_how_loud_it_is_and_what_is_done_about_it_is_told() -> None:
    loud = replace(RUNNING, level_dbfs={"mic": -9.0}, peak_dbfs={"mic": -0.1})
    assert rows(loud)["Level"].value == "-9 dBFS, peak -0"
    clipped = replace(loud, clipping=frozenset({"mic"}))
    assert rows(clipped)["Level"].value == "-9 dBFS, peak -0, too loud: cut off"
    faint = replace(RUNNING, gain_db={"mic": 12.2}, too_quiet=frozenset({"mic"}))
    assert rows(faint)["Level"].value == "-23 dBFS, made 12 dB louder, very quiet"
    rested = replace(RUNNING, rested=0.634, denoiser_id="rnnoise")
    assert rows(rested)["Recogniser rested"].value == "63 %"
    assert rows(rested)["Noise suppression"].value == "rnnoise"


def test_two_lanes_are_told_apart() -> None:
    shown = rows(
        replace(RUNNING, level_dbfs={"mic": -20.0, "system": -40.0}, speaking=frozenset({"mic"}))
    )
    assert shown["Level, Microphone"].value == "-20 dBFS"
    assert shown["Level, Computer"].value == "-40 dBFS"
    assert shown["Speech now"].value == "Microphone"


def test_a_gpu_is_shown_with_its_memory() -> None:
    gpu = GpuReading("NVIDIA H200", 12 * 2**30, 140 * 2**30, None)
    shown = rows(RUNNING, replace(MACHINE, gpu=gpu))
    assert shown["GPU"].value == "NVIDIA H200"
    assert shown["GPU memory"].value == "12.0 of 140.0 GiB"
    assert shown["GPU load"].value == DASH


class Engine:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.stats = RUNNING
        self.asked = 0

    def __call__(self) -> EngineStats:
        self.asked += 1
        return self.stats


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def pane(qtbot: QtBot, engine: Engine) -> Iterator[Diagnostics]:
    theme.load_fonts()
    window = Diagnostics(engine, theme.DARK, machine=lambda: MACHINE)
    qtbot.addWidget(window)
    window._timer.setInterval(20)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()


def shown_text(pane: Diagnostics) -> list[str]:
    """Of the cards of facts."""
    labels = [label for card in pane.cards.values() for label in card.findChildren(QLabel)]
    return [label.text() for label in labels if label.isVisible()]


def test_the_pane_follows_the_engine(qtbot: QtBot, pane: Diagnostics, engine: Engine) -> None:
    assert "moonshine-tiny-en" in shown_text(pane)
    qtbot.waitUntil(lambda: "0.42 cores" in shown_text(pane))
    engine.stats = replace(RUNNING, model_id="whisper-base")
    qtbot.waitUntil(lambda: "whisper-base" in shown_text(pane))
    assert "moonshine-tiny-en" not in shown_text(pane)


def test_a_warning_has_another_colour(qtbot: QtBot, pane: Diagnostics, engine: Engine) -> None:
    engine.stats = replace(RUNNING, provider_asked="cuda")
    qtbot.waitUntil(lambda: "cuda" in shown_text(pane))
    labels = pane.cards["engine"].findChildren(QLabel)
    label = next(label for label in labels if label.text() == "cpu")
    plain = next(label for label in labels if label.text() == "0.31")
    assert label.palette().windowText().color() == theme.DARK.warning
    assert plain.palette().windowText().color() == theme.DARK.value


def test_nothing_is_asked_while_it_is_hidden(
    qtbot: QtBot, pane: Diagnostics, engine: Engine
) -> None:
    pane.hide()
    asked = engine.asked
    qtbot.wait(80)
    assert engine.asked == asked
    pane.show()
    qtbot.waitUntil(lambda: engine.asked > asked + 1)


def test_a_lane_that_goes_takes_its_row_with_it(
    qtbot: QtBot, pane: Diagnostics, engine: Engine
) -> None:
    engine.stats = replace(RUNNING, level_dbfs={"mic": -20.0, "system": -40.0})
    qtbot.waitUntil(lambda: "-40 dBFS" in shown_text(pane))
    engine.stats = RUNNING
    qtbot.waitUntil(lambda: "-40 dBFS" not in shown_text(pane))
    assert "Lost samples" in shown_text(pane)


def test_the_report_is_copied(pane: Diagnostics) -> None:
    pane.copy_button.click()
    text = QGuiApplication.clipboard().text()
    assert text == pane.report()
    assert "moonshine-tiny-en" in text
    assert "lost samples" in text
    assert "Qt on offscreen, " in text
    assert pane.copy_button.text() == "Copied"


def test_everything_can_be_reached_by_the_keyboard(qtbot: QtBot, pane: Diagnostics) -> None:
    wanted = {card for card in pane.plots.values() if card.isVisible()} | {pane.copy_button}
    pane.activateWindow()
    qtbot.waitUntil(lambda: pane.focusWidget() is not None)
    reached = set()
    for _ in range(len(wanted)):
        reached.add(pane.focusWidget())
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Tab)
    assert reached == wanted


@pytest.mark.parametrize(
    ("width", "beside", "across"), [(1100, True, 2), (700, False, 2), (400, False, 1)]
)
def test_the_cards_stand_as_the_width_allows(
    pane: Diagnostics, width: int, beside: bool, across: int
) -> None:
    pane.resize(width, 700)
    QGuiApplication.processEvents()
    engine, latency, rtf = pane.cards["engine"], pane.plots["latency"], pane.plots["rtf"]

    def left(card: QWidget) -> int:
        return card.mapTo(pane, card.rect().topLeft()).x()

    assert (left(latency) > left(engine)) is beside
    assert (left(rtf) > left(latency)) is (across == 2)
    for card in (*pane.cards.values(), *pane.plots.values()):
        if card.isVisible():
            assert left(card) + card.width() <= width


def test_no_window_is_left_behind(qtbot: QtBot, engine: Engine) -> None:
    gc.collect()
    before = len(QApplication.allWidgets())
    for _ in range(3):
        window = Diagnostics(engine, theme.DARK, machine=lambda: MACHINE)
        window.show()
        qtbot.waitExposed(window)
        window.close()
        window.deleteLater()
        del window
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert len(QApplication.allWidgets()) <= before


def test_both_themes_can_be_told_apart(pane: Diagnostics) -> None:
    dark = pane.grab().toImage().pixelColor(4, 4)
    pane.set_theme(theme.LIGHT)
    light = pane.grab().toImage().pixelColor(4, 4)
    assert dark == theme.DARK.window
    assert light == theme.LIGHT.window


def test_the_machine_is_really_read() -> None:
    read = read_machine()
    first, second = read(), read()
    assert first.cores is None
    assert second.cores is not None
    assert second.memory > 20 * 2**20
    assert (second.gpu is None) == bool(second.why_no_gpu)


def test_processes_of_ours_count_as_this_program() -> None:
    read = read_machine()
    before = read().memory
    code = "held = bytes(bytearray(b'x') * (80 << 20)); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert read().memory > before + 60 * 2**20
        child.communicate(b"\n")
    assert read().memory < before + 60 * 2**20
