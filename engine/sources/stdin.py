"""Raw sound from a pipe: signed 16 bit little-endian, 16 kHz, one channel."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from typing import BinaryIO

import numpy as np

from engine.errors import SourceError
from engine.ring import SampleRing
from engine.sources._reader_thread import ReaderThread
from engine.types import SAMPLE_RATE

_MOST_BYTES = 6400
"""0.2 s: what is taken at once from a pipe that has more."""

_WAKE_S = 0.05


class StdinSource:
    """Captions raw sound as it comes out of a pipe.

    Args:
        stream: raw s16le, 16 kHz, mono; nothing may have been read through its buffer yet.
        live: False makes the pipe wait for the engine; True lets the ring overwrite.
        lane: the label of its captions.
    """

    def __init__(self, stream: BinaryIO, *, live: bool = False, lane: str = "stdin") -> None:
        self.lane = lane
        self.description = "standard input"
        self.sample_rate = SAMPLE_RATE
        self.channels = 1
        self.live = live
        self._stream = stream
        self._thread = ReaderThread("stdin", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to read on a thread of its own; returns at once."""
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop reading and close the ring; the stream itself stays open. May be called twice."""
        self._thread.stop()

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        odd = b""
        while not stop.is_set():
            if not self._ready():
                continue
            taken = self._read()
            if not taken:
                return
            data = odd + taken
            whole = len(data) // 2 * 2
            # A pipe may cut a sample in two; half a sample at the very end is dropped.
            odd = data[whole:]
            block = np.frombuffer(data[:whole], "<i2").astype(np.float32)[:, np.newaxis]
            block *= np.float32(1 / 32768)
            if self.live:
                ring.write(block, time.monotonic())
            elif not ring.write_waiting(block, time.monotonic(), stop):
                return

    def _ready(self) -> bool:
        """Whether a read would return at once, so that ``stop`` need not wait for the pipe."""
        descriptor = self._descriptor()
        if descriptor is None or sys.platform == "win32":
            # Windows can only wait on sockets: there a read blocks until the pipe says something.
            return True
        return bool(select.select([descriptor], [], [], _WAKE_S)[0])

    def _read(self) -> bytes:
        descriptor = self._descriptor()
        try:
            if descriptor is None:
                return self._stream.read(_MOST_BYTES)
            return os.read(descriptor, _MOST_BYTES)
        except (OSError, ValueError) as error:
            raise SourceError(f"standard input broke off ({error})") from error

    def _descriptor(self) -> int | None:
        try:
            return self._stream.fileno()
        except (OSError, AttributeError):
            return None
