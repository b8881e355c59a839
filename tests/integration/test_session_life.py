"""A session from start to stop, over a recogniser that makes no mistakes (``fake_recognizer``):
what is lost, doubled or misdated is the session's own doing."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import pytest
from caption_laws import check_laws
from fake_recognizer import sound
from fake_source import PlayedSource
from fixtures_talk import (
    CONFIG,
    LIMIT_S,
    SOUND,
    WORDS,
    Loader,
    all_final,
    played,
    texts,
)

from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.types import SAMPLE_RATE, StreamHeader


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


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
