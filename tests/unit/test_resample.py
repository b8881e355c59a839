from __future__ import annotations

import numpy as np
import pytest

from engine.resample import LIMIT, Resampler
from engine.types import Samples

RATES = [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000]


def _noise(frames: int, seed: int = 1) -> Samples:
    return np.random.default_rng(seed).standard_normal(frames).astype(np.float32) * np.float32(0.2)


def _tone(hertz: float, rate: int, seconds: float = 1.0) -> Samples:
    time = np.arange(round(rate * seconds)) / rate
    return (0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def _all(resampler: Resampler, samples: Samples, sizes: list[int]) -> Samples:
    """Everything that comes out when ``samples`` go in, in blocks of ``sizes`` over and over."""
    out, at, turn = [], 0, 0
    while at < len(samples):
        size = sizes[turn % len(sizes)]
        out.append(resampler.push(samples[at : at + size]))
        at += size
        turn += 1
    return np.concatenate([*out, resampler.flush()])


def _dbfs(samples: Samples) -> float:
    return float(20 * np.log10(np.sqrt(np.mean(np.square(samples))) + 1e-12))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("frames", [0, 1, 2, 777, 16_003])
def test_exactly_the_right_number_of_samples_comes_out(rate: int, frames: int) -> None:
    out = _all(Resampler(rate), _noise(frames), [480])
    assert len(out) == round(frames * 16_000 / rate)
    assert out.dtype == np.float32


@pytest.mark.parametrize("rate", RATES)
def test_ragged_blocks_give_what_one_block_gives(rate: int) -> None:
    noise = _noise(30_011)
    whole = _all(Resampler(rate), noise, [len(noise)])
    ragged = _all(Resampler(rate), noise, [1, 7, 480, 2, 4096, 333])
    assert np.array_equal(whole, ragged)


def test_equal_rates_pass_through_untouched() -> None:
    noise = _noise(1000)
    assert np.array_equal(_all(Resampler(16_000), noise, [320]), noise)


def test_sound_stays_where_it_was() -> None:
    impulse = np.zeros(48_000, np.float32)
    impulse[24_000] = 1.0
    out = _all(Resampler(48_000), impulse, [960])
    assert int(np.abs(out).argmax()) == 8_000


@pytest.mark.parametrize("rate", [44_100, 48_000, 192_000])
@pytest.mark.parametrize("hertz", [9_000, 12_000, 15_000, 20_000])
def test_what_cannot_be_heard_at_16_khz_does_not_come_back_as_something_else(
    rate: int, hertz: int
) -> None:
    out = _all(Resampler(rate), _tone(hertz, rate), [round(rate * 0.02)])
    # Its sudden beginning and end are audible at any rate: judge what lies between.
    assert _dbfs(out[2000:-2000]) < -100


@pytest.mark.parametrize("hertz", [100, 1_000, 4_000, 7_000])
def test_speech_frequencies_keep_their_level(hertz: int) -> None:
    out = _all(Resampler(48_000), _tone(hertz, 48_000), [960])
    assert _dbfs(out[2000:-2000]) == pytest.approx(_dbfs(_tone(hertz, 48_000)), abs=0.05)


def test_after_a_flush_it_begins_afresh() -> None:
    resampler = Resampler(44_100)
    first = _all(resampler, _noise(10_001), [441])
    second = _all(resampler, _noise(10_001), [441])
    assert np.array_equal(first, second)


@pytest.mark.parametrize("rate", [16_000, 48_000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_does_not_spread(rate: int, bad: float) -> None:
    noise = _noise(rate)
    spoilt = noise.copy()
    spoilt[rate // 2] = bad
    noise[rate // 2] = 0.0
    assert np.array_equal(_all(Resampler(rate), spoilt, [960]), _all(Resampler(rate), noise, [960]))


def test_absurd_levels_are_clipped_and_honest_ones_are_not() -> None:
    resampler = Resampler(16_000)
    samples = np.array([1e30, -1e30, 1.2, -1.2], np.float32)
    assert resampler.push(samples).tolist() == np.array([LIMIT, -LIMIT, 1.2, -1.2], "f4").tolist()


def test_the_callers_block_is_left_alone() -> None:
    block = np.array([np.nan, 1.0], np.float32)
    Resampler(16_000).push(block)
    assert np.isnan(block[0])
