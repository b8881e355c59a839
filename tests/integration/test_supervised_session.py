"""A session whose devices break off: it goes on, says so, and no word after it is misdated."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fake_devices import FakeInventory, sound_device
from fake_recognizer import SPEC, Listener, ScriptedDetector, script, sound
from fake_source import PlayedSource

import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.errors import DeviceBusyError, DeviceError, SourceError
from engine.inlet import Inlet
from engine.ring import SampleRing
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.inventory import SoundDevice
from engine.types import SAMPLE_RATE, Samples
from engine.watched import SourceOpener
from models.spec import ModelFiles

LIMIT_S = 20.0
FILES = ModelFiles(SPEC, Path("nowhere"))
CONFIG = EngineConfig(model=FILES, vad=FILES, profile=LatencyProfile.parse("balanced"))
MIC = sound_device("Mic", default=True)
WORDS = script("one two three", start=0.4) + script("four five six", start=3.6)


class Speaker:
    """Somebody who talks by the clock of this machine, into whatever device is open.

    The stream says which sample it is (``fake_recognizer``), so a device that is opened late
    misses what was said before.
    """

    def __init__(self) -> None:
        self.began_at: float | None = None
        self.opened: list[Device] = []
        self.refuses: DeviceError | None = None

    def now(self) -> float:
        """Seconds since the first device was opened."""
        if self.began_at is None:
            self.began_at = time.monotonic()
        return time.monotonic() - self.began_at

    def open(self, device: SoundDevice = MIC, lane: str = "mic") -> Device:
        if self.refuses is not None and self.opened:
            raise self.refuses
        self.opened.append(Device(self, device, lane))
        return self.opened[-1]


class Device:
    """Delivers what is said while it is open, in blocks of 20 ms."""

    live = True
    channels = 1
    sample_rate = SAMPLE_RATE

    def __init__(self, speaker: Speaker, device: SoundDevice, lane: str) -> None:
        self.lane = lane
        self.description = device.name
        self._speaker = speaker
        self._broken: SourceError | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, ring: SampleRing) -> None:
        if self._speaker.refuses is not None:
            raise self._speaker.refuses
        self._thread = threading.Thread(target=self._run, args=(ring,), name="device")
        self._thread.start()

    def break_off(self) -> None:
        """As a device that is unplugged."""
        self._broken = SourceError("the device stopped delivering")
        self._stop.set()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, ring: SampleRing) -> None:
        place = round(self._speaker.now() * SAMPLE_RATE)
        while not self._stop.wait(0.02):
            end = round(self._speaker.now() * SAMPLE_RATE)
            ring.write(sound(place, end - place)[:, np.newaxis], time.monotonic())
            place = end
        ring.close(self._broken)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Loading the model waits for it."""
    gate = threading.Event()
    gate.set()

    def load(*_: object, **__: object) -> Listener:
        assert gate.wait(LIMIT_S)
        return Listener(WORDS)

    monkeypatch.setattr(engine.loading, "load", load)
    stretches = [(WORDS[at].start, WORDS[at + 2].end + 0.1) for at in (0, 3)]
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector(stretches))
    return gate


def wait_for(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not done():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def codes(sink: MemorySink) -> list[str]:
    return [notice.code for notice in sink.notices]


def ends(sink: MemorySink) -> dict[str, float]:
    return {word.text: word.end for update in sink.finals for word in update.words}


def supervised(speaker: Speaker, sink: MemorySink, *others: PlayedSource) -> Session:
    opener = SourceOpener("mic", "input", MIC, open=speaker.open)
    return Session(
        CONFIG,
        [speaker.open(), *others],
        [sink],
        [opener, *(None for _ in others)],
        lambda: FakeInventory(MIC),
    )


@pytest.mark.usefixtures("gate")
def test_a_device_that_breaks_off_is_opened_again_and_later_words_have_true_times() -> None:
    speaker, sink = Speaker(), MemorySink()
    session = supervised(speaker, sink)
    session.start()
    wait_for(lambda: "three" in ends(sink))
    speaker.refuses = DeviceError("the device cannot be opened")
    speaker.opened[0].break_off()
    broke_off = speaker.now()
    wait_for(lambda: "source.stalled" in codes(sink))
    time.sleep(0.5)
    speaker.refuses = None
    wait_for(lambda: "six" in ends(sink))
    session.stop()
    assert session.error is None
    assert list(ends(sink)) == [word.text for word in WORDS]
    for word in WORDS:
        assert ends(sink)[word.text] == pytest.approx(word.end, abs=0.1)
    (gap,) = [notice.span for notice in sink.notices if notice.code == "source.gap"]
    assert gap is not None
    assert gap[0] == pytest.approx(broke_off, abs=0.2)
    assert gap[1] - gap[0] > 0.4


@pytest.mark.usefixtures("gate")
def test_a_session_goes_on_while_its_only_device_is_gone() -> None:
    speaker, sink = Speaker(), MemorySink()
    session = supervised(speaker, sink)
    session.start()
    wait_for(lambda: session.stats().audio_s > 0.2)
    speaker.refuses = DeviceError("the device cannot be opened")
    speaker.opened[0].break_off()
    assert not session.wait(1.5)
    session.stop()
    assert session.error is None, "stopped by the user while it waited"
    assert sink.closed


@pytest.mark.usefixtures("gate")
def test_of_two_sources_one_that_breaks_off_is_told_at_once_while_the_other_goes_on() -> None:
    error = SourceError("the pipe broke", "mend it")
    quiet: Samples = np.zeros(SAMPLE_RATE, np.float32)
    broken = PlayedSource(quiet, lane="pipe", breaks_off=error)
    going = PlayedSource(quiet, lane="file", stays=True)
    sink = MemorySink()
    session = Session(CONFIG, [broken, going], [sink])
    session.start()
    wait_for(lambda: sink.notices)
    (notice,) = sink.notices
    assert (notice.code, notice.text, notice.lane) == ("source.failed", "the pipe broke", "pipe")
    assert not session.wait(0.2)
    session.stop()
    assert session.error is error


def test_what_is_said_while_the_model_loads_is_captioned(gate: threading.Event) -> None:
    gate.clear()
    speaker, sink = Speaker(), MemorySink()
    session = supervised(speaker, sink)
    session.start()
    wait_for(lambda: speaker.opened[0]._thread is not None)
    time.sleep(WORDS[2].end + 0.8)
    assert sink.header is None
    gate.set()
    wait_for(lambda: "three" in ends(sink))
    session.stop()
    assert sink.header is not None
    assert codes(sink) == []
    assert ends(sink)["three"] == pytest.approx(WORDS[2].end, abs=0.1)


@pytest.mark.usefixtures("gate")
def test_a_device_held_by_another_program_is_waited_for() -> None:
    speaker, sink = Speaker(), MemorySink()
    session = supervised(speaker, sink)
    speaker.refuses = DeviceBusyError("the device cannot be opened (Device unavailable)")
    session.start()
    wait_for(lambda: "source.busy" in codes(sink))
    speaker.refuses = None
    wait_for(lambda: session.stats().audio_s > 0.2)
    session.stop()
    assert session.error is None


@pytest.mark.usefixtures("gate")
def test_a_device_that_will_not_open_at_all_is_an_error() -> None:
    speaker, sink = Speaker(), MemorySink()
    session = supervised(speaker, sink)
    speaker.refuses = DeviceError("there is no such device", "choose another")
    session.start()
    assert session.wait(LIMIT_S)
    assert session.error is speaker.refuses
    assert codes(sink) == ["engine.failed"]
    assert sink.closed


@pytest.mark.usefixtures("gate")
def test_a_device_that_is_put_in_later_is_watched_too() -> None:
    class Listed(Device):
        """Made of a device of an inventory, as DeviceSource is."""

        sound_device = MIC

    speaker, sink = Speaker(), MemorySink()
    first = PlayedSource(np.zeros(SAMPLE_RATE, np.float32), stays=True, live=True)
    session = Session(CONFIG, [first], [sink], inventory=lambda: FakeInventory(MIC))
    session.start()
    wait_for(lambda: session.stats().audio_s > 0.5)
    second = Listed(speaker, MIC, "mic")
    session.swap_source(0, second)
    wait_for(lambda: session.stats().audio_s > 1.5)
    second.break_off()
    wait_for(lambda: "source.stalled" in codes(sink))
    session.stop()
    assert session.error is None


def test_an_inlet_that_is_refused_says_so_in_its_ring() -> None:
    error = SourceError("no")
    inlet = Inlet(PlayedSource(np.zeros(0, np.float32), refuses=error))
    with pytest.raises(SourceError):
        inlet.start()
    assert inlet.ring.closed
    assert inlet.ring.error is error
