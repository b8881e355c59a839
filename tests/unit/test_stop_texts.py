"""What the slider says in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.ui.stop_texts import UNMEASURED, live_text, measured_text, stop_tip
from engine.bench.measured import StopFigures
from engine.config import STOPS
from engine.types import EngineStats, Percentiles

BALANCED = StopFigures(196.0, 241.8, 0.05, 0.302)
LIVE = EngineStats(
    "running",
    first_latency=Percentiles(212.0, 480.0),
    stable_latency=Percentiles(1340.0, 1900.0),
    revisions=0.07,
    rtf=0.314,
)


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        (BALANCED, "words after 0.20 s, stay after 0.24 s, 0.05 changes a word, 0.30 cores"),
        (replace(BALANCED, stable_ms=1136.0), "words after 0.20 s, stay after 1.1 s"),
        (replace(BALANCED, stable_ms=999.0), "words after 0.20 s, stay after 1.0 s"),
        (replace(BALANCED, first_ms=-30.0), "words at once, stay after 0.24 s"),
        (replace(BALANCED, stable_ms=196.0, changes=0.0), "words after 0.20 s, no changes, 0.30"),
    ],
)
def test_measured_figures_in_words(figures: StopFigures, text: str) -> None:
    assert measured_text(figures).startswith(text)


def test_live_figures_in_words() -> None:
    assert live_text(LIVE) == "words after 0.21 s, stay after 1.3 s, 0.07 changes a word, busy 31 %"


def test_nothing_is_said_before_there_is_anything() -> None:
    assert live_text(EngineStats("starting")) == ""
    assert live_text(EngineStats("running")) == ""
    assert live_text(replace(LIVE, state="failed")) == ""


@pytest.mark.parametrize("name", STOPS)
def test_every_stop_has_a_tip_before_and_after_measuring(name: str) -> None:
    assert stop_tip(name, None).startswith(f"{name.capitalize()}: ")
    assert UNMEASURED in stop_tip(name, None)
    assert measured_text(BALANCED) in stop_tip(name, BALANCED)
