"""The figures of the last minutes, and the scales that they are drawn to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from desktop_app.ui.series import SPAN_S, History, Scale, step_above


def test_readings_come_back_in_order() -> None:
    history = History(("a", "b"))
    assert history.times().size == 0
    assert history.last("a") is None
    assert history.highest("a") is None
    assert history.reach_s() == 0.0
    for second, value in enumerate((3.0, 5.0, 4.0)):
        history.add(100.0 + second, {"a": value})
    assert history.times().tolist() == [-2.0, -1.0, 0.0]
    assert history.row("a").tolist() == [3.0, 5.0, 4.0]
    assert (history.last("a"), history.highest("a")) == (4.0, 5.0)
    assert np.isnan(history.row("b")).all()
    assert history.reach_s() == 2.0


def test_what_is_not_known_is_a_gap() -> None:
    history = History(("a",))
    for second, value in enumerate((1.0, None, math.inf, -math.inf, 2.0)):
        history.add(float(second), {"a": value})
    assert np.isnan(history.row("a")).tolist() == [False, True, True, True, False]
    assert history.highest("a") == 2.0


def test_a_time_without_readings_breaks_the_line() -> None:
    history = History(("a",))
    for at in (0.0, 1.0, 60.0, 61.0):
        history.add(at, {"a": 1.0})
    assert np.isnan(history.row("a")).tolist() == [False, False, True, False, False]
    assert np.all(np.diff(history.times()) > 0)


def test_only_the_last_five_minutes_are_kept() -> None:
    history = History(("a",))
    for second in range(1000):
        history.add(float(second), {"a": 1e6 if second < 600 else 1.0})
    assert SPAN_S <= history.reach_s() <= SPAN_S + 1
    assert history.highest("a") == 1.0
    assert history.row("a").shape == history.times().shape


@pytest.mark.parametrize(
    ("value", "step"),
    [(0.0, 0.0), (1.0, 1.0), (1.01, 2.0), (3.0, 5.0), (5.1, 10.0), (0.3, 0.5), (1400.0, 2000.0),
     (1000.0, 1000.0), (0.001, 0.001)],
)  # fmt: skip
def test_steps_are_one_two_five(value: float, step: float) -> None:
    assert step_above(value) == pytest.approx(step)


def test_a_scale_grows_at_once_and_shrinks_with_room() -> None:
    scale = Scale(1.0)
    assert not scale.follow(None)
    assert not scale.follow(0.9)
    assert scale.follow(1.1)
    assert scale.top == 2.0
    assert not scale.follow(0.95), "hardly less is no reason to jump"
    assert scale.follow(0.7)
    assert scale.top == 1.0
    assert scale.follow(70.0)
    assert scale.top == 100.0
