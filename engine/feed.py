"""One source on its way through the inference thread: ring, resampler, lane."""

from __future__ import annotations

from engine.lane import LanePipeline
from engine.resample import Resampler
from engine.ring import SampleRing
from engine.sources.base import Source
from engine.stats import StatsCollector
from engine.types import SAMPLE_RATE, AudioChunk, CaptionUpdate

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
        self._captured_at = 0.0
        if begins_at:
            self._go_to(0)

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
        end = chunk.first_sample + chunk.samples.size
        self._began(chunk)
        if chunk.lost_before:
            updates += self._settle()
            updates += self._go_to(chunk.first_sample)
        self._captured_at = chunk.captured_at
        if self.source.live:
            self.spoken_at = chunk.captured_at - self._begins_at - end / rate
        if paused:
            updates += self._settle()
            updates += self._go_to(end)
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

    def catch_up(self, limit: float, keep: float) -> tuple[list[CaptionUpdate], float]:
        """Where too much sound waits, throw away the oldest and go on behind it.

        What was heard before is finished, which takes its time: what has come meanwhile is thrown
        away as well where that is too much again, or a very slow machine would do nothing else.

        Args:
            limit: seconds of unread sound that are not too much.
            keep: seconds of it to keep.

        Returns:
            The updates that follow, and how many seconds were thrown away.
        """
        updates: list[CaptionUpdate] = []
        rate = self.source.sample_rate
        dropped = 0
        while self.lag_s > limit:
            end = None
            while (surplus := self.ring.pending - round(keep * rate)) > 0:
                chunk = self.ring.read(min(rate, surplus))
                if chunk is None:
                    break
                self._began(chunk)
                dropped += chunk.samples.size + chunk.lost_before
                end = chunk.first_sample + chunk.samples.size
            if end is None:
                break
            updates += self._settle()
            updates += self._go_to(end)
        return updates, dropped / rate

    def finish(self) -> list[CaptionUpdate]:
        """No more sound will be looked at: settle everything."""
        return [] if self.ended else self._end()

    def _end(self) -> list[CaptionUpdate]:
        self.ended = True
        return self._settle()

    def _began(self, chunk: AudioChunk) -> None:
        if self.first_captured_at is None:
            frames = chunk.first_sample + chunk.samples.size
            self.first_captured_at = chunk.captured_at - frames / self.source.sample_rate

    def _settle(self) -> list[CaptionUpdate]:
        """Finish what was heard; what follows is another stretch of sound."""
        tail = self._resampler.flush()
        self._resampler = Resampler(self.source.sample_rate)
        updates = self.lane.push(tail, self._captured_at, decode=False) if tail.size else []
        return [*updates, *self.lane.end()]

    def _go_to(self, frame: int) -> list[CaptionUpdate]:
        """Set the stream clock to a frame of the source. Counted from the very beginning, so that
        rounding to the lane's rate never adds up."""
        target = self._begins_at + frame / self.source.sample_rate
        ahead = round(target * SAMPLE_RATE) - round(self.lane.heard_s * SAMPLE_RATE)
        return self.lane.skip(max(0, ahead))
