"""A session from start to stop, over a recogniser that makes no mistakes (``fake_recognizer``):
what is lost, doubled or misdated is the session's own doing. Real models are at the end."""

from __future__ import annotations

import math
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from caption_laws import check_laws
from fake_recognizer import SPEC, Ask, Listener, ScriptedDetector, script, seconds, sound
from fake_source import PlayedSource

import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.errors import DeviceError, RecognizerError, SinkError, SourceError
from engine.ring import SampleRing
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import SAMPLE_RATE, CaptionUpdate, StreamHeader, StreamSummary
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

TALK = [
    *script("one two three four", start=0.4),
    *script("five six", start=3.0),
    *script("seven eight nine ten", start=5.0),
]
SPEECH = [(0.4, 1.95), (3.0, 3.75), (5.0, 6.55)]
SOUND = seconds(0.0, 7.5)
LIMIT_S = 20.0
"""Far above what anything here takes: a session that hangs fails the test."""

FILES = ModelFiles(SPEC, Path("nowhere"))
CONFIG = EngineConfig(model=FILES, vad=FILES, profile=LatencyProfile.parse("balanced"))


class Loader:
    """Stands in for loading weights.

    Attributes:
        model: what is loaded.
        fails_with: raised instead.
        gate: loading waits for it.
    """

    def __init__(self) -> None:
        self.model = Listener(TALK)
        self.fails_with: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, files: ModelFiles, provider: str) -> Listener:
        del files, provider
        assert self.gate.wait(LIMIT_S)
        if self.fails_with is not None:
            raise self.fails_with
        return self.model


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    loader = Loader()
    monkeypatch.setattr(engine.loading, "load", loader)
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector(SPEECH))
    return loader


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


def played(session: Session) -> StreamSummary:
    """Run it to its end."""
    session.start()
    assert session.wait(LIMIT_S)
    return session.stop()


def codes(sink: MemorySink) -> list[str]:
    return [notice.code for notice in sink.notices]


def texts(sink: MemorySink) -> list[str]:
    return [word.text for update in sink.finals for word in update.words]


def all_final(sink: MemorySink) -> bool:
    return {update.segment_id for update in sink.finals} == {
        update.segment_id for update in sink.updates
    }


WORDS = [word.text for word in TALK]


@pytest.mark.usefixtures("loader")
class TestLife:
    """Start, wait, stop."""

    def test_from_start_to_the_end_of_the_sound(self, loader: Loader, sink: MemorySink) -> None:
        source = PlayedSource(SOUND)
        session = Session(CONFIG, [source], [sink])
        assert session.stats().state == "starting"
        summary = played(session)
        assert texts(sink) == WORDS
        check_laws(sink.updates)
        assert all_final(sink)
        assert session.stats().state == "stopped"
        assert session.error is None
        assert (source.starts, sink.closed) == (1, True)
        assert source.stops >= 1
        assert sink.header == StreamHeader(
            version="",
            model_id="fake",
            provider="cpu",
            profile="balanced",
            sample_rate=SAMPLE_RATE,
            source="a played source",
        )
        assert sink.summary == replace(
            summary, cores=sink.summary.cores, peak_rss_mb=sink.summary.peak_rss_mb
        )
        assert loader.model.breaches == []

    def test_its_figures_are_sane(self, sink: MemorySink) -> None:
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        summary = played(session)
        stats = session.stats()
        assert stats.audio_s == summary.audio_s == pytest.approx(7.5)
        assert stats.words == summary.words == len(WORDS)
        assert stats.segments == summary.segments == 3
        assert (stats.model_id, stats.provider, stats.provider_asked) == ("fake", "cpu", "auto")
        assert stats.compute_s == summary.compute_s > 0
        assert summary.rtf == pytest.approx(summary.compute_s / summary.audio_s)
        assert stats.rtf > 0
        assert summary.cores > 0
        assert stats.lag_s == 0
        assert stats.lost_samples == 0
        assert math.isfinite(stats.level_dbfs["mic"])
        assert stats.first_latency.p50 is None, "a file read at once has no latency"

    def test_start_returns_before_the_model_is_there(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        loader.gate.clear()
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        session.start()
        assert session.stats().state == "starting"
        assert not session.wait(0.0)
        loader.gate.set()
        assert session.wait(LIMIT_S)
        assert texts(sink) == WORDS

    def test_stop_in_the_middle_captions_what_was_heard(self, sink: MemorySink) -> None:
        source = PlayedSource(SOUND[: 5 * SAMPLE_RATE + 20_000], stays=True)
        session = Session(CONFIG, [source], [sink])
        session.start()
        assert source.played.wait(LIMIT_S)
        assert session.stats().state == "running"
        summary = session.stop()
        assert texts(sink) == WORDS[:9]
        assert summary.words == 9
        assert all_final(sink)
        assert session.wait(0.0)

    def test_stop_may_be_called_again_and_from_many_threads(self, sink: MemorySink) -> None:
        source = PlayedSource(SOUND, stays=True)
        session = Session(CONFIG, [source], [sink])
        session.start()
        assert source.played.wait(LIMIT_S)
        stoppers = [threading.Thread(target=session.stop) for _ in range(4)]
        for thread in stoppers:
            thread.start()
        for thread in stoppers:
            thread.join()
        assert session.stop().words == len(WORDS)
        assert texts(sink) == WORDS

    def test_stop_before_start_is_nothing(self, sink: MemorySink) -> None:
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        assert session.stop().audio_s == 0
        assert sink.updates == []

    def test_stop_while_it_loads_does_not_wait_for_ever(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        loader.gate.clear()
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        session.start()
        assert session.stop(timeout=0.05).words == 0
        assert not session.wait(0.0)
        loader.gate.set()
        assert session.wait(LIMIT_S)
        assert session.stats().state == "stopped"

    def test_without_a_source_there_is_no_session(self) -> None:
        with pytest.raises(ValueError, match="source"):
            Session(CONFIG, [])

    def test_an_empty_source_is_an_end(self, sink: MemorySink) -> None:
        summary = played(Session(CONFIG, [PlayedSource(sound(0, 0))], [sink]))
        assert (summary.audio_s, summary.words, sink.updates) == (0.0, 0, [])
        assert sink.closed

    def test_two_lanes_have_lines_of_their_own(self, sink: MemorySink) -> None:
        sources = [PlayedSource(SOUND, lane=lane) for lane in ("mic", "system")]
        played(Session(CONFIG, sources, [sink]))
        for lane in ("mic", "system"):
            lines = [update for update in sink.finals if update.lane == lane]
            assert [word.text for line in lines for word in line.words] == WORDS
        ids = [update.segment_id for update in sink.finals]
        assert sorted(ids) == list(range(6))


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


@pytest.mark.usefixtures("loader")
class TestWhileItRuns:
    """What may be changed in the middle."""

    def run(
        self, sink: MemorySink, doing: dict[float, Callable[[Session, SampleRing], object]]
    ) -> Session:
        session: Session
        source = PlayedSource(
            SOUND,
            doing={
                second: lambda ring, act=act: act(session, ring) for second, act in doing.items()
            },
        )
        session = Session(CONFIG, [source], [sink])
        played(session)
        check_laws(sink.updates)
        assert all_final(sink)
        assert session.error is None
        return session

    def test_the_slider(self, loader: Loader, sink: MemorySink) -> None:
        def to(position: float) -> Callable[[Session, SampleRing], object]:
            return lambda session, _: session.set_profile(LatencyProfile(position))

        moves = {0.15 * step: to((step * 37) % 101) for step in range(1, 48)}
        session = self.run(sink, {**moves, 7.3: to(75.0)})
        assert session.profile.name == "steady"
        assert texts(sink) == WORDS
        assert loader.model.breaches == []

    def test_a_pause_leaves_out_what_is_said_meanwhile(self, sink: MemorySink) -> None:
        seen: list[str] = []

        def remember(session: Session, _: SampleRing) -> None:
            seen.append(session.stats().state)

        self.run(
            sink,
            {
                2.5: lambda session, _: session.pause(),
                3.5: remember,
                4.5: lambda session, _: session.resume(),
                4.9: remember,
            },
        )
        assert texts(sink) == WORDS[:4] + WORDS[6:]
        assert seen == ["paused", "running"]
        ends = [word.end for update in sink.finals for word in update.words]
        said = [word.end for word in TALK if word.text in texts(sink)]
        assert ends == pytest.approx(said, abs=0.002), "the clock went on"

    def test_a_pause_in_a_word_finishes_the_line(self, sink: MemorySink) -> None:
        seen: list[bool] = []
        self.run(
            sink,
            {
                1.35: lambda session, _: session.pause(),
                2.2: lambda *_: seen.append(all_final(sink)),
                2.5: lambda session, _: session.resume(),
            },
        )
        assert seen == [True]
        assert texts(sink) == ["one", "two", *WORDS[4:]]

    def test_a_session_may_begin_paused(self, sink: MemorySink) -> None:
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        session.pause()
        played(session)
        assert sink.updates == []
        assert session.stats().state == "stopped"
        assert session.stats().audio_s == pytest.approx(7.5)

    def test_a_sink_that_comes_late_gets_the_header_and_the_rest(self, sink: MemorySink) -> None:
        late = MemorySink("late")
        self.run(sink, {2.8: lambda session, _: session.add_sink(late)})
        assert late.header == sink.header
        assert texts(late) == WORDS[4:]
        assert late.closed

    def test_lost_sound_finishes_the_line_and_shifts_no_time(self, sink: MemorySink) -> None:
        # The device lost a second and a half, the words "five six" in it.
        gap = seconds(2.5, 4.0).size
        stream = np.concatenate((seconds(0.0, 2.5), seconds(4.0, 7.5)))
        source = PlayedSource(stream, doing={2.5: lambda ring: ring.mark_lost(gap)})
        session = Session(CONFIG, [source], [sink])
        played(session)
        assert texts(sink) == WORDS[:4] + WORDS[6:]
        ends = [word.end for update in sink.finals for word in update.words]
        said = [word.end for word in TALK if word.text in texts(sink)]
        assert ends == pytest.approx(said, abs=0.002)
        assert session.stats().lost_samples == gap

    def test_a_machine_that_falls_behind_leaves_out_the_oldest_and_says_so(
        self, sink: MemorySink
    ) -> None:
        # Everything arrives at once, as after a machine has slept; then a last word in good time.
        session = Session(CONFIG, [PlayedSource(SOUND, live=True)], [sink])
        played(session)
        check_laws(sink.updates)
        assert all_final(sink)
        assert "engine.gap" in codes(sink)
        ends = {word.text: word.end for word in TALK}
        for update in sink.finals:
            for word in update.words:
                assert word.end == pytest.approx(ends[word.text], abs=0.002)
        assert session.stats().audio_s < 6.0


@pytest.mark.usefixtures("loader")
class TestSwaps:
    """Another model, another source."""

    def run(self, loader: Loader, sink: MemorySink, at: float = 2.5) -> Session:
        """Swap to a fresh listener, whose model is called "other"; each swap in a pause."""
        other = Listener(TALK)
        other.spec = replace(SPEC, id="other", title="Other")

        def swap(ring: SampleRing) -> None:
            del ring
            loader.model = other
            session.swap_model(FILES)

        session = Session(CONFIG, [PlayedSource(SOUND, doing={at: swap})], [sink])
        played(session)
        check_laws(sink.updates)
        assert all_final(sink)
        assert session.error is None
        return session

    def test_a_model_swapped_in_a_pause_loses_no_word(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        first = loader.model
        session = self.run(loader, sink)
        assert texts(sink) == WORDS
        assert codes(sink) == ["model.swapped"]
        assert session.stats().model_id == "other"
        assert max(ask.ends_at for ask in first.asks) < 3.0
        assert loader.model.asks
        assert loader.model.breaches == []

    def test_it_waits_for_the_moment_it_is_meant_for(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        first = loader.model
        other = Listener(TALK)
        session = Session(CONFIG, [PlayedSource(SOUND)], [sink])
        loader.gate.clear()
        session.start()
        loader.gate.set()
        while session.stats().state == "starting":
            assert not session.wait(0.001), "it never ran"
        loader.model = other
        session.swap_model(FILES, at=4.5)
        assert session.wait(LIMIT_S)
        assert texts(sink) == WORDS
        if other.asks:  # the swap may have come after the last word: then the first did it all
            assert min(ask.ends_at for ask in other.asks) > 4.5
        assert first.asks

    def test_a_model_that_will_not_load_changes_nothing(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        def swap(ring: SampleRing) -> None:
            del ring
            loader.fails_with = RecognizerError("the weights are broken", "fetch them again")
            session.swap_model(FILES)

        session = Session(CONFIG, [PlayedSource(SOUND, doing={2.5: swap})], [sink])
        played(session)
        assert texts(sink) == WORDS
        (notice,) = sink.notices
        assert notice.code == "model.swap_failed"
        assert notice.text == "Fake did not take over, fake goes on: the weights are broken"
        assert session.error is None
        assert session.stats().model_id == "fake"

    def test_a_model_that_fails_to_load_in_a_way_nobody_thought_of_changes_nothing(
        self, loader: Loader, sink: MemorySink
    ) -> None:
        def swap(ring: SampleRing) -> None:
            del ring
            loader.fails_with = MemoryError()
            session.swap_model(FILES)

        session = Session(CONFIG, [PlayedSource(SOUND, doing={2.5: swap})], [sink])
        played(session)
        assert texts(sink) == WORDS
        assert codes(sink) == ["model.swap_failed"]

    def test_another_source_goes_on_with_the_clock(self, sink: MemorySink) -> None:
        def swap(ring: SampleRing) -> None:
            del ring
            session.swap_source(0, second)

        second = PlayedSource(seconds(2.5, 7.5), lane="mic")
        first = PlayedSource(SOUND[: round(2.5 * SAMPLE_RATE)], doing={2.5: swap}, stays=True)
        session = Session(CONFIG, [first], [sink])
        played(session)
        assert texts(sink) == WORDS
        assert first.stops >= 1
        ends = [word.end for update in sink.finals for word in update.words]
        assert ends == pytest.approx([word.end for word in TALK], abs=0.1)


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
