"""Recordings that give nothing while nothing plays: silence by the clock, any format, any end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from fake_pyaudiowpatch import FakePyAudioWPatch, speakers
from fake_tap import FakeTap

from engine.errors import DeviceError
from engine.ring import SampleRing
from engine.sources import _windows
from engine.sources._paced import pump
from engine.sources.loopback_wasapi import WasapiLoopbackSource
from engine.types import Samples

RATE = 1_000


class Clock:
    """Goes on by 20 ms each time it is looked at."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        self.now += 0.02
        return self.now


class ScriptedTap:
    """Gives ``frames`` at each read, and ends the recording after the last."""

    def __init__(self, frames: list[int], stop: threading.Event) -> None:
        self._frames = list(frames)
        self._stop = stop
        self.closed = False

    def read(self, wait_s: float) -> Samples:
        assert wait_s > 0
        count = self._frames.pop(0)
        if not self._frames:
            self._stop.set()
        return np.ones((count, 2), np.float32)

    def close(self) -> None:
        self.closed = True


def _pump(frames: list[int]) -> tuple[Samples, float]:
    """What is written for these reads of 20 ms each, and the seconds that passed."""
    stop, clock = threading.Event(), Clock()
    tap = ScriptedTap(frames, stop)
    ring = SampleRing(RATE, 2, 60.0)
    began = clock.now + 0.02
    pump(lambda: tap, RATE, 2, ring, stop, clock)
    assert tap.closed
    chunk = ring.read(60 * RATE)
    return (np.zeros(0, np.float32) if chunk is None else chunk.samples), clock.now - began


def test_a_pause_is_filled_with_silence_as_long_as_it_lasts() -> None:
    samples, seconds = _pump([20] * 50 + [0] * 200 + [20] * 50)
    assert len(samples) / RATE == pytest.approx(seconds, abs=0.03)
    assert samples[:1_000].all()
    assert not samples[1_000:5_000].any()
    assert samples[-1_000:].all()


def test_nothing_is_put_in_where_a_busy_machine_delivers_late() -> None:
    samples, seconds = _pump(([20] * 10 + [0] * 9 + [200]) * 20)
    assert samples.all()
    assert len(samples) / RATE == pytest.approx(seconds, abs=0.03)


def test_silence_put_in_too_early_is_made_up_for() -> None:
    """Blocks of 0.5 s that come in one piece look like pauses; time is true all the same."""
    samples, seconds = _pump(([0] * 24 + [500]) * 40 + [0] * 100)
    assert len(samples) / RATE == pytest.approx(seconds, abs=0.6)


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakePyAudioWPatch:
    FakeTap.waiting.clear()
    fake = FakePyAudioWPatch(
        [
            speakers(),
            speakers("Telephone", channels=1, rate=8_000),
            speakers("Desk", channels=2, rate=192_000),
            speakers("Odd", channels=2, rate=11_025),
            speakers("Cinema", channels=6, rate=44_100),
            speakers("Quad", channels=4, rate=48_000),
        ]
    )
    monkeypatch.setattr(_windows, "pyaudio", lambda: fake)
    return fake


@pytest.mark.parametrize(
    ("number", "rate", "channels"),
    [
        (0, 48_000, 2),
        (1, 8_000, 1),
        (2, 192_000, 2),
        (3, 11_025, 2),
        (4, 44_100, 2),
        (5, 48_000, 2),
    ],
)
def test_windows_outputs_are_recorded_in_their_own_format(
    library: FakePyAudioWPatch, number: int, rate: int, channels: int
) -> None:
    device = _windows.loopbacks()[number]
    source = WasapiLoopbackSource(device)
    assert (source.sample_rate, source.channels, source.lane) == (rate, channels, "system")
    ring = SampleRing(rate, channels)
    source.start(ring)
    _wait(lambda: bool(library.streams))
    tone = 0.25 * np.ones((rate // 10, device.channels), np.float32)
    library.streams[0].play(tone)
    _wait(lambda: ring.written >= len(tone))
    chunk = ring.read(len(tone))
    source.stop()
    assert chunk is not None
    loud = 1.707 if device.channels == 6 else 1.0
    assert np.abs(chunk.samples - 0.25 * loud).max() < 1e-3
    assert library.streams[0].closed
    assert library.running == 0


def test_a_silent_output_is_silence_and_no_loss(library: FakePyAudioWPatch) -> None:
    source = WasapiLoopbackSource()
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    _wait(lambda: ring.written > source.sample_rate // 4)
    source.stop()
    chunk = ring.read(source.sample_rate)
    assert chunk is not None
    assert not chunk.samples.any()
    assert (ring.lost, ring.error) == (0, None)
    assert library.running == 0


def test_an_output_that_goes_ends_the_stream_with_a_remedy(library: FakePyAudioWPatch) -> None:
    source = WasapiLoopbackSource()
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    _wait(lambda: bool(library.streams))
    library.streams[0].error = OSError(-9985, "Device unavailable")
    _wait(lambda: ring.closed)
    source.stop()
    assert "stopped delivering sound (Device unavailable)" in str(ring.error)
    assert library.running == 0


def test_an_output_that_cannot_be_opened_says_why(library: FakePyAudioWPatch) -> None:
    gone = WasapiLoopbackSource(_windows.loopbacks()[1])
    library.rows.pop(1)
    held = WasapiLoopbackSource()
    for source, says in ((gone, "not there any more"), (held, "Unanticipated host error")):
        ring = SampleRing(source.sample_rate, source.channels)
        source.start(ring)
        _wait(lambda ring=ring: ring.closed)  # type: ignore[misc]
        source.stop()
        assert isinstance(ring.error, DeviceError)
        assert says in str(ring.error)
        library.open_error = OSError(-9999, "Unanticipated host error")
    assert library.running == 0


def test_without_the_library_or_an_output_it_says_so(
    library: FakePyAudioWPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.rows.clear()
    with pytest.raises(DeviceError, match="no sound output was found"):
        WasapiLoopbackSource()
    monkeypatch.setattr(_windows, "pyaudio", lambda: None)
    with pytest.raises(DeviceError, match="PyAudioWPatch"):
        WasapiLoopbackSource()
