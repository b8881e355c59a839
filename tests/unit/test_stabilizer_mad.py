"""The policy against recognisers that have gone mad or astray: the laws hold, whatever they say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import pytest
from caption_laws import check_laws
from fake_recognizer import Ask, ScriptedDetector, ScriptedRecognizer, seconds, sound
from hypothesis import given, settings
from hypothesis import strategies as st
from stabilizer_bench import BLANK, CAT, DOG, MAT, ON, PIECES, PLAIN, RAN, SAT, THE, Bench

from engine.config import STOPS, LatencyProfile
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import Token
from engine.types import SAMPLE_RATE, CaptionUpdate

CALM = settings(deadline=None, max_examples=30)  # a busy machine is no failure

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
