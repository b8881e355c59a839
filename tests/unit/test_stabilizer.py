"""The policy against a recogniser that says what each test writes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from caption_laws import check_laws
from fake_recognizer import (
    Ask,
    Listener,
    ScriptedDetector,
    ScriptedRecognizer,
    script,
    seconds,
    sound,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import STOPS, LatencyProfile
from engine.findings import Shown
from engine.lane import LanePipeline
from engine.lines import SpacedWord
from engine.policy import Policy
from engine.recognizers.base import Token
from engine.stabilizer import Stabilizer
from engine.types import SAMPLE_RATE, CaptionUpdate

CALM = settings(deadline=None, max_examples=30)  # a busy machine is no failure

_NUMBERS = {
    "step": 0.1,
    "show_after": 0.2,
    "show_agree": 1,
    "sure": 1.1,  # nothing is shown or locked before it was agreed on
    "unsure": 0.8,
    "unsure_wait": 0.5,
    "patience": 60.0,  # nothing is shown or locked only because time has passed
    "lock_after": 1.0,
    "lock_agree": 2,
    "stickiness": 1.5,
    "endpoint": 0.5,
    "window": 8.0,
    "keep": 4.0,
    "context": 2.0,
    "show_unlocked": True,
}
PLAIN = replace(
    Policy.at(LatencyProfile.parse("balanced")),
    **{name: value for name, value in _NUMBERS.items() if name in Policy.__slots__},  # type: ignore[arg-type]
)
"""Round numbers, whatever the stops are set to; every rule by itself."""

PIECES = [" the", " cat", " sat", " on", " mat", "s", ".", ",", "!", " dog", " ran"]
THE, CAT, SAT, ON, MAT, S, STOP, COMMA, CALL, DOG, RAN = range(len(PIECES))
BLANK = len(PIECES)


LIKELY = 0.85
"""Not to be doubted, and yet not so sure that one look is enough."""


class Bench:
    """A stabilizer whose next hypotheses are written down, and what it made of them.

    A hypothesis is the whole text of the window: the recogniser gives what stands behind the
    prefix, whatever the prefix says.
    """

    def __init__(self, policy: Policy = PLAIN) -> None:
        self.model = ScriptedRecognizer(PIECES, lambda ask: self.says[len(ask.prefix) :])
        self.says: list[Token] = []
        self.stabilizer = Stabilizer(self.model, policy)
        self.settled: list[str] = []
        self.now = 0.0

    def hear(self, until: float, *, speech: bool = True) -> None:
        """The window grows to ``until``."""
        self.stabilizer.extend(
            seconds(self.now, until), round(self.now * SAMPLE_RATE), speech=speech
        )
        self.now = until

    def decode(
        self, until: float, *said: tuple[int, float | None, float] | tuple[int, float]
    ) -> str:
        """The tail shown after a decode at ``until`` that gives (token, time[, probability])."""
        if until > self.now:
            self.hear(until)
        self.says = [self.model.token(*token) for token in said]
        return self._take(self.stabilizer.decode())

    def finish(self, *said: tuple[int, float | None]) -> list[str]:
        """All that is settled once the line has ended."""
        self.says = [self.model.token(*token) for token in said]
        assert self._take(self.stabilizer.finish()) == ""
        return self.settled

    def _take(self, shown: Shown) -> str:
        self.settled += texts(shown.settled)
        return " ".join(texts(shown.tail))

    @property
    def last(self) -> Ask:
        return self.model.asks[-1]


def texts(words: Sequence[SpacedWord]) -> list[str]:
    return [item.word.text for item in words]


class TestShowing:
    """When a word is first seen."""

    def test_a_word_waits_until_it_lies_far_enough_from_the_end(self) -> None:
        bench = Bench()
        assert bench.decode(1.15, (THE, 1.0)) == ""
        assert bench.decode(1.25, (THE, 1.0)) == "the"

    def test_a_word_that_waits_holds_back_those_behind_it(self) -> None:
        bench = Bench()
        assert bench.decode(1.3, (THE, 0.5), (CAT, 1.2), (SAT, 1.2)) == "the"

    @pytest.mark.parametrize("probability", [0.79, 0.4, 0.1, 0.001])
    def test_doubt_delays_in_proportion(self, probability: float) -> None:
        delay = PLAIN.unsure_wait * (1 - probability / PLAIN.unsure)
        first = 1.0 + PLAIN.show_after + delay
        bench = Bench()
        assert bench.decode(first - 0.01, (THE, 1.0, probability)) == ""
        assert bench.decode(first + 0.01, (THE, 1.0, probability)) == "the"

    def test_a_word_is_as_sure_as_its_least_sure_token(self) -> None:
        bench = Bench()
        assert bench.decode(1.3, (MAT, 0.9, 0.99), (S, 1.0, 0.1)) == ""

    def test_the_mark_behind_a_word_casts_no_doubt_on_it(self) -> None:
        bench = Bench()
        assert bench.decode(1.25, (MAT, 1.0, 0.99), (STOP, 1.0, 0.1)) == "mat"

    def test_agreement_is_waited_for_where_it_is_asked(self) -> None:
        bench = Bench(replace(PLAIN, show_agree=3))
        assert bench.decode(2.0, (THE, 1.5, LIKELY)) == ""
        assert bench.decode(2.1, (THE, 1.5, LIKELY)) == ""
        assert bench.decode(2.2, (THE, 1.5, LIKELY)) == "the"

    def test_another_word_between_begins_the_count_anew(self) -> None:
        bench = Bench(replace(PLAIN, show_agree=2))
        assert bench.decode(2.0, (THE, 1.5, LIKELY)) == ""
        assert bench.decode(2.1, (DOG, 1.5, LIKELY)) == ""
        assert bench.decode(2.2, (THE, 1.5, LIKELY)) == ""
        assert bench.decode(2.3, (THE, 1.5, LIKELY)) == "the"

    def test_a_word_once_shown_stays_though_its_time_moves(self) -> None:
        bench = Bench()
        assert bench.decode(1.3, (THE, 1.0)) == "the"
        assert bench.decode(1.4, (THE, 1.35)) == "the"

    def test_the_last_word_is_shown_without_the_mark_behind_it(self) -> None:
        bench = Bench()
        assert bench.decode(1.3, (CAT, 1.0), (STOP, 1.0)) == "cat"
        assert bench.decode(1.8, (CAT, 1.0), (COMMA, 1.0), (SAT, 1.5)) == "cat, sat"

    def test_nothing_unlocked_is_shown_where_it_must_not_be(self) -> None:
        bench = Bench(replace(PLAIN, show_unlocked=False))
        for step in range(11):
            assert bench.decode(1.1 + step / 10, (THE, 0.5), (CAT, 0.9), (SAT, 1.0)) == ""
        assert bench.settled[:2] == ["the", "cat"]
        assert bench.settled[2:] in ([], ["sat"])


class TestLocking:
    """When a word is settled."""

    def test_it_lies_far_enough_back_and_was_agreed_on(self) -> None:
        bench = Bench()
        bench.decode(1.9, (THE, 1.0), (CAT, 1.5))
        bench.decode(1.95, (THE, 1.0), (CAT, 1.5))
        assert bench.settled == []
        bench.decode(2.05, (THE, 1.0), (CAT, 1.5))
        assert bench.settled == ["the"]

    def test_the_first_decode_of_a_word_is_never_enough(self) -> None:
        bench = Bench()
        bench.decode(5.0, (THE, 1.0), (CAT, 1.5))
        assert bench.settled == []

    def test_an_unsure_word_waits_longer(self) -> None:
        bench = Bench()
        for at in (2.05, 2.1, 2.15):
            bench.decode(at, (THE, 1.0, 0.4), (CAT, 1.1))
        assert bench.settled == []
        for at in (2.2, 1.0 + PLAIN.lock_after + 3 * PLAIN.unsure_wait):
            bench.decode(at, (THE, 1.0, 0.4), (CAT, 1.1))
        assert bench.settled[0] == "the"

    def test_the_last_word_waits_longer_than_those_before_it(self) -> None:
        bench = Bench()
        bench.decode(1.9, (THE, 0.98), (CAT, 0.98), (STOP, 0.98))
        bench.decode(2.0, (THE, 0.98), (CAT, 0.98), (STOP, 0.98))
        assert bench.settled == ["the"]

    def test_what_is_settled_is_the_prefix_from_then_on(self) -> None:
        bench = Bench()
        bench.decode(2.0, (THE, 0.5), (CAT, 0.9), (STOP, 0.9), (SAT, 1.9))
        bench.decode(2.1, (THE, 0.5), (CAT, 0.9), (STOP, 0.9), (SAT, 1.9))
        assert bench.settled == ["the", "cat."]
        bench.decode(2.2, (THE, 0.5), (CAT, 0.9), (STOP, 0.9), (SAT, 1.9))
        assert bench.last.prefix == (THE, CAT, STOP)
        bench.finish((THE, 0.5), (CAT, 0.9), (STOP, 0.9), (SAT, 1.9))
        bench.decode(2.3)
        assert bench.last.prefix == (THE, CAT, STOP, SAT)


class TestDraft:
    """What the recogniser is asked to check."""

    def test_the_last_hypothesis_is_the_draft(self) -> None:
        bench = Bench()
        bench.decode(1.0, (THE, 0.5), (MAT, 0.8), (S, 0.9), (STOP, 0.9))
        assert (bench.last.draft, bench.last.tolerance) == ((), ())
        bench.decode(1.1, (THE, 0.5))
        assert bench.last.draft == (THE, MAT, S, STOP)

    def test_only_what_is_shown_is_held_on_to(self) -> None:
        bench = Bench()
        assert bench.decode(1.1, (THE, 0.5), (MAT, 0.7), (S, 0.8), (CAT, 1.05)) == "the mats"
        bench.decode(1.2, (THE, 0.5))
        ask = bench.last
        assert len(ask.tolerance) == len(ask.draft)
        assert all(slack > 0 for slack in ask.tolerance[:3])
        assert ask.tolerance[3] == 0

    def test_nothing_is_held_on_to_where_the_policy_is_not_sticky(self) -> None:
        bench = Bench(replace(PLAIN, stickiness=0.0))
        bench.decode(1.1, (THE, 0.5), (CAT, 0.7))
        bench.decode(1.2, (THE, 0.5), (CAT, 0.7))
        assert set(bench.last.tolerance) == {0.0}

    def test_what_is_locked_is_no_draft_any_more(self) -> None:
        bench = Bench()
        for at in (2.0, 2.1, 2.2):
            bench.decode(at, (THE, 0.5), (SAT, 1.9))
        assert (bench.last.prefix, bench.last.draft) == ((THE,), (SAT,))


class TestBackwards:
    """Words that look at sound told long before."""

    def test_a_repetition_is_dropped_with_all_behind_it(self) -> None:
        bench = Bench()
        tail = bench.decode(3.0, (THE, 0.5), (CAT, 1.0), (THE, 0.4), (DOG, 2.0))
        assert tail == "the cat"
        assert bench.finish((THE, 0.5), (CAT, 1.0), (THE, 0.4), (DOG, 2.0)) == ["the", "cat"]

    def test_behind_what_is_settled_too(self) -> None:
        bench = Bench()
        for at in (3.02, 3.06):
            bench.decode(at, (THE, 0.5), (CAT, 2.0), (SAT, 2.4))
        assert bench.settled == ["the", "cat"]
        said = ((THE, 0.5), (CAT, 2.0), (CAT, 1.2), (SAT, 2.4))
        assert bench.decode(3.1, *said) == ""
        assert bench.finish(*said) == ["the", "cat"]

    def test_a_small_step_back_is_attention_s_own_noise(self) -> None:
        bench = Bench()
        assert bench.decode(3.0, (THE, 1.0), (CAT, 0.97), (SAT, 1.5)) == "the cat sat"


class TestFinish:
    """The end of a line."""

    def test_everything_said_is_settled_the_last_word_included(self) -> None:
        bench = Bench()
        bench.decode(2.0, (THE, 0.5), (CAT, 1.5))
        bench.hear(2.6, speech=False)
        assert bench.finish((THE, 0.5), (CAT, 1.5), (SAT, 2.0), (STOP, 2.0)) == [
            "the",
            "cat",
            "sat.",
        ]
        assert not bench.stabilizer.has_unsettled

    def test_a_word_in_the_silence_behind_was_not_said(self) -> None:
        bench = Bench()
        bench.decode(2.0, (THE, 1.5))
        bench.hear(4.0, speech=False)
        assert bench.finish((THE, 1.5), (CAT, 3.5)) == ["the"]

    def test_nor_was_one_in_the_silence_behind_the_next_line(self) -> None:
        bench = Bench()
        bench.decode(5.0, (THE, 4.5))
        bench.finish((THE, 4.5))
        # The window begins shortly before the last word of the line before.
        bench.decode(5.5, (THE, 0.3), (CAT, 1.1))
        bench.hear(7.5, speech=False)
        assert bench.finish((THE, 0.3), (CAT, 1.1), (SAT, 2.6)) == ["the", "cat"]

    def test_its_words_are_context_for_the_next_line(self) -> None:
        bench = Bench()
        bench.decode(3.0, (THE, 0.5), (CAT, 1.0), (SAT, 2.9))
        bench.finish((THE, 0.5), (CAT, 1.0), (SAT, 2.9))
        bench.decode(3.5, (SAT, 0.3), (ON, 0.6))
        assert bench.last.prefix == (SAT,)
        assert 1.0 <= bench.last.starts_at < 2.9
        assert bench.finish((SAT, 0.3), (ON, 0.6)) == ["the", "cat", "sat", "on"]

    def test_with_nothing_said_nothing_is_settled(self) -> None:
        bench = Bench()
        bench.hear(1.0)
        assert bench.finish() == []

    def test_what_is_forgotten_is_no_prefix(self) -> None:
        bench = Bench()
        bench.decode(2.0, (THE, 0.5), (CAT, 1.5))
        bench.finish((THE, 0.5), (CAT, 1.5))
        bench.stabilizer.forget()
        assert bench.stabilizer.window_s == 0.0
        bench.decode(2.5, (SAT, 0.3))
        assert (bench.last.prefix, bench.last.draft) == ((), ())
        assert bench.last.starts_at == 2.0


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


# -- whatever a recogniser says -------------------------------------------------------------

ODD = [*PIECES, "好", " 🎧", " ...", " -", "�"]


@st.composite
def hypotheses(draw: st.DrawFn) -> list[list[tuple[int, float | None, float]]]:
    """What a mad recogniser says, call after call; times are shares of the window, or beyond."""
    token = st.tuples(
        st.integers(0, len(ODD) - 1),
        st.one_of(st.none(), st.floats(-0.1, 1.2)),
        st.floats(1e-6, 1.0),
    )
    sane = st.lists(token, max_size=8).map(
        lambda said: sorted(said, key=lambda item: -1.0 if item[1] is None else item[1])
    )
    endless = st.tuples(token, st.integers(20, 120)).map(lambda pair: [pair[0]] * pair[1])
    return draw(st.lists(st.one_of(st.lists(token, max_size=8), sane, endless), max_size=25))


STRETCHES = st.lists(
    st.tuples(st.floats(0.0, 12.0), st.floats(0.05, 5.0)).map(lambda s: (s[0], s[0] + s[1])),
    min_size=1,
    max_size=3,
)


class Mad:
    """A lane over a mad recogniser, played to its end.

    Args:
        said: the hypotheses, over and over again.
        stretches: of speech.
        stop: where the slider stands.
    """

    def __init__(
        self,
        said: Sequence[Sequence[tuple[int, float | None, float]]],
        stretches: Sequence[tuple[float, float]],
        stop: str,
    ) -> None:
        answers: Iterator[Sequence[tuple[int, float | None, float]]] = itertools.cycle(said or [[]])

        def answer(ask: Ask) -> list[Token]:
            return [
                self.model.token(
                    number, None if share is None else max(0.0, share * ask.window_s), probability
                )
                for number, share, probability in next(answers)
            ]

        self.model = ScriptedRecognizer(ODD, answer)
        self.policy = Policy.at(LatencyProfile.parse(stop))
        self.lane = LanePipeline(
            "mic", self.model, ScriptedDetector(stretches), self.policy, itertools.count().__next__
        )
        self.updates: list[CaptionUpdate] = []
        self.settled = ""
        for place in range(0, 14 * SAMPLE_RATE, 4_000):
            self.take(self.lane.push(sound(place, 4_000)))
        self.take(self.lane.end())

    def take(self, updates: Sequence[CaptionUpdate]) -> None:
        self.updates += updates

    def prefixes(self) -> list[str]:
        return [letters(self.model.text(ask.prefix)) for ask in self.model.asks]

    def finals(self) -> list[CaptionUpdate]:
        return [update for update in self.updates if update.is_final]


def letters(text: str) -> str:
    """Without spaces and marks: a mark that comes first in a line belongs to no word."""
    return "".join(filter(str.isalnum, text))


class TestMadRecognisers:
    """Random tokens, times that run backwards or are missing, nothing at all, endless repeats."""

    @CALM
    @given(hypotheses(), STRETCHES, st.sampled_from(list(STOPS)))
    def test_the_laws_hold_and_every_line_is_finished(
        self,
        said: list[list[tuple[int, float | None, float]]],
        stretches: list[tuple[float, float]],
        stop: str,
    ) -> None:
        mad = Mad(said, stretches, stop)
        check_laws(mad.updates)
        assert {update.segment_id for update in mad.finals()} == {
            update.segment_id for update in mad.updates
        }
        assert not mad.lane.lines.is_open
        if not mad.policy.show_unlocked:
            assert all(update.unstable == "" for update in mad.updates)

    @CALM
    @given(hypotheses(), STRETCHES, st.sampled_from(list(STOPS)))
    def test_the_prefix_is_always_what_was_settled_last(
        self,
        said: list[list[tuple[int, float | None, float]]],
        stretches: list[tuple[float, float]],
        stop: str,
    ) -> None:
        mad = Mad(said, stretches, stop)
        settled = letters("".join(update.stable for update in mad.finals()))
        place = 0
        for prefix in mad.prefixes():
            # Each one is a run of the settled text that ends no earlier than the last one did.
            found = settled.find(prefix, max(0, place - len(prefix)))
            assert found >= 0, f"{prefix!r} was never settled"
            place = found + len(prefix)

    @CALM
    @given(hypotheses(), STRETCHES, st.sampled_from(list(STOPS)))
    def test_times_stay_within_the_stream_and_the_window_small(
        self,
        said: list[list[tuple[int, float | None, float]]],
        stretches: list[tuple[float, float]],
        stop: str,
    ) -> None:
        mad = Mad(said, stretches, stop)
        clock = 0.0
        for update in mad.finals():
            for word in update.words:
                assert clock <= word.end, "words run backwards from line to line"
                assert word.start >= 0.0
                assert word.probability is None or 0.0 <= word.probability <= 1.0
                assert math.isfinite(word.end)
                clock = word.end


@CALM
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from([THE, CAT, SAT, ON, MAT, DOG, RAN]),
                st.floats(0.0, 1.0),
                st.floats(1e-3, 1.0),
            ),
            max_size=6,
        ),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from(list(STOPS)),
)
def test_no_place_is_filled_before_its_word_is_old_enough(
    said: list[list[tuple[int, float, float]]], stop: str
) -> None:
    policy = Policy.at(LatencyProfile.parse(stop))
    bench = Bench(policy)
    filled = settled = 0  # words: shown so far, those settled among them
    for number, words in enumerate(said, 1):
        window = number * 0.2
        timed = sorted((share * window, token, chance) for token, share, chance in words)
        prefix = [(THE, 0.0)] * settled
        # Nobody is speaking: a model that stays behind the sound is not started anew.
        bench.hear(window, speech=False)
        tail = bench.decode(window, *prefix, *((token, at, chance) for at, token, chance in timed))
        shown = len(bench.settled) + len(tail.split())
        for place in range(filled, shown):
            at = timed[place - settled][0]
            assert window - at >= policy.show_after - 1e-9
        filled, settled = shown, len(bench.settled)


@pytest.mark.parametrize("said", [(THE, BLANK, CAT), (BLANK,)])
def test_a_token_that_is_a_space_alone_is_no_word(said: tuple[int, ...]) -> None:
    # Vocabularies made of sentence pieces have one.
    model = ScriptedRecognizer([*PIECES, " "], lambda ask: spaced(ask)[len(ask.prefix) :])

    def spaced(ask: Ask) -> list[Token]:
        return [
            model.token(number, 0.3 * place)
            for place, number in enumerate(said)
            if 0.3 * place < ask.window_s
        ]

    lane = LanePipeline("mic", model, ScriptedDetector(), PLAIN, itertools.count().__next__)
    check_laws([*lane.push(seconds(0.0, 3.0)), *lane.end()])


def test_a_model_that_stays_behind_the_speech_is_asked_anew() -> None:
    def answer(ask: Ask) -> list[Token]:
        # What was said leads it astray: behind a prefix it hears nothing more.
        said = [] if ask.prefix else [(THE, 0.3), (CAT, 0.6), (SAT, 0.9)]
        return [model.token(number, at) for number, at in said if at < ask.window_s]

    model = ScriptedRecognizer(PIECES, answer)
    lane = LanePipeline("mic", model, ScriptedDetector(), PLAIN, itertools.count().__next__)
    updates = [*lane.push(seconds(0.0, 6.0)), *lane.end()]
    check_laws(updates)
    words = [word for update in updates if update.is_final for word in update.words]
    assert words[-1].end > 4.0, "it went on long after its first words"


def test_of_an_endless_repetition_little_is_settled() -> None:
    def answer(ask: Ask) -> list[Token]:
        # As decoders do that have lost their place: the same words over the same sound.
        loop = [(THE, 0.3), (CAT, 0.5)] * 30
        return [model.token(number, at) for number, at in loop[len(ask.prefix) :]]

    model = ScriptedRecognizer(PIECES, answer)
    lane = LanePipeline("mic", model, ScriptedDetector(), PLAIN, itertools.count().__next__)
    updates = [*lane.push(seconds(0.0, 1.6)), *lane.end()]
    check_laws(updates)
    words = [word.text for update in updates if update.is_final for word in update.words]
    assert words[:2] == ["the", "cat"]
    assert len(words) <= 4
