"""One entry a real device, on lists that real machines give; and what is taken by default."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from device_lists import (
    ALSA,
    MAC,
    MAC_REPORT,
    WINDOWS,
    FakeServer,
    headset_on_linux,
    pulse_sink,
    pulse_source,
    rows,
)
from fake_pyaudiowpatch import FakePyAudioWPatch, speakers
from fake_sounddevice import FakeSoundDevice, device

from engine.errors import DeviceError
from engine.sources import _mac, _windows, platforms
from engine.sources import device as device_module
from engine.sources._mac import bluetooth_names
from engine.sources._portaudio_list import PortAudioInventory, fold
from engine.sources._pulse import PulseInventory, read_state
from engine.sources.device import DeviceSource
from engine.sources.inventory import PolledWatch, SoundDevice, choose_default, find
from engine.sources.platforms import open_device


def _names(devices: list[SoundDevice], kind: str) -> list[str]:
    return [each.name for each in devices if each.kind == kind]


def _linux(server: FakeServer) -> list[SoundDevice]:
    return [each for _, each in read_state(server)]


def test_windows_lists_each_device_once_under_its_whole_name() -> None:
    found = fold(rows(WINDOWS), "win32")
    assert _names(found, "input") == [
        "Headset (WH-1000XM4 Hands-Free AG Audio)",
        "Microphone Array (Realtek(R) Audio)",
        "Microphone (Logi C615 HD WebCam)",
        "CABLE Output (VB-Audio Virtual Cable)",
    ]
    assert [each.is_default for each in found] == [True, False, False, False]
    assert found[1].id == "portaudio:Windows WASAPI:Microphone Array (Realtek(R) Audio)"
    assert (found[1].channels, found[1].sample_rate) == (2, 48_000)


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_windows_without_its_best_interface_still_lists_each_once(gone: int) -> None:
    apis = ["Windows WASAPI", "Windows DirectSound", "MME", "Windows WDM-KS"]
    left = [row for row in WINDOWS if row[0] not in apis[:gone]]
    found = fold(rows(left), "win32")
    assert len({each.id.split(":")[1] for each in found}) == 1
    assert len(found) == (5 if gone == 3 else 4)
    assert not any("Mapper" in each.name or "Primary" in each.name for each in found)


def test_a_mac_tells_loopback_drivers_from_microphones() -> None:
    found = fold(rows(MAC), "darwin", bluetooth_names(MAC_REPORT))
    assert _names(found, "output") == [
        "BlackHole 2ch",
        "Loopback Audio",
        "Soundflower (2ch)",
        "VB-Cable",
    ]
    assert _names(found, "input") == [
        "Anna's WH-1000XM4",
        "MacBook Pro Microphone",
        "iPhone Microphone",
    ]
    chosen = choose_default(found, "output")
    assert chosen is not None
    assert chosen.name == "BlackHole 2ch"


def test_alsa_alone_lists_the_cards_and_no_stand_ins() -> None:
    assert _names(fold(rows(ALSA), "linux"), "input") == [
        "HDA Intel PCH: ALC257 Analog (hw:0,0)",
        "HD Webcam C615: USB Audio (hw:1,0)",
    ]
    stand_ins = fold(rows(ALSA[2:]), "linux")
    assert [each.name for each in stand_ins if each.is_default] == ["default"]


def test_two_devices_of_one_name_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fold(rows([*MAC[1:2], *MAC]), "darwin")
    assert "MacBook Pro Microphone (2)" in _names(found, "input")
    assert len({each.id for each in found}) == len(found)
    same = [device("USB Mic", rate=44_100.0), device("USB Mic", rate=48_000.0)]
    monkeypatch.setattr(device_module, "_sounddevice", lambda: FakeSoundDevice(same))
    first, second = PortAudioInventory().devices()
    assert DeviceSource(first).device.index == 0
    assert DeviceSource(second).device.index == 1


def test_a_sound_server_shows_no_monitor_as_a_microphone() -> None:
    found = _linux(headset_on_linux())
    assert _names(found, "input") == ["Built-in Audio Analog Stereo", "WH-1000XM4"]
    assert _names(found, "output") == ["Built-in Audio Analog Stereo", "WH-1000XM4"]
    assert found[2].id == "pulse:alsa_output.pci-0000_00_1f.3.analog-stereo.monitor"
    assert [each.name for each in found if each.is_default] == ["WH-1000XM4", "WH-1000XM4"]


def test_a_name_that_two_outputs_share_is_told_apart() -> None:
    server = FakeServer(
        [], [pulse_sink("one", "Null Output"), pulse_sink("two", "Null Output")], "", "two"
    )
    assert [(each.name, each.is_default) for each in _linux(server)] == [
        ("Null Output (one.monitor)", False),
        ("Null Output (two.monitor)", True),
    ]


@pytest.mark.parametrize(
    ("devices", "headset"),
    [
        (fold(rows(WINDOWS), "win32"), "Headset (WH-1000XM4 Hands-Free AG Audio)"),
        (
            # Windows 11 may give it a name that says nothing; then the registry tells.
            fold(
                rows(
                    [
                        (*row[:3], row[3].replace(" Hands-Free AG Audio", ""), row[4])
                        for row in WINDOWS
                    ]
                ),
                "win32",
                {"Headset (WH-1000XM4)"},
            ),
            "Headset (WH-1000XM4)",
        ),
        (fold(rows(MAC), "darwin", bluetooth_names(MAC_REPORT)), "Anna's WH-1000XM4"),
        (_linux(headset_on_linux()), "WH-1000XM4"),
    ],
    ids=["windows", "windows-11", "mac", "linux"],
)
def test_a_bluetooth_microphone_is_never_the_default(
    devices: list[SoundDevice], headset: str
) -> None:
    own = next(each for each in devices if each.is_default and each.kind == "input")
    assert (own.name, own.bluetooth) == (headset, True)
    chosen = choose_default(devices, "input")
    assert chosen is not None
    assert not chosen.bluetooth
    assert choose_default([own], "input") is None
    assert find(devices, headset, "input") == own


@pytest.mark.parametrize(
    "name", ["bluez_source.94_DB.handsfree_head_unit", "bluez_input.94:DB:56", "alsa_input.x"]
)
def test_bluetooth_is_told_by_either_server(name: str) -> None:
    server = FakeServer([pulse_source(name, "Headset")], [], name, "")
    assert _linux(server)[0].bluetooth is name.startswith("bluez")


def test_what_plays_over_bluetooth_is_captioned_like_anything_else() -> None:
    chosen = choose_default(_linux(headset_on_linux()), "output")
    assert chosen is not None
    assert (chosen.name, chosen.bluetooth) == ("WH-1000XM4", True)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("wh-1000", "WH-1000XM4"),
        ("pulse:alsa_input.pci-0000_00_1f.3.analog-stereo", "Built-in Audio Analog Stereo"),
        ("alsa_input.pci-0000_00_1f.3.analog-stereo", "Built-in Audio Analog Stereo"),
        ("nothing", None),
        (" ", None),
    ],
)
def test_a_device_is_found_by_id_and_by_part_of_its_name(wanted: str, name: str | None) -> None:
    found = find(_linux(headset_on_linux()), wanted, "input")
    assert (found and found.name) == name


def test_the_whole_name_goes_before_a_part_and_the_default_before_others() -> None:
    one = SoundDevice("x:1", "USB Mic Pro", "input", False, False, 1, 48_000)
    two = replace(one, id="x:2", name="USB Mic")
    three = replace(one, id="x:3", name="USB Mic Max", is_default=True)
    assert find([one, two, three], "usb mic", "input") == two
    assert find([one, three], "usb mic", "input") == three
    assert find([one, two, three], "usb mic", "output") is None


def test_a_polled_list_tells_of_changes_alone() -> None:
    mic = SoundDevice("x:1", "Mic", "input", True, False, 1, 48_000)
    lists: Iterator[Any] = iter([[mic], [mic], [mic, replace(mic, id="x:2")], None, [mic]])
    counted: list[int] = []
    looks = 0
    done = threading.Event()

    def look() -> list[SoundDevice]:
        nonlocal looks
        looks += 1
        found = next(lists, ...)
        if found is ...:
            done.set()
            return [mic]
        if found is None:
            raise DeviceError("gone")
        return list(found)

    watch = PolledWatch(look, lambda: counted.append(looks), every_s=0.001)
    assert done.wait(20)
    watch.end()
    watch.end()
    assert counted == [3, 4, 5]


def test_loopbacks_of_windows_are_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakePyAudioWPatch([speakers(), speakers("HDMI", channels=8, rate=192_000)], "HDMI")
    monkeypatch.setattr(_windows, "pyaudio", lambda: fake)
    found = _windows.loopbacks()
    assert [(each.id, each.is_default) for each in found] == [
        ("wasapi:Speakers (Realtek(R) Audio)", False),
        ("wasapi:HDMI", True),
    ]
    assert open_device(found[1], "system").description == "HDMI"
    assert fake.running == 0
    fake.rows.clear()
    assert _windows.loopbacks() == []
    monkeypatch.setattr(_windows, "pyaudio", lambda: None)
    assert _windows.loopbacks() == []


class Registry:
    """``winreg`` with these endpoints: name of the bus, of the jack, of the make."""

    HKEY_LOCAL_MACHINE = object()

    def __init__(self, endpoints: list[tuple[str, str, str] | None]) -> None:
        self._endpoints = endpoints

    def OpenKey(self, _root: Any, path: str) -> Any:  # noqa: N802
        at = path.removesuffix("\\Properties").rpartition("\\")[2]
        if path.endswith("Properties") and self._endpoints[int(at)] is None:
            raise FileNotFoundError(2, "no such key")
        key = SimpleNamespace(path=path, at=at)
        return _Held(key)

    def QueryInfoKey(self, _key: Any) -> tuple[int, int, int]:  # noqa: N802
        return len(self._endpoints), 0, 0

    def EnumKey(self, _key: Any, number: int) -> str:  # noqa: N802
        return str(number)

    def QueryValueEx(self, key: Any, name: str) -> tuple[str, int]:  # noqa: N802
        endpoint = self._endpoints[int(key.at)]
        assert endpoint is not None
        return endpoint[[",24", ",2", ",6"].index(name[38:])], 1


class _Held:
    def __init__(self, key: Any) -> None:
        self._key = key

    def __enter__(self) -> Any:
        return self._key

    def __exit__(self, *_: object) -> None:
        pass


def test_the_registry_tells_which_microphones_hang_on_bluetooth() -> None:
    registry = Registry(
        [
            ("BTHHFENUM", "Headset", "WH-1000XM4"),
            None,
            ("HDAUDIO", "Microphone Array", "Realtek(R) Audio"),
            ("bthenum", "Headset", "JBL Charge 3"),
        ]
    )
    assert set(_windows.bluetooth_names(registry)) == {
        "Headset (WH-1000XM4)",
        "Headset (JBL Charge 3)",
    }
    assert _windows.bluetooth_microphones(()) == frozenset()


@pytest.mark.parametrize("report", [b"", b"[]", b"{}", b'{"SPAudioDataType": [{"_items": [1]}]}'])
def test_a_report_that_says_nothing_is_no_error(report: bytes) -> None:
    assert bluetooth_names(report) == frozenset()


class Capture:
    """``AVFoundation``, and a user who answers the system's question."""

    AVMediaTypeAudio = "soun"

    def __init__(self, status: int, answer: int = 3) -> None:
        self.status = status
        self.asked = 0
        self.AVCaptureDevice = self
        self._answer = answer

    def authorizationStatusForMediaType_(self, kind: str) -> int:  # noqa: N802
        assert kind == "soun"
        return self.status

    def requestAccessForMediaType_completionHandler_(self, kind: str, done: Any) -> None:  # noqa: N802
        assert kind == "soun"
        self.asked += 1
        self.status = self._answer
        threading.Thread(target=done, args=(self._answer == 3,), name="answer").start()


@pytest.mark.parametrize(
    ("status", "answer", "asked", "says"),
    [
        (3, 3, 0, ""),
        (0, 3, 1, ""),
        (0, 2, 1, "does not let this program hear the microphone"),
        (2, 2, 0, "Privacy & Security > Microphone"),
        (1, 1, 0, "ask whoever manages it"),
    ],
)
def test_a_mac_is_asked_for_the_microphone_once(
    monkeypatch: pytest.MonkeyPatch, status: int, answer: int, asked: int, says: str
) -> None:
    capture = Capture(status, answer)
    monkeypatch.setattr(_mac, "_av_foundation", lambda: capture)
    if says:
        with pytest.raises(DeviceError) as caught:
            _mac.ask_for_microphone()
        assert says in str(caught.value)
    else:
        _mac.ask_for_microphone()
    assert capture.asked == asked
    assert _mac.microphone_denied() is bool(says)


def test_elsewhere_nobody_is_asked() -> None:
    _mac.ask_for_microphone()
    assert not _mac.microphone_denied()


def test_without_any_sound_server_the_list_of_portaudio_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pulsectl

    def nobody(*_: object) -> None:
        raise pulsectl.PulseError

    monkeypatch.setattr("engine.sources._pulse.connect", nobody)
    fake = FakeSoundDevice([device("HDA: Analog (hw:0,0)")])
    monkeypatch.setattr(device_module, "_sounddevice", lambda: fake)
    alone = PulseInventory(without_server=PortAudioInventory)
    assert [each.id for each in alone.devices()] == ["portaudio:ALSA:HDA: Analog (hw:0,0)"]
    # Once a server was there, its absence is its death.
    alone._seen_server = True
    assert alone.devices() == []
    assert alone.default("input") is None


def test_every_platform_has_an_inventory(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeSoundDevice([device("Microphone")])
    monkeypatch.setattr(device_module, "_sounddevice", lambda: fake)
    for platform in ("win32", "darwin", "freebsd13"):
        monkeypatch.setattr(platforms.sys, "platform", platform)
        found = platforms.open_inventory().default("input")
        assert found is not None
        assert found.name == "Microphone"
