"""The devices PortAudio knows, each once: where no sound server can be asked.

PortAudio lists a device again for every interface of the system that reaches it, some of them
with the name cut off, and beside them devices that only stand for "whatever is the default".
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from engine.errors import DeviceError
from engine.sources import device as portaudio
from engine.sources.device import InputDevice
from engine.sources.inventory import Kind, PolledWatch, SoundDevice, choose_default

PREFIX = "portaudio:"

_WINDOWS_BEST_FIRST = ("Windows WASAPI", "Windows DirectSound", "MME", "Windows WDM-KS")
"""Each lists every device of the machine: MME with 31 characters of its name, WDM-KS under names
of its own. WASAPI gives the whole name, and shares the device with other programs."""

_STANDS_FOR_ANOTHER = re.compile(
    r"^(microsoft sound mapper|primary sound|default|sysdefault|pulse|pipewire|jack|dmix|dsnoop"
    r"|samplerate|speexrate|upmix|vdownmix|lavrate|a52|null|oss)\b",
    re.IGNORECASE,
)

_LOOPBACK_DRIVER = re.compile(
    r"blackhole|soundflower|loopback|vb-?cable|vb-audio|virtual cable|background music"
    r"|ishowu audio",
    re.IGNORECASE,
)
"""macOS: drivers that hand over as an input what is played into them."""

_BLUETOOTH = re.compile(
    r"bluetooth|airpods|hands-?free|\bag audio\b|\bhfp\b|beats|galaxy buds", re.IGNORECASE
)


def fold(
    rows: Sequence[InputDevice], platform: str, bluetooth: Collection[str] = ()
) -> list[SoundDevice]:
    """One entry a real device, microphones first.

    Args:
        rows: every input PortAudio lists.
        platform: as ``sys.platform``.
        bluetooth: names that the system says are Bluetooth devices; others are told by name.
    """
    if platform == "win32":
        rows = _of_the_best(rows)
    real = [row for row in rows if not _STANDS_FOR_ANOTHER.match(row.name)]
    found: list[SoundDevice] = []
    twins: Counter[str] = Counter()
    for row in real or rows:
        device = _device(row, platform, row.name in bluetooth)
        twins[device.id] += 1
        if (count := twins[device.id]) > 1:
            device = replace(device, id=f"{device.id}#{count}", name=f"{device.name} ({count})")
        found.append(device)
    return sorted(found, key=lambda each: each.kind)


def _of_the_best(rows: Sequence[InputDevice]) -> list[InputDevice]:
    for host_api in _WINDOWS_BEST_FIRST:
        fit = [row for row in rows if row.host_api == host_api]
        if fit:
            # What PortAudio takes by default is MME's; each interface has its own.
            return [replace(row, is_default=row.is_api_default) for row in fit]
    return list(rows)


def _device(row: InputDevice, platform: str, bluetooth: bool) -> SoundDevice:
    kind: Kind = "input"
    if platform == "darwin" and _LOOPBACK_DRIVER.search(row.name):
        kind = "output"
    return SoundDevice(
        id=f"{PREFIX}{row.host_api}:{row.name}",
        name=row.name,
        kind=kind,
        # A driver may be the default to record from, which says nothing of what plays.
        is_default=row.is_default and kind == "input",
        bluetooth=bluetooth or bool(_BLUETOOTH.search(row.name)),
        channels=row.channels,
        sample_rate=row.sample_rate,
    )


class PortAudioInventory:
    """What PortAudio lists, folded. New devices are seen only while no stream is open.

    Args:
        bluetooth: told the names of all devices, says which are Bluetooth ones.
        loopbacks: asked for the outputs that are captured by other means.
    """

    def __init__(
        self,
        bluetooth: Callable[[tuple[str, ...]], Collection[str]] = lambda _names: (),
        loopbacks: Callable[[], Sequence[SoundDevice]] = tuple,
    ) -> None:
        self._bluetooth = bluetooth
        self._loopbacks = loopbacks

    def devices(self) -> list[SoundDevice]:
        """Microphones first; empty where PortAudio does not answer."""
        try:
            rows = portaudio.list_devices()
        except DeviceError:
            rows = []
        bluetooth = self._bluetooth(tuple(row.name for row in rows))
        return [*fold(rows, sys.platform, bluetooth), *self._loopbacks()]

    def default(self, kind: Kind) -> SoundDevice | None:
        """What to caption where nothing is named."""
        return choose_default(self.devices(), kind)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` on a thread of its own within about a second of a change."""
        return PolledWatch(self.devices, changed).end
