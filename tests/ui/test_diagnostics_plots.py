"""The plots of the diagnostics pane: what they show, in which scale, and without colour."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_nvml import build
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop_app.health.report import Machine
from desktop_app.ui import theme
from desktop_app.ui.diagnostics import Diagnostics
from desktop_app.ui.diagnostics_plots import FIGURES, plots
from desktop_app.ui.plot_key import DASHES, pen
from desktop_app.ui.series import History
from engine.gpu import GpuReading
from engine.types import EngineStats

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

ROOT = Path(__file__).parents[2]
RUNNING = EngineStats(
    state="running",
    audio_s=60.0,
    rtf=0.4,
    lag_s=0.2,
    level_dbfs={"mic": -23.0},
    speaking=frozenset({"mic"}),
    first_recent_ms=220.0,
    stable_recent_ms=530.0,
)
MACHINE = Machine(0.42, 250 * 2**20, None, "no NVIDIA GPU, its driver is not installed")
GPU = replace(MACHINE, gpu=GpuReading("NVIDIA Fake", 6 << 30, 24 << 30, 91), why_no_gpu="")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


class Running:
    """An engine and a machine that a test changes."""

    def __init__(self) -> None:
        self.stats = RUNNING
        self.machine = MACHINE


@pytest.fixture
def running() -> Running:
    return Running()


@pytest.fixture
def pane(qtbot: QtBot, running: Running) -> Iterator[Diagnostics]:
    theme.load_fonts()
    window = Diagnostics(lambda: running.stats, theme.DARK, machine=lambda: running.machine)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.plots["cores"].value.text() == "0.42 cores")
    window._timer.stop()
    yield window
    window.close()


def shown(pane: Diagnostics, key: str, place: int = 0) -> list[float]:
    return pane.plots[key].chart.points(place)[1]


def ticks(pane: Diagnostics, key: str) -> list[str]:
    (level,) = pane.plots[key].chart.left._tickLevels
    return [text for _, text in level]


def test_every_figure_is_plotted(pane: Diagnostics) -> None:
    newest = {
        (key, place): values[-1]
        for key, card in pane.plots.items()
        for place in range(len(card.chart.plot.curves))
        if (values := shown(pane, key, place))
    }
    assert newest == pytest.approx(
        {
            ("latency", 0): 220.0,
            ("latency", 1): 530.0,
            ("rtf", 0): 0.4,
            ("level", 0): -23.0,
            ("lag", 0): 0.2,
            ("lost", 0): 0.0,
            ("cores", 0): 0.42,
            ("memory", 0): 250.0,
        }
    )
    for plot in plots():
        assert {curve.name for curve in plot.curves} <= set(FIGURES)


def test_axes_bear_units_and_move_in_steps(pane: Diagnostics, running: Running) -> None:
    assert ticks(pane, "latency") == ["0", "500", "1,000 ms"]
    assert ticks(pane, "level") == ["-60", "-30", "0 dBFS"]
    assert ticks(pane, "rtf") == ["0", "0.50", "1.00"]
    assert ticks(pane, "lag") == ["0", "0.5", "1.0 s"]
    assert ticks(pane, "cores") == ["0", "0.50", "1.00 cores"]
    assert ticks(pane, "memory") == ["0", "250", "500 MiB"]
    (times,) = pane.plots["lag"].chart.foot._tickLevels
    assert [text for _, text in times] == ["-1", "-2", "-3", "-4", "-5 min", "now"]
    running.stats = replace(RUNNING, lag_s=1.4)
    pane.refresh()
    assert ticks(pane, "lag") == ["0", "1.0", "2.0 s"]
    running.stats = replace(RUNNING, lag_s=1.6)
    pane.refresh()
    assert ticks(pane, "lag") == ["0", "1.0", "2.0 s"]


def test_curves_differ_in_more_than_colour(pane: Diagnostics) -> None:
    assert len(set(DASHES)) == 3
    keys = [key.text for key in pane.plots["latency"].keys]
    assert keys == ["First shown 220 ms", "Stable 530 ms"]
    chart, history = pane.plots["latency"].chart, History(FIGURES)
    for second in range(300):
        history.add(float(second), {"first": 200.0, "stable": 500.0 if second != 150 else None})
    chart.follow(history)
    solid, dashed = (curve.opts["connect"] for curve in chart._curves)
    between = chart._between[1].opts["connect"]
    assert solid[:-1].all()
    assert 0.4 < dashed.mean() < 0.8, "strong and pale by turns"
    assert between.sum() == 297, "and nothing is hidden between them but what is not known"


@pytest.mark.parametrize("look", [theme.DARK, theme.LIGHT], ids=["dark", "light"])
def test_curves_stand_out_against_the_card(look: theme.Theme) -> None:
    for place in range(3):
        assert theme.contrast(pen(look, place, 1.0).color(), look.card) >= 3


def test_speech_is_shaded(pane: Diagnostics) -> None:
    chart, history = pane.plots["level"].chart, History(FIGURES)
    for second in range(20):
        history.add(float(second), {"speech": float(5 <= second < 9 or second == 19)})
    chart.follow(history)
    assert chart.shaded() == [(-15.0, -11.0), (-1.0, 0.0)]
    chart.follow(History(FIGURES))
    assert chart.shaded() == []
    assert "speech" in [key.text for key in pane.plots["level"].keys]


def test_two_lanes_have_a_line_and_a_name_each(pane: Diagnostics, running: Running) -> None:
    card = pane.plots["level"]
    assert not card.keys[0].isVisible()
    assert card.value.text() == "-23 dBFS"
    running.stats = replace(RUNNING, level_dbfs={"mic": -20.0, "system": -40.0})
    pane.refresh()
    assert [key.text for key in card.keys] == ["Microphone -20 dBFS", "Computer -40 dBFS", "speech"]
    assert not card.value.isVisible()
    assert shown(pane, "level", 1) == [-40.0]


def test_lost_samples_are_those_of_the_second(pane: Diagnostics, running: Running) -> None:
    for lost in (300, 300, 420):
        running.stats = replace(RUNNING, lost_samples=lost)
        pane.refresh()
    assert shown(pane, "lost")[-3:] == [300.0, 0.0, 120.0]
    running.stats = RUNNING
    pane.refresh()
    assert shown(pane, "lost")[-1] == 0.0, "another session counts from nothing"


def test_what_was_lost_while_it_was_closed_is_no_loss_of_now(
    pane: Diagnostics, running: Running
) -> None:
    pane.close()
    running.stats = replace(RUNNING, lost_samples=5000)
    pane.show()
    pane._timer.stop()
    assert set(shown(pane, "lost")) == {0.0}


def test_a_screen_reader_hears_the_figures(pane: Diagnostics) -> None:
    card = pane.plots["latency"]
    assert card.accessibleName() == "Latency"
    assert card.accessibleDescription() == (
        "First shown now 220 ms, at most 220 ms in the last five minutes; "
        "Stable now 530 ms, at most 530 ms in the last five minutes"
    )


def test_it_says_since_when(qtbot: QtBot, running: Running) -> None:
    window = Diagnostics(lambda: running.stats, theme.DARK, machine=lambda: running.machine)
    qtbot.addWidget(window)
    window.history.add(100.0, {})
    window.history.add(160.0, {})
    window._say_since()
    assert window.since.text().startswith("Since ")
    for second in range(161, 470):
        window.history.add(float(second), {})
    window._say_since()
    assert window.since.text() == "The last five minutes"


def test_the_lines_go_on_in_another_language(
    qtbot: QtBot, pane: Diagnostics, running: Running
) -> None:
    before = shown(pane, "rtf")
    window = Diagnostics(lambda: running.stats, theme.DARK, machine=lambda: running.machine)
    qtbot.addWidget(window)
    window.show()
    window.take_back(pane.kept())
    assert len(shown(window, "rtf")) > len(before)
    window.close()


def test_without_a_gpu_there_is_one_line_and_no_plot(pane: Diagnostics) -> None:
    assert not pane.plots["gpu_memory"].isVisible()
    assert not pane.plots["gpu_load"].isVisible()
    labels = [label.text() for label in pane.cards["machine"].findChildren(QLabel)]
    assert labels.count("no NVIDIA GPU") == 1


def test_a_gpu_that_comes_has_plots(qtbot: QtBot, pane: Diagnostics, running: Running) -> None:
    running.machine = GPU
    pane.refresh()
    qtbot.waitUntil(lambda: pane._machine == GPU)
    pane.refresh()
    assert pane.plots["gpu_memory"].isVisible()
    assert shown(pane, "gpu_memory")[-1] == pytest.approx(6.0)
    assert shown(pane, "gpu_load")[-1] == pytest.approx(91.0)
    assert ticks(pane, "gpu_memory") == ["0", "12", "24.0 GiB"]
    assert ticks(pane, "gpu_load") == ["0", "50", "100 %"]


def test_other_colours_reach_the_plots(pane: Diagnostics) -> None:
    pane.set_theme(theme.LIGHT)
    chart = pane.plots["rtf"].chart
    assert chart.grab().toImage().pixelColor(2, 2) == theme.LIGHT.card
    assert chart._curves[0].opts["pen"].color() == theme.LIGHT.accent


def test_a_history_without_readings_is_drawn_as_nothing(pane: Diagnostics) -> None:
    chart = pane.plots["level"].chart
    chart.follow(History(FIGURES))
    assert chart.points(0) == ([], [])


PROBE = """
import json
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from desktop_app.ui import theme
from desktop_app.ui.diagnostics import Diagnostics
from engine.types import EngineStats

application = QApplication([])
pane = Diagnostics(lambda: EngineStats("running"), theme.DARK)
pane._timer.setInterval(50)
pane.show()

def look():
    curves = {key: pane.plots[key].chart.points(0)[1] for key in ("gpu_memory", "gpu_load")}
    if all(curves.values()):
        told = {key: values[-1] for key, values in curves.items()}
        told["shown"] = pane.plots["gpu_load"].isVisible()
        print(json.dumps(told))
        pane.close()
        application.quit()

timer = QTimer(interval=50)
timer.timeout.connect(look)
timer.start()
QTimer.singleShot(20000, application.quit)
application.exec()
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None,
    reason="needs gcc to build a driver library",
)
def test_a_driver_library_is_plotted(tmp_path: Path) -> None:
    build(tmp_path)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    answer = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == '{"gpu_memory": 6.0, "gpu_load": 91.0, "shown": true}'


@pytest.mark.slow
def test_plots_are_loaded_by_an_opened_pane_alone() -> None:
    probe = "import sys, desktop_app.application.caption_app; sys.exit('pyqtgraph' in sys.modules)"
    subprocess.run([sys.executable, "-c", probe], cwd=ROOT, check=True)
