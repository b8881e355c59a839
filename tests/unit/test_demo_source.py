"""The demo: captioned and heard; where nothing can be heard, captioned all the same."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from desktop_app import demo
from desktop_app.demo import DEMO, DemoSource
from engine.ring import SampleRing

RATE = 16_000


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "a recording 🎙.wav"
    wave = np.sin(np.arange(RATE // 4) / 20).astype(np.float32) * 0.3
    soundfile.write(path, wave, RATE, subtype="FLOAT")
    return path


class Speaker:
    """Stands for sounddevice, and keeps what is played."""

    def __init__(self) -> None:
        self.played: list[np.ndarray[Any, Any]] = []
        self.open = threading.Event()
        self.closed = False

    def OutputStream(self, rate: float, channels: int) -> Speaker:  # noqa: N802 - its real name
        assert (rate, channels) == (RATE, 1)
        return self

    def __enter__(self) -> Speaker:
        self.open.set()
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def write(self, block: np.ndarray[Any, Any]) -> None:
        self.played.append(block.copy())


def heard(source: DemoSource) -> int:
    """Frames that reached the ring."""
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    frames = 0
    while not ring.closed or ring.pending:
        chunk = ring.read(RATE)
        frames += len(chunk.samples) if chunk is not None else 0
    return frames


def test_it_is_heard_and_captioned(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = Speaker()
    monkeypatch.setattr(demo, "_sounddevice", lambda: speaker)
    source = DemoSource(recording)
    assert heard(source) == RATE // 4
    source.stop()
    source.stop()
    played = np.concatenate(speaker.played)
    assert len(played) <= RATE // 4
    assert np.abs(played).max() > 0.29
    assert speaker.closed


def test_without_a_loudspeaker_it_is_captioned(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> Any:
        raise OSError("PortAudio library not found")

    monkeypatch.setattr(demo, "_sounddevice", none)
    source = DemoSource(recording)
    assert heard(source) == RATE // 4
    source.stop()


def test_stopping_stops_the_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = Speaker()
    monkeypatch.setattr(demo, "_sounddevice", lambda: speaker)
    monkeypatch.setattr(speaker, "write", lambda _block: source._silence.wait(0.05))
    source = DemoSource()
    source.start(SampleRing(source.sample_rate, source.channels))
    assert speaker.open.wait(10)
    source.stop()
    assert speaker.closed


def test_the_shipped_recording_is_there() -> None:
    source = DemoSource()
    assert source.duration is not None
    assert source.duration > 5
    source.stop()
    assert DEMO.is_file()
