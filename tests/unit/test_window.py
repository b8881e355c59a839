from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import SAMPLE_RATE, Samples
from engine.window import Window

CALM = settings(deadline=None, max_examples=60)  # a busy machine is no failure


def sound(first: int, count: int) -> Samples:
    """Samples that tell their own place in the stream."""
    return np.arange(first, first + count, dtype=np.float32)


# What happens to a window: (samples left out, samples appended), or seconds to cut.
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([0, 0, 0, 1, 512, 48_000]), st.integers(0, 4_000)),
        st.floats(-0.1, 0.4),
    ),
    max_size=25,
)


@CALM
@given(CHANGES)
def test_it_holds_what_was_not_cut_and_knows_when_it_was(changes: list[float]) -> None:
    window = Window()
    expected = sound(0, 0)
    clock = 0
    for change in changes:
        if isinstance(change, tuple):
            gap, count = change
            clock += gap
            window.extend(sound(clock, count), clock)
            expected = np.concatenate((expected, sound(clock, count)))
            clock += count
        else:
            before = window.seconds
            dropped = window.cut(change)
            assert dropped == pytest.approx(max(0.0, min(change, before)), abs=1 / SAMPLE_RATE)
            expected = expected[round(dropped * SAMPLE_RATE) :]
        np.testing.assert_array_equal(window.audio, expected)
        assert window.seconds == expected.size / SAMPLE_RATE
        for place in {0, expected.size // 3, expected.size - 1} & set(range(expected.size)):
            stream = window.stream_time(place / SAMPLE_RATE)
            assert stream == pytest.approx(expected[place] / SAMPLE_RATE)


def test_the_time_of_the_end_is_that_of_what_follows() -> None:
    window = Window()
    window.extend(sound(16_000, 8_000), 16_000)
    assert window.stream_time(0.5) == 1.5


def test_long_sound_grows_it() -> None:
    window = Window()
    for second in range(40):
        window.extend(sound(second * SAMPLE_RATE, SAMPLE_RATE), second * SAMPLE_RATE)
    np.testing.assert_array_equal(window.audio, sound(0, 40 * SAMPLE_RATE))
    assert window.stream_time(39.5) == 39.5


def test_times_behind_a_gap_are_true_to_the_sample() -> None:
    window = Window()
    three_hours = 3 * 3600 * SAMPLE_RATE
    window.extend(np.zeros(1_600, np.float32), 0)
    window.extend(np.zeros(1_600, np.float32), three_hours)
    assert window.stream_time(0.05) == 0.05
    assert window.stream_time(0.15) == three_hours / SAMPLE_RATE + 0.05


def test_empty_it_tells_no_time() -> None:
    window = Window()
    assert window.stream_time(0.0) == 0.0
    window.extend(sound(800, 800), 800)
    assert window.cut(99.0) == 0.05
    assert window.audio.size == 0
    window.extend(sound(5_000, 10), 5_000)
    assert window.stream_time(0.0) == 5_000 / SAMPLE_RATE


def test_a_window_cut_to_nothing_starts_afresh() -> None:
    window = Window()
    window.extend(sound(0, 800), 0)
    window.cut(window.seconds)
    assert (window.seconds, window.stream_time(0.0)) == (0.0, 0.0)
    window.extend(sound(1_600, 10), 1_600)
    assert window.stream_time(0.0) == 0.1
