from __future__ import annotations

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recording, Recordings

from engine.types import Samples
from engine.vad import SileroVad
from models import catalogue
from models.store import ModelStore

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def vad() -> SileroVad:
    spec = catalogue.load().get("silero-vad")
    return SileroVad(ModelStore().files(spec))


def _load(recording: Recording) -> Samples:
    samples: Samples = soundfile.read(recording.path, dtype="float32")[0]
    return samples


def _probabilities(vad: SileroVad, samples: Samples) -> Samples:
    vad.reset()
    frames = range(0, len(samples) - vad.FRAME + 1, vad.FRAME)
    return np.array([vad.probability(samples[at : at + vad.FRAME]) for at in frames], np.float32)


def test_speech_is_speech(vad: SileroVad, recordings: Recordings) -> None:
    for recording in recordings.clean:
        heard = _probabilities(vad, _load(recording))
        assert np.mean(heard > 0.5) > 0.6, recording.name


def test_words_are_where_it_hears_speech(vad: SileroVad, demo: Recording) -> None:
    heard = _probabilities(vad, _load(demo))
    ends = [int(end * 16_000 / vad.FRAME) for _, end in demo.words]
    in_words = np.array([heard[end - 8 : end].max() for end in ends])
    assert np.mean(in_words > 0.5) > 0.95
    assert heard[: int(0.5 * 16_000 / vad.FRAME)].max() < 0.5


@pytest.mark.parametrize(
    "name", ["silence_digital_30s", "silence_nst_room", "noise_mains_hum_-40dBFS_10s"]
)
def test_silence_is_none(vad: SileroVad, recordings: Recordings, name: str) -> None:
    assert _probabilities(vad, _load(recordings.named(name))).max() < 0.3


def test_noise_is_hardly_ever_speech(vad: SileroVad, recordings: Recordings) -> None:
    typing = _probabilities(vad, _load(recordings.named("noise_keyboard-typing")))
    assert typing.max() < 0.5
    white = np.random.default_rng(3).standard_normal(160_000).astype(np.float32)
    assert _probabilities(vad, white * np.float32(0.05)).max() < 0.5


def test_it_remembers_until_it_is_reset(vad: SileroVad, demo: Recording) -> None:
    speech = _load(demo)[16_000:48_000]
    first = _probabilities(vad, speech)
    again = [
        vad.probability(speech[at : at + vad.FRAME])
        for at in range(0, len(speech) - vad.FRAME + 1, vad.FRAME)
    ]
    assert again[0] != first[0]
    assert np.array_equal(_probabilities(vad, speech), first)


@pytest.mark.parametrize("frames", [0, 511, 513])
def test_another_length_is_refused(vad: SileroVad, frames: int) -> None:
    with pytest.raises(ValueError, match="512"):
        vad.probability(np.zeros(frames, np.float32))
