"""From what was typed to sources, and what is said about the choice."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from device_lists import MAC, headset_on_linux, rows

from desktop_app.commands import devices as devices_command
from desktop_app.commands.devices import described, differences, print_devices, quoted
from desktop_app.pick_source import is_device, pick_sources
from desktop_app.settings.declared import Settings
from engine.errors import DeviceError, UsageError
from engine.sources import platforms
from engine.sources._portaudio_list import fold
from engine.sources._pulse import read_state
from engine.sources.inventory import SoundDevice
from engine.types import Notice

NOTEBOOK = [each for _, each in read_state(headset_on_linux())]
HEADSET, BUILT_IN = "WH-1000XM4", "Built-in Audio Analog Stereo"


class Opened:
    """Stands for a device's source."""

    def __init__(self, device: SoundDevice, lane: str, pinned: bool) -> None:
        self.device, self.lane, self.pinned = device, lane, pinned


class Machine:
    """An inventory with these devices."""

    def __init__(self, devices: Sequence[SoundDevice]) -> None:
        self._devices = list(devices)

    def devices(self) -> list[SoundDevice]:
        return self._devices


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(devices: Sequence[SoundDevice]) -> None:
        monkeypatch.setattr(platforms, "open_inventory", lambda: Machine(devices))

    monkeypatch.setattr(
        platforms,
        "open_device",
        lambda device, lane, *, pinned=False: Opened(device, lane, pinned),
    )
    put(NOTEBOOK)
    return put


def _picked(text: str, told: list[Notice] | None = None) -> list[tuple[str, str, str, bool]]:
    sources: Any = pick_sources(text, tell=None if told is None else told.append)
    return [(each.lane, each.device.name, each.device.kind, each.pinned) for each in sources]


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("text", "picked"),
    [
        ("mic", [("mic", BUILT_IN, "input", False)]),
        ("mic:", [("mic", BUILT_IN, "input", False)]),
        ("mic:wh-1000", [("mic", HEADSET, "input", True)]),
        ("mic:pulse:bluez_input.94:DB:56:00:11:22", [("mic", HEADSET, "input", True)]),
        ("system", [("system", HEADSET, "output", False)]),
        ("system:built-in", [("system", BUILT_IN, "output", True)]),
        ("both", [("mic", BUILT_IN, "input", False), ("system", HEADSET, "output", False)]),
    ],
)
def test_what_a_word_means(text: str, picked: list[Any]) -> None:
    assert is_device(text)
    assert _picked(text) == picked


@pytest.mark.usefixtures("machine")
def test_a_headset_that_was_passed_over_is_named_and_can_be_insisted_on() -> None:
    told: list[Notice] = []
    _picked("both", told)
    (notice,) = told
    assert (notice.code, notice.severity) == ("source.bluetooth", "warning")
    assert BUILT_IN in notice.text
    assert HEADSET in notice.text
    assert f"mic:{HEADSET}" in notice.remedy
    told.clear()
    _picked(f"mic:{HEADSET}", told)
    _picked("system", told)
    assert told == []


def test_a_headset_alone_is_not_opened_unasked(machine: Any) -> None:
    machine([each for each in NOTEBOOK if each.bluetooth])
    with pytest.raises(DeviceError) as caught:
        _picked("mic")
    assert "sound like a telephone" in str(caught.value)
    assert "mic:WH-1000XM4" in str(caught.value)
    assert _picked("mic:wh") == [("mic", HEADSET, "input", True)]


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mic:WH-1000XM5", "did you mean 'WH-1000XM4'?"),
        ("mic:what on earth", "captionglass devices lists what there is"),
        ("system:nothing such", "no output device is called"),
    ],
)
def test_an_unknown_name_is_wrong_usage(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        _picked(text)
    assert says in str(caught.value)


def test_an_output_asked_for_as_a_microphone_is_pointed_out(machine: Any) -> None:
    machine([replace(each, name="Loudspeakers") for each in NOTEBOOK if each.kind == "output"])
    with pytest.raises(UsageError, match="did you mean 'system:Loudspeakers'"):
        _picked("mic:loud")


def test_no_device_at_all_is_one_line_with_a_way_out(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine([])
    monkeypatch.setattr(sys, "platform", "linux")
    for text in ("mic", "system", "both"):
        with pytest.raises(DeviceError) as caught:
            _picked(text)
        assert "start the sound server" in str(caught.value)
        assert "captionglass caption FILE" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_mac_without_a_loopback_driver_is_told_what_to_install(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(fold(rows([row for row in MAC if "Mic" in row[3]] + MAC[:1]), "darwin"))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(DeviceError, match="install BlackHole"):
        _picked("system")
    machine(fold(rows(MAC), "darwin"))
    assert _picked("system") == [("system", "BlackHole 2ch", "output", False)]


def test_one_application_is_for_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sources.application.sys.platform", "win32")
    with pytest.raises(UsageError, match="on Linux"):
        pick_sources("app:Firefox")


def test_a_file_is_no_device(tmp_path: Path) -> None:
    assert not is_device(str(tmp_path / "mic.wav"))
    assert not is_device("-")


def test_the_names_of_the_lanes_can_be_changed() -> None:
    assert Settings().lane_names == {"mic": "You", "system": "Others"}
    mine = Settings(lane_name_mic="Ich", lane_name_system="Die anderen")
    assert mine.lane_names == {"mic": "Ich", "system": "Die anderen"}


def test_the_list_begins_with_the_default_and_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.sources.application.playing", lambda: ["Firefox"])
    lines = list(described(NOTEBOOK))
    assert lines[0] == "Microphones"
    assert lines[1].split("   ")[0] == f"  System default (now: {BUILT_IN})"
    assert lines[1].endswith("   mic")
    assert lines[3].startswith(f"  {HEADSET} (Bluetooth: never by default")
    assert lines[3].endswith(quoted(f"mic:{HEADSET}"))
    assert lines[4] == "What the computer plays"
    assert lines[5].split("   ")[0] == f"  System default (now: {HEADSET})"
    assert lines[-1].split() == ["Firefox", "app:Firefox"]
    assert quoted("mic:A B").strip("'\"") == "mic:A B"


def test_a_machine_without_microphones_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sources.application.playing", list)
    lines = list(described([each for each in NOTEBOOK if each.kind == "output"]))
    assert lines[1] == "  none: plug in a microphone"


def test_differences_are_named() -> None:
    mic, _, speakers, phones = NOTEBOOK
    away = [mic, replace(speakers, is_default=True)]
    assert list(differences(away, NOTEBOOK))[-1] == f"= system is now {HEADSET}"
    assert f"+ {HEADSET}   {quoted(f'system:{HEADSET}')}" in list(differences(away, NOTEBOOK))
    assert f"- {HEADSET}" in list(differences(NOTEBOOK, away))
    slower = [mic, NOTEBOOK[1], speakers, replace(phones, sample_rate=44_100)]
    assert list(differences(NOTEBOOK, slower)) == [f"* {HEADSET}: 44100 Hz, 2 channels"]
    assert list(differences(NOTEBOOK, NOTEBOOK)) == []


class LiveMachine:
    """Shows one list after the other, and is then interrupted."""

    def __init__(self, lists: Sequence[list[SoundDevice]]) -> None:
        self._lists = itertools.chain(lists)
        self._changed: Any = None
        self.ended = False

    def devices(self) -> list[SoundDevice]:
        found = next(self._lists, None)
        if found is None:
            raise KeyboardInterrupt
        self._changed()
        return found

    def watch(self, changed: Any) -> Any:
        self._changed = changed
        return lambda: setattr(self, "ended", True)


@pytest.mark.parametrize("as_json", [False, True])
def test_watching_tells_of_every_change_until_it_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    live = LiveMachine([NOTEBOOK[:1], NOTEBOOK, NOTEBOOK[:3]])
    monkeypatch.setattr(platforms, "open_inventory", lambda: live)
    monkeypatch.setattr("engine.sources.application.playing", list)
    with pytest.raises(KeyboardInterrupt):
        print_devices(as_json=as_json, watch=True)
    assert live.ended
    lines = capsys.readouterr().out.splitlines()
    if as_json:
        assert [len(json.loads(line)) for line in lines] == [1, 4, 3]
        assert json.loads(lines[1])[1]["source"] == f"mic:{HEADSET}"
    else:
        assert any(line[10:].startswith(f"+ {BUILT_IN}") for line in lines)
        assert lines[-2][10:] == f"- {HEADSET}"
        assert lines[-1][10:] == f"= system is now {BUILT_IN}"


def test_no_device_is_said_in_a_line(machine: Any, capsys: pytest.CaptureFixture[str]) -> None:
    machine([])
    assert devices_command.print_devices() == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "there is no sound device here" in captured.err
