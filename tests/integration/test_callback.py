"""The audio callback copies and leaves, whatever the recogniser does meanwhile."""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_recognizer import SPEC, Ask, ScriptedDetector, ScriptedRecognizer
from fake_sounddevice import FakeInputStream, FakeSoundDevice, device

import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.device import DeviceSource
from models.spec import ModelFiles

FILES = ModelFiles(SPEC, Path("nowhere"))
CONFIG = EngineConfig(model=FILES, vad=FILES, profile=LatencyProfile.parse("balanced"))
DECODE_S = 0.25
BLOCK_S = 0.02
SECONDS = 3.0


class Sluggish(ScriptedRecognizer):
    """Takes a quarter of a second for every decode, and says nothing.

    Attributes:
        threads: that it worked on.
    """

    def __init__(self) -> None:
        super().__init__([" word"], self._answer)
        self.threads: set[int] = set()

    def _answer(self, ask: Ask) -> tuple[()]:
        del ask
        self.threads.add(threading.get_ident())
        time.sleep(DECODE_S)
        return ()


@pytest.fixture
def sluggish(monkeypatch: pytest.MonkeyPatch) -> Sluggish:
    recognizer = Sluggish()
    monkeypatch.setattr(engine.loading, "load", lambda *_, **__: recognizer)
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector())
    return recognizer


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    fake = FakeSoundDevice([device("Microphone", channels=1, rate=16_000.0)])
    monkeypatch.setattr("engine.sources.device._sounddevice", lambda: fake)
    return fake


class Timed:
    """Times every callback of a stream.

    Attributes:
        wall, cpu: seconds that each took, by the clock and by its own thread's.
    """

    def __init__(self, stream: FakeInputStream) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self._callback = stream._callback
        stream._callback = self

    def __call__(self, *arguments: Any) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        self._callback(*arguments)
        self.cpu.append(time.thread_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


def open_stream(session: Session, sound: FakeSoundDevice) -> FakeInputStream:
    session.start()
    deadline = time.monotonic() + 20.0
    while not sound.streams or not sound.streams[-1].active:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return sound.streams[-1]


def deliver(stream: FakeInputStream, blocks: int) -> None:
    """Call back at the pace of a device: late now and then, but never slower for good."""
    block = np.full((stream.blocksize, 1), 0.05, np.float32)
    began = time.monotonic()
    for number in range(1, blocks + 1):
        time.sleep(max(0.0, began + number * BLOCK_S - time.monotonic()))
        stream.deliver(block)


def test_no_callback_overruns_and_no_sample_is_lost(
    sluggish: Sluggish, sound: FakeSoundDevice
) -> None:
    sink = MemorySink()
    session = Session(CONFIG, [DeviceSource("Microphone")], [sink])
    stream = open_stream(session, sound)
    timed = Timed(stream)
    blocks = round(SECONDS / BLOCK_S)
    driver = threading.Thread(target=deliver, args=(stream, blocks), name="portaudio")
    driver.start()
    driver.join()
    summary = session.stop(timeout=20.0)
    assert len(timed.wall) == blocks
    # By the clock another program may come between; by the thread's own none may.
    assert max(timed.cpu) < BLOCK_S
    assert statistics.median(timed.wall) < BLOCK_S / 10
    assert summary.audio_s == pytest.approx(SECONDS)
    assert summary.lost_samples == 0
    codes = [notice.code for notice in sink.notices]
    assert "engine.gap" not in codes
    assert "source.gap" not in codes
    assert sluggish.asks, "the recogniser was never asked"
    assert driver.ident not in sluggish.threads


def test_what_the_device_lost_is_counted_shown_and_marked(
    sluggish: Sluggish, sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    del sluggish
    sink = MemorySink()
    session = Session(CONFIG, [DeviceSource("Microphone")], [sink])
    stream = open_stream(session, sound)
    block = np.full((stream.blocksize, 1), 0.1, np.float32)
    clock = [time.monotonic()]
    monkeypatch.setattr(
        "engine.sources.device.time", type("Clock", (), {"monotonic": lambda: clock[0]})
    )
    for number in range(20):
        clock[0] += BLOCK_S + (0.5 if number == 10 else 0.0)
        stream.deliver(block, overflow=number == 10)
    deadline = time.monotonic() + 20.0
    while session.stats().audio_s < 20 * BLOCK_S - 1e-6:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    lost = session.stats().lost_samples
    summary = session.stop(timeout=20.0)
    assert lost == summary.lost_samples == pytest.approx(0.5 * 16_000, abs=2)
    (notice,) = [each for each in sink.notices if each.code.startswith("source.")]
    assert notice.code == "source.gap"
    assert notice.span == pytest.approx((10 * BLOCK_S, 10 * BLOCK_S + 0.5), abs=0.01)
