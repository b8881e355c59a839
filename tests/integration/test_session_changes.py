"""What is changed while a session runs, over a recogniser that makes no mistakes: the slider,
pauses, sinks, the model and the source, and no word is lost, doubled or misdated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from caption_laws import check_laws
from fake_recognizer import SPEC, Listener, seconds
from fake_source import PlayedSource
from fixtures_talk import (
    CONFIG,
    FILES,
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

from engine.config import LatencyProfile
from engine.errors import RecognizerError
from engine.ring import SampleRing
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.types import SAMPLE_RATE


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


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
