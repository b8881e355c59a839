"""A sound file, read in blocks: as fast as the engine goes, or at the pace it was spoken."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.ring import SampleRing
from engine.sources._audio_file import open_audio, shown_name
from engine.sources._reader_thread import ReaderThread
from engine.types import Samples

_PACED_BLOCK_S = 0.02
"""What a sound card would hand over at a time."""

_FAST_BLOCK_S = 0.1


class FileSource:
    """Captions a file.

    Args:
        path: anything libsndfile reads; other containers through PyAV where it is installed.
        realtime: feed it at the pace it was spoken, as a device would.
        lane: the label of its captions.

    Attributes:
        duration: seconds, as far as the file says; None where it does not.

    Raises:
        AudioFileError: missing, unreadable, or holds no sound that can be read.
    """

    def __init__(self, path: Path, *, realtime: bool = False, lane: str = "file") -> None:
        self.lane = lane
        self.description = shown_name(path)
        self.live = realtime
        self._reader = open_audio(path)
        self.sample_rate = self._reader.sample_rate
        self.duration = self._reader.duration
        self._weights = _fold_weights(self._reader.channels)
        self.channels = self._reader.channels if self._weights is None else 1
        self._thread = ReaderThread(f"file {self.description}", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to read on a thread of its own; returns at once."""
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop reading, close the file and the ring. May be called twice."""
        self._thread.stop()
        if not self._thread.started:
            self._reader.close()

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        try:
            feed = self._feed_paced if self.live else self._feed_fast
            feed(ring, stop)
        finally:
            self._reader.close()

    def _feed_fast(self, ring: SampleRing, stop: threading.Event) -> None:
        for block in self._blocks(_FAST_BLOCK_S):
            if not ring.write_waiting(block, time.monotonic(), stop):
                return

    def _feed_paced(self, ring: SampleRing, stop: threading.Event) -> None:
        opened = time.monotonic()
        position = 0
        for block in self._blocks(_PACED_BLOCK_S):
            position += len(block)
            # Reckoned from the opening, so that late wake-ups do not add up.
            captured_at = opened + position / self.sample_rate
            if stop.wait(max(0.0, captured_at - time.monotonic())):
                return
            ring.write(block, captured_at)

    def _blocks(self, seconds: float) -> Iterator[Samples]:
        for block in self._reader.blocks(max(1, round(self.sample_rate * seconds))):
            if self._weights is None:
                yield block
            else:
                # Not ``@``, which would wake as many threads as there are cores.
                with np.errstate(all="ignore"):
                    yield np.einsum("nc,c->n", block, self._weights)[:, np.newaxis]


def _fold_weights(channels: int) -> NDArray[np.float32] | None:
    """How loud each channel is in the one that is captioned; None up to two, which are averaged.

    5.1 and 7.1 carry speech in the third channel, which a plain mean would bury by 16 dB: theirs
    are the weights of ITU-R BS.775, folded to one channel; the fourth, the bass, is left out.
    """
    if channels <= 2:
        return None
    if channels not in (6, 8):
        return np.full(channels, 1 / channels, np.float32)
    weights = np.full(channels, 0.354, np.float32)
    weights[:4] = (0.5, 0.5, 0.707, 0.0)
    return weights
