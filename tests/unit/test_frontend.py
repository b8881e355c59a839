"""The chain between resampler and recogniser: every sample at its place, whatever is changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.denoise import Denoiser
from engine.frontend import FrontEnd, Gate
from engine.types import SAMPLE_RATE, Samples


class Late:
    """A library that changes nothing and is late."""

    left = 0.0

    def __init__(self, delay: int, speech: float | None = None) -> None:
        self.delay = delay
        self._speech = speech
        self._held = np.zeros(delay, np.float32)

    def process(self, sound: Samples) -> tuple[Samples, list[float]]:
        assert sound.size % 480 == 0
        sound = np.concatenate((self._held, sound))
        self._held = sound[sound.size - self.delay :]
        out = sound[: sound.size - self.delay]
        return out, [] if self._speech is None else [self._speech] * (out.size // 480)


def chirp(seconds: float) -> Samples:
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return (0.3 * np.sin(2 * np.pi * (200 + 900 * time) * time)).astype(np.float32)


def through(front: FrontEnd, sound: Samples, cuts: list[int]) -> Samples:
    out, at = [], 0
    while at < sound.size:
        count = cuts[len(out) % len(cuts)]
        out.append(front.push(sound[at : at + count]))
        at += count
    return np.concatenate([*out, front.flush()])


@settings(max_examples=30, deadline=None)
@given(
    count=st.integers(0, 9000),
    cuts=st.lists(st.integers(1, 700), min_size=1, max_size=5),
    delay=st.sampled_from([0, 480, 960, 1440]),
)
def test_as_many_samples_come_out_as_go_in_each_at_its_place(
    count: int, cuts: list[int], delay: int
) -> None:
    sound = chirp(1.0)[:count]
    out = through(FrontEnd(Denoiser(Late(delay))), sound, cuts)
    assert out.size == count
    inner = slice(200, count - 200)
    if count > 400:
        assert np.abs(out[inner] - sound[inner]).max() < 0.003


def test_with_nothing_switched_on_the_very_samples_pass() -> None:
    front = FrontEnd(auto_gain=True)
    sound = chirp(0.1)
    assert front.push(sound) is sound
    assert front.flush().size == 0
    assert front.latency == 0.0


def test_a_stretch_after_a_flush_begins_anew() -> None:
    front = FrontEnd(Denoiser(Late(960)))
    for _ in range(2):
        out = through(front, chirp(0.3), [333])
        assert out.size == chirp(0.3).size


def test_switching_in_the_middle_loses_and_doubles_nothing() -> None:
    front = FrontEnd()
    sound = chirp(2.0)
    parts = []
    for number, at in enumerate(range(0, sound.size, 500)):
        if number in (10, 40):
            front.change(Denoiser(Late(960 if number == 10 else 1440)))
            assert front.suppresses
        if number == 50:
            front.change(None)
            assert not front.suppresses
        parts.append(front.push(sound[at : at + 500]))
    out = np.concatenate([*parts, front.flush()])
    assert out.size == sound.size
    assert np.median(np.abs(out - sound)) < 1e-3


def test_some_of_the_sound_is_left_as_it_came() -> None:
    class Mute(Late):
        left = 0.25

        def process(self, sound: Samples) -> tuple[Samples, list[float]]:
            return np.zeros_like(sound), []

    sound = chirp(0.5)
    out = through(FrontEnd(Denoiser(Mute(960))), sound, [320])
    assert np.allclose(out, 0.25 * sound, atol=1e-6)


class Asked:
    """A detector that always hears speech."""

    def __init__(self) -> None:
        self.frames = 0

    def probability(self, frame: Samples) -> float:
        assert frame.shape == (512,)
        self.frames += 1
        return 0.9

    def reset(self) -> None:
        self.frames = 0


@pytest.mark.parametrize(
    ("speech", "spared"), [(0.9, False), (0.0, True), (None, False)], ids=["voice", "none", "dumb"]
)
def test_the_detector_is_spared_where_the_denoiser_hears_no_speech(
    speech: float | None, spared: bool
) -> None:
    front = FrontEnd(Denoiser(Late(960, speech)))
    detector = Asked()
    gate = Gate(detector, front)
    waiting = np.zeros(0, np.float32)
    answers = []
    for at in range(0, 3 * SAMPLE_RATE, 320):
        waiting = np.concatenate((waiting, front.push(chirp(3.0)[at : at + 320])))
        while waiting.size >= 512:
            answers.append(gate.probability(waiting[:512]))
            waiting = waiting[512:]
    assert answers[0] == 0.9
    assert (answers[-1] == 0.0) == spared
    assert (gate.spared > 60) == spared
    assert gate.asked + gate.spared == len(answers)


def test_without_a_denoiser_the_detector_alone_answers() -> None:
    gate = Gate(Asked(), FrontEnd())
    assert [gate.probability(np.zeros(512, np.float32)) for _ in range(50)] == [0.9] * 50
    assert gate.spared == 0
