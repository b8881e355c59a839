"""Parts of ``scripts/soak.py`` that need neither a model nor a session."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from desktop_app.history.sink import HistorySink
from engine.bench.recordings import Recording
from engine.config import EngineConfig, LatencyProfile
from engine.sinks.jsonl import JsonlSink
from engine.sinks.subtitles import SrtSink
from engine.sinks.text import TextSink
from engine.types import (
    GAP,
    SAMPLE_RATE,
    CaptionUpdate,
    Notice,
    StreamHeader,
    StreamSummary,
    Word,
)

ROOT = Path(__file__).parents[2]
HEADER = StreamHeader("1", "tiny", "cpu", "balanced", SAMPLE_RATE, "a microphone")
SUMMARY = StreamSummary(9.0, 1.0, 0.1, 0.1, 0, 1.0, 2, 4)


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


def part(name: str) -> Any:
    return importlib.import_module(f"soaking.{name}")


def final(number: int, text: str, start: float) -> CaptionUpdate:
    words = tuple(
        Word(word, start + 0.3 * place, start + 0.3 * place + 0.2)
        for place, word in enumerate(text.split())
    )
    end = words[-1].end if words else start
    return CaptionUpdate("mic", number, 0, text, "", start, end, 0.0, True, words)


# What noise may be taken for has no space either, and is longer than a line of subtitles.
LONG = "Ha" + "-ha" * 14
LINES = [final(0, f"Hello {LONG} there.", 1.0), final(1, "", 0.0), final(2, "What a day!", 4.0)]


@pytest.mark.parametrize(
    ("dropped", "wrong"),
    [
        ("", ""),
        ("jsonl", "lines that differ in the event file"),
        ("history", "lines that differ in the history"),
        ("srt", "words that differ in the SRT file"),
        ("text", "words that differ in the text file"),
    ],
)
def test_a_file_in_which_a_line_is_missing_is_named(
    tmp_path: Path, dropped: str, wrong: str
) -> None:
    ledger = part("meter").Ledger(part("meter").deque())
    paths = {name: tmp_path / name for name in ("events", "history", "srt", "text")}
    sinks = [
        ledger,
        JsonlSink(paths["events"]),
        HistorySink(paths["history"]),
        SrtSink(paths["srt"]),
        TextSink(paths["text"]),
    ]
    for sink in sinks:
        sink.open(HEADER)
        for update in LINES:
            if sink.name != dropped or update is not LINES[2]:
                sink.update(update, update.end)
        sink.notice(Notice(GAP, "info", "nothing was heard", lane="mic", span=(6.0, 8.0)))
        sink.close(SUMMARY)
    checks = part("laws").transcripts(ledger, **paths)
    assert [name for name, figure, bound in checks if figure > bound] == ([wrong] if wrong else [])


def test_the_ledger_finds_what_is_rewritten() -> None:
    ledger = part("meter").Ledger(part("meter").deque())
    line = final(0, "Hello there.", 1.0)
    words = (Word("Yellow", 1.0, 1.2),)
    ledger.update(CaptionUpdate("mic", 0, 0, "Yellow", "", 1.0, 1.2, 0.0, words=words), 1.5)
    ledger.update(
        CaptionUpdate("mic", 0, 1, line.stable, "", 1.0, line.end, 0.0, True, line.words), 2.0
    )
    assert ledger.breaches == 1
    assert "stable is rewritten" in ledger.first_breach
    assert ledger.lags == pytest.approx([0.3, 0.5])


def test_lost_sound_that_nobody_was_told_of_is_counted() -> None:
    meter = part("meter").SampleMeter()
    meter.gaps = [(1.0, 3.0), (5.0, 5.2), (7.0, 8.0)]
    assert meter.untold_s([(1.0, 2.5)]) == pytest.approx(1.5)
    assert meter.untold_s([(0.9, 3.1), (6.9, 8.0)]) == 0.0


def test_a_line_is_fitted_to_what_was_measured() -> None:
    slope = part("laws").slope
    assert slope([(0.0, 5.0), (1.0, 7.0), (2.0, 9.0)]) == pytest.approx(2.0)
    assert slope([(0.0, 5.0)]) == 0.0


def test_half_of_a_programme_is_silence_where_that_is_asked_for(tmp_path: Path) -> None:
    import soundfile

    path = tmp_path / "said.wav"
    soundfile.write(path, np.full(3 * SAMPLE_RATE, 0.1, np.float32), SAMPLE_RATE)
    said = Recording(path, 3.0, "en", "word", (("word", 2.0),))
    programme = part("programme").Programme([said], 600.0, 60.0, 1, 0.5)
    length = sum(piece.size for piece in programme.sound()) / SAMPLE_RATE
    assert length == pytest.approx(600.0, abs=60.0)
    assert programme.spoken_s / length == pytest.approx(0.5, abs=0.05)
    calm = {item.stretch for item in programme.played if item.calm}
    assert calm == {0, len(programme.starts) - 1}


class Told:
    """Takes the place of a session, a player and OBS; remembers what it is told."""

    def __init__(self) -> None:
        self.there = True
        self.calls: list[str] = []

    def stats(self) -> SimpleNamespace:
        return SimpleNamespace(speaking=frozenset({"mic"}))

    def __getattr__(self, name: str) -> Any:
        return lambda *_: self.calls.append(name)


def directed(tmp_path: Path, seed: int) -> tuple[Any, Told]:
    told = Told()
    config = EngineConfig("a model", "a detector", LatencyProfile(50.0))  # type: ignore[arg-type]
    events = part("events")
    director = events.Director(
        told,
        config,
        told,
        models=["one"],
        denoisers={},
        obs=told,
        children=SimpleNamespace(made=[]),
        settings=tmp_path / "settings.toml",
        seed=seed,
        pace=5.0,
        kinds=events.KINDS,
    )
    director.begin(0.0, 300.0)
    for tenth in range(3200):
        director.look(tenth / 10.0)
    return director, told


def test_what_happens_follows_from_the_seed_and_is_undone_at_the_end(tmp_path: Path) -> None:
    first, told = directed(tmp_path / "first", 4)
    again, _ = directed(tmp_path / "again", 4)
    other, _ = directed(tmp_path / "other", 5)
    assert json.dumps(first.log) == json.dumps(again.log) != json.dumps(other.log)
    assert not {"crash", "model", "denoiser"} & set(first.kinds), "which cannot happen here"
    assert all(first.counts[kind] for kind in first.kinds)
    assert first.counts["restored"] == 1
    assert max(each["at"] for each in first.log) < 310.0
    assert told.calls[-1] in ("come_back", "resume")
