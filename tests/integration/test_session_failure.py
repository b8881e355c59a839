"""What fails in a session reaches whoever asks, as one clear error, and nothing is left running.
Real models are at the end."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_recognizer import Ask, Listener
from fake_source import PlayedSource
from fixtures_talk import (
    CONFIG,
    LIMIT_S,
    SOUND,
    TALK,
    WORDS,
    Loader,
    all_final,
    codes,
    played,
    texts,
)

from engine.config import EngineConfig, LatencyProfile
from engine.errors import DeviceError, RecognizerError, SinkError, SourceError
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import SAMPLE_RATE, CaptionUpdate
from models import catalogue
from models.store import ModelStore


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.mark.usefixtures("loader")
class TestFailure:
    """Errors reach whoever asks, and nothing is left running."""

    def test_a_model_that_will_not_load(self, loader: Loader, sink: MemorySink) -> None:
        loader.fails_with = RecognizerError("the model is broken", "fetch it again")
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        played(session)
        assert session.error is loader.fails_with
        assert session.stats().state == "failed"

    def test_a_model_that_will_not_load_holds_no_source(self, loader: Loader) -> None:
        loader.fails_with = RecognizerError("the model is broken", "fetch it again")
        source = PlayedSource(SOUND)
        played(Session(CONFIG, [source]))
        assert source.stops >= 1, "a file or a device stays open"

    def test_a_source_that_cannot_start(self, sink: MemorySink) -> None:
        error = DeviceError("the microphone is held by another program", "close it")
        fine = PlayedSource(SOUND, lane="system", stays=True)
        session = Session(CONFIG, [fine, PlayedSource(SOUND, refuses=error)], [sink])
        played(session)
        assert session.error is error
        assert session.stats().state == "failed"
        assert fine.stops >= 1
        (notice,) = sink.notices
        assert (notice.code, notice.severity) == ("engine.failed", "error")
        assert (notice.text, notice.remedy) == (error.message, error.remedy)
        assert not notice.recoverable
        assert sink.closed

    def test_a_source_that_breaks_off(self, sink: MemorySink) -> None:
        error = SourceError("the headset is gone", "plug it in")
        session = Session(
            CONFIG, [PlayedSource(SOUND[: 5 * SAMPLE_RATE + 20_000], breaks_off=error)], [sink]
        )
        played(session)
        assert texts(sink) == WORDS[:9], "what was heard before is captioned"
        assert all_final(sink)
        assert session.error is error
        assert session.stats().state == "failed"
        assert codes(sink) == ["engine.failed"]
        assert sink.closed

    @pytest.mark.parametrize(
        "error", [RecognizerError("the model failed", "choose another"), ZeroDivisionError("x")]
    )
    def test_a_model_that_fails_in_the_middle(
        self, loader: Loader, sink: MemorySink, error: Exception
    ) -> None:
        class Failing(Listener):
            def heard(self, ask: Ask, samples: Any) -> Sequence[Any]:
                if ask.ends_at > 3.2:
                    raise error
                return super().heard(ask, samples)

        loader.model = Failing(TALK)
        source = PlayedSource(SOUND, stays=True)
        session = Session(CONFIG, [source], [sink])
        played(session)
        assert texts(sink)[:4] == WORDS[:4]
        assert isinstance(session.error, RecognizerError)
        assert "\n" not in str(session.error)
        assert codes(sink) == ["model.restarted", "engine.failed"]
        assert sink.closed
        assert source.stops >= 1

    def test_a_sink_that_fails_stops_no_caption(self, sink: MemorySink) -> None:
        class Full(MemorySink):
            def update(self, update: CaptionUpdate, published_at: float) -> None:
                super().update(update, published_at)
                raise SinkError("the disk is full", "make room")

        full = Full("captions.srt")
        session = Session(CONFIG, [PlayedSource(SOUND)], [full, sink])
        played(session)
        assert texts(sink) == WORDS
        assert session.error is None
        assert codes(sink) == ["sink.failed"]
        assert full.closed
        assert len(full.updates) == 1

    def test_a_provider_that_was_not_to_be_had_is_told(self, sink: MemorySink) -> None:
        played(Session(replace(CONFIG, provider="cuda"), [PlayedSource(SOUND)], [sink]))
        assert codes(sink) == ["provider.fallback"]
        assert texts(sink) == WORDS


# -- with real weights ----------------------------------------------------------------------


@pytest.fixture
def real_config() -> EngineConfig:
    known, store = catalogue.load(), ModelStore()
    return EngineConfig(
        model=store.files(known.get(known.default)),
        vad=store.files(known.get(known.vad)),
        profile=LatencyProfile.parse("balanced"),
        provider="cpu",
    )


@pytest.fixture
def demo_source(demo: Any) -> Iterator[FileSource]:
    source = FileSource(demo.path)
    yield source
    source.stop()


@pytest.mark.slow
def test_weights_that_are_not_there_are_one_clear_error(
    real_config: EngineConfig, demo_source: FileSource, tmp_path: Path
) -> None:
    missing = replace(real_config, model=replace(real_config.model, folder=tmp_path))
    session = Session(missing, [demo_source])
    played(session)
    assert isinstance(session.error, RecognizerError)
    assert session.error.remedy
    assert "\n" not in str(session.error)
    assert session.stats().state == "failed"


@pytest.mark.slow
def test_a_damaged_detector_is_one_clear_error(
    real_config: EngineConfig, demo_source: FileSource, tmp_path: Path
) -> None:
    (tmp_path / "silero_vad.onnx").write_bytes(b"rubbish")
    damaged = replace(real_config, vad=replace(real_config.vad, folder=tmp_path))
    session = Session(damaged, [demo_source])
    played(session)
    assert isinstance(session.error, RecognizerError)
    assert "\n" not in str(session.error)


@pytest.mark.slow
def test_a_swap_to_a_damaged_model_changes_nothing(
    real_config: EngineConfig, recordings: Any, tmp_path: Path, sink: MemorySink
) -> None:
    for file in real_config.model.spec.files:
        shutil.copy(real_config.model.path(file.name), tmp_path / file.name)
    (tmp_path / "decoder_model_merged.ort").write_bytes(b"rubbish")
    damaged = replace(real_config.model, folder=tmp_path)
    source = FileSource(recordings.named("ljspeech_LJ001-0006").path)
    session = Session(real_config, [source], [sink])
    session.start()
    session.swap_model(damaged, at=1.0)
    assert session.wait(LIMIT_S * 3)
    assert codes(sink) == ["model.swap_failed"]
    assert "typography" in sink.text
    assert session.error is None
    assert session.stats().rtf > 0
