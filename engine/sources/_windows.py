"""What only Windows can tell: its loopbacks, and which devices are Bluetooth ones."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from typing import Any

from engine.sources.inventory import SoundDevice

PREFIX = "wasapi:"

_SUFFIX = " [Loopback]"
_BUS_NAMES = ("BTHENUM", "BTHHFENUM", "BTHLEENUM")
_CAPTURE = r"SOFTWARE\Microsoft\Windows\CurrentVersion\MMDevices\Audio\Capture"
_BUS = "{a45c254e-df1c-4efd-8020-67d146a850e0},24"
"""PKEY_Device_EnumeratorName."""
_JACK = "{a45c254e-df1c-4efd-8020-67d146a850e0},2"
"""PKEY_Device_DeviceDesc: ``Headset``."""
_MAKE = "{b3f8fa53-0004-438e-9003-51a46e139bfc},6"
"""PKEY_DeviceInterface_FriendlyName: ``WH-1000XM4``."""

library_lock = threading.Lock()
"""Held while PyAudioWPatch starts, ends, lists, opens or closes: two threads in it can crash."""


def pyaudio() -> Any:
    """The library, or None where it is not installed."""
    try:
        import pyaudiowpatch
    except (ImportError, OSError):
        return None
    return pyaudiowpatch


def loopbacks() -> list[SoundDevice]:
    """What plays, one entry an output; empty where WASAPI cannot be asked."""
    library = pyaudio()
    if library is None:
        return []
    with library_lock:
        manager = library.PyAudio()
        try:
            rows = list(manager.get_loopback_device_info_generator())
            default = _default_output(library, manager)
        except (OSError, LookupError):
            # What it raises where Windows has no sound at all.
            return []
        finally:
            manager.terminate()
    return [
        SoundDevice(
            id=PREFIX + plain_name(row["name"]),
            name=plain_name(row["name"]),
            kind="output",
            is_default=plain_name(row["name"]) == default,
            bluetooth=False,
            channels=int(row["maxInputChannels"]),
            sample_rate=round(row["defaultSampleRate"]),
        )
        for row in rows
    ]


def _default_output(library: Any, manager: Any) -> str:
    """The name of what Windows plays to."""
    wasapi = manager.get_host_api_info_by_type(library.paWASAPI)
    if wasapi["defaultOutputDevice"] < 0:
        return ""
    return str(manager.get_device_info_by_index(wasapi["defaultOutputDevice"])["name"])


def plain_name(name: str) -> str:
    """What the output itself is called."""
    return name.removesuffix(_SUFFIX)


def bluetooth_microphones(_names: tuple[str, ...]) -> frozenset[str]:
    """The names, as WASAPI gives them, of the microphones that hang on Bluetooth."""
    try:
        registry = importlib.import_module("winreg")
    except ImportError:
        return frozenset()
    return frozenset(bluetooth_names(registry))


def bluetooth_names(registry: Any) -> Iterator[str]:
    """The same from the registry (the module ``winreg``)."""
    try:
        with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, _CAPTURE) as folder:
            endpoints = [
                registry.EnumKey(folder, number)
                for number in range(registry.QueryInfoKey(folder)[0])
            ]
    except OSError:
        return
    for endpoint in endpoints:
        try:
            path = rf"{_CAPTURE}\{endpoint}\Properties"
            with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, path) as about:
                if str(registry.QueryValueEx(about, _BUS)[0]).upper() in _BUS_NAMES:
                    jack = registry.QueryValueEx(about, _JACK)[0]
                    yield f"{jack} ({registry.QueryValueEx(about, _MAKE)[0]})"
        except OSError:
            # An endpoint need not have these properties.
            continue
