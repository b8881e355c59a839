"""The policy for families that give no times, or hear the whole window anew each time."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from fake_recognizer import Listener, ScriptedDetector, ScriptedRecognizer, script, seconds, sound
from stabilizer_bench import CAT, DOG, LIKELY, ON, PIECES, PLAIN, SAT, THE, Bench

from engine.config import LatencyProfile
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.stabilizer import Stabilizer
from engine.types import SAMPLE_RATE, CaptionUpdate


class TestWithoutTimes:
    """A family that cannot say where a word lies: it ended before it was first heard."""

    def test_a_word_is_as_old_as_it_has_been_heard(self) -> None:
        bench = Bench(replace(PLAIN, show_agree=2, lock_agree=2))
        said = ((THE, None, LIKELY), (CAT, None, LIKELY))
        assert bench.decode(1.0, *said) == ""
        assert bench.decode(1.0 + PLAIN.show_after - 0.05, *said) == ""
        assert bench.decode(1.0 + PLAIN.show_after + 0.05, *said) == "the cat"
        bench.decode(1.0 + PLAIN.lock_after - 0.05, *said)
        assert bench.settled == []
        bench.decode(1.0 + PLAIN.lock_after + 0.05, *said)
        assert bench.settled[0] == "the"

    def test_a_word_that_changes_is_heard_anew(self) -> None:
        bench = Bench(replace(PLAIN, show_agree=2, lock_agree=2))
        bench.decode(1.0, (THE, None, LIKELY), (CAT, None, LIKELY))
        said = ((THE, None, LIKELY), (DOG, None, LIKELY))
        assert bench.decode(1.0 + PLAIN.show_after + 0.05, *said) == "the"
        bench.decode(1.0 + PLAIN.lock_after + 0.05, *said)
        assert bench.settled == ["the"]

    def test_silence_behind_the_speech_makes_it_no_younger(self) -> None:
        bench = Bench(PLAIN)
        bench.hear(1.0)
        bench.hear(2.0, speech=False)
        assert bench.finish((THE, None), (CAT, None)) == ["the", "cat"]

    def test_its_words_have_times_all_the_same(self) -> None:
        model = ScriptedRecognizer(
            PIECES, lambda _: [model.token(CAT, None), model.token(SAT, None)]
        )
        stabilizer = Stabilizer(model, PLAIN)
        stabilizer.extend(seconds(10.0, 12.0), 10 * SAMPLE_RATE, speech=True)
        words = [item.word for item in stabilizer.finish().settled]
        assert [word.text for word in words] == ["cat", "sat"]
        assert all(word.start <= word.end <= 12.0 for word in words)


class TestWithoutPrefix:
    """A family that cannot be told what was said and hears the whole window anew each time."""

    def bench(self, policy: Policy = PLAIN) -> Bench:
        bench = Bench(policy)
        bench.model.prefixed = False
        return bench

    def test_what_is_settled_is_not_said_again(self) -> None:
        bench = self.bench()
        said = ((THE, 0.3), (CAT, 0.6), (SAT, 0.9))
        for until in (1.0, 1.0 + PLAIN.lock_after, 1.1 + PLAIN.lock_after):
            bench.decode(until, *said)
        assert bench.settled[:2] == ["the", "cat"]
        bench.decode(bench.now + 0.5, *said, (ON, 1.3))
        assert bench.finish(*said, (ON, 1.3)) == ["the", "cat", "sat", "on"]
        assert {ask.prefix for ask in bench.model.asks} == {()}
        assert {ask.draft for ask in bench.model.asks} == {()}

    def test_nor_where_it_is_heard_otherwise_now(self) -> None:
        bench = self.bench()
        said = ((THE, 0.3), (CAT, 0.6), (SAT, 0.9))
        for until in (1.0, 1.0 + PLAIN.lock_after, 1.1 + PLAIN.lock_after):
            bench.decode(until, *said)
        assert bench.settled == ["the", "cat", "sat"]
        bench.decode(bench.now + 0.5, (THE, 0.35), (DOG, 0.65), (SAT, 0.92), (ON, 1.3))
        assert bench.finish((DOG, 0.65), (SAT, 0.92), (ON, 1.3)) == ["the", "cat", "sat", "on"]

    @pytest.mark.parametrize("timed", [True, False])
    def test_what_is_shown_gives_way_to_what_is_heard_twice(self, timed: bool) -> None:
        bench = self.bench(replace(PLAIN, lock_after=5.0))
        bench.model.aligned = timed
        cat, dog = ((word, 0.6 if timed else None, LIKELY) for word in (CAT, DOG))
        the = (THE, 0.3 if timed else None, LIKELY)
        bench.decode(1.0, the, cat)
        assert bench.decode(1.3, the, cat) == "the cat"
        assert bench.decode(1.4, the, dog) == "the cat"
        assert bench.decode(1.5, the, cat) == "the cat"
        assert bench.decode(1.6, the, dog) == "the cat"
        bench.decode(1.7, the, dog)
        assert bench.decode(2.0, the, dog) == "the dog"
        # The last word of a line is the one that is heard last.
        assert bench.finish(the, cat) == ["the", "cat"]

    def test_what_is_doubted_is_not_settled(self) -> None:
        bench = self.bench(replace(PLAIN, lock_after=3.0))
        for until in (1.0, 1.3, 1.6):
            bench.decode(until, (THE, 0.3), (CAT, 0.6), (SAT, 0.9))
        bench.decode(5.0, (THE, 0.3), (DOG, 0.6), (SAT, 0.9))
        assert bench.settled == ["the"]
        assert bench.finish((THE, 0.3), (DOG, 0.6), (SAT, 0.9)) == ["the", "dog", "sat"]

    def test_a_listener_that_hears_all_is_captioned_once(self) -> None:
        words = script("one two three two three four five six seven eight nine ten " * 3)
        model = Listener(words)
        model.prefixed = False
        lane = LanePipeline(
            "mic",
            model,
            ScriptedDetector(),
            Policy.at(LatencyProfile.parse("balanced")),
            itertools.count().__next__,
        )
        updates: list[CaptionUpdate] = []
        for place in range(0, round(words[-1].end * SAMPLE_RATE) + 8_000, 1_600):
            updates += lane.push(sound(place, 1_600))
        updates += lane.end()
        finals = [update.stable for update in updates if update.is_final]
        assert " ".join(finals).split() == [word.text for word in words]
