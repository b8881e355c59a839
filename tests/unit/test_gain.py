"""Automatic gain: ordinary voices pass untouched, quiet ones get louder, noise never does."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.gain import BLOCK, AutoGain
from engine.types import SAMPLE_RATE, Samples


def decibels(samples: Samples) -> float:
    return float(10 * np.log10((samples.astype(np.float64) ** 2).mean()))


def noise(seconds: float, dbfs: float, seed: int = 0) -> Samples:
    random = np.random.default_rng(seed)
    count = round(seconds * SAMPLE_RATE)
    return (random.standard_normal(count) * 10 ** (dbfs / 20)).astype(np.float32)


def voice(seconds: float, dbfs: float, seed: int = 1) -> Samples:
    """Noise that comes and goes as syllables do, four a second."""
    sound = noise(seconds, dbfs, seed)
    rhythm = np.clip(np.sin(np.arange(sound.size) / SAMPLE_RATE * 2 * np.pi * 4), 0, 1)
    return (sound * rhythm).astype(np.float32) + noise(seconds, -85, seed + 1)


def through(sound: Samples, cut: int = 320) -> tuple[Samples, list[float]]:
    gain = AutoGain()
    out, trace = [], []
    for at in range(0, sound.size, cut):
        out.append(gain.push(sound[at : at + cut]))
        trace.append(gain.db)
    return np.concatenate(out), trace


def test_an_ordinary_voice_passes_bit_for_bit() -> None:
    sound = np.concatenate((noise(0.5, -60), voice(4.0, -25)))
    out, trace = through(sound)
    assert np.array_equal(out, sound)
    assert max(trace) == 0.0


def test_ordinary_recordings_pass_but_for_a_soft_first_sound(recordings: Recordings) -> None:
    touched = []
    for recording in recordings.clean:
        sound: Samples = soundfile.read(recording.path, dtype="float32")[0]
        changed = (through(sound, 1600)[0] != sound).sum() / SAMPLE_RATE
        assert changed < 0.4, recording.name
        touched += [recording.name] * bool(changed)
    assert len(touched) <= len(recordings.clean) // 10


@pytest.mark.parametrize("dbfs", [-50.0, -55.0, -60.0])
def test_a_quiet_voice_is_made_louder(dbfs: float) -> None:
    sound = voice(6.0, dbfs)
    out, trace = through(sound)
    assert -38 - dbfs - 8 < trace[-1] < -38 - dbfs + 2
    late = slice(4 * SAMPLE_RATE, None)
    assert decibels(out[late]) - decibels(sound[late]) == pytest.approx(trace[-1], abs=2.0)


def test_it_is_loud_enough_before_the_second_second_is_over() -> None:
    _, trace = through(voice(1.8, -58))
    assert trace[-1] > 12.0


def test_there_is_a_limit_to_it() -> None:
    _, trace = through(voice(10.0, -72))
    assert max(trace) <= 30.0 + 1e-6


def test_noise_alone_is_never_amplified() -> None:
    sound = noise(8.0, -55)
    out, _ = through(sound)
    assert np.array_equal(out, sound)


def test_silence_stays_what_it_is() -> None:
    sound = np.zeros(2 * SAMPLE_RATE, np.float32)
    assert np.array_equal(through(sound)[0], sound)


def test_the_gain_stands_still_in_pauses() -> None:
    pause = noise(5.0, -70, 5)
    gain = AutoGain()
    gain.push(np.concatenate((noise(1.0, -70), voice(4.0, -52) + noise(4.0, -70, 9))))
    spoken = gain.db
    assert spoken > 5.0
    gain.push(pause[:1600])  # the last syllable fades
    settled = gain.db
    out = gain.push(pause[1600:])
    assert gain.db == pytest.approx(settled, abs=0.01)
    assert decibels(out) == pytest.approx(decibels(pause[1600:]) + settled, abs=0.5)


def test_a_sudden_shout_is_not_cut_off() -> None:
    sound = np.concatenate((voice(4.0, -60), voice(1.0, -12, 7)))
    out, trace = through(sound)
    assert max(trace) > 12.0
    loud = np.abs(sound) >= 0.7
    assert np.abs(out[~loud]).max() <= 0.7 + 1e-6
    assert np.array_equal(out[loud], sound[loud])
    assert trace[-1] < 1.0


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(1, 3 * BLOCK), min_size=1, max_size=8))
def test_the_same_comes_out_however_it_is_cut(cuts: list[int]) -> None:
    sound = voice(1.5, -55)
    whole = AutoGain().push(sound)
    assert not np.array_equal(whole, sound)
    gain, out, at = AutoGain(), [], 0
    while at < sound.size:
        count = cuts[len(out) % len(cuts)]
        out.append(gain.push(sound[at : at + count]))
        at += count
    assert np.array_equal(np.concatenate(out), whole)
