"""From what was typed to where the sound comes from."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import DeviceError, UsageError

if TYPE_CHECKING:
    from engine.sources.base import Source
    from engine.sources.inventory import Inventory, Kind, SoundDevice
    from engine.types import Notice

_KINDS: dict[str, Kind] = {"mic": "input", "system": "output"}
"""Lane and kind of what is named by a word; the word is the lane."""

_CHOOSE = "captionglass devices lists what there is"
_MAC_GUIDE = (
    "macOS needs a loopback driver for it: install BlackHole and send the sound to it as well "
    "(docs/sound.md shows how)"
)


def pick_sources(
    text: str, *, realtime: bool = False, tell: Callable[[Notice], None] | None = None
) -> list[Source]:
    """What ``text`` means, one source a lane.

    Args:
        text: a file, ``mic``, ``mic:NAME``, ``system``, ``system:NAME``, ``both``, ``app:NAME``
            or ``-``. NAME is an id of a device, or any part of its name.
        realtime: feed a file at the pace it was spoken; take a pipe as it comes.
        tell: given what has to be said about the choice.

    Raises:
        UsageError: no such file, device or kind of source.
        SourceError: it exists, but sound cannot be had from it.
    """
    check_source(text)
    if text == "-":
        return [_pipe(live=realtime)]
    if text == "both":
        inventory = _inventory()
        return [_device(inventory, lane, "", tell) for lane in _KINDS]
    word, _, name = text.partition(":")
    if word in _KINDS:
        return [_device(_inventory(), word, name, tell)]
    if word == "app":
        return [_application(name, tell)]
    from engine.sources.file import FileSource

    return [FileSource(Path(text), realtime=realtime)]


def is_device(text: str) -> bool:
    """Whether ``text`` means sound that is heard now, rather than a file or a pipe."""
    return text == "both" or text.partition(":")[0] in (*_KINDS, "app")


def check_source(text: str) -> None:
    """See that there is such a source, without opening it; devices are not asked.

    Raises:
        UsageError: no such file or kind of source.
    """
    if text == "-" or is_device(text):
        if text in ("app", "app:"):
            raise UsageError("'app' names no application", "for example app:Firefox")
        return
    path = Path(text)
    if not _is_there(path):
        raise UsageError(f"there is no file {text!r}", _near(path))
    if path.is_dir():
        raise UsageError(f"{text!r} is a folder", "name a sound file in it")


def selector(device: SoundDevice) -> str:
    """What to type to caption a device."""
    word = next(word for word, kind in _KINDS.items() if kind == device.kind)
    return f"{word}:{device.name}"


def _pipe(*, live: bool) -> Source:
    from engine.sources.stdin import StdinSource

    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "'-' reads raw sound from a pipe, and standard input is a terminal",
            "pipe signed 16-bit little-endian mono sound at 16 kHz into it",
        )
    return StdinSource(sys.stdin.buffer, live=live)


def _inventory() -> Inventory:
    from engine.sources.platforms import open_inventory

    return open_inventory()


def _device(
    inventory: Inventory, lane: str, name: str, tell: Callable[[Notice], None] | None
) -> Source:
    from engine.sources.inventory import choose_default, find
    from engine.sources.platforms import open_device

    kind = _KINDS[lane]
    devices = inventory.devices()
    if name:
        named = find(devices, name, kind)
        if named is None:
            raise _unknown(devices, lane, name)
        return open_device(named, lane, pinned=True)
    chosen = choose_default(devices, kind)
    if chosen is None:
        raise _none(devices, kind)
    shunned = next((each for each in devices if each.kind == kind and each.is_default), chosen)
    if shunned != chosen and tell is not None:
        tell(_passed_over(shunned, chosen))
    return open_device(chosen, lane)


def _application(name: str, tell: Callable[[Notice], None] | None) -> Source:
    from engine.sources.application import ApplicationSource, playing
    from engine.types import Notice

    source = ApplicationSource(name)
    if tell is not None and not source.is_playing():
        others = ", ".join(playing()) or "nothing"
        tell(
            Notice(
                "source.app_silent",
                "info",
                f"no application called {name!r} plays sound yet; it is captioned once it does",
                f"playing now: {others}",
            )
        )
    return source


def _unknown(devices: list[SoundDevice], lane: str, name: str) -> UsageError:
    kind = _KINDS[lane]
    what = "microphone" if kind == "input" else "output device"
    # Of two devices of one name, as a headset has, the one of this kind is meant.
    others_first = sorted(devices, key=lambda each: each.kind == kind)
    by_name = {each.name.casefold(): each for each in others_first}
    wanted = name.strip().casefold()
    held = [each for key, each in by_name.items() if wanted in key]
    near = difflib.get_close_matches(wanted, by_name, n=1, cutoff=0.5)
    meant = held[0] if held else by_name[near[0]] if near else None
    if meant is None:
        return UsageError(f"no {what} is called {name!r}", _CHOOSE)
    asked = meant.name if meant.kind == kind else selector(meant)
    return UsageError(f"no {what} is called {name!r}", f"did you mean {asked!r}? Or {_CHOOSE}")


def _none(devices: list[SoundDevice], kind: Kind) -> DeviceError:
    """Why there is nothing to caption by default."""
    headset = next((each for each in devices if each.kind == kind), None)
    if headset is not None:
        return DeviceError(
            f"the only microphone is that of {headset.name}, a Bluetooth headset: opening it "
            "would make all it plays sound like a telephone",
            f"plug in another, or insist: {selector(headset)!r}",
        )
    instead = "or caption a file: captionglass caption FILE"
    if kind == "output" and sys.platform == "darwin":
        return DeviceError("what this Mac plays cannot be captioned yet", _MAC_GUIDE)
    what = "sound input device" if kind == "input" else "sound output that could be captioned"
    remedy = "plug in a microphone" if kind == "input" else "connect loudspeakers or headphones"
    if sys.platform.startswith("linux"):
        remedy += ", start the sound server (PulseAudio or PipeWire)"
    return DeviceError(f"no {what} was found", f"{remedy}, {instead}")


def _passed_over(headset: SoundDevice, chosen: SoundDevice) -> Notice:
    from engine.types import Notice

    return Notice(
        "source.bluetooth",
        "warning",
        f"{chosen.name} is captioned, not {headset.name}: opening the microphone of a Bluetooth "
        "headset makes all it plays sound like a telephone",
        f"to caption it all the same, choose {selector(headset)!r}",
    )


def _is_there(path: Path) -> bool:
    # What may not be looked at is left to whoever opens it, who can say why not.
    try:
        path.stat()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _near(path: Path) -> str:
    """What the reader may have meant by a file that is not there."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return f"there is no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean {str(path.with_name(near[0]))!r}?" if near else "check the name"
