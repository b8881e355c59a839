"""The devices PortAudio knows, each once: where no sound server can be asked.

PortAudio lists a device again for every interface of the system that reaches it, some of them
with the name cut off, and beside them devices that only stand for "whatever is the default".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.errors import DeviceError
from engine.sources.inventory import Kind, PolledWatch, SoundDevice, choose_default

PREFIX = "portaudio:"

_BEST_FIRST = (
    "Windows WASAPI",
    "Windows DirectSound",
    "MME",
    "Windows WDM-KS",
    "Core Audio",
    "ALSA",
    "JACK Audio Connection Kit",
    "OSS",
)
"""WASAPI shows a Windows device under its full name, and shares it with other programs."""

_MME_NAME = 31
"""Characters that MME leaves of a name; DirectSound of some systems too."""

_STANDS_FOR_DEFAULT = re.compile(
    r"^(microsoft sound mapper|primary sound (capture )?driver|microsoft soundmapper|default"
    r"|sysdefault|pulse|pipewire|jack|dmix|dsnoop|samplerate|speexrate|upmix|vdownmix|lavrate"
    r"|a52|null|oss)\b",
    re.IGNORECASE,
)

LOOPBACK_DRIVERS = re.compile(
    r"\b(blackhole|soundflower|loopback audio|vb-?cable|vb-audio|virtual cable|background music"
    r"|ishowu audio|groundcontrol|existential audio)\b",
    re.IGNORECASE,
)
"""macOS: drivers that hand over as an input what is played into them."""

_BLUETOOTH = re.compile(
    r"\b(bluetooth|airpods|hands-?free|ag audio|hfp|beats|galaxy buds|powerbeats)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of PortAudio's list.

    Attributes:
        name: as PortAudio gives it.
        host_api: the interface of the system it is reached by.
        inputs: channels.
        sample_rate: Hz.
        is_default: the input used where none is named.
    """

    name: str
    host_api: str
    inputs: int
    sample_rate: int
    is_default: bool


def fold(rows: Sequence[Row], platform: str) -> list[SoundDevice]:
    """One entry a real device.

    Args:
        rows: every input PortAudio lists.
        platform: as ``sys.platform``.
    """
    ranked = sorted(
        (row for row in rows if row.inputs > 0),
        key=lambda row: _BEST_FIRST.index(row.host_api) if row.host_api in _BEST_FIRST else 99,
    )
    real = [row for row in ranked if not _STANDS_FOR_DEFAULT.match(row.name)]
    found: list[SoundDevice] = []
    # A default may be told in a twin's name, or only as "whatever is the default".
    for row in real or ranked:
        twin = next((at for at, each in enumerate(found) if _same(each, row)), None)
        if twin is None:
            found.append(_device(row, platform))
        elif row.is_default:
            found[twin] = dataclasses.replace(found[twin], is_default=True)
    return found


def _device(row: Row, platform: str) -> SoundDevice:
    kind: Kind = "input"
    if platform == "darwin" and LOOPBACK_DRIVERS.search(row.name):
        kind = "output"
    return SoundDevice(
        id=f"{PREFIX}{row.host_api}:{row.name}",
        name=row.name,
        kind=kind,
        is_default=row.is_default,
        bluetooth=bool(_BLUETOOTH.search(row.name)),
        channels=row.inputs,
        sample_rate=row.sample_rate,
    )


def _same(known: SoundDevice, row: Row) -> bool:
    """Whether a row of another interface is a device that is listed already."""
    api, _, name = known.id.removeprefix(PREFIX).partition(":")
    if api == row.host_api:
        # Two of one kind on one interface are two.
        return False
    return name == row.name or (len(row.name) >= _MME_NAME and name.startswith(row.name))


class PortAudioInventory:
    """What PortAudio lists, folded. New devices are seen only while no stream is open."""

    def devices(self) -> list[SoundDevice]:
        """Microphones first; empty where PortAudio does not answer."""
        import sys

        from engine.sources.device import list_devices

        try:
            rows = [
                Row(each.name, each.host_api, each.channels, each.sample_rate, each.is_default)
                for each in list_devices()
            ]
        except DeviceError:
            rows = []
        found = fold(rows, sys.platform)
        return sorted(found, key=lambda each: each.kind)

    def default(self, kind: Kind) -> SoundDevice | None:
        """What to caption where nothing is named."""
        return choose_default(self.devices(), kind)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` on a thread of its own within about a second of a change."""
        return PolledWatch(self.devices, changed).end
