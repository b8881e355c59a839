"""What one application plays, recorded at the sound server: its stream alone, before it is mixed.

The server copies the stream for whoever asks (what ``parec --monitor-stream`` does); nothing is
moved, and the application goes on being heard as before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.sources._pulse import connect, gone
from engine.types import Samples

RATE = 48_000
CHANNELS = 2
_FRAME = 4 * CHANNELS
_FRAGMENT_S = 0.02
_RETRY_S = 0.5
_UNLIMITED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Playing:
    """A stream that an application plays.

    Attributes:
        index: the server's number of it.
        name: of the application.
        sink: the server's number of the output it goes to.
        paused: it plays nothing now.
    """

    index: int
    name: str
    sink: int
    paused: bool


def streams(pulse: Any, wanted: str = "") -> list[Playing]:
    """The streams of the applications whose name holds ``wanted``: those that play come first.

    Raises:
        pulsectl.PulseError: the server does not answer.
    """
    found = []
    for item in pulse.sink_input_list():
        about = item.proplist
        if about.get("application.process.id") == str(os.getpid()):
            continue
        names = [
            about.get(key, "")
            for key in ("application.name", "application.process.binary", "media.name")
        ]
        if any(wanted.casefold() in name.casefold() for name in names if name):
            name = next(filter(None, names))
            found.append(Playing(item.index, name, item.sink, bool(item.corked)))
    return sorted(found, key=lambda each: (each.paused, each.index))


class ApplicationTap:
    """Records the first stream of an application, and the next one when that ends.

    While the application plays nothing, or the server is away, nothing comes.

    Args:
        wanted: a part of the application's name.
    """

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._pulse: Any = None
        self._stream: Any = None
        self._recorded: Playing | None = None
        self._callback: Any = None
        self._pieces: list[bytes] = []
        self._changed = True
        self._retry_at = 0.0

    def read(self, wait_s: float) -> Samples:
        """What the application has played since, float32 (n, 2) at 48 kHz."""

        if time.monotonic() < self._retry_at:
            time.sleep(wait_s)
            return np.zeros((0, CHANNELS), np.float32)
        try:
            if self._pulse is None:
                self._connect()
            if self._changed:
                self._changed = False
                self._follow()
            self._pulse.event_listen(timeout=wait_s)
        except gone():
            self.close()
            self._retry_at = time.monotonic() + _RETRY_S
        data, self._pieces = b"".join(self._pieces), []
        return np.frombuffer(data, np.float32).reshape(-1, CHANNELS)

    def close(self) -> None:
        """Stop recording."""
        pulse, self._pulse = self._pulse, None
        if pulse is not None:
            self._let_go(pulse)
            pulse.close()
        self._changed = True

    def _connect(self) -> None:
        self._pulse = connect()
        self._pulse.event_callback_set(self._event)
        self._pulse.event_mask_set("sink_input")

    def _event(self, _: Any) -> None:
        import pulsectl

        self._changed = True
        raise pulsectl.PulseLoopStop

    def _follow(self) -> None:
        """Record what shall be recorded now."""
        found = streams(self._pulse, self._wanted)
        now = self._recorded
        best = found[0] if found else None
        if now is not None and best is not None:
            same = next((each for each in found if each.index == now.index), None)
            # One that plays is not left for another that plays, wherever it stands in the list.
            if same is not None and same.sink == now.sink and same.paused <= best.paused:
                return
        self._let_go(self._pulse)
        if best is not None:
            self._record(best)

    def _record(self, stream: Playing) -> None:
        from pulsectl import PulseError
        from pulsectl import _pulsectl as c

        sink = self._pulse.sink_info(stream.sink)
        spec = c.PA_SAMPLE_SPEC(format=c.PA_SAMPLE_FLOAT32NE, rate=RATE, channels=CHANNELS)
        about = c.pa.proplist_from_string('media.name="captions"')
        made = c.pa.stream_new_with_proplist(
            self._pulse._ctx, "captions", c.byref(spec), None, about
        )
        c.pa.proplist_free(about)
        self._callback = c.PA_STREAM_REQUEST_CB_T(self._heard)
        try:
            c.pa.stream_set_monitor_stream(made, stream.index)
            c.pa.stream_set_read_callback(made, self._callback, None)
            fragment = round(RATE * _FRAGMENT_S) * _FRAME
            c.pa.stream_connect_record(
                made,
                sink.monitor_source_name.encode(),
                c.PA_BUFFER_ATTR(fragsize=fragment, maxlength=_UNLIMITED),
                c.PA_STREAM_DONT_MOVE | c.PA_STREAM_ADJUST_LATENCY,
            )
        except c.pa.CallError as error:
            c.pa.stream_unref(made)
            raise PulseError(str(error)) from error
        self._stream, self._recorded = made, stream

    def _let_go(self, pulse: Any) -> None:
        from pulsectl import _pulsectl as c

        stream, self._stream, self._recorded = self._stream, None, None
        if stream is None:
            return
        # Where the server has gone, so has its end of the stream.
        if pulse.connected:
            with contextlib.suppress(c.pa.CallError):
                c.pa.stream_disconnect(stream)
        c.pa.stream_unref(stream)

    def _heard(self, stream: Any, _size: int, _userdata: Any) -> None:
        from pulsectl import _pulsectl as c

        data, size = c.c_void_p(), c.c_int(0)
        c.pa.stream_peek(stream, c.byref(data), c.byref(size))
        if not size.value:
            return
        # A hole in the stream has a length and no content.
        piece = ctypes.string_at(data.value, size.value) if data.value else bytes(size.value)
        self._pieces.append(piece)
        c.pa.stream_drop(stream)
