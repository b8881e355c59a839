"""Whole sessions with a streaming export of random weights: what it says is nonsense, but every
token of it has to arrive, once, in order, at its time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import ct_transformer_export
import numpy as np
import pytest
import soundfile
import zipformer_export
from caption_laws import check_laws
from ct_transformer_export import seeded
from fake_recognizer import LoudIsSpeech
from fixtures_recordings import Recordings

import engine.worker
from engine.config import STOPS, EngineConfig, LatencyProfile
from engine.numerals import in_digits
from engine.recognizers import zipformer
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import Word
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

LIMIT_S = 60.0


@pytest.fixture(scope="module", params=[("zipformer", "bpe"), ("lstm", "mixed")])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return zipformer_export.write(tmp_path_factory.mktemp("k2"), *request.param)


def captioned(
    model: ModelFiles,
    path: Path,
    stop: str,
    hotwords: tuple[str, ...] = (),
    blank_penalty: float = 0.0,
    punctuator: ModelFiles | None = None,
) -> MemorySink:
    config = EngineConfig(
        model=model,
        vad=model,
        profile=LatencyProfile.parse(stop),
        hotwords=hotwords,
        blank_penalty=blank_penalty,
        punctuator=punctuator,
    )
    sink = MemorySink()
    session = Session(config, [FileSource(path)], [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is None
    return sink


def said(sink: MemorySink) -> list[Word]:
    return [word for update in sink.finals for word in update.words]


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("floor", [0.0, 0.02])
def test_every_token_arrives_once(
    files: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch, floor: float
) -> None:
    """At ``floor`` 0 all is one stretch of speech: then captions are what the model alone says."""
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(floor))
    path = recordings.named("jfk_ask_not").path
    sink = captioned(files, path, "fastest")
    check_laws(sink.updates)
    words = said(sink)
    assert len(words) > 5
    samples, _ = soundfile.read(path, dtype="float32")
    assert all(0.0 <= word.start <= word.end <= samples.size / 16_000 + 0.1 for word in words)
    if floor == 0.0:
        model = zipformer.load(files, "cpu")
        stream = model.stream()
        stream.accept(np.pad(samples, (0, -samples.size % 512)))
        alone = stream.finish().tokens
        # Chinese numerals are written as digits behind the model.
        assert bare("".join(word.text for word in words)) == bare(
            in_digits(model.text([token.id for token in alone]))
        )
        # A reader sees no word change: a greedy search takes nothing back.
        assert not any(
            not update.text.startswith(before.text.removesuffix(before.unstable))
            for before, update in zip(sink.updates, sink.updates[1:], strict=False)
            if before.segment_id == update.segment_id
        )


@pytest.mark.parametrize("stop", list(STOPS))
def test_the_laws_hold_at_every_stop(
    files: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    sink = captioned(files, recordings.named("jfk_ask_not").path, stop)
    check_laws(sink.updates)
    assert said(sink)
    if stop == "steady":
        assert not any(update.unstable for update in sink.updates)


def test_phrases_to_be_favoured_reach_the_model(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.0))
    files = zipformer_export.write(tmp_path, "lstm")
    path = recordings.named("jfk_ask_not").path
    plain = captioned(files, path, "balanced")
    favoured = captioned(files, path, "balanced", ("would have", "章鱼", "what", "their"))
    assert plain.text != favoured.text
    assert plain.notices == []
    (notice,) = favoured.notices
    assert notice.code == "model.hotwords"
    assert "1 of the 4" in notice.text
    assert "章鱼" not in notice.text, "what somebody wants to hear is nobody's business"


def test_a_penalty_on_silence_reaches_the_model(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.0))
    files = zipformer_export.write(tmp_path, "lstm")
    path = recordings.named("jfk_ask_not").path
    plain = captioned(files, path, "balanced")
    louder = captioned(files, path, "balanced", blank_penalty=4.0)
    assert len(bare(louder.text)) > len(bare(plain.text))


def test_marks_are_set_where_the_model_gives_none(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    files = zipformer_export.write(tmp_path / "k2", "zipformer", "mixed")
    path = recordings.named("jfk_ask_not").path
    plain = captioned(files, path, "balanced")
    marked = captioned(
        files, path, "balanced", punctuator=ct_transformer_export.export(tmp_path, seeded())
    )
    check_laws(marked.updates)
    assert re.search("[,.?，。？]", plain.text) is None
    assert len(re.findall("[,.?，。？]", marked.text)) > 3
    assert all(update.text[-1] in ".,?。，？" for update in marked.finals)
    assert bare(re.sub("[,.?，。？、]", "", marked.text)) == bare(plain.text)


def test_a_punctuation_model_that_will_not_load_costs_no_captions(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    files = zipformer_export.write(tmp_path / "k2", "lstm")
    broken = ct_transformer_export.export(tmp_path, seeded(), tokens="none")
    sink = captioned(files, recordings.named("jfk_ask_not").path, "balanced", punctuator=broken)
    assert said(sink)
    assert [notice.code for notice in sink.notices] == ["punctuation.failed"]


@pytest.mark.slow
class TestBesideARealModel:
    """Changing to it and back, while real speech runs."""

    def run(self, first: ModelFiles, second: ModelFiles, path: Path) -> list[Word]:
        store, known = ModelStore(), catalogue.load()
        config = EngineConfig(
            model=first, vad=store.files(known.get(known.vad)), profile=LatencyProfile.parse("fast")
        )
        sink = MemorySink()
        session = Session(config, [FileSource(path)], [sink])
        session.start()
        session.swap_model(second, at=2.5)
        assert session.wait(LIMIT_S)
        session.stop()
        assert session.error is None
        assert [notice.code for notice in sink.notices] == ["model.swapped"]
        check_laws(sink.updates)
        words = said(sink)
        assert [word.start for word in words] == sorted(word.start for word in words)
        return words

    def test_the_real_model_is_understood_on_its_side_of_the_change(
        self, recordings: Recordings, tmp_path: Path
    ) -> None:
        files = zipformer_export.write(tmp_path, "zipformer")
        real = ModelStore().files(catalogue.load().get("moonshine-tiny-en"))
        recording = recordings.named("ljspeech_LJ001-0011")
        ends = dict(recording.words)
        for first, second, side in (
            (real, files, lambda end: end < 2.0),
            (files, real, lambda end: end > 4.2),
        ):
            words = self.run(first, second, recording.path)
            heard = {"".join(filter(str.isalpha, word.text.lower())) for word in words}
            expected = {word for word, end in ends.items() if side(end)}
            assert len(expected - heard) <= max(1, len(expected) // 5), (words, expected)


def test_a_model_that_is_missing_a_file_is_one_clear_error(
    files: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.0))
    broken = replace(files, folder=tmp_path)
    config = EngineConfig(model=broken, vad=files, profile=LatencyProfile.parse("fast"))
    session = Session(config, [FileSource(recordings.named("jfk_ask_not").path)], [])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is not None
    assert "\n" not in str(session.error)
