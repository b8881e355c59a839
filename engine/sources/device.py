"""A microphone, or any other input the system offers, through PortAudio."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import DeviceBusyError, DeviceError
from engine.ring import SampleRing
from engine.runtime import quiet_stderr
from engine.sources.inventory import SoundDevice

_log = logging.getLogger(__name__)

_BLOCK_S = 0.02
"""Left to choose, some systems call back every few samples, hundreds of times a second."""

_MOST_CHANNELS = 2
"""Two are captured and averaged: some sound servers make one louder when they fold to mono."""

_OTHER_RATES = (48_000, 44_100, 16_000)

FIRST_SOUND_S = 5.0
"""How long a device may take until its first block."""

SILENT_S = 3.0
"""How long it may pause then. PulseAudio pauses for up to 2 s when it moves a stream by itself."""

_WATCH_S = 0.2

_CHOOSE = "choose another: captionglass devices lists them"
_NO_DEVICES = "plug in a microphone, or caption a file: captionglass caption FILE"
_NO_PULSE = "on Debian or Ubuntu: apt-get install libasound2-plugins"

_HELD = ("-9985", "unavailable", "busy", "in use", "in_use", "exclusive")
"""In what a sound system says where another program holds a device."""

_PULSE, _PORTAUDIO = "pulse:", "portaudio:"
"""How the ids of an inventory begin."""

_environment_lock = threading.Lock()
_open_lock = threading.Lock()
_streams: set[Any] = set()
"""Open now, in the whole process: PortAudio must not be restarted under them."""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A device that sound can be taken from.

    Attributes:
        index: PortAudio's number; changes when devices come and go.
        name: as the system calls it.
        host_api: ``ALSA``, ``Core Audio``, ``Windows WASAPI`` ...
        channels: how many it has.
        sample_rate: Hz, its own.
        is_default: what is used when none is named.
        pulse_source: the sound server's source that is recorded through it; empty for its default.
        is_api_default: what its host API uses when none is named.
    """

    index: int
    name: str
    host_api: str
    channels: int
    sample_rate: int
    is_default: bool
    pulse_source: str = ""
    is_api_default: bool = False


def list_devices() -> list[InputDevice]:
    """The input devices there are now.

    Devices plugged in since the first call are found too, unless a stream is open.

    Raises:
        DeviceError: PortAudio is missing or does not answer.
    """
    sd = _sounddevice()
    try:
        with _open_lock:
            if not _streams:
                # PortAudio looks for devices only when it starts.
                sd._terminate()
                sd._initialize()
        host_apis = list(sd.query_hostapis())
        default = sd.default.device[0]
        if default < 0 and host_apis:
            default = host_apis[0]["default_input_device"]
        return [
            InputDevice(
                index=index,
                name=str(device["name"]),
                host_api=host_apis[device["hostapi"]]["name"],
                channels=int(device["max_input_channels"]),
                sample_rate=round(device["default_samplerate"]),
                is_default=index == default,
                is_api_default=index == host_apis[device["hostapi"]]["default_input_device"],
            )
            for index, device in enumerate(sd.query_devices())
            if device["max_input_channels"] > 0
        ]
    except sd.PortAudioError as error:
        raise DeviceError(
            f"the sound system does not answer ({_said(error)})", _NO_DEVICES
        ) from error


def find_device(wanted: str | int | None) -> InputDevice:
    """The device meant by a number, by any part of a name (case does not matter), or by None.

    Raises:
        DeviceError: there is none such, or none at all.
    """
    devices = list_devices()
    if not devices:
        raise DeviceError("no sound input device was found", _NO_DEVICES)
    if wanted is None:
        return next((each for each in devices if each.is_default), devices[0])
    if isinstance(wanted, str) and wanted.strip().isdigit():
        wanted = int(wanted)
    if isinstance(wanted, int):
        for each in devices:
            if each.index == wanted:
                return each
        raise DeviceError(f"there is no input device {wanted}", _CHOOSE)
    name = wanted.strip().casefold()
    default = next((each for each in devices if each.is_default), devices[0])
    found = [each for each in devices if name and name in each.name.casefold()]
    # The whole name first; then the default's system, where several systems list one device.
    found.sort(key=lambda each: (each.name.casefold() != name, each.host_api != default.host_api))
    if found:
        return found[0]
    names = {each.name.casefold(): each.name for each in devices}
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {names[near[0]]!r}? Or " if near else ""
    raise DeviceError(f"no input device is called {wanted!r}", hint + _CHOOSE)


def locate(device: SoundDevice) -> InputDevice:
    """What PortAudio has to open to record ``device``.

    Raises:
        DeviceError: PortAudio does not reach it.
    """
    known = list_devices()
    if device.id.startswith(_PULSE):
        server = next((each for each in known if each.name == "pulse"), None)
        if server is None:
            raise DeviceError(
                f"{device.name} cannot be opened (PortAudio does not reach the sound server)",
                _NO_PULSE,
            )
        return dataclasses.replace(
            server,
            name=device.name,
            channels=device.channels,
            sample_rate=device.sample_rate,
            pulse_source=device.id.removeprefix(_PULSE),
        )
    twins: Counter[str] = Counter()
    for each in known:
        named = f"{_PORTAUDIO}{each.host_api}:{each.name}"
        twins[named] += 1
        # Of two devices of one name the second has a number.
        if device.id in (named, f"{named}#{twins[named]}"):
            return each
    raise DeviceError(f"{device.name} is not there any more", f"plug it in again, or {_CHOOSE}")


class DeviceSource:
    """Captions what a device hears, at the device's own rate.

    PortAudio calls back on a thread of its own; the callback copies into the ring and leaves.
    A second thread watches that the sound goes on: sound servers lose devices without a word.

    Args:
        device: of an inventory; or a number of PortAudio's, any part of a name it has, or None
            for its default.
        lane: the label of its captions.
        pinned: it was named: the default is not followed.
        silent_s: how many seconds without a block mean that it is gone.

    Attributes:
        sound_device: what it records, where it came from an inventory.
        pinned: as given.

    Raises:
        DeviceError: no such device, no device at all, or no way to record from it.
    """

    live = True

    def __init__(
        self,
        device: SoundDevice | str | int | None = None,
        lane: str = "mic",
        *,
        pinned: bool = False,
        silent_s: float = SILENT_S,
    ) -> None:
        self.lane = lane
        self.sound_device = device if isinstance(device, SoundDevice) else None
        self.pinned = pinned
        self.device = locate(device) if isinstance(device, SoundDevice) else find_device(device)
        self.description = self.device.name
        self.sample_rate, self.channels = _usable_settings(self.device)
        self._silent_s = silent_s
        self._ring: SampleRing | None = None
        self._stream: Any = None
        self._blocks = 0
        self._last_callback = 0.0
        self._stop = threading.Event()
        self._watchdog: threading.Thread | None = None
        self._close_lock = threading.Lock()

    def start(self, ring: SampleRing) -> None:
        """Open the device; returns at once. A second call changes nothing, and what was stopped
        before gives a closed ring.

        Raises:
            DeviceError: it cannot be opened.
        """
        if self._ring is not None:
            return
        if self._stop.is_set():
            ring.close()
            return
        sd = _sounddevice()
        self._ring = ring
        try:
            with _open_lock, quiet_stderr(), _recording_from(self.device.pulse_source):
                self._stream = sd.InputStream(
                    device=self.device.index,
                    samplerate=self.sample_rate,
                    channels=self.channels,
                    dtype="float32",
                    blocksize=round(self.sample_rate * _BLOCK_S),
                    latency="low",
                    callback=self._callback,
                )
                _streams.add(self._stream)
            self._stream.start()
        except sd.PortAudioError as error:
            self._close_stream()
            failure = _cannot_open(self.device, error)
            ring.close(failure)
            raise failure from error
        self._watchdog = threading.Thread(
            target=self._watch, args=(ring,), name=f"watchdog {self.description}", daemon=True
        )
        self._watchdog.start()

    def stop(self) -> None:
        """Stop, release the device, close the ring. May be called twice, or before ``start``."""
        self._stop.set()
        if self._watchdog is not None and self._watchdog is not threading.current_thread():
            self._watchdog.join()
        self._close_stream()
        if self._ring is not None:
            self._ring.close()

    def _callback(self, block: Any, frames: int, times: Any, status: Any) -> None:
        # On PortAudio's thread: copy and leave.
        ring = self._ring
        if ring is None:
            return
        now = time.monotonic()
        if status.input_overflow:
            # PortAudio says that samples were dropped, not how many: the clock tells.
            since = now - self._last_callback if self._blocks else 0.0
            ring.mark_lost(max(1, round(since * self.sample_rate) - frames))
        ring.write(block, now - self._age(times, frames))
        self._last_callback = now
        self._blocks += 1

    def _age(self, times: Any, frames: int) -> float:
        """Seconds since the last sample of the block was heard; 0 where the driver cannot tell."""
        heard = times.inputBufferAdcTime
        age = times.currentTime - heard - frames / self.sample_rate
        return age if heard > 0 and 0.0 < age < 1.0 else 0.0

    def _watch(self, ring: SampleRing) -> None:
        seen, seen_at = 0, time.monotonic()
        while not self._stop.wait(_WATCH_S):
            now = time.monotonic()
            if self._blocks != seen:
                seen, seen_at = self._blocks, now
            patience = self._silent_s if seen else max(FIRST_SOUND_S, self._silent_s)
            if self._stream.active and now - seen_at < patience:
                continue
            _log.warning("the device of %s stopped delivering sound", self.lane)
            self._close_stream()
            ring.close(
                DeviceError(
                    f"{self.description} stopped delivering sound",
                    f"check that it is plugged in and not muted by the system, or {_CHOOSE}",
                )
            )
            return

    def _close_stream(self) -> None:
        with self._close_lock:
            stream, self._stream = self._stream, None
            if stream is None:
                return
            try:
                stream.close()
            except _sounddevice().PortAudioError as error:
                _log.warning("closing the device of %s: %s", self.lane, _said(error))
            with _open_lock:
                _streams.discard(stream)


@contextlib.contextmanager
def _recording_from(pulse_source: str) -> Iterator[None]:
    """Have streams opened meanwhile record from that source; the server's default if empty.

    ALSA's bridge to the sound server takes no other word than the environment's, and reads it
    anew for each stream.
    """
    if not pulse_source:
        yield
        return
    with _environment_lock:
        before = os.environ.get("PULSE_SOURCE")
        os.environ["PULSE_SOURCE"] = pulse_source
        try:
            yield
        finally:
            if before is None:
                del os.environ["PULSE_SOURCE"]
            else:
                os.environ["PULSE_SOURCE"] = before


def _usable_settings(device: InputDevice) -> tuple[int, int]:
    """The rate and channel count the device really takes, nearest to its own.

    Raises:
        DeviceError: it takes none.
    """
    sd = _sounddevice()
    channels = min(_MOST_CHANNELS, device.channels)
    refusal: Exception | None = None
    for rate in (device.sample_rate, *_OTHER_RATES):
        for count in dict.fromkeys((channels, 1)):
            try:
                # ALSA tells the terminal about every setting it refuses.
                with quiet_stderr(), _recording_from(device.pulse_source):
                    sd.check_input_settings(device.index, count, "float32", samplerate=rate)
            except (sd.PortAudioError, ValueError) as error:
                refusal = refusal or error
            else:
                return rate, count
    assert refusal is not None
    raise _cannot_open(device, refusal) from refusal


def _cannot_open(device: InputDevice, error: Exception) -> DeviceError:
    # PortAudio has a number of its own for it, the systems beneath only words.
    held = any(word in str(error).casefold() for word in _HELD)
    return (DeviceBusyError if held else DeviceError)(
        f"{device.name} cannot be opened ({_said(error)})",
        "close what else records from it, allow microphone access in the system's privacy "
        f"settings, or {_CHOOSE}",
    )


def _said(error: Exception) -> str:
    """PortAudio's own words, without its number."""
    return str(error.args[0]).split(" [PaErrorCode")[0] if error.args else type(error).__name__


def _sounddevice() -> Any:
    """The module, which loads PortAudio.

    Raises:
        DeviceError: it is not there.
    """
    try:
        import sounddevice
    except OSError as error:
        raise DeviceError(
            "PortAudio, which reaches the sound devices, is not installed",
            "on Debian or Ubuntu: apt-get install libportaudio2",
        ) from error
    return sounddevice
