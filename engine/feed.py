"""One source on its way through the inference thread: ring, resampler, lane."""

from __future__ import annotations

import dataclasses
import time

from engine.frontend import FrontEnd
from engine.inlet import Inlet, StreamClock
from engine.lane import LanePipeline
from engine.level import LevelWatch
from engine.resample import Resampler
from engine.ring import SampleRing
from engine.sources.base import Source
from engine.stats import StatsCollector
from engine.types import SAMPLE_RATE, AudioChunk, CaptionUpdate, Notice

_READ_S = 0.1
"""Seconds of sound taken from the ring at a time."""
_CAUGHT_UP_S = 0.064
"""Sound waiting in the ring below which there is time for a partial caption."""
_PAUSE_S = 0.25
"""So much later than the one before it a block of a device may come. What comes later still has
either waited with others behind it, or what lies between was never heard."""
_BURST_S = 0.15
"""How long to wait for those others."""
_WANDER_S = 0.1
_EARLY_S = 0.5
_FOLLOW = 0.5
"""Lateness that is usual, earliness after a beginning that was noticed late, and what share of
either is taken for usual a second."""
_SETTLED_S = 10.0
"""Seconds of sound from which all that is known."""
_SEAM_S = 0.05
"""Between two sources, less than this is no gap: blocks come at times as exact as that."""


class Feed:
    """Moves one source's sound into its lane. Lives on the inference thread."""

    def __init__(
        self,
        source: Source,
        lane: LanePipeline,
        stats: StatsCollector,
        begins_at: float = 0.0,
        *,
        inlet: Inlet | None = None,
        clock: StreamClock | None = None,
        front: FrontEnd | None = None,
    ) -> None:
        self.inlet = inlet or Inlet(source)
        self.lane = lane
        self.front = front or FrontEnd()
        self.spoken_at: float | None = None
        """``time.monotonic()`` at the stream clock's zero, for a live source."""
        self.first_captured_at: float | None = None
        self.ended = False
        self.gap: tuple[float, float] | None = None
        """Seconds on the stream clock that the last ``take`` found were not heard."""
        self.notices: list[Notice] = []
        """What the last ``take`` has to tell about the level."""
        self._stats = stats
        self._level = LevelWatch()
        # Sound that does not come by the clock has a pace of its own.
        self._clock = clock if source.live else None
        self._resampler = Resampler(source.sample_rate)
        self._begins_at = begins_at
        self._captured_at = 0.0
        self._placed = self._clock is None
        self._succeeds = False
        self._held: tuple[AudioChunk, float] | None = None
        self._line = 0.0
        self._sets_clock = False
        self._lost_before = 0
        if begins_at:
            self._go_to(0)

    @property
    def source(self) -> Source:
        """Where the sound comes from."""
        return self.inlet.source

    @property
    def ring(self) -> SampleRing:
        """What it is written into."""
        return self.inlet.ring

    @property
    def lag_s(self) -> float:
        """Seconds of sound captured and not yet looked at."""
        return self.ring.pending / self.source.sample_rate

    @property
    def lost(self) -> int:
        """Samples lost so far, by this source and those it followed."""
        return self._lost_before + self.ring.lost

    def follow(self, inlet: Inlet) -> None:
        """Go on with a source opened anew for the same lane, at the time that has really passed.
        All of the old one was taken: it ``ended``."""
        self._lost_before += self.ring.lost
        self.inlet = inlet
        self._level = LevelWatch()
        self._resampler = Resampler(inlet.source.sample_rate)
        self._begins_at = self.lane.heard_s
        self._placed = self._clock is None
        self._succeeds = True
        self.ended = False

    def take(self, *, paused: bool, stride: float) -> tuple[list[CaptionUpdate], float]:
        """Move what waits, up to a tenth of a second.

        Args:
            paused: throw it away, keeping count.
            stride: see ``LanePipeline.push``.

        Returns:
            The updates that follow, and how many seconds of sound were moved.
        """
        self.gap = None
        self.notices = []
        closed = self.ring.closed  # before the read: what is unread then is all there will be
        chunk, missing = self._next(closed)
        if chunk is None:
            if closed and not self.ended:
                return self._end(), 0.0
            return [], 0.0
        updates: list[CaptionUpdate] = []
        rate = self.source.sample_rate
        end = chunk.first_sample + chunk.samples.size
        self._began(chunk)
        if not self._placed:
            placed = self._place(chunk)
            if placed is None:
                return [], chunk.samples.size / rate
            chunk = placed
        elif missing:
            heard = self.lane.heard_s
            updates += self._settle()
            self._begins_at += missing
            updates += self._go_to(chunk.first_sample)
            if not self.inlet.may_pause:
                self.gap = (heard, self.lane.heard_s)
        self.inlet.look_at(chunk, self.lane.heard_s)
        if chunk.lost_before:
            heard = self.lane.heard_s
            updates += self._settle()
            updates += self._go_to(chunk.first_sample)
            if self.lane.heard_s - heard > _PAUSE_S:
                self.gap = (heard, self.lane.heard_s)
        self._captured_at = chunk.captured_at
        if self._sets_clock and self._clock is not None and end / rate > _SETTLED_S:
            self._sets_clock = False
            self._clock.settle(self._line)
        if self.source.live:
            self.spoken_at = chunk.captured_at - self._begins_at - end / rate
        if paused:
            updates += self._settle()
            updates += self._go_to(end)
        else:
            samples = self.front.push(self._resampler.push(chunk.samples))
            heard_at = chunk.captured_at - self.front.latency
            caught_up = not self.source.live or self.lag_s < _CAUGHT_UP_S
            updates += self.lane.push(samples, heard_at, decode=caught_up, stride=stride)
        self._look_at_level(chunk, paused)
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
        while self.lag_s > limit and self._held is None and self._placed:
            end = None
            while (surplus := self.ring.pending - round(keep * rate)) > 0:
                chunk = self.ring.read(min(rate, surplus))
                if chunk is None:
                    break
                self._began(chunk)
                dropped += chunk.samples.size + chunk.lost_before
                end = chunk.first_sample + chunk.samples.size
                captured_at = chunk.captured_at
            if end is None:
                break
            updates += self._settle()
            updates += self._go_to(end)
            self._captured_at = captured_at
        return updates, dropped / rate

    def finish(self) -> list[CaptionUpdate]:
        """No more sound will be looked at: settle everything."""
        return [] if self.ended else self._end()

    def _look_at_level(self, chunk: AudioChunk, paused: bool) -> None:
        speaking = not paused and self.lane.endpointer.speaking
        if self.source.live:
            self.notices = self._level.look(
                chunk.samples,
                chunk.sample_rate,
                lane=self.source.lane,
                name=self.source.description,
                speaking=speaking,
                gain_db=self.front.most_gain_db,
            )
        self._stats.heard(
            self.source.lane,
            chunk.samples,
            chunk.sample_rate,
            speaking=speaking,
            rested=not paused and not self.lane.engaged,
            gain_db=self.front.gain_db,
            clipping=self._level.clipping,
            too_quiet=self._level.too_quiet,
        )

    def _end(self) -> list[CaptionUpdate]:
        self.ended = True
        return self._settle()

    def _next(self, closed: bool) -> tuple[AudioChunk | None, float]:
        """What comes next, and how many seconds before it were never heard.

        A sound server that pauses a stream, as PulseAudio does to move it, tells nobody: samples
        alone would then make the stream clock late for good.
        """
        if not self._placed and not closed and self.lag_s < _READ_S:
            # Several blocks tell better than one when the first of them was captured.
            return None, 0.0
        if self._held is None:
            chunk = self.ring.read(int(self.source.sample_rate * _READ_S))
            if chunk is None or self._late(chunk) < _PAUSE_S:
                return chunk, 0.0
            self._held = chunk, time.monotonic()
        chunk, since = self._held
        waited = time.monotonic() - since
        if waited < _BURST_S and not closed:
            return None, 0.0
        self._held = None
        # What came in a burst had waited; what comes at its pace had not.
        since = max(0.0, time.monotonic() - chunk.captured_at)
        burst = max(0.0, self.ring.pending / self.source.sample_rate - since)
        missing = self._late(chunk) - burst
        return chunk, missing if missing > _PAUSE_S else 0.0

    def _late(self, chunk: AudioChunk) -> float:
        """By how many seconds it came later than the samples tell, counted from the first.

        Not from the chunk before: a server may hand over early what it will play, and then pause.
        """
        if self._clock is None or not self._placed:
            return 0.0
        frames = chunk.first_sample + chunk.samples.size
        late = chunk.captured_at - self._begins_at - frames / self.source.sample_rate - self._line
        if -_EARLY_S < late < _WANDER_S:
            # Servers find their pace within a second or so, and no two clocks run quite alike.
            self._line += _FOLLOW * late * chunk.samples.size / self.source.sample_rate
        return late

    def _place(self, chunk: AudioChunk) -> AudioChunk | None:
        """Put the first sound of a source in its place on the stream clock; what the source before
        it had captured already is cut off. None where that is all of it."""
        rate = self.source.sample_rate
        began_at = self.ring.began_at
        assert self._clock is not None
        assert began_at is not None
        first = chunk.first_sample
        if self._succeeds:
            cut = max(0, round((self._captured_at - began_at) * rate) - first)
            if cut >= chunk.samples.size:
                return None
            first += cut
            chunk = dataclasses.replace(
                chunk, samples=chunk.samples[cut:], first_sample=first, lost_before=0
            )
        self._placed = True
        heard = self.lane.heard_s
        self._sets_clock = not self._clock.runs
        self._begins_at = self._clock.place(began_at + first / rate, heard) - first / rate
        self._line = began_at - self._begins_at
        self._go_to(first)
        if self._succeeds and self.lane.heard_s - heard > _SEAM_S:
            self.gap = (heard, self.lane.heard_s)
        return chunk

    def _began(self, chunk: AudioChunk) -> None:
        if self.first_captured_at is None:
            frames = chunk.first_sample + chunk.samples.size
            self.first_captured_at = chunk.captured_at - frames / self.source.sample_rate

    def _settle(self) -> list[CaptionUpdate]:
        """Finish what was heard; what follows is another stretch of sound."""
        tails = [self.front.push(self._resampler.flush()), self.front.flush()]
        self._resampler = Resampler(self.source.sample_rate)
        updates: list[CaptionUpdate] = []
        for tail in tails:
            updates += self.lane.push(tail, self._captured_at, decode=False)
        return [*updates, *self.lane.end()]

    def _go_to(self, frame: int) -> list[CaptionUpdate]:
        """Set the stream clock to a frame of the source. Counted from the very beginning, so that
        rounding to the lane's rate never adds up."""
        target = self._begins_at + frame / self.source.sample_rate
        ahead = round(target * SAMPLE_RATE) - round(self.lane.heard_s * SAMPLE_RATE)
        return self.lane.skip(max(0, ahead))
