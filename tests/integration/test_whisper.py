"""Whisper on its real weights: Chinese while it is spoken, languages found and changed, nothing
where nobody speaks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from caption_laws import check_laws
from fixtures_recordings import Recording, Recordings

from engine.bench.metrics import normalised, score
from engine.config import EngineConfig, LatencyProfile
from engine.errors import RecognizerError
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.whisper import WhisperRecognizer, load
from engine.scripts import is_wide
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples
from engine.vad import SileroVad
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

pytestmark = pytest.mark.slow

# A step that a laptop keeps up with at the base model; the policy is that of the stop.
BALANCED = replace(Policy.at(LatencyProfile.parse("balanced")), step=0.6)


def installed(model_id: str) -> ModelFiles:
    return ModelStore().files(catalogue.load().get(model_id))


@pytest.fixture(scope="module")
def base() -> WhisperRecognizer:
    return load(installed("whisper-base"), "cpu")


@pytest.fixture(scope="module")
def tiny() -> WhisperRecognizer:
    return load(installed("whisper-tiny.en"), "cpu")


def samples_of(recording: Recording) -> Samples:
    samples: Samples = soundfile.read(recording.path, dtype="float32")[0]
    return samples


def errors(transcript: str, text: str) -> float:
    """Share of the words, or characters, of the transcript."""
    result = score(normalised(transcript), normalised(text))
    return result.errors / result.words


def play(
    model: WhisperRecognizer, samples: Samples, language: str = ""
) -> list[tuple[float, CaptionUpdate]]:
    """All updates, each with the stream time at which it came."""
    vad = SileroVad(installed("silero-vad"))
    new_id = itertools.count().__next__
    lane = LanePipeline("mic", model, vad, BALANCED, new_id, language)
    found = []
    for at in range(0, samples.size, 1_600):
        found += [(lane.heard_s, update) for update in lane.push(samples[at : at + 1_600])]
    found += [(lane.heard_s, update) for update in lane.end()]
    check_laws([update for _, update in found])
    return found


def finals(updates: Sequence[tuple[float, CaptionUpdate]]) -> list[CaptionUpdate]:
    return [update for _, update in updates if update.is_final and update.stable]


def spaceless(text: str) -> bool:
    pairs = zip(text, text[2:], strict=False)
    return not any(
        is_wide(a) and is_wide(b) and text[at + 1] == " " for at, (a, b) in enumerate(pairs)
    )


def test_chinese_appears_while_it_is_spoken_and_as_the_same_weights_hear_it_offline(
    base: WhisperRecognizer, recordings: Recordings
) -> None:
    recording = recordings.named("thchs30_D4_752")
    samples = samples_of(recording)
    updates = play(base, samples)
    (line,) = finals(updates)
    offline = base.text([token.id for token in base.stream("zh").decode(samples).tokens])
    assert errors(recording.transcript, line.stable) <= errors(recording.transcript, offline) + 0.06
    assert line.language == "zh"
    assert spaceless(line.stable)
    # Half of it stands there when half of it was said, and grows by the character.
    halfway = [update.text for at, update in updates if at < recording.seconds / 2]
    assert len(halfway[-1]) >= len(line.stable) // 4
    assert len({update.text for _, update in updates}) >= 6
    assert "\ufffd" not in "".join(update.text for _, update in updates)
    times = [word.end for word in line.words]
    assert times == sorted(times)
    assert times[-1] <= recording.seconds + 0.1


def test_a_session_writes_chinese_in_the_characters_that_are_asked_for(
    recordings: Recordings,
) -> None:
    recording = recordings.named("cv_zh-CN_18536155")
    sink = MemorySink()
    config = EngineConfig(
        installed("whisper-base"),
        installed("silero-vad"),
        LatencyProfile.parse("accurate"),
        "cpu",
        chinese_script="traditional",
    )
    session = Session(config, [FileSource(recording.path)], [sink])
    session.start()
    assert session.wait(120)
    session.stop()
    assert session.error is None
    check_laws(sink.updates)
    assert {update.language for update in sink.finals} == {"zh"}
    text = "".join(update.stable for update in sink.finals)
    assert "從來都" in text
    assert not set(text) & set("从来习")
    assert errors(recording.transcript, text) <= 0.2


def test_who_goes_over_to_english_is_captioned_in_both(
    base: WhisperRecognizer, recordings: Recordings
) -> None:
    chinese = recordings.named("cv_zh-CN_18536155")
    english = recordings.named("ljspeech_LJ001-0011")
    pause = np.zeros(int(0.7 * SAMPLE_RATE), np.float32)
    updates = play(base, np.concatenate((samples_of(chinese), pause, samples_of(english), pause)))
    lines = finals(updates)
    assert [line.language for line in lines if line.language == "zh"]
    assert lines[-1].language == "en"
    said = {
        code: " ".join(line.stable for line in lines if line.language == code)
        for code in ("zh", "en")
    }
    assert errors(chinese.transcript, said["zh"]) <= 0.25
    assert errors(english.transcript, said["en"]) <= 0.25


@pytest.mark.parametrize(
    ("name", "language", "most"),
    [
        ("leopard_de", "de", 0.35),
        ("leopard_fr", "fr", 0.2),
        ("asterisk_it_confbridge-only-participant", "it", 0.2),
        ("asterisk_ru_conf-invalid", "ru", 0.2),
        ("mfa_ja_cv_24511055", "ja", 0.4),
    ],
)
def test_a_language_is_found_and_understood(
    base: WhisperRecognizer, recordings: Recordings, name: str, language: str, most: float
) -> None:
    recording = recordings.named(name)
    heard = base.stream().decode(samples_of(recording))
    assert heard.language == language
    assert errors(recording.transcript, base.text([t.id for t in heard.tokens])) <= most


def test_every_language_of_the_tests_is_tried(recordings: Recordings) -> None:
    (mark,) = (
        mark
        for mark in test_a_language_is_found_and_understood.pytestmark  # type: ignore[attr-defined]
        if mark.name == "parametrize"
    )
    others = {each.name for each in recordings if each.path.parent.name == "other_lang"}
    assert {row[0] for row in mark.args[1]} == others


def test_english_streams_as_well_as_it_is_heard_offline(
    tiny: WhisperRecognizer, recordings: Recordings
) -> None:
    for name in ("ljspeech_LJ001-0006", "ls_test-clean_61-70968-0000"):
        recording = recordings.named(name)
        samples = samples_of(recording)
        offline = tiny.text([token.id for token in tiny.stream().decode(samples).tokens])
        text = " ".join(line.stable for line in finals(play(tiny, samples)))
        allowed = errors(recording.transcript, offline) + 0.1
        assert errors(recording.transcript, text) <= allowed, (text, offline)


@pytest.mark.parametrize("model_id", ["whisper-tiny.en", "whisper-base"])
def test_what_is_no_speech_is_no_word(
    model_id: str, tiny: WhisperRecognizer, base: WhisperRecognizer, recordings: Recordings
) -> None:
    model = {"whisper-tiny.en": tiny, "whisper-base": base}[model_id]
    said = {}
    for recording in recordings.nonspeech:
        text = " ".join(update.text for _, update in play(model, samples_of(recording)))
        if text.strip():
            said[recording.name] = text
    assert said == {}


def test_a_model_of_one_language_is_told_no_other(tiny: WhisperRecognizer) -> None:
    with pytest.raises(RecognizerError, match="does not know the language 'zh'"):
        tiny.stream("zh")
    assert tiny.stream("en-GB")


def test_phrases_are_told_as_far_as_there_is_room(
    tiny: WhisperRecognizer, recordings: Recordings
) -> None:
    samples = samples_of(recordings.named("ljspeech_LJ001-0006"))
    plain = tiny.stream().decode(samples)
    try:
        assert tiny.favour(["typography", "incunabula"]) == []
        told = tiny.stream().decode(samples)
        assert len(told.tokens) >= len(plain.tokens) - 2
        many = [f"phrase number {number}" for number in range(100)]
        left = tiny.favour(many)
        assert left
        assert left == many[-len(left) :]
        assert tiny.stream().decode(samples).tokens
    finally:
        tiny.favour([])
    assert tiny.stream().decode(samples).tokens == plain.tokens
