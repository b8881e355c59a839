"""The one place where sound crosses from whoever captures it to the inference thread.

One writer, one reader, no lock in ``write``: an audio callback may call it. Two counters guard
the samples. ``_claimed`` is raised *before* a block is copied in and ``_marks_written`` after, so
that a reader which finds ``_claimed`` past what it has just copied knows that the writer may have
overwritten it meanwhile, and drops that part as lost instead of handing on torn sound. It leans on
attribute stores being atomic and ordered, which CPython gives.
"""

from __future__ import annotations

import threading
import time

import numpy as np
from numpy.typing import NDArray

from engine.errors import SourceError
from engine.types import AudioChunk, Samples

_MARKS_PER_SECOND = 400
"""Blocks a second the ring keeps times for; with blocks under 2.5 ms it holds fewer seconds."""

_FIRST_MARKS = 10
_KEPT_WAITING_S = 0.06
"""Blocks from which the beginning is told, and by how much one may correct those before it."""

_WAKE_S = 0.05
"""How long a waiting writer may take to notice that it was told to stop."""


class SampleRing:
    """Holds the last ``seconds`` of sound of one source, and counts every sample it loses.

    Args:
        sample_rate: Hz, the source's own.
        channels: of the blocks written; the reader gets their mean.
        seconds: how much unread sound it holds.
        wake: set by ``write_waiting`` and ``close`` (never by ``write``, which takes no lock), so
            that a reader may sleep on it.

    Attributes:
        began_at: ``time.monotonic()`` at the first sample on the ring's clock, by when the first
            blocks arrived; None before. What a driver says of a block's age is not believed here:
            PulseAudio is off by 0.2 s until a stream has run for a second.
    """

    def __init__(
        self,
        sample_rate: int,
        channels: int,
        seconds: float = 20.0,
        *,
        wake: threading.Event | None = None,
    ) -> None:
        if sample_rate < 1 or channels < 1 or seconds <= 0:
            raise ValueError(f"no ring of {seconds} s at {sample_rate} Hz with {channels} channels")
        self.sample_rate = sample_rate
        self.channels = channels
        self.capacity = max(1, round(sample_rate * seconds))
        self._data: NDArray[np.float32] = np.zeros((self.capacity, channels), np.float32)
        # A mark is one written block: where its samples lie (counted in samples written), how far
        # the stream clock ran ahead of that count by marked losses, and when it was captured.
        self._mark_capacity = max(64, round(seconds * _MARKS_PER_SECOND))
        self._mark_begin: NDArray[np.int64] = np.zeros(self._mark_capacity, np.int64)
        self._mark_end: NDArray[np.int64] = np.zeros(self._mark_capacity, np.int64)
        self._mark_skew: NDArray[np.int64] = np.zeros(self._mark_capacity, np.int64)
        self._mark_time: NDArray[np.float64] = np.zeros(self._mark_capacity, np.float64)
        # The writer's.
        self._claimed = 0
        self._samples_written = 0
        self._marks_claimed = 0
        self._marks_written = 0
        self._marked_lost = 0
        self.began_at: float | None = None
        # The reader's.
        self._next_sample = 0
        self._next_mark = 0
        self._skew_read = 0
        self._overwritten = 0
        # Either side's.
        self._wake = wake
        self._space = threading.Event()
        self._writer_waits = False
        self._closed = False
        self._error: SourceError | None = None

    def write(self, block: Samples, captured_at: float) -> None:
        """Take a block; overwrites the oldest unread sound where the ring is full.

        Never blocks, locks or logs, and allocates no more than array views.

        Args:
            block: float32, shape (n, channels).
            captured_at: ``time.monotonic()`` when the block's last sample was captured.
        """
        frames = len(block)
        if frames == 0:
            return
        begin = self._samples_written
        end = begin + frames
        if self._marks_written < _FIRST_MARKS:
            self._place_beginning(end + self._marked_lost)
        self._claimed = end
        if frames > self.capacity:
            block = block[-self.capacity :]
            begin = end - self.capacity
        at = begin % self.capacity
        first = min(self.capacity - at, len(block))
        self._data[at : at + first] = block[:first]
        if first < len(block):
            self._data[: len(block) - first] = block[first:]
        mark = self._marks_written
        self._marks_claimed = mark + 1
        slot = mark % self._mark_capacity
        self._mark_begin[slot] = begin
        self._mark_end[slot] = end
        self._mark_skew[slot] = self._marked_lost
        self._mark_time[slot] = captured_at
        self._samples_written = end
        self._marks_written = mark + 1

    def _place_beginning(self, frames: int) -> None:
        """A block up to ``frames`` on the ring's clock arrived now, and none sooner than it was
        captured. One that came sooner than those before tells that they were kept waiting; one
        that came far too soon was handed over before its time."""
        began_at = time.monotonic() - frames / self.sample_rate
        if self.began_at is None or 0.0 < self.began_at - began_at < _KEPT_WAITING_S:
            self.began_at = began_at

    def write_waiting(self, block: Samples, captured_at: float, stop: threading.Event) -> bool:
        """Take a block, waiting for the reader where the ring is full: nothing is overwritten.

        For sources that can wait; never for an audio callback.

        Returns:
            False where ``stop`` was set or the ring closed before all of it was taken.
        """
        step = max(1, self.capacity // 2)
        for at in range(0, len(block), step):
            piece = block[at : at + step]
            while not self._has_room(len(piece)):
                if stop.is_set() or self._closed:
                    return False
                self._space.clear()
                self._writer_waits = True
                if not self._has_room(len(piece)):
                    self._space.wait(_WAKE_S)
                self._writer_waits = False
            if stop.is_set() or self._closed:
                return False
            later = len(block) - at - len(piece)
            self.write(piece, captured_at - later / self.sample_rate)
            if self._wake is not None:
                self._wake.set()
        return True

    def mark_lost(self, frames: int) -> None:
        """The source itself lost ``frames``: the stream clock goes on by them. Writer's side."""
        if frames > 0:
            self._marked_lost += frames

    def read(self, max_frames: int) -> AudioChunk | None:
        """The oldest unread sound, up to the next gap; None where there is none.

        Args:
            max_frames: most samples to return.

        Returns:
            The mean of the channels, at the ring's own rate and on its own clock.
        """
        if max_frames < 1:
            raise ValueError("max_frames must be 1 or more")
        while True:
            published = self._marks_written
            mark = max(self._next_mark, self._marks_claimed - self._mark_capacity)
            if mark >= published:
                return None
            oldest = self._claimed - self.capacity
            run = self._run(mark, published, max(self._next_sample, oldest), max_frames)
            if run is None:
                if published == self._marks_written:
                    # The writer is half-way through the block that replaces all of it.
                    return None
                continue
            mark, begin, end, skew, captured_at = run
            samples = self._copy(begin, end)
            intact = max(begin, self._claimed - self.capacity)
            if intact >= end:
                continue
            samples = samples[intact - begin :]
            lost_here = intact - self._next_sample
            lost_before = lost_here + skew - self._skew_read
            self._overwritten += lost_here
            self._skew_read = skew
            self._next_mark = mark
            self._next_sample = end
            if self._writer_waits:
                self._space.set()
            return AudioChunk(samples, self.sample_rate, intact + skew, captured_at, lost_before)

    @property
    def pending(self) -> int:
        """Samples that wait to be read."""
        return min(self.capacity, self._samples_written - self._next_sample)

    @property
    def written(self) -> int:
        """Samples on the stream clock so far: those taken in and those marked lost.

        Once all is read, it equals the samples read plus ``lost``.
        """
        return self._samples_written + self._marked_lost

    @property
    def lost(self) -> int:
        """Samples marked lost by the source, or overwritten before they were read."""
        unread = self._samples_written - self._next_sample
        return self._marked_lost + self._overwritten + max(0, unread - self.capacity)

    def close(self, error: SourceError | None = None) -> None:
        """Nothing more will be written. What is unread can still be read. The first call counts.

        Args:
            error: why the sound broke off; None at its natural end.
        """
        if self._closed:
            return
        self._error = error
        self._closed = True
        self._space.set()
        if self._wake is not None:
            self._wake.set()

    @property
    def closed(self) -> bool:
        """True once the source has ended. All is read when ``read`` *then* returns None."""
        return self._closed

    @property
    def error(self) -> SourceError | None:
        """Why the sound broke off, or None."""
        return self._error

    def _has_room(self, frames: int) -> bool:
        unread = self._samples_written - self._next_sample
        marks = self._marks_written - self._next_mark
        return unread + frames <= self.capacity and marks < self._mark_capacity

    def _run(
        self, mark: int, published: int, begin: int, max_frames: int
    ) -> tuple[int, int, int, int, float] | None:
        """The longest run of samples from ``begin`` on without a gap.

        Returns:
            The mark that holds what follows, the run's begin and end in samples written, its skew
            to the stream clock, and when its last sample was captured; None where the writer
            has overtaken.
        """
        end = begin
        skew = 0
        captured_at = 0.0
        first = True
        while mark < published and end - begin < max_frames:
            slot = mark % self._mark_capacity
            mark_begin = int(self._mark_begin[slot])
            mark_end = int(self._mark_end[slot])
            mark_skew = int(self._mark_skew[slot])
            mark_time = float(self._mark_time[slot])
            if self._marks_claimed - self._mark_capacity > mark:
                return None
            if mark_end <= begin:
                mark += 1
                continue
            if first:
                begin = max(begin, mark_begin)
                skew = mark_skew
                first = False
            elif mark_begin != end or mark_skew != skew:
                break
            end = min(mark_end, begin + max_frames)
            captured_at = mark_time - (mark_end - end) / self.sample_rate
            if end < mark_end:
                break
            mark += 1
        return None if first else (mark, begin, end, skew, captured_at)

    def _copy(self, begin: int, end: int) -> Samples:
        """Samples [begin, end) as their mean over the channels, float32 (end - begin,)."""
        at = begin % self.capacity
        first = min(self.capacity - at, end - begin)
        mono = np.empty(end - begin, np.float32)
        # A file may hold infinities; the resampler replaces what comes of them.
        with np.errstate(all="ignore"):
            for out, block in (
                (mono[:first], self._data[at : at + first]),
                (mono[first:], self._data[: end - begin - first]),
            ):
                out[:] = block[:, 0]
                for channel in range(1, self.channels):
                    out += block[:, channel]
            if self.channels > 1:
                mono *= np.float32(1 / self.channels)
        return mono
