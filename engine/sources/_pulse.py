"""The devices of PulseAudio, and of PipeWire which speaks its protocol: asked of the server itself.

PortAudio shows one device called ``pulse`` there, and no monitor of an output at all.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from engine.sources.inventory import Inventory, Kind, SoundDevice, choose_default

_log = logging.getLogger(__name__)

PREFIX = "pulse:"

_LISTEN_S = 0.25
"""How long the end of a watch may have to wait."""

_SETTLE_S = 0.05
"""Plugging in one device is a burst of events."""

_RETRY_S = 0.5
_NO_INDEX = 0xFFFFFFFF

State = tuple[tuple[int, SoundDevice], ...]
"""The devices with the server's numbers, which tell one that came back from one that stayed."""


def pulse_installed() -> bool:
    """Whether the client library of the sound server is there."""
    try:
        import pulsectl  # noqa: F401 - loading it is the question
    except (ImportError, OSError):
        return False
    return True


def gone() -> tuple[type[Exception], ...]:
    """What is raised where the server dies, also while it is asked something."""
    import pulsectl
    from pulsectl._pulsectl import LibPulse

    return pulsectl.PulseError, pulsectl.PulseDisconnected, LibPulse.CallError


def connect(name: str = "captionglass") -> Any:
    """A connection to the sound server, to be closed; never starts a server.

    Raises:
        pulsectl.PulseError: none answers.
    """
    import pulsectl

    _keep_formats(pulsectl)
    pulse = pulsectl.Pulse(name, connect=False)
    try:
        pulse.connect(autospawn=False)
    except pulsectl.PulseError:
        pulse.close()
        raise
    return pulse


def _keep_formats(library: Any) -> None:
    """Mend what the library keeps of a format: a view of memory that is gone after the answer, and
    then shows the format of whichever device was listed last."""

    def keep(self: Any, struct: Any) -> None:
        self.sample_spec = type(struct.sample_spec).from_buffer_copy(struct.sample_spec)

    for kind in (library.PulseSinkInfo, library.PulseSourceInfo):
        kind._init_from_struct = keep


class PulseInventory:
    """The sinks and sources of the sound server.

    Args:
        without_server: makes the inventory to ask while there has never been a server, as on a
            machine that has only ALSA. Once one was seen, its absence means that it died.
    """

    def __init__(self, without_server: Callable[[], Inventory]) -> None:
        self._make_other = without_server
        self._other: Inventory | None = None
        self._seen_server = False
        self._given: State | None = None

    def devices(self) -> list[SoundDevice]:
        """The microphones, then the outputs, each in the server's order."""
        self._given = self._state()
        return [device for _, device in self._given]

    def default(self, kind: Kind) -> SoundDevice | None:
        """What to caption where nothing is named."""
        return choose_default(self.devices(), kind)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` on a thread of its own at every change, a dying server included."""
        stop = threading.Event()
        thread = threading.Thread(
            target=self._follow, args=(changed, stop), name="sound devices", daemon=True
        )
        thread.start()

        def end() -> None:
            stop.set()
            if thread is not threading.current_thread():
                thread.join()

        return end

    def _state(self) -> State:

        try:
            with connect() as pulse:
                state = read_state(pulse)
        except gone():
            return self._state_without_server()
        self._seen_server = True
        return state

    def _state_without_server(self) -> State:
        if self._seen_server:
            return ()
        self._other = self._other or self._make_other()
        return tuple((0, device) for device in self._other.devices())

    def _follow(self, changed: Callable[[], None], stop: threading.Event) -> None:

        seen: State | None = None

        def take(state: State) -> None:
            nonlocal seen
            # What was handed out before the first look may be from before a server came.
            before, seen = seen if seen is not None else self._given, state
            if before is not None and state != before and not stop.is_set():
                changed()

        while not stop.is_set():
            try:
                with connect() as pulse:
                    self._seen_server = True
                    _listen(pulse, take, stop)
            except gone():
                take(self._state_without_server())
                stop.wait(_RETRY_S)


def _listen(pulse: Any, take: Callable[[State], None], stop: threading.Event) -> None:
    """Hand over the state, and again after each change.

    Raises:
        pulsectl.PulseError, pulsectl.PulseDisconnected: the server has gone.
    """
    import pulsectl

    happened = False

    def event(_: Any) -> None:
        nonlocal happened
        happened = True
        raise pulsectl.PulseLoopStop

    pulse.event_callback_set(event)
    pulse.event_mask_set("sink", "source", "server", "card")
    take(read_state(pulse))
    while not stop.is_set():
        if not happened:
            pulse.event_listen(timeout=_LISTEN_S)
        if happened:
            stop.wait(_SETTLE_S)
            happened = False
            take(read_state(pulse))


def read_state(pulse: Any) -> State:
    """The devices the server has now: microphones first.

    Raises:
        pulsectl.PulseError: it does not answer.
    """
    server = pulse.server_info()
    inputs = [
        (source.index, _device(source, source.name, "input", server.default_source_name))
        for source in pulse.source_list()
        if source.monitor_of_sink == _NO_INDEX and source.proplist.get("device.class") != "monitor"
    ]
    outputs = [
        (sink.index, _device(sink, sink.monitor_source_name, "output", server.default_sink_name))
        for sink in pulse.sink_list()
        # A sink without a monitor cannot be heard.
        if sink.monitor_source_name
    ]
    return (*_distinct(inputs), *_distinct(outputs))


def _device(item: Any, source: str, kind: Kind, default: str) -> SoundDevice:
    spec = item.sample_spec
    return SoundDevice(
        id=PREFIX + source,
        name=item.description or item.name,
        kind=kind,
        is_default=item.name == default,
        bluetooth=_bluetooth(item),
        channels=int(spec.channels),
        sample_rate=int(spec.rate),
    )


def _bluetooth(item: Any) -> bool:
    return bool(
        item.proplist.get("device.bus") == "bluetooth"
        or item.proplist.get("device.api", "").startswith("bluez")
        or item.name.startswith(("bluez_source", "bluez_input", "bluez_sink", "bluez_output"))
    )


def _distinct(found: list[tuple[int, SoundDevice]]) -> list[tuple[int, SoundDevice]]:
    """Names that two devices share get the server's own name added."""
    import dataclasses

    often = Counter(device.name for _, device in found)
    return [
        (
            index,
            device
            if often[device.name] == 1
            else dataclasses.replace(
                device, name=f"{device.name} ({device.id.removeprefix(PREFIX)})"
            ),
        )
        for index, device in found
    ]
