"""What one application plays, where the platform can tell it from the rest: Linux."""

from __future__ import annotations

import sys
import threading

from engine.errors import DeviceError, UsageError
from engine.ring import SampleRing
from engine.sources._paced import Tap, pump
from engine.sources._pulse import connect, gone, pulse_installed
from engine.sources._pulse_tap import CHANNELS, RATE, ApplicationTap, Playing, streams
from engine.sources._reader_thread import ReaderThread


class ApplicationSource:
    """Captions one application. While it plays nothing there is silence, by the clock.

    Of an application with several streams at once (two browser tabs) it is the one that began
    first; when that ends or pauses, another.

    Args:
        name: any part of the application's name (case does not matter).
        lane: the label of its captions.

    Raises:
        UsageError: this platform cannot do that.
        DeviceError: the sound server does not answer.
    """

    live = True

    def __init__(self, name: str, lane: str = "system") -> None:
        self.lane = lane
        self.description = name
        self._wanted = name
        self.sample_rate, self.channels = _ask_server()
        self._thread = ReaderThread(f"application {name}", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to record on a thread of its own; returns at once."""
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop, and close the ring. May be called twice."""
        self._thread.stop()

    def is_playing(self) -> bool:
        """Whether it has a stream now, be it a paused one."""
        return bool(_streams(self._wanted))

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        pump(lambda: _open_tap(self._wanted), self.sample_rate, self.channels, ring, stop)


def playing() -> list[str]:
    """The names of the applications that play something now; empty where nobody can tell."""
    return list(dict.fromkeys(each.name for each in _streams("")))


def _streams(wanted: str) -> list[Playing]:
    if not pulse_installed():
        return []

    try:
        with connect() as pulse:
            return streams(pulse, wanted)
    except gone():
        return []


def _open_tap(wanted: str) -> Tap:
    return ApplicationTap(wanted)


def _ask_server() -> tuple[int, int]:
    """Rate and channels of what will be recorded.

    Raises:
        UsageError, DeviceError: nothing will.
    """
    if not sys.platform.startswith("linux") or not pulse_installed():
        raise UsageError(
            "one application's sound can be captioned on Linux with PulseAudio or PipeWire only",
            "caption all that the computer plays: system",
        )
    import pulsectl

    try:
        connect().close()
    except pulsectl.PulseError as error:
        raise DeviceError(
            "the sound server does not answer",
            "start it (PulseAudio or PipeWire), or caption a file: captionglass caption FILE",
        ) from error
    return RATE, CHANNELS
