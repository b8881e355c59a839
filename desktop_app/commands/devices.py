"""``captionglass devices``: what can be captioned here, and what to type for it."""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from desktop_app.console import EXIT_DONE, complain, say
from desktop_app.pick_source import selector

if TYPE_CHECKING:
    from engine.sources.inventory import Inventory, Kind, SoundDevice

_TITLES: dict[Kind, tuple[str, str]] = {
    "input": ("Microphones", "mic"),
    "output": ("What the computer plays", "system"),
}
_NOTHING: dict[Kind, str] = {
    "input": "none: plug in a microphone",
    "output": "none that can be captioned",
}
_WAKE_S = 0.5
"""How often the main thread looks up, so that Ctrl-C is heard everywhere."""


def print_devices(*, as_json: bool = False, watch: bool = False) -> int:
    """Print the sound devices.

    Args:
        as_json: one document; with ``watch`` one on a line for each change.
        watch: go on, and tell of every change until Ctrl-C.

    Raises:
        DeviceError: nothing that reaches sound devices is installed.
    """
    from engine.sources.platforms import open_inventory

    inventory = open_inventory()
    if watch:
        return _watch(inventory, as_json=as_json)
    devices = inventory.devices()
    if as_json:
        say(json.dumps(_rows(devices), ensure_ascii=False, indent=2))
        return EXIT_DONE
    _print_list(devices)
    return EXIT_DONE


def _watch(inventory: Inventory, *, as_json: bool) -> int:
    changed = threading.Event()
    end = inventory.watch(changed.set)
    try:
        # Listed after the watch began, so that nothing falls between the two.
        devices = inventory.devices()
        if as_json:
            say(json.dumps(_rows(devices), ensure_ascii=False))
        else:
            _print_list(devices)
        while True:
            sys.stdout.flush()
            while not changed.wait(_WAKE_S):
                pass
            changed.clear()
            before, devices = devices, inventory.devices()
            if as_json:
                say(json.dumps(_rows(devices), ensure_ascii=False))
            else:
                for line in differences(before, devices):
                    say(f"{time.strftime('%H:%M:%S')}  {line}")
    finally:
        end()


def _rows(devices: Sequence[SoundDevice]) -> list[dict[str, object]]:
    return [dataclasses.asdict(each) | {"source": selector(each)} for each in devices]


def _print_list(devices: Sequence[SoundDevice]) -> None:
    if not devices:
        remedy = "plug one in"
        if sys.platform.startswith("linux"):
            remedy += ", or start the sound server (PulseAudio or PipeWire)"
        complain(f"there is no sound device here: {remedy}; files can be captioned without")
        return
    for line in described(devices):
        say(line)


def described(devices: Sequence[SoundDevice]) -> Iterator[str]:
    """The list for people: by kind, the system's default first, each with what to type."""
    from engine.sources.application import playing
    from engine.sources.inventory import choose_default

    lines: list[tuple[str, str]] = []
    for kind, (title, word) in _TITLES.items():
        fit = [each for each in devices if each.kind == kind]
        lines.append((title, ""))
        chosen = choose_default(devices, kind)
        if chosen is not None:
            lines.append((f"  System default (now: {chosen.name})", word))
        lines += [(f"  {each.name}{_remark(each)}", quoted(selector(each))) for each in fit]
        if not fit:
            lines.append((f"  {_NOTHING[kind]}", ""))
    if names := playing():
        lines.append(("One application", ""))
        lines += [(f"  {name}", quoted(f"app:{name}")) for name in names]
    width = max((len(text) for text, typed in lines if typed), default=0)
    for text, typed in lines:
        yield f"{text:{width}}   {typed}".rstrip()


def differences(before: Sequence[SoundDevice], after: Sequence[SoundDevice]) -> Iterator[str]:
    """What has come, gone and changed, one line each."""
    from engine.sources.inventory import choose_default

    was = {each.id: each for each in before}
    now = {each.id: each for each in after}
    for key in was.keys() - now.keys():
        yield f"- {was[key].name}"
    for key in now.keys() - was.keys():
        yield f"+ {now[key].name}   {quoted(selector(now[key]))}"
    for key in now.keys() & was.keys():
        if _format(was[key]) != _format(now[key]):
            yield f"* {now[key].name}: {_format(now[key])}"
    for kind, (_, word) in _TITLES.items():
        old, new = choose_default(before, kind), choose_default(after, kind)
        if new is not None and (old is None or old.id != new.id):
            yield f"= {word} is now {new.name}"


def quoted(text: str) -> str:
    """``text`` as a shell takes it."""
    if sys.platform == "win32":
        return f'"{text}"' if " " in text else text
    import shlex

    return shlex.quote(text)


def _remark(device: SoundDevice) -> str:
    if device.bluetooth and device.kind == "input":
        return " (Bluetooth: never by default, opening it ruins what the headset plays)"
    return ""


def _format(device: SoundDevice) -> str:
    return f"{device.sample_rate} Hz, {device.channels} channels"
