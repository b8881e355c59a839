"""Real speech through the whole session: quiet voices are captioned, noise suppression runs and is
changed meanwhile, and what is wrong with the level is told."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from caption_laws import check_laws
from fake_source import PlayedSource
from fixtures_recordings import Recording, Recordings

from engine.bench.metrics import normalised, score
from engine.config import DENOISERS, Denoise, EngineConfig, LatencyProfile
from engine.ring import SampleRing
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.types import SAMPLE_RATE, Samples
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

pytestmark = pytest.mark.slow

LIMIT_S = 250.0


def files(model_id: str) -> ModelFiles:
    return ModelStore().files(catalogue.load().get(model_id))


def config(denoise: Denoise = "off", *, auto_gain: bool = False) -> EngineConfig:
    known = catalogue.load()
    return EngineConfig(
        model=files(known.default),
        vad=files(known.vad),
        profile=LatencyProfile.parse("steady"),
        denoiser=None if denoise == "off" else files(DENOISERS[denoise]),
        auto_gain=auto_gain,
    )


def samples_of(recording: Recording) -> Samples:
    samples: Samples = soundfile.read(recording.path, dtype="float32")[0]
    return samples


def captioned(settings: EngineConfig, sound: Samples) -> tuple[MemorySink, Session]:
    sink = MemorySink()
    session = Session(settings, [PlayedSource(sound)], [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is None
    check_laws(sink.updates)
    return sink, session


def errors(sink: MemorySink, transcript: str) -> int:
    heard = " ".join(update.stable for update in sink.finals)
    return score(normalised(transcript), normalised(heard)).errors


def words(sink: MemorySink) -> list[tuple[str, float]]:
    return [(word.text, word.end) for update in sink.finals for word in update.words]


@pytest.fixture(scope="module")
def talk(recordings: Recordings) -> tuple[Samples, str]:
    """Eleven seconds of a speech, and a pause behind it."""
    chosen = recordings.named("jfk_ask_not")
    return np.pad(samples_of(chosen), (0, SAMPLE_RATE)), chosen.transcript


@pytest.fixture(scope="module")
def as_it_is(talk: tuple[Samples, str]) -> MemorySink:
    return captioned(config(), talk[0])[0]


def test_gain_changes_no_caption_of_an_ordinary_voice(
    talk: tuple[Samples, str], as_it_is: MemorySink
) -> None:
    sink, session = captioned(config(auto_gain=True), talk[0])
    before, after = words(as_it_is), words(sink)
    assert [word for word, _ in after] == [word for word, _ in before]
    assert all(abs(one[1] - other[1]) <= 0.05 for one, other in zip(before, after, strict=True))
    stats = session.stats()
    assert stats.gain_db == {"mic": 0.0}
    assert 0.02 < stats.rested < 0.6


def test_a_very_quiet_voice_is_captioned_as_well(
    talk: tuple[Samples, str], as_it_is: MemorySink
) -> None:
    sound, transcript = talk
    quiet = np.round(sound * 10 ** (-35 / 20) * 32768).astype(np.float32) / 32768
    sink, session = captioned(config(auto_gain=True), quiet)
    assert session.stats().gain_db["mic"] > 6.0
    assert errors(sink, transcript) <= errors(as_it_is, transcript) + 1


@pytest.mark.parametrize("denoise", ["light", "strong"])
def test_suppression_loses_no_line_and_keeps_the_times(
    talk: tuple[Samples, str], as_it_is: MemorySink, denoise: Denoise
) -> None:
    sink, session = captioned(config(denoise), talk[0])
    assert session.stats().denoiser_id == DENOISERS[denoise]
    assert errors(sink, talk[1]) <= errors(as_it_is, talk[1]) + 4
    before, after = dict(words(as_it_is)), dict(words(sink))
    both = [abs(before[word] - after[word]) for word in before.keys() & after.keys()]
    assert len(both) > 8
    assert np.median(both) <= 0.05


def test_it_is_switched_while_somebody_speaks(talk: tuple[Samples, str]) -> None:
    sound, transcript = talk
    sink = MemorySink()
    seen: list[str] = []

    def switch(to: Denoise) -> object:
        def act(_: SampleRing) -> None:
            session.set_denoiser(None if to == "off" else files(DENOISERS[to]))
            while session.stats().denoiser_id != DENOISERS.get(to, ""):
                assert session.error is None
                time.sleep(0.01)
            seen.append(to)

        return act

    source = PlayedSource(
        sound, doing={2.0: switch("light"), 5.0: switch("strong"), 8.0: switch("off")}
    )
    session = Session(config(), [source], [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is None
    assert seen == ["light", "strong", "off"]
    check_laws(sink.updates)
    assert errors(sink, transcript) <= 6
    assert session.stats().audio_s == pytest.approx(sound.size / SAMPLE_RATE, abs=0.01)


def test_captions_go_on_where_the_library_will_not_load(
    talk: tuple[Samples, str], as_it_is: MemorySink, tmp_path: Path
) -> None:
    spec = catalogue.load().get("rnnoise")
    for file in spec.files:
        (tmp_path / file.name).write_bytes(b"no library")

    broken = dataclasses.replace(config(), denoiser=ModelFiles(spec, tmp_path))
    sink, session = captioned(broken, talk[0])
    assert words(sink) == words(as_it_is)
    (told,) = [notice for notice in sink.notices if notice.code == "denoise.failed"]
    assert told.severity == "warning"
    assert "RNNoise" in told.text
    assert session.stats().denoiser_id == ""
