"""One source on its way through the inference thread: ring, resampler, lane."""

from __future__ import annotations

import time

from engine.lane import LanePipeline
from engine.resample import Resampler
from engine.ring import SampleRing
from engine.sources.base import Source
from engine.stats import StatsCollector
from engine.types import SAMPLE_RATE, CaptionUpdate

_READ_S = 0.1
"""Seconds of sound taken from the ring at a time."""
_LIVE_RING_S = 20.0
_WAITING_RING_S = 2.0
_CAUGHT_UP_S = 0.064
"""Sound waiting in the ring below which there is time for a partial caption."""


class Feed:
    """Moves one source's sound into its lane. Lives on the inference thread."""

    def __init__(
        self,
        source: Source,
        lane: LanePipeline,
        stats: StatsCollector,
        begins_at: float = 0.0,
    ) -> None:
        self.source = source
        self.lane = lane
        self.ring = SampleRing(
            source.sample_rate,
            source.channels,
            _LIVE_RING_S if source.live else _WAITING_RING_S,
        )
        self.spoken_at: float | None = None
        """``time.monotonic()`` at the stream clock's zero, for a live source."""
        self.first_captured_at: float | None = None
        self.ended = False
        self._stats = stats
        self._resampler = Resampler(source.sample_rate)
        self._begins_at = begins_at
        if begins_at:
            lane.skip(round(begins_at * SAMPLE_RATE))

    @property
    def lag_s(self) -> float:
        """Seconds of sound captured and not yet looked at."""
        return self.ring.pending / self.source.sample_rate

    def take(self, *, paused: bool, stride: float) -> tuple[list[CaptionUpdate], float]:
        """Move what waits, up to a tenth of a second.

        Args:
            paused: throw it away, keeping count.
            stride: see ``LanePipeline.push``.

        Returns:
            The updates that follow, and how many seconds of sound were moved.
        """
        closed = self.ring.closed  # before the read: what is unread then is all there will be
        chunk = self.ring.read(int(self.source.sample_rate * _READ_S))
        if chunk is None:
            if closed and not self.ended:
                return self._end(), 0.0
            return [], 0.0
        updates: list[CaptionUpdate] = []
        rate = self.source.sample_rate
        if self.first_captured_at is None:
            self.first_captured_at = chunk.captured_at - chunk.samples.size / rate
        if chunk.lost_before:
            updates += self.skip(chunk.lost_before)
        if self.source.live:
            stream_end = self._begins_at + (chunk.first_sample + chunk.samples.size) / rate
            self.spoken_at = chunk.captured_at - stream_end
        if paused:
            updates += self.skip(chunk.samples.size)
        else:
            samples = self._resampler.push(chunk.samples)
            caught_up = not self.source.live or self.lag_s < _CAUGHT_UP_S
            updates += self.lane.push(samples, chunk.captured_at, decode=caught_up, stride=stride)
        self._stats.heard(
            self.source.lane,
            chunk.samples,
            rate,
            speaking=not paused and self.lane.endpointer.speaking,
        )
        return updates, chunk.samples.size / rate

    def skip(self, frames: int) -> list[CaptionUpdate]:
        """``frames`` samples at the source's rate will not be looked at: finish what came before
        them and set the stream clock behind them."""
        tail = self._resampler.flush()
        updates = self.lane.push(tail, decode=False) if tail.size else []
        gap = round(frames * SAMPLE_RATE / self.source.sample_rate)
        self._resampler = Resampler(self.source.sample_rate)
        return [*updates, *self.lane.skip(gap)]

    def drop_all_but(self, seconds: float) -> tuple[list[CaptionUpdate], float]:
        """Catch up: throw away the oldest unread sound.

        Returns:
            The updates that follow, and how many seconds were dropped.
        """
        rate = self.source.sample_rate
        dropped = 0
        while self.ring.pending > seconds * rate:
            chunk = self.ring.read(min(rate, self.ring.pending - int(seconds * rate)) or 1)
            if chunk is None:
                break
            dropped += chunk.samples.size + chunk.lost_before
        return (self.skip(dropped) if dropped else []), dropped / rate

    def finish(self) -> list[CaptionUpdate]:
        """No more sound will be looked at: settle everything."""
        return [] if self.ended else self._end()

    def _end(self) -> list[CaptionUpdate]:
        self.ended = True
        tail = self._resampler.flush()
        updates = self.lane.push(tail, time.monotonic(), decode=False) if tail.size else []
        return [*updates, *self.lane.end()]
