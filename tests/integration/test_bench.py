"""The benchmark on real speech with the real model, and what it must find at the fixed stops."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from caption_laws import check_laws
from fixtures_recordings import AUDIO

from engine.bench import recordings, runner
from engine.bench.contender import Played
from engine.bench.metrics import normalised, score
from engine.bench.offline import transcribe
from engine.bench.recordings import Recording
from engine.bench.report import Row
from engine.config import STOPS, LatencyProfile
from engine.policy import Policy
from engine.recognizers.base import Recognizer, load
from engine.types import Samples
from engine.vad import SileroVad
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MANIFEST = AUDIO / "manifest.tsv"
SPOKEN = (
    "jfk_ask_not",
    "librosa_libri1_northanger",
    "ljspeech_LJ001-0006",
    "ls_test-clean_61-70968-0000",
)
"""36 s by four speakers: a slow speech, a hurried reading, two plain ones."""


def weights(model_id: str) -> ModelFiles:
    return ModelStore().files(catalogue.load().get(model_id))


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    return load(weights(catalogue.load().default), "cpu")


@pytest.fixture(scope="module")
def vad() -> ModelFiles:
    return weights(catalogue.load().vad)


@pytest.fixture(scope="module")
def spoken() -> list[tuple[Recording, Samples]]:
    paths = [AUDIO / "en_clean" / f"{name}.flac" for name in SPOKEN]
    return [(each, recordings.sound(each)) for each in recordings.find(paths, MANIFEST)]


@dataclass(frozen=True, slots=True)
class Heard:
    """A stop's figures over all recordings, and each one's captions."""

    row: Row
    played: tuple[Played, ...]


@pytest.fixture(scope="module")
def heard(
    spoken: list[tuple[Recording, Samples]], recognizer: Recognizer, vad: ModelFiles
) -> Mapping[str, Heard]:
    """Every stop on an infinitely fast machine, so that the figures are the policy's own."""
    found = {}
    for stop in STOPS:
        policy = Policy.at(LatencyProfile.parse(stop))
        played = [
            runner.caption(samples, recognizer, vad, policy, "en", charge=0.0)
            for _, samples in spoken
        ]
        row = Row(stop)
        for (recording, _), each in zip(spoken, played, strict=True):
            row.add(recording, each)
        found[stop] = Heard(row, tuple(played))
    return found


@pytest.mark.parametrize("stop", STOPS)
def test_the_laws_hold_on_every_timeline(heard: Mapping[str, Heard], stop: str) -> None:
    for played in heard[stop].played:
        check_laws(item.update for item in played.timeline)
        last = {item.update.segment_id: item.update for item in played.timeline}
        assert last
        assert all(update.is_final for update in last.values())
        assert [item.at for item in played.timeline] == sorted(item.at for item in played.timeline)


@pytest.mark.parametrize(
    ("stop", "erasure", "errors", "stable_p50_ms", "stable_p95_ms"),
    [
        ("fastest", 0.50, 8, 250, 1000),
        ("fast", 0.30, 10, 300, 1080),
        ("balanced", 0.12, 12, 420, 870),
        ("steady", 0.0, 12, 700, 1200),
        ("accurate", 0.05, 13, 975, 1300),
    ],
)
def test_no_stop_is_worse_than_it_was(
    heard: Mapping[str, Heard],
    stop: str,
    erasure: float,
    errors: int,
    stable_p50_ms: float,
    stable_p95_ms: float,
) -> None:
    row = heard[stop].row
    figures = row.figures()
    assert row.measured.erased_stable == 0
    assert row.measured.erasure <= erasure
    # The same weights offline make 5 errors.
    assert row.measured.words == 99
    assert row.measured.errors <= errors
    assert figures["stable_p50_ms"] is not None
    assert figures["stable_p50_ms"] <= stable_p50_ms
    assert figures["stable_p95_ms"] is not None
    assert figures["stable_p95_ms"] <= stable_p95_ms
    assert len(row.measured.first) >= 99 - errors


def test_the_slider_trades_latency_for_calm(heard: Mapping[str, Heard]) -> None:
    first = [heard[stop].row.figures()["first_p50_ms"] or 0.0 for stop in STOPS]
    # The last stop is about what is right, not about what moves: it shows words before it is sure.
    assert first[:4] == sorted(first[:4])
    assert first[0] < first[3] / 2
    assert heard["fastest"].row.measured.erased >= heard["balanced"].row.measured.erased


def test_offline_hears_nearly_every_word(
    spoken: list[tuple[Recording, Samples]], recognizer: Recognizer, vad: ModelFiles
) -> None:
    errors = 0
    for recording, samples in spoken:
        text = transcribe(samples, recognizer, SileroVad(vad))
        errors += score(recording.reference or [], normalised(text)).errors
    assert errors <= 7


@pytest.mark.parametrize("stop", ["fastest", "accurate"])
def test_sound_that_is_no_speech_is_not_captioned(
    recognizer: Recognizer, vad: ModelFiles, stop: str
) -> None:
    found = recordings.find([AUDIO / "nonspeech"], MANIFEST)
    assert len(found) >= 7
    row = Row(stop)
    for recording in found:
        samples, policy = recordings.sound(recording), Policy.at(LatencyProfile.parse(stop))
        row.add(recording, runner.caption(samples, recognizer, vad, policy, charge=0.0))
    captioned = [recording.name for recording, part in row.parts if part.invented]
    assert len(captioned) <= 1, captioned


def captionglass(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "desktop_app", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_command_measures_in_virtual_time(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    answer = captionglass(
        "bench", AUDIO / "en_clean" / "ljspeech_LJ001-0013.flac", "--reference", MANIFEST,
        "--profiles", "fastest,steady", "--virtual-time", "--json", out,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.splitlines()[-1] == ("captionglass: recording 1 of 1: ljspeech_LJ001-0013")
    lines = answer.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["fastest", "steady", "offline"]
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["feeding"] == "virtual time"
    for row in found["rows"]:
        assert row["erasure_stable"] == 0.0
        assert row["wer_percent"] <= 25.0
        assert row["words_timed"] >= 6
        assert row["cores"] > 0.0
        assert row["cores"] == row["rtf"]


def test_the_command_measures_in_real_time_each_profile_in_its_own_process(
    tmp_path: Path,
) -> None:
    out = tmp_path / "bench.json"
    answer = captionglass(
        "bench", AUDIO / "en_clean" / "ljspeech_LJ001-0013.flac", "--reference", MANIFEST,
        "--profiles", "steady", "--peers", "--json", out,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert len(found["left_out"]) == 2, "no peer may be a dependency of ours"
    (row,) = found["rows"]
    assert row["name"] == "steady"
    assert row["erasure_stable"] == 0.0
    assert row["lost_samples"] == 0
    assert row["audio_s"] == pytest.approx(2.58, abs=0.01)
    assert row["load_s"] > 0.0
    # A process that holds the model, and not the one that measures, which holds it too.
    assert 100.0 < row["peak_rss_mb"] < 600.0
    assert row["words_timed"] >= 6
