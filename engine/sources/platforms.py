"""How this platform is asked for its sound devices, and how one of them is opened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from engine.sources.inventory import Inventory, SoundDevice

if TYPE_CHECKING:
    from engine.sources.base import Source


def open_inventory() -> Inventory:
    """The inventory of this platform.

    Raises:
        DeviceError: nothing that reaches sound devices is installed.
    """
    from engine.sources._portaudio_list import PortAudioInventory

    if sys.platform.startswith("linux"):
        from engine.sources._pulse import PulseInventory, pulse_installed

        if pulse_installed():
            return PulseInventory(without_server=PortAudioInventory)
    elif sys.platform == "win32":
        from engine.sources._windows import bluetooth_microphones, loopbacks

        return PortAudioInventory(bluetooth_microphones, loopbacks)
    elif sys.platform == "darwin":
        from engine.sources._mac import bluetooth_microphones

        return PortAudioInventory(bluetooth_microphones)
    return PortAudioInventory()


def open_device(device: SoundDevice, lane: str, *, pinned: bool = False) -> Source:
    """The source that captures ``device``.

    Args:
        lane: the label of its captions.
        pinned: it was named: the default is not followed.

    Raises:
        DeviceError: it is gone, gives no sound, or the system forbids it.
    """
    if device.id.startswith("wasapi:"):
        from engine.sources.loopback_wasapi import WasapiLoopbackSource

        return WasapiLoopbackSource(device, lane=lane, pinned=pinned)
    if sys.platform == "darwin":
        from engine.sources._mac import ask_for_microphone

        ask_for_microphone()
    from engine.sources.device import DeviceSource

    return DeviceSource(device, lane=lane, pinned=pinned)
