"""Minutes of what ``scripts/soak.py`` does for hours: real speech, the real model, and everything
that may happen to a session."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.frontend import FrontEnd
from engine.lines import LineBuilder
from engine.sinks.jsonl import JsonlSink
from engine.sinks.subtitles import SrtSink
from engine.types import CaptionUpdate, Samples

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).parents[2] / "scripts"
SCRIPT = SCRIPTS / "soak.py"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run in a process of its own reports, on a machine that takes no time to compute."""
    path = tmp_path_factory.mktemp("soak") / "soak.json"
    command = [sys.executable, str(SCRIPT), "--hours", "0.05", "--every", "25", "--charge", "0"]
    command += ["--pace", "3.5", "--silence", "0.7", "--force", "--report", str(path)]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert path.is_file(), ran.stderr
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert (ran.returncode == 0) == all(each["met"] for each in content["targets"])
    return content


def test_no_law_is_broken(report: dict[str, Any]) -> None:
    missed = [each for each in report["targets"] if not each["met"]]
    assert missed == []
    assert report["result"]["first_breach"] == ""


def test_everything_happens_and_is_written_down(report: dict[str, Any]) -> None:
    happened = {each["what"] for each in report["events"]}
    assert happened >= {
        *("crash", "device lost", "device stalled", "device unplugged", "driver overrun", "pause"),
        *("slider", "gain", "settings", "obs restart"),
    }
    codes = report["result"]["notices"]
    assert codes["model.restarted"] == report["result"]["happened"]["crash"]
    assert codes["source.gone"] == report["result"]["happened"]["device unplugged"]
    assert report["result"]["obs_connections"] >= 2, "found again"
    assert [each["at"] for each in report["events"]] == sorted(
        each["at"] for each in report["events"]
    )


def test_the_end_plays_the_beginning_again(report: dict[str, Any]) -> None:
    rows = report["rows"]
    assert len(rows) >= 4
    last = rows[-1]["until"] - rows[-2]["until"]
    assert last == pytest.approx(rows[0]["until"], abs=0.1)
    assert not rows[0]["events"]
    assert not rows[-1]["events"]


def test_every_sample_is_heard_lost_or_paused(report: dict[str, Any]) -> None:
    result = report["result"]
    parts = [result["heard_s"], result["lost_s"], result["paused_s"]]
    assert all(part > 1.0 for part in parts)
    assert sum(parts) == pytest.approx(result["played_s"], abs=1e-3)
    assert 0.2 < result["speech_share"] < 0.6


def test_words_come_through_and_their_times_do_not_drift(report: dict[str, Any]) -> None:
    result = report["result"]
    assert result["lines"] == result["finals"] > 5
    assert result["word_error_rate"] < 15.0
    assert result["most_open_lines"] <= 3
    assert abs(result["offset_first_s"]) < 0.1
    assert result["offset_last_s"] == pytest.approx(result["offset_first_s"], abs=0.03)


def test_an_engine_that_is_broken_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that loses a finished line, rewrites what was settled, swallows sound and leaks."""
    written, shown, pushed = JsonlSink.update, LineBuilder._update, FrontEnd.push
    finals, longer, kept = [], [], []

    def lose_the_second(self: JsonlSink, update: CaptionUpdate, published_at: float) -> None:
        finals.extend([update] * update.is_final)
        if not (update.is_final and len(finals) == 2):
            written(self, update, published_at)

    def rewrite(self: LineBuilder, *arguments: Any) -> CaptionUpdate:
        update = shown(self, *arguments)
        longer.extend([update] * (len(update.words) > 3 and not update.is_final))
        if len(longer) != 2:
            return update
        longer.append(update)
        first, *rest = update.words
        other = dataclasses.replace(first, text="Rewritten")
        stable = other.text + update.stable.removeprefix(first.text)
        return dataclasses.replace(update, stable=stable, words=(other, *rest))

    def swallow(self: FrontEnd, samples: Samples) -> Samples:
        kept.append(None)
        return pushed(self, samples[:-160] if len(kept) == 40 else samples)

    monkeypatch.setattr(JsonlSink, "update", lose_the_second)
    monkeypatch.setattr(LineBuilder, "_update", rewrite)
    monkeypatch.setattr(FrontEnd, "push", swallow)
    leaks = []
    opened = SrtSink.update

    def leak(self: SrtSink, update: CaptionUpdate, published_at: float) -> None:
        if update.is_final:
            leaks.append(os.open(__file__, os.O_RDONLY))
        opened(self, update, published_at)

    monkeypatch.setattr(SrtSink, "update", leak)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    path = tmp_path / "soak.json"
    threads = threading.active_count()
    try:
        calm = ["--silence", "0.5", "--charge", "0", "--events", "none", "--together"]
        calm += ["--profile", "accurate"]
        code = importlib.import_module("soak").main(
            ["--hours", "0.0135", "--every", "12", *calm, "--report", str(path)]
        )
    finally:
        for handle in leaks:
            os.close(handle)
    assert code == 1
    assert "MISSED" in capsys.readouterr().out
    targets = json.loads(path.read_text(encoding="utf-8"))["targets"]
    missed = {each["name"]: each["figure"] for each in targets if not each["met"]}
    assert missed.pop("more file handles") > 0
    missed = {name: figure for name, figure in missed.items() if "lag" not in name}
    assert missed == {
        "lines that differ in the event file": 1,
        "laws of captions broken": 1,
        "samples unaccounted for": 160,
    }
    assert threading.active_count() == threads


@pytest.mark.parametrize("arguments", [["--hours", "0.01"], ["--hours", "1", "--every", "1"]])
def test_what_cannot_be_measured_is_said_in_a_line(arguments: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("soak: ")
    assert ran.stderr.count("\n") == 1
