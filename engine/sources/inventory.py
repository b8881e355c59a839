"""Which sound devices there are, live: one entry a real device, under a name that stays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from engine.errors import DeviceError

Kind = Literal["input", "output"]
"""``input``: a microphone. ``output``: what plays, captured as a loopback."""

_POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class SoundDevice:
    """One real device.

    Attributes:
        id: the same after a reboot: ``pulse:<source>``, ``portaudio:<host API>:<name>``,
            ``wasapi:<name>``. For an output it names where its sound is recorded.
        name: for people; unique in its kind.
        kind: ``input`` or ``output``.
        is_default: the system's own choice.
        bluetooth: a microphone of this kind ruins what the headset plays once it is opened.
        channels: how many it has.
        sample_rate: Hz, its own.
    """

    id: str
    name: str
    kind: Kind
    is_default: bool
    bluetooth: bool
    channels: int
    sample_rate: int


class Inventory(Protocol):
    """The sound devices of this machine."""

    def devices(self) -> list[SoundDevice]:
        """Those there now, each once; empty where the sound system does not answer."""

    def default(self, kind: Kind) -> SoundDevice | None:
        """What to caption where nothing is named (``choose_default``)."""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have ``changed`` called whenever a device, its format or a default changes.

        It is called on a thread of the watch's own, and may ask ``devices`` there.

        Returns:
            Ends the watch and waits for its thread; may be called twice.
        """


def choose_default(devices: Sequence[SoundDevice], kind: Kind) -> SoundDevice | None:
    """The system's own choice, but never the microphone of a Bluetooth headset.

    Opening that one turns what the headset plays into a telephone's sound: another microphone is
    taken, or none. Who wants it has to name it.
    """
    fit = [each for each in devices if each.kind == kind]
    if kind == "input":
        fit = [each for each in fit if not each.bluetooth]
    return next((each for each in fit if each.is_default), fit[0] if fit else None)


def find(devices: Sequence[SoundDevice], wanted: str, kind: Kind) -> SoundDevice | None:
    """The device meant by an id, or by any part of a name (case does not matter).

    The whole name goes before a part of one, and the default before others.
    """
    fit = [each for each in devices if each.kind == kind]
    for each in fit:
        if wanted == each.id or wanted == each.id.partition(":")[2]:
            return each
    name = wanted.strip().casefold()
    found = [each for each in fit if name and name in each.name.casefold()]
    found.sort(key=lambda each: (each.name.casefold() != name, not each.is_default))
    return found[0] if found else None


class PolledWatch:
    """Looks once a second whether a list has changed: where the system tells of nothing.

    Args:
        look: what is compared; a DeviceError counts as an empty list.
        changed: called on the thread of the watch.
    """

    def __init__(
        self,
        look: Callable[[], Sequence[SoundDevice]],
        changed: Callable[[], None],
        every_s: float = _POLL_S,
    ) -> None:
        self._look = look
        self._changed = changed
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sound devices", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop looking, and wait for the thread; may be called twice."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        seen = self._seen()
        while not self._stop.wait(self._every_s):
            now = self._seen()
            if now != seen:
                seen = now
                self._changed()

    def _seen(self) -> tuple[SoundDevice, ...]:
        try:
            return tuple(self._look())
        except DeviceError:
            return ()
