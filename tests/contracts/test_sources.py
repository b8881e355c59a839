"""What every source in ``engine/sources`` keeps to, whichever files are there."""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fake_pyaudiowpatch import FakePyAudioWPatch, speakers
from fake_sounddevice import FakeSoundDevice, device
from fake_tap import FakeTap

import engine.sources
from engine.ring import SampleRing
from engine.sources.base import Source
from engine.types import Samples

FRAMES = 8_000
"""Half a second at 16 kHz: what the sources that end by themselves are given."""


def source_files() -> list[str]:
    return [
        module.name
        for module in pkgutil.iter_modules(engine.sources.__path__)
        if not module.name.startswith("_") and module.name not in ("base", "inventory", "platforms")
    ]


def source_classes() -> list[type[Any]]:
    """Every public class ``...Source`` in every public file of the package but the protocol's."""
    found = []
    for name in source_files():
        content = importlib.import_module(f"engine.sources.{name}")
        found += [
            value
            for label, value in vars(content).items()
            if inspect.isclass(value)
            and value.__module__ == content.__name__
            and label.endswith("Source")
            and not label.startswith("_")
        ]
    return found


CLASSES = source_classes()


def _tone() -> Samples:
    tone: Samples = (0.5 * np.sin(np.arange(FRAMES) * 0.3)).astype(np.float32)
    return tone


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    fake = FakeSoundDevice([device("Microphone", channels=2, rate=16_000.0)])
    monkeypatch.setattr("engine.sources.device._sounddevice", lambda: fake)
    return fake


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> FakePyAudioWPatch:
    fake = FakePyAudioWPatch([speakers(channels=2, rate=16_000)])
    monkeypatch.setattr("engine.sources._windows.pyaudio", lambda: fake)
    return fake


@pytest.fixture
def tap(monkeypatch: pytest.MonkeyPatch) -> FakeTap:
    fake = FakeTap()
    monkeypatch.setattr("engine.sources.application._ask_server", lambda: (16_000, 2))
    monkeypatch.setattr("engine.sources.application._open_tap", lambda _name: fake)
    return fake


@pytest.fixture(params=CLASSES, ids=lambda kind: kind.__name__)
def make(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    sound: FakeSoundDevice,
    loopback: FakePyAudioWPatch,
    tap: FakeTap,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Source]]:
    """Makes sources of one class, by the names of what its constructor needs."""
    assert sound.devices
    assert loopback.rows
    assert not tap.closed
    # Silence by the clock has its own test: here every sample is counted.
    monkeypatch.setattr("engine.sources._paced._QUIET_S", 1e9)
    kind = request.param
    soundfile.write(tmp_path / "声音 🎧.wav", _tone(), 16_000)
    offered: dict[str, Callable[[], Any]] = {
        "name": lambda: "Player",
        "path": lambda: tmp_path / "声音 🎧.wav",
        "stream": lambda: io.BytesIO((_tone() * 32_767).astype("<i2").tobytes()),
    }
    needed = [
        name
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.default is inspect.Parameter.empty
    ]
    unknown = set(needed) - set(offered)
    assert not unknown, f"teach this test what {kind.__name__} needs: {unknown}"
    made: list[Source] = []

    def build(**options: Any) -> Source:
        made.append(kind(**{name: offered[name]() for name in needed}, **options))
        return made[-1]

    yield build
    for source in made:
        source.stop()


def _ring(source: Source, seconds: float = 20.0) -> SampleRing:
    return SampleRing(source.sample_rate, source.channels, seconds)


def _start(source: Source, ring: SampleRing, sound: FakeSoundDevice) -> None:
    source.start(ring)
    for stream in sound.streams:
        if stream.open:
            # What a device would do from now on.
            for at in range(0, FRAMES, stream.blocksize):
                stream.deliver(np.stack([_tone()[at : at + stream.blocksize]] * 2, axis=1))
    # What records by itself finds it when it looks.
    FakeTap.waiting[:] = [np.stack([_tone()] * 2, axis=1)]


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def test_every_file_holds_a_source() -> None:
    assert {kind.__module__.rpartition(".")[2] for kind in CLASSES} == set(source_files())
    assert {"application", "device", "file", "loopback_wasapi", "stdin"} <= set(source_files())


def test_it_says_what_it_is_before_it_starts(make: Callable[..., Source]) -> None:
    source = make()
    assert source.lane
    assert source.description
    assert source.sample_rate == 16_000
    assert source.channels in (1, 2)
    assert isinstance(source.live, bool)
    assert make(lane="stage").lane == "stage"


def test_its_sound_arrives_whole(make: Callable[..., Source], sound: FakeSoundDevice) -> None:
    source = make()
    ring = _ring(source)
    before = time.monotonic()
    _start(source, ring, sound)
    _wait(lambda: ring.pending == FRAMES)
    chunk = ring.read(FRAMES)
    assert chunk is not None
    assert (chunk.first_sample, chunk.lost_before, chunk.sample_rate) == (0, 0, 16_000)
    assert np.abs(chunk.samples - _tone()).max() < 1e-3
    assert before <= chunk.captured_at <= time.monotonic()
    source.stop()
    assert (ring.closed, ring.error, ring.lost) == (True, None, 0)


def test_what_can_end_closes_the_ring_by_itself(
    make: Callable[..., Source], sound: FakeSoundDevice
) -> None:
    source = make()
    ring = _ring(source)
    _start(source, ring, sound)
    if not source.live:
        _wait(lambda: ring.closed)
        assert ring.pending == FRAMES
    assert ring.closed is not source.live


def test_stopping_twice_and_starting_twice_do_no_harm(
    make: Callable[..., Source], sound: FakeSoundDevice
) -> None:
    source = make()
    ring, other = _ring(source), _ring(source)
    source.start(ring)
    _start(source, other, sound)
    _wait(lambda: ring.pending == FRAMES)
    assert other.written == 0
    source.stop()
    source.stop()
    assert ring.closed
    assert ring.written == FRAMES


def test_stopped_before_it_started_it_stays_silent(
    make: Callable[..., Source], sound: FakeSoundDevice
) -> None:
    source = make()
    source.stop()
    ring = _ring(source)
    _start(source, ring, sound)
    assert ring.closed
    assert ring.written == 0


def test_nothing_is_written_after_it_is_stopped(
    make: Callable[..., Source], sound: FakeSoundDevice
) -> None:
    """Not even where nobody reads, and the ring is full."""
    before = set(threading.enumerate())
    source = make()
    ring = _ring(source, seconds=0.1)
    _start(source, ring, sound)
    _wait(lambda: ring.pending > 1_000)
    source.stop()
    written = ring.written
    assert ring.closed
    # No thread of its own is left that could write; a device's is stopped with its stream.
    assert set(threading.enumerate()) <= before
    assert not any(stream.open for stream in sound.streams)
    assert ring.written == written
