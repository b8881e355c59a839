from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import STOPS, LatencyProfile
from engine.policy import Policy

CALM = settings(deadline=None, max_examples=60)  # a busy machine is no failure

POSITIONS = st.floats(0.0, 100.0)
# What moving the slider towards "accurate" never makes smaller.
RISING = ("show_after", "step", "endpoint", "window", "keep", "context")


def at(position: float) -> Policy:
    return Policy.at(LatencyProfile(position))


def stops_around(position: float) -> tuple[Policy, Policy]:
    places = sorted(STOPS.values())
    below = max(place for place in places if place <= position)
    above = min(place for place in places if place >= position)
    return at(float(below)), at(float(above))


@pytest.mark.parametrize("name", STOPS)
def test_a_stop_s_name_and_its_position_are_the_same(name: str) -> None:
    assert Policy.at(LatencyProfile.parse(name)) == at(float(STOPS[name]))


def test_no_two_stops_are_the_same() -> None:
    assert len({at(float(position)) for position in STOPS.values()}) == len(STOPS)


@CALM
@given(POSITIONS)
def test_between_stops_every_number_lies_between_theirs(position: float) -> None:
    low, high = stops_around(position)
    here = at(position)
    for field in fields(Policy):
        a, b, value = (getattr(policy, field.name) for policy in (low, high, here))
        assert type(value) is type(a), field.name
        if isinstance(a, bool):
            assert value in (a, b)
        else:
            # A mix of two floats may miss them by a rounding.
            assert min(a, b) - 1e-9 <= value <= max(a, b) + 1e-9, field.name


@CALM
@given(POSITIONS, POSITIONS)
def test_between_two_stops_every_number_goes_one_way(one: float, other: float) -> None:
    first, second = sorted((one, other))
    low, high = stops_around(first)
    if stops_around(second) != (low, high):
        return
    for field in fields(Policy):
        a, b = getattr(low, field.name), getattr(high, field.name)
        before, after = getattr(at(first), field.name), getattr(at(second), field.name)
        assert (after - before) * (b - a) >= -1e-9, field.name


@CALM
@given(POSITIONS, POSITIONS)
def test_towards_accurate_nothing_comes_earlier(one: float, other: float) -> None:
    first, second = (at(position) for position in sorted((one, other)))
    for name in RISING:
        assert getattr(first, name) <= getattr(second, name) + 1e-9, name


@CALM
@given(POSITIONS)
def test_nobody_waits_for_a_lock_to_see_a_word(position: float) -> None:
    policy = at(position)
    assert policy.show_unlocked or policy.lock_after == policy.show_after


@CALM
@given(POSITIONS)
def test_every_position_makes_sense(position: float) -> None:
    policy = at(position)
    assert policy.step > 0
    assert policy.show_agree >= 1
    assert policy.lock_agree >= policy.show_agree
    assert policy.lock_after >= policy.show_after - 1e-9
    assert policy.context <= policy.keep < policy.window
    # What is being said must still be in the window when it is time to lock it.
    assert policy.keep > policy.lock_after + policy.unsure_wait
    assert policy.stickiness >= 0
    assert 0 <= policy.unsure <= 1


@pytest.mark.parametrize("name", STOPS)
def test_a_stop_is_reached_smoothly_from_either_side(name: str) -> None:
    there = at(float(STOPS[name]))
    for step in (-0.001, 0.001):
        near = at(min(100.0, max(0.0, STOPS[name] + step)))
        for field in fields(Policy):
            value, wanted = getattr(near, field.name), getattr(there, field.name)
            assert value == pytest.approx(wanted, rel=1e-3, abs=1e-3), field.name
