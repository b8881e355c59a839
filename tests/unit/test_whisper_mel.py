"""Whisper's log-mel spectrogram against its own definition, written out plainly."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from engine.recognizers.whisper_mel import LogMel, mel_filters
from engine.types import Samples


def voice(count: int, seed: int = 1) -> Samples:
    rng = np.random.default_rng(seed)
    time = np.arange(count) / 16_000
    tone = np.sin(2 * np.pi * 220 * time) * np.sin(2 * np.pi * 3 * time)
    return (0.1 * tone + 0.01 * rng.standard_normal(count)).astype(np.float32)


def plainly(audio: Samples, silence: int, bins: int) -> NDArray[np.float64]:
    """OpenAI's definition in double precision, a Fourier sum for each frequency."""
    sound = np.concatenate((audio, np.zeros(silence))).astype(np.float64)
    padded = np.pad(sound, 200, mode="reflect")
    taper = np.hanning(401)[:-1]
    count = sound.size // 160
    frames = np.stack([padded[at * 160 : at * 160 + 400] * taper for at in range(count)])
    waves = np.exp(-2j * np.pi * np.outer(np.arange(400), np.arange(201)) / 400)
    power = np.abs(frames @ waves) ** 2
    logs = np.log10(np.maximum(mel_filters(bins).astype(np.float64) @ power.T, 1e-10))
    return (np.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0


@pytest.mark.parametrize("bins", [80, 128])
@pytest.mark.parametrize("count", [201, 1_000, 16_000, 16_161])
def test_it_is_the_spectrogram_that_whisper_was_trained_on(bins: int, count: int) -> None:
    audio = voice(count)
    found = LogMel(bins)(audio, 8_000)
    assert found.dtype == np.float32
    assert found.shape == (bins, (count + 8_000) // 160)
    np.testing.assert_allclose(found, plainly(audio, 8_000, bins), atol=2e-4)


def test_a_window_that_grows_gives_what_a_fresh_one_does() -> None:
    audio = voice(40_000)
    growing = LogMel(80)
    for count in (1_700, 1_701, 5_000, 5_100, 23_456, 40_000):
        fresh = LogMel(80)(audio[:count], 8_000)
        np.testing.assert_allclose(growing(audio[:count], 8_000), fresh, atol=1e-6)


def test_another_window_is_looked_at_anew() -> None:
    audio = voice(40_000)
    mel = LogMel(80)
    mel(audio, 8_000)
    for window in (audio[8_000:], audio[:4_000], voice(40_000, seed=2)):
        np.testing.assert_allclose(mel(window, 8_000), LogMel(80)(window, 8_000), atol=1e-6)


def test_the_sound_it_was_given_may_be_written_over() -> None:
    audio = voice(20_000)
    mel = LogMel(80)
    mel(audio, 8_000)
    other = voice(20_000, seed=3)
    audio[:] = other
    np.testing.assert_allclose(mel(audio, 8_000), LogMel(80)(other, 8_000), atol=1e-6)


@pytest.mark.parametrize("bins", [80, 128])
def test_every_filter_hears_something(bins: int) -> None:
    filters = mel_filters(bins)
    assert filters.shape == (bins, 201)
    assert (filters >= 0).all()
    assert (filters.sum(axis=1) > 0).all()
    assert (np.diff(filters.argmax(axis=1)) >= 0).all(), "low ones come first"


@pytest.mark.parametrize("bins", [80, 128])
def test_others_hear_the_same(bins: int) -> None:
    """The spectrogram that the onnx-asr package brings for Whisper, as a graph."""
    data = files("onnx_asr.preprocessors") / "data" / f"whisper{bins}.onnx"
    graph = InferenceSession(data.read_bytes(), providers=["CPUExecutionProvider"])
    audio = voice(32_000)
    theirs, lengths = graph.run(
        None, {"waveforms": audio[None], "waveforms_lens": np.array([audio.size], np.int64)}
    )
    ours = LogMel(bins)(audio, 30 * 16_000 - audio.size)
    np.testing.assert_allclose(ours, theirs[0, :, : ours.shape[1]], atol=5e-3)
    assert theirs.shape == (1, bins, 3_000)
    del lengths
