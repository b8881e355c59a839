from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from fake_sounddevice import FakeInputStream, FakeSoundDevice, PortAudioError, device

from engine.errors import DeviceBusyError, DeviceError
from engine.ring import SampleRing
from engine.sources import device as device_module
from engine.sources.device import DeviceSource, list_devices
from engine.types import Samples

DESK = [
    device("HDMI output", channels=0),
    device("Built-in Microphone", channels=1, rate=44_100.0),
    device("USB Headset", channels=2, rate=48_000.0),
    device("Studio desk", channels=18, rate=192_000.0),
    device("USB Headset Pro", channels=1, rate=16_000.0),
]


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    fake = FakeSoundDevice(list(DESK), default=1)
    monkeypatch.setattr(device_module, "_sounddevice", lambda: fake)
    return fake


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def _started(source: DeviceSource, sound: FakeSoundDevice) -> tuple[SampleRing, FakeInputStream]:
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    return ring, sound.streams[-1]


@pytest.mark.usefixtures("sound")
def test_only_inputs_are_listed() -> None:
    devices = list_devices()
    assert [each.index for each in devices] == [1, 2, 3, 4]
    assert [each.is_default for each in devices] == [True, False, False, False]
    assert (devices[0].name, devices[0].host_api) == ("Built-in Microphone", "ALSA")
    assert (devices[2].channels, devices[2].sample_rate) == (18, 192_000)


def test_devices_are_looked_for_again_but_not_under_an_open_stream(sound: FakeSoundDevice) -> None:
    sound.devices = DESK[:2]
    assert len(list_devices()) == 1
    sound.devices = DESK
    assert len(list_devices()) == 4
    assert sound.restarts == 2
    source = DeviceSource()
    restarts = sound.restarts
    _started(source, sound)
    list_devices()
    assert sound.restarts == restarts
    source.stop()
    list_devices()
    assert sound.restarts == restarts + 1


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (None, 1),
        (2, 2),
        ("3", 3),
        ("built-in", 1),
        ("STUDIO", 3),
        ("USB Headset", 2),
        ("usb headset pro", 4),
        ("  headset ", 2),
    ],
)
def test_a_device_is_found_by_number_or_any_part_of_its_name(
    wanted: str | int | None, index: int
) -> None:
    assert DeviceSource(wanted).device.index == index


def test_where_several_systems_list_one_device_the_default_one_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [device("Mic"), device("Mic", host_api=1), device("Other", host_api=1)]
    fake = FakeSoundDevice(rows, default=2, host_apis=("MME", "Windows WASAPI"))
    monkeypatch.setattr(device_module, "_sounddevice", lambda: fake)
    assert DeviceSource("mic").device.index == 1


@pytest.mark.usefixtures("sound")
def test_a_name_nearly_right_is_suggested() -> None:
    with pytest.raises(DeviceError) as caught:
        DeviceSource("USB Hedset")
    assert caught.value.message == "no input device is called 'USB Hedset'"
    assert "did you mean 'USB Headset'?" in caught.value.remedy


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("wanted", ["0", 0, 17, "trombone", ""])
def test_what_is_not_there_is_refused(wanted: str | int) -> None:
    with pytest.raises(DeviceError, match="captionglass devices"):
        DeviceSource(wanted)


@pytest.mark.parametrize("wanted", [None, "mic", 0])
def test_no_device_at_all(sound: FakeSoundDevice, wanted: str | int | None) -> None:
    sound.devices = [device("HDMI output", channels=0)]
    with pytest.raises(DeviceError, match="plug in a microphone, or caption a file"):
        DeviceSource(wanted)


def test_a_sound_system_that_does_not_answer(
    sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise PortAudioError("Internal PortAudio error [PaErrorCode -9986]")

    monkeypatch.setattr(sound, "_initialize", fail)
    with pytest.raises(DeviceError, match=r"does not answer \(Internal PortAudio error\)"):
        list_devices()


def test_portaudio_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(DeviceError, match="apt-get install libportaudio2"):
        list_devices()


@pytest.mark.parametrize(
    ("wanted", "rate", "channels", "block"),
    [
        ("built-in", 44_100, 1, 882),
        ("usb headset", 48_000, 2, 960),
        ("studio", 192_000, 2, 3840),
        ("pro", 16_000, 1, 320),
    ],
)
def test_the_devices_own_rate_and_at_most_two_channels(
    sound: FakeSoundDevice, wanted: str, rate: int, channels: int, block: int
) -> None:
    source = DeviceSource(wanted, lane="desk")
    assert (source.lane, source.live) == ("desk", True)
    _, stream = _started(source, sound)
    source.stop()
    assert (source.sample_rate, source.channels) == (rate, channels)
    assert (stream.samplerate, stream.channels, stream.blocksize) == (rate, channels, block)


def test_settings_that_the_device_refuses_are_replaced(sound: FakeSoundDevice) -> None:
    sound.refused = {(192_000, 1), (192_000, 2), (48_000, 2)}
    source = DeviceSource("studio")
    assert (source.sample_rate, source.channels) == (48_000, 1)


def test_a_device_that_takes_nothing(sound: FakeSoundDevice) -> None:
    sound.refused = {(rate, count) for rate in (48_000, 44_100, 16_000) for count in (1, 2)}
    with pytest.raises(DeviceError, match=r"USB Headset cannot be opened \(Invalid sample rate\)"):
        DeviceSource("USB Headset")


def test_a_device_held_by_another_program(sound: FakeSoundDevice) -> None:
    source = DeviceSource()
    sound.open_error = PortAudioError("Error opening InputStream: Device unavailable")
    ring = SampleRing(source.sample_rate, source.channels)
    with pytest.raises(DeviceError, match="close what else records from it") as caught:
        source.start(ring)
    assert ring.closed
    assert ring.error is caught.value
    source.stop()


def test_the_callback_runs_elsewhere_and_waits_for_nobody(
    sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device at its own pace, and a reader that is stuck in the middle of a read meanwhile."""
    source = DeviceSource("USB Headset")
    ring, stream = _started(source, sound)
    blocks = 50
    writers: set[int] = set()
    write = ring.write

    def seen(block: Samples, captured_at: float) -> None:
        writers.add(threading.get_ident())
        write(block, captured_at)

    monkeypatch.setattr(ring, "write", seen)
    stuck, free = threading.Event(), threading.Event()
    copy = ring._copy

    def slow(begin: int, end: int) -> Samples:
        stuck.set()
        assert free.wait(20)
        return copy(begin, end)

    stream.deliver(np.zeros((stream.blocksize, 2), np.float32))
    monkeypatch.setattr(ring, "_copy", slow)
    got: list[Samples] = []

    def read() -> None:
        while len(got) < 2 or ring.pending:
            chunk = ring.read(100_000)
            if chunk is not None:
                got.append(chunk.samples)

    reader = threading.Thread(target=read)
    reader.start()
    assert stuck.wait(20)
    driver = threading.Thread(target=stream.run, args=(blocks, threading.Event()))
    driver.start()
    # It ends only if no callback waited for the reader, which holds all that it will ever hold.
    driver.join(20)
    assert not driver.is_alive()
    assert not free.is_set()
    free.set()
    reader.join()
    source.stop()
    assert writers == {driver.ident, threading.get_ident()}
    heard = np.concatenate(got)[stream.blocksize :]
    assert np.array_equal(heard, np.arange(blocks * stream.blocksize, dtype=np.float32))
    assert ring.lost == 0


def test_an_overflow_is_counted_by_the_clock(
    sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = DeviceSource("USB Headset")
    ring, stream = _started(source, sound)
    block = np.zeros((960, 2), np.float32)
    now = 100.0
    monkeypatch.setattr(device_module, "time", SimpleNamespace(monotonic=lambda: now))
    stream.deliver(block)
    now += 0.12
    stream.deliver(block, overflow=True)
    now += 0.001
    stream.deliver(block, overflow=True)
    monkeypatch.undo()
    source.stop()
    first, second, third = (ring.read(960) for _ in range(3))
    assert first is not None
    assert second is not None
    assert third is not None
    assert second.lost_before == 5 * 960
    assert second.first_sample == 6 * 960
    assert third.lost_before == 1
    assert ring.lost == 5 * 960 + 1


@pytest.mark.parametrize(
    ("age", "heard_at"),
    [(0.0, 100.0), (0.055, 99.965), (0.02, 100.0), (30.0, 100.0), (-5.0, 100.0)],
)
def test_capture_time_is_when_the_last_sample_was_heard(
    sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch, age: float, heard_at: float
) -> None:
    source = DeviceSource("USB Headset")
    ring, stream = _started(source, sound)
    monkeypatch.setattr(device_module, "time", SimpleNamespace(monotonic=lambda: 100.0))
    stream.deliver(np.zeros((960, 2), np.float32), age=age)
    monkeypatch.undo()
    source.stop()
    chunk = ring.read(960)
    assert chunk is not None
    assert chunk.captured_at == pytest.approx(heard_at)


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("Error opening InputStream: Device unavailable [PaErrorCode -9985]", True),
        ("Unanticipated host error: AUDCLNT_E_DEVICE_IN_USE", True),
        ("Error opening InputStream: Illegal combination of I/O devices", False),
    ],
)
def test_a_device_held_by_another_program_is_told_from_one_that_fails(
    sound: FakeSoundDevice, words: str, held: bool
) -> None:
    source = DeviceSource("USB Headset")
    sound.open_error = PortAudioError(words)
    with pytest.raises(DeviceError) as caught:
        source.start(SampleRing(source.sample_rate, source.channels))
    assert isinstance(caught.value, DeviceBusyError) is held


@pytest.mark.parametrize("how", ["no first block", "no further block", "inactive"])
def test_a_device_that_falls_silent_ends_the_stream(
    sound: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(device_module, "_WATCH_S", 0.01)
    monkeypatch.setattr(device_module, "FIRST_SOUND_S", 0.1 if how == "no first block" else 1e9)
    source = DeviceSource("USB Headset", silent_s=1e9 if how == "inactive" else 0.1)
    ring, stream = _started(source, sound)
    if how != "no first block":
        stream.deliver(np.zeros((960, 2), np.float32))
    if how == "inactive":
        stream.active = False
    _wait(lambda: ring.closed)
    assert isinstance(ring.error, DeviceError)
    assert ring.error.message == "USB Headset stopped delivering sound"
    assert ring.error.remedy
    assert not stream.open
    # What it delivered until then is still there.
    assert (ring.read(960) is not None) is (how != "no first block")
    source.stop()
    assert ring.error is not None
