"""Sound files made up for tests, and what is read from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.errors import AudioFileError, SourceError
from engine.ring import SampleRing
from engine.sources.file import FileSource
from engine.types import Samples


def quiet_tone(seconds: float, rate: int, channels: int = 1) -> Samples:
    """A quiet tone, the same in every channel: (n, channels)."""
    row = 0.25 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    return np.repeat(row[:, None], channels, axis=1).astype(np.float32)


def read_whole(source: FileSource) -> tuple[Samples, SourceError | None]:
    """All that a file gives, at its own rate, and the error it ended with."""
    ring = SampleRing(source.sample_rate, source.channels, 2.0)
    source.start(ring)
    pieces: list[Samples] = []
    try:
        while True:
            closed = ring.closed
            chunk = ring.read(100_000)
            if chunk is not None:
                assert chunk.first_sample == sum(map(len, pieces))
                pieces.append(chunk.samples)
            elif closed:
                break
    finally:
        source.stop()
    assert ring.lost == 0
    return np.concatenate([*pieces, np.empty(0, np.float32)]), ring.error


def refusal(path: Path) -> AudioFileError:
    with pytest.raises(AudioFileError) as caught:
        FileSource(path)
    error = caught.value
    assert error.remedy
    assert "\n" not in str(error)
    return error


def written(path: Path) -> Path:
    soundfile.write(path, quiet_tone(0.1, 16_000), 16_000)
    return path
