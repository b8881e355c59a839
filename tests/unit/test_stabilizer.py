"""The policy against a recogniser that says what each test writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stabilizer_bench import CAT, COMMA, DOG, LIKELY, MAT, ON, PLAIN, SAT, STOP, THE, Bench, S


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
