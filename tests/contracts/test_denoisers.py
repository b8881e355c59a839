"""What every way of suppressing noise keeps, with the real libraries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recordings

from engine import denoise
from engine.config import DENOISERS
from engine.errors import RecognizerError
from engine.frontend import FrontEnd
from engine.types import SAMPLE_RATE, Samples
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

MILLISECOND = SAMPLE_RATE // 1000
MODES = ["off", "light", "strong"]
WITH = ["light", "strong"]


def front_of(mode: str) -> FrontEnd:
    if mode == "off":
        return FrontEnd(auto_gain=True)
    files = ModelStore().files(catalogue.load().get(DENOISERS[mode]))  # type: ignore[index]
    return FrontEnd(denoise.load(files), auto_gain=True)


def through(front: FrontEnd, sound: Samples, cut: int = 320) -> Samples:
    out = [front.push(sound[at : at + cut]) for at in range(0, sound.size, cut)]
    return np.concatenate([*out, front.flush()])


def speech(recordings: Recordings) -> Samples:
    samples: Samples = soundfile.read(
        recordings.named("ljspeech_LJ001-0006").path, dtype="float32"
    )[0]
    return samples


def delay(before: Samples, after: Samples) -> int:
    """By how many samples the one is later than the other."""
    size = 2 * before.size
    both = np.fft.irfft(np.fft.rfft(after, size) * np.fft.rfft(before, size).conj())
    best = int(np.argmax(both))
    return best if best < before.size else best - size


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_speech_stays_where_it_was_and_is_as_long(mode: str, recordings: Recordings) -> None:
    front = front_of(mode)
    sound = speech(recordings)
    for _ in range(2):  # a second stretch of the same stream, too
        out = through(front, sound, 333)
        assert out.size == sound.size
        assert out.dtype == np.float32
        assert abs(delay(sound, out)) <= MILLISECOND
        assert np.abs(out).max() <= 1.0
    assert front.latency <= 0.04


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [0, 1, 159, 160, 161, 355, 5001])
def test_any_length_comes_out_as_it_went_in(mode: str, count: int) -> None:
    front = front_of(mode) if mode != "strong" else _strong()
    assert through(front, np.full(count, 0.01, np.float32)).size == count


_cached: list[FrontEnd] = []


def _strong() -> FrontEnd:
    """Takes a second to load."""
    if not _cached:
        _cached.append(front_of("strong"))
    return _cached[0]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_silence_stays_silence(mode: str) -> None:
    out = through(front_of(mode), np.zeros(SAMPLE_RATE, np.float32))
    assert out.size == SAMPLE_RATE
    assert np.abs(out).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("mode", WITH)
def test_steady_noise_is_lowered_and_speech_is_not(mode: str, recordings: Recordings) -> None:
    sound = speech(recordings)
    noise = np.random.default_rng(3).standard_normal(3 * SAMPLE_RATE).astype(np.float32) * 0.02
    front = front_of(mode)
    front.auto_gain = False
    out = through(front, np.concatenate((noise, sound)))
    late = slice(SAMPLE_RATE, 2 * SAMPLE_RATE)
    assert _db(out[late]) < _db(noise[late]) - 9.0
    assert _db(out[noise.size :]) > _db(sound) - 3.0


@pytest.mark.slow
def test_rnnoise_tells_speech_from_noise(recordings: Recordings) -> None:
    front = front_of("light")
    front.push(np.random.default_rng(3).standard_normal(SAMPLE_RATE).astype(np.float32) * 0.01)
    noise = max(list(front.speech)[30:])
    front.push(speech(recordings))
    assert noise < 0.5 < np.median(list(front.speech)[120:])
    assert len(front.speech) == pytest.approx((SAMPLE_RATE + speech(recordings).size) / 160, abs=5)


@pytest.mark.slow
@pytest.mark.parametrize("mode", WITH)
def test_a_library_that_is_none_is_one_line(mode: str, tmp_path: Path) -> None:
    real = catalogue.load().get(DENOISERS[mode])  # type: ignore[index]
    for file in real.files:
        (tmp_path / file.name).write_bytes(b"no library")
    with pytest.raises(RecognizerError, match="would not load") as caught:
        denoise.load(ModelFiles(real, tmp_path))
    assert "\n" not in caught.value.message
    assert caught.value.remedy


def _db(samples: Samples) -> float:
    return float(10 * np.log10((samples**2).mean()))
