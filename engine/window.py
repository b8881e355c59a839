"""The sound a recogniser looks at: a stretch that grows at its end and is cut at its front.

Long pauses are left out of it, so window time and stream time differ; the window keeps both.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from engine.types import SAMPLE_RATE, Samples


class Window:
    """Audio at 16 kHz with the stream time of every sample of it."""

    def __init__(self) -> None:
        self._buffer = np.zeros(SAMPLE_RATE * 16, np.float32)
        self._size = 0
        self._pieces: list[tuple[int, int]] = []  # (window sample, stream sample), both rising

    @property
    def audio(self) -> Samples:
        """float32, shape (n,): a view, valid until the next call that changes the window."""
        return self._buffer[: self._size]

    @property
    def seconds(self) -> float:
        """Length."""
        return self._size / SAMPLE_RATE

    def extend(self, samples: Samples, first_sample: int) -> None:
        """Append sound.

        Args:
            samples: float32 mono at 16 kHz, shape (n,).
            first_sample: stream index of ``samples[0]``; may leave a gap behind the last one.
        """
        if self._size + samples.size > self._buffer.size:
            room = np.zeros(2 * (self._size + samples.size), np.float32)
            room[: self._size] = self.audio
            self._buffer = room
        expected = self._stream_end()
        if expected is None or first_sample != expected:
            self._pieces.append((self._size, first_sample))
        self._buffer[self._size : self._size + samples.size] = samples
        self._size += samples.size

    def cut(self, seconds: float) -> float:
        """Drop the front.

        Args:
            seconds: how much, window time.

        Returns:
            How much was really dropped.
        """
        count = min(self._size, max(0, round(seconds * SAMPLE_RATE)))
        if count == 0:
            return 0.0
        first = self._to_stream(count)
        kept = self.audio[count:].copy()
        self._size = kept.size
        self._buffer[: kept.size] = kept
        later = [(at - count, stream) for at, stream in self._pieces if at > count]
        self._pieces = [(0, first), *later] if kept.size else []
        return count / SAMPLE_RATE

    def stream_time(self, seconds: float) -> float:
        """Stream time, in seconds, of a window time. 0 for an empty window."""
        return self._to_stream(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE

    def _to_stream(self, sample: int) -> int:
        if not self._pieces:
            return 0
        index = max(0, bisect_right(self._pieces, (sample, 1 << 62)) - 1)
        at, stream = self._pieces[index]
        return stream + sample - at

    def _stream_end(self) -> int | None:
        if not self._pieces:
            return None
        at, stream = self._pieces[-1]
        return stream + self._size - at
