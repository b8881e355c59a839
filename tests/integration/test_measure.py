"""Measuring this computer for real: the shipped recording, the real model, a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assets import ASSETS
from engine.bench.measure import excerpt, figures, measure
from engine.bench.measured import measurement
from engine.config import STOPS
from engine.recognizers.base import load
from models import catalogue
from models.store import ModelStore

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DEMO = ASSETS / "demo.wav"


def test_the_stops_differ_as_the_slider_says() -> None:
    known, store = catalogue.load(), ModelStore()
    recognizer = load(store.files(known.get(known.default)), "cpu")
    recording, samples = excerpt(DEMO, 6.6)
    found = dict(measure(recognizer, store.files(known.get(known.vad)), recording, samples))
    assert list(found) == list(STOPS)
    for row in found.values():
        assert row.figures()["erasure_stable"] == 0
        assert len(row.measured.first) >= 15
        stop = figures(row)
        assert 0 < stop.cores < 2
        assert -300 < stop.first_ms <= stop.stable_ms < 5000
    assert figures(found["steady"]).changes == 0
    assert figures(found["fastest"]).first_ms < figures(found["steady"]).first_ms


def test_the_process_tells_how_far_it_is_and_what_it_found() -> None:
    said = subprocess.run(
        [
            sys.executable, "-m", "engine.bench.measure", "--model", catalogue.load().default,
            "--provider", "cpu", "--audio", str(DEMO), "--seconds", "3", "--version", "7",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    *progress, last = map(json.loads, said.stdout.splitlines())
    assert [each["stop"] for each in progress] == list(STOPS)
    assert [each["number"] for each in progress] == [1, 2, 3, 4, 5]
    found = measurement(last["measured"])
    assert (found.model, found.provider, found.version) == (catalogue.load().default, "cpu", "7")


def test_a_model_that_is_not_there_is_an_answer(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "engine.bench.measure", "--model", catalogue.load().default,
         "--audio", str(DEMO)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "CAPTIONGLASS_MODELS": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    answer = json.loads(said.stdout)
    assert answer["error"]
    assert answer["remedy"]
