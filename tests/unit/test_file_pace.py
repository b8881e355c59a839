"""The pace of a sound file: as fast as it is taken, or as it would be spoken."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from sound_files import quiet_tone

from engine.ring import SampleRing
from engine.sources.file import FileSource
from engine.types import AudioChunk


def test_it_waits_for_a_slow_reader_and_can_be_stopped_meanwhile(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "long.wav", quiet_tone(30.0, 16_000), 16_000)
    source = FileSource(tmp_path / "long.wav")
    ring = SampleRing(16_000, 1, 1.0)
    source.start(ring)
    deadline = time.monotonic() + 20
    while ring.pending < 15_000 and time.monotonic() < deadline:
        time.sleep(0.005)
    source.stop()
    assert ring.closed
    assert ring.error is None
    assert 15_000 <= ring.pending <= 16_000
    assert ring.lost == 0


class _Clock(threading.Event):
    """Stands for the clock and for the event waited on: time passes only while somebody waits."""

    def __init__(self, late: float) -> None:
        super().__init__()
        self.now = 100.0
        self._late = late

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        self.now += (timeout or 0.0) + self._late
        return False


@pytest.mark.parametrize("late", [0.0, 0.009])
def test_at_the_pace_of_speech_late_wake_ups_do_not_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: float
) -> None:
    soundfile.write(tmp_path / "a.wav", quiet_tone(2.01, 44_100), 44_100)
    source = FileSource(tmp_path / "a.wav", realtime=True)
    clock = _Clock(late)
    ring = SampleRing(44_100, 1)
    handed: list[tuple[float, float, int]] = []
    monkeypatch.setattr("engine.sources.file.time", clock)
    monkeypatch.setattr(
        ring, "write", lambda block, captured: handed.append((clock.now, captured, len(block)))
    )
    source._feed_paced(ring, clock)
    source.stop()
    now, captured, frames = (list(column) for column in zip(*handed, strict=True))
    assert source.live
    assert frames == [882] * 100 + [441]
    spoken = 100.0 + np.cumsum(frames) / 44_100
    assert np.allclose(captured, spoken, rtol=0, atol=1e-9)
    assert np.allclose(now, spoken + late, rtol=0, atol=1e-9)


def test_paced_sound_arrives_as_it_is_captured(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", quiet_tone(0.3, 16_000), 16_000)
    source = FileSource(tmp_path / "a.wav", realtime=True)
    ring = SampleRing(16_000, 1)
    before = time.monotonic()
    source.start(ring)
    chunks: list[AudioChunk] = []
    while not (ring.closed and ring.pending == 0):
        chunk = ring.read(16_000)
        if chunk is not None:
            assert chunk.captured_at <= time.monotonic()
            chunks.append(chunk)
        time.sleep(0.001)
    source.stop()
    assert sum(len(chunk.samples) for chunk in chunks) == 4800
    assert len(chunks) > 1
    assert chunks[-1].captured_at >= before + 0.3
