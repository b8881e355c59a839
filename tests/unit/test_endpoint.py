from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.endpoint import Endpointer, EndpointRules

CALM = settings(deadline=None, max_examples=60)  # a busy machine is no failure

FRAME_S = 0.032
PROBABILITIES = st.lists(st.floats(0.0, 1.0), max_size=200)


def test_before_any_sound_it_has_been_silent_for_ever() -> None:
    endpointer = Endpointer(FRAME_S)
    assert not endpointer.speaking
    assert math.isinf(endpointer.silence_s)
    assert endpointer.push(0.0) is False
    assert math.isinf(endpointer.silence_s)


def test_speech_begins_high_and_pauses_low() -> None:
    endpointer = Endpointer(FRAME_S, EndpointRules(start=0.6, stop=0.3))
    heard = [endpointer.push(probability) for probability in (0.5, 0.6, 0.4, 0.3, 0.2, 0.4, 0.7)]
    assert heard == [False, True, True, True, False, False, True]


def test_silence_is_counted_from_the_last_speech() -> None:
    endpointer = Endpointer(FRAME_S)
    endpointer.push(0.9)
    for count in range(1, 6):
        endpointer.push(0.0)
        assert endpointer.silence_s == pytest.approx(count * FRAME_S)
    endpointer.push(0.9)
    assert endpointer.silence_s == 0.0


def test_speech_is_counted_since_the_last_line() -> None:
    endpointer = Endpointer(FRAME_S)
    for probability in (0.9, 0.0, 0.9):
        endpointer.push(probability)
    assert endpointer.speech_s == pytest.approx(2 * FRAME_S)
    endpointer.restart()
    assert endpointer.speech_s == 0.0
    endpointer.push(0.9)
    assert endpointer.speech_s == pytest.approx(FRAME_S)


@CALM
@given(PROBABILITIES)
def test_its_counts_are_those_of_its_answers(probabilities: list[float]) -> None:
    endpointer = Endpointer(FRAME_S)
    heard = [endpointer.push(probability) for probability in probabilities]
    assert endpointer.speech_s == pytest.approx(sum(heard) * FRAME_S)
    assert endpointer.speaking == (heard[-1] if heard else False)
    if True in heard:
        behind = heard[::-1].index(True)
        assert endpointer.silence_s == pytest.approx(behind * FRAME_S)
    else:
        assert math.isinf(endpointer.silence_s)


@CALM
@given(PROBABILITIES)
def test_what_is_speech_is_above_the_lower_limit_and_what_is_none_below_the_upper(
    probabilities: list[float],
) -> None:
    rules = EndpointRules()
    endpointer = Endpointer(FRAME_S, rules)
    for probability in probabilities:
        if endpointer.push(probability):
            assert probability >= rules.stop
        else:
            assert probability < rules.start
