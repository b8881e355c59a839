"""The policy for models that hear every sound once: when a word is over, shown, settled; and lanes
that change from one kind of model to the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from caption_laws import check_laws
from fake_incremental import IncrementalListener, ScriptedIncremental
from fake_recognizer import Listener, Said, ScriptedDetector, script, seconds
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.config import STOPS, LatencyProfile
from engine.incremental import Follower, effort, policy_for
from engine.lane import LanePipeline
from engine.lines import SpacedWord
from engine.policy import Policy
from engine.stabilizer import Stabilizer
from engine.types import SAMPLE_RATE, CaptionUpdate, Word

CALM = settings(deadline=None, max_examples=15)
PIECES = [" one", " two", " three", "some", ".", " the", "你", "好", "\ufffd"]
NAMES = list(STOPS)

TALK = [
    *script("one two three four", start=0.4),
    *script("five six.", start=2.3),
    *script("seven eight nine ten eleven twelve", start=6.0),
]
SPEECH = [(0.4, 1.95), (2.3, 3.05), (6.0, 8.35)]
END = 9.5


def at(name: str, **changes: float) -> Policy:
    return replace(Policy.at(LatencyProfile.parse(name)), **changes)  # type: ignore[arg-type]


def texts(words: Sequence[SpacedWord]) -> list[str]:
    return [item.word.text for item in words]


class TestFollower:
    """One stream whose answers are written down."""

    def follower(self, model: ScriptedIncremental, stop: str = "balanced") -> Follower:
        follower = Follower(model, at(stop))
        follower.extend(seconds(0.0, 4.0), 0, speech=True)
        return follower

    def test_a_word_is_over_when_the_next_one_begins(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [
            model.running(0.64, (0, 0.5)),
            model.running(0.96, (0, 0.5), (3, 0.7)),
            model.running(1.28, (0, 0.5), (3, 0.7), (1, 1.1)),
            model.running(1.28, (1, 1.1)),
        ]
        follower = self.follower(model, "fastest")
        shown = follower.decode()
        assert (texts(shown.settled), texts(shown.tail)) == ([], ["one"])
        shown = follower.decode()
        assert (texts(shown.settled), texts(shown.tail)) == ([], ["onesome"])
        shown = follower.decode()
        assert (texts(shown.settled), texts(shown.tail)) == (["onesome"], ["two"])
        assert model.settled == [2]
        assert shown.settled[0].word.end == pytest.approx(0.7)

    def test_a_pause_ends_the_last_word_and_so_does_a_while_without_more(self) -> None:
        for paused, heard in ((True, 0.96), (False, 1.6)):
            model = ScriptedIncremental(PIECES)
            model.answers = [model.running(heard, (0, 0.6))]
            assert texts(self.follower(model).decode(paused=paused).settled) == ["one"]
        model.answers = [model.running(0.96, (0, 0.6))]
        assert self.follower(model).decode().settled == ()

    def test_nothing_is_shown_before_it_is_settled_where_nothing_may_change(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [model.running(0.64, (0, 0.5))]
        shown = self.follower(model, "steady").decode()
        assert (shown.settled, shown.tail) == ((), ())

    def test_readings_that_differ_stay_open_for_so_long_and_no_longer(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [
            model.running(1.28, (0, 0.5), (1, 0.9), (2, 1.1), stable=1),
            model.running(1.60, (0, 0.5), (5, 0.9), (2, 1.1), stable=1),
            model.running(1.92, (0, 0.5), (5, 0.9), (2, 1.1), stable=1),
            model.running(2.24, (5, 0.9), (2, 1.1), stable=0),
        ]
        follower = self.follower(model, "fastest")
        shown = follower.decode()
        # The first is what they all say, but not yet over: they differ on what follows.
        assert (texts(shown.settled), texts(shown.tail)) == ([], ["one", "two", "three"])
        assert texts(follower.decode().tail) == ["one", "the", "three"]
        assert texts(follower.decode().settled) == ["one"]  # 1.4 s old
        assert texts(follower.decode().settled) == ["the"]
        assert model.settled == [1, 1]

    def test_a_reading_that_is_new_and_unsure_is_not_shown_at_once(self) -> None:
        model = ScriptedIncremental(PIECES)
        unsure = model.running(0.96, (0, 0.6), stable=0)
        unsure = replace(unsure, tokens=(model.token(0, 0.6, probability=0.4),))
        model.answers = [unsure, replace(unsure, heard_s=1.28)]
        follower = self.follower(model, "balanced")
        assert follower.decode().tail == ()
        assert texts(follower.decode().tail) == ["one"]

    def test_an_answer_to_no_new_sound_counts_as_no_agreement(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [replace(model.running(0.96, (0, 0.6)), tokens=(model.token(0, 0.6, 0.4),))]
        follower = self.follower(model, "balanced")
        assert [follower.decode().tail for _ in range(3)] == [(), (), ()]

    def test_the_mark_behind_the_last_word_waits_for_the_next(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [model.running(0.96, (0, 0.6), (4, 0.7))]
        shown = self.follower(model, "fastest").decode()
        assert texts(shown.tail) == ["one"]
        assert texts(self.follower(model).finish().settled) == ["one."]

    def test_chinese_is_settled_character_by_character(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [model.running(1.28, (6, 0.5), (7, 0.7), (0, 1.0), (6, 1.2))]
        shown = self.follower(model, "fastest").decode()
        assert [(item.word.text, item.spaced) for item in shown.settled] == [
            ("你", False),
            ("好", False),
            ("one", True),
        ]
        assert texts(shown.tail) == ["你"]

    def test_half_a_character_is_not_shown(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [model.running(1.28, (0, 0.5), (6, 0.7), (8, 0.9))]
        follower = self.follower(model, "fastest")
        shown = follower.decode()
        assert (texts(shown.settled), texts(shown.tail)) == (["one", "你"], [])
        model.answers = [model.running(1.6, (8, 0.9))]
        assert texts(follower.finish().settled) == []

    def test_what_may_be_no_speech_is_neither_shown_nor_context(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [model.running(1.28, (0, 0.5), (1, 1.1))]
        follower = self.follower(model)
        shown = follower.decode(hold=True)
        assert (shown.settled, shown.tail, model.settled) == ((), (), [])
        assert follower.understanding().words == 2
        shown = follower.finish(lambda: False)
        assert (shown.settled, model.resets) == ((), 1)
        assert not follower.has_unsettled
        assert follower.window_s == 0.0

    def test_times_are_those_of_the_stream_though_sound_was_left_out(self) -> None:
        model = ScriptedIncremental(PIECES)
        model.answers = [
            model.running(1.0, (0, 0.5), (1, 0.9)),
            model.running(2.0, (1, 0.9), (2, 1.8)),
            model.running(2.0, (2, 1.8)),
        ]
        follower = Follower(model, at("fastest"))
        follower.extend(seconds(10.0, 11.0), 10 * SAMPLE_RATE, speech=True)
        assert follower.decode().settled[0].word.end == pytest.approx(10.5)
        # Nine seconds of silence are not heard.
        follower.extend(seconds(20.0, 21.0), 20 * SAMPLE_RATE, speech=True)
        assert follower.decode().settled[0].word.end == pytest.approx(10.9)
        words = follower.finish().settled
        assert words[0].word.end == pytest.approx(20.8)
        assert words[0].word.start < words[0].word.end

    def test_what_it_keeps_does_not_grow_where_nothing_is_settled(self) -> None:
        model = ScriptedIncremental(PIECES, [ScriptedIncremental(PIECES).running(0.0)])
        follower = Follower(model, at("balanced"))
        for second in range(60):
            follower.extend(seconds(second, second + 1), second * SAMPLE_RATE, speech=True)
            follower.decode()
        assert follower.window_s <= 11.0

    def test_the_slider_is_passed_on_as_effort(self) -> None:
        model = ScriptedIncremental(PIECES)
        follower = Follower(model, at("fastest"))
        for name in NAMES:
            follower.policy = at(name)
        assert model.efforts[:2] == [0.0, 0.0]
        assert model.efforts == sorted(model.efforts)
        assert model.efforts[-1] == 1.0
        assert effort(at("balanced")) == pytest.approx(0.42, abs=0.1)


def test_each_kind_of_model_has_its_own_policy() -> None:
    assert isinstance(policy_for(Listener(TALK), at("fast")), Stabilizer)
    assert isinstance(policy_for(IncrementalListener(TALK), at("fast")), Follower)


# -- in a lane ------------------------------------------------------------------------------


def lane(listener: Listener | IncrementalListener, stop: str = "balanced") -> LanePipeline:
    detector = ScriptedDetector(SPEECH)
    return LanePipeline("mic", listener, detector, at(stop), itertools.count().__next__, "en")


def play(
    pipeline: LanePipeline, stop: float, *, start: float = 0.0, cuts: Sequence[int] = (1_600,)
) -> list[CaptionUpdate]:
    updates: list[CaptionUpdate] = []
    samples, place = seconds(start, stop), 0
    for cut in itertools.cycle(cuts):
        updates += pipeline.push(samples[place : place + cut])
        place += cut
        if place >= samples.size:
            return updates
    raise AssertionError("no cuts")


def final_words(updates: Sequence[CaptionUpdate]) -> list[Word]:
    check_laws(updates)
    finals = {update.segment_id: update for update in updates if update.is_final}
    assert {update.segment_id for update in updates} == set(finals), "a line was never finished"
    return [word for number in sorted(finals) for word in finals[number].words]


def said(words: Sequence[Said] | Sequence[Word]) -> list[str]:
    return [word.text for word in words]


@pytest.mark.parametrize("stop", NAMES)
@pytest.mark.parametrize("chunk_s", [0.16, 0.32, 1.28])
def test_every_word_is_there_once_in_order_at_its_time(stop: str, chunk_s: float) -> None:
    pipeline = lane(IncrementalListener(TALK, chunk_s=chunk_s), stop)
    words = final_words(play(pipeline, END) + pipeline.end())
    assert said(words) == said(TALK)
    for word, spoken in zip(words, TALK, strict=True):
        assert word.end == pytest.approx(spoken.end, abs=0.002), word.text


def test_a_pause_ends_the_line() -> None:
    pipeline = lane(IncrementalListener(TALK))
    play(pipeline, 5.5)
    assert not pipeline.lines.is_open


@CALM
@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=5))
def test_however_the_sound_is_cut_the_lines_are_the_same(cuts: list[int]) -> None:
    whole, cut = (lane(IncrementalListener(TALK)) for _ in range(2))
    expected = final_words(play(whole, END) + whole.end())
    assert final_words(play(cut, END, cuts=cuts) + cut.end()) == expected


KINDS = {"window": Listener, "incremental": IncrementalListener}


@CALM
@given(
    st.sampled_from(["window", "incremental"]),
    st.sampled_from(["window", "incremental"]),
    st.floats(0.0, 9.0),
    st.sampled_from(NAMES),
)
@example("window", "incremental", 1.0, "fast")
@example("incremental", "window", 1.0, "fast")
@example("incremental", "incremental", 7.5, "fast")
@example("incremental", "window", 7.5, "balanced")
@example("window", "incremental", 7.5, "accurate")
def test_a_swap_to_either_kind_at_any_time_loses_and_doubles_no_word(
    before: str, after: str, moment: float, stop: str
) -> None:
    pipeline = lane(KINDS[before](TALK), stop)
    updates = play(pipeline, moment) if moment > 0.1 else []
    start = pipeline.heard_s
    updates += pipeline.swap(KINDS[after](TALK))
    updates += play(pipeline, END, start=start) + pipeline.end()
    words = final_words(updates)
    assert said(words) == said(TALK)
    for word, spoken in zip(words, TALK, strict=True):
        assert word.end == pytest.approx(spoken.end, abs=0.01), word.text


def test_lost_sound_begins_another_stream_and_shifts_no_time() -> None:
    pipeline = lane(IncrementalListener(TALK))
    updates = play(pipeline, 1.0)
    missing = round(4.9 * SAMPLE_RATE)
    updates += pipeline.skip(missing)
    start = pipeline.heard_s
    updates += play(pipeline, END, start=start) + pipeline.end()
    words = final_words(updates)
    heard = [word for word in TALK if word.end <= 1.0 or word.start >= start]
    assert said(words) == said(heard)
    assert words[-1].end == pytest.approx(TALK[-1].end, abs=0.002)


def test_the_sound_it_is_given_is_left_as_it_was() -> None:
    pipeline = lane(IncrementalListener(TALK))
    samples = seconds(0.0, 2.0)
    pipeline.push(samples)
    np.testing.assert_array_equal(samples, seconds(0.0, 2.0))
