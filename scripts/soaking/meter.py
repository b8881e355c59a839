"""What a soak counts: where each sample went, what is said of it, and what the program holds."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import sys
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psutil

import engine.worker
from engine.bench.metrics import normalised, score
from engine.feed import Feed
from engine.lane import LanePipeline
from engine.sinks.live_text import NewestRows
from engine.types import (
    SAMPLE_RATE,
    CaptionUpdate,
    Notice,
    StreamHeader,
    StreamSummary,
    Word,
)
from soaking.clock import replaced
from soaking.programme import Played

_SETTLED_S = 5.0
"""Seconds behind a recording after which no word of it can still be on its way."""
_TOLD_FROM_S = 0.3
"""Seconds of sound lost at once that somebody has to be told of: less is a word at most."""


class SampleMeter:
    """Where each sample of the stream clock went.

    Attributes:
        heard: samples that a lane listened to.
        paused: those that came while the session was paused.
        lost: those that were passed over for any other reason.
        gaps: of these, from and to, seconds on the stream clock.
    """

    def __init__(self) -> None:
        self.heard = self.paused = self.lost = 0
        self.gaps: list[tuple[float, float]] = []
        self._skipped = 0
        self._from = 0.0

    @property
    def counted(self) -> int:
        """All of them."""
        return self.heard + self.paused + self.lost + self._skipped

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Every lane of sessions made meanwhile."""
        meter = self

        class Lane(LanePipeline):
            def push(self, samples: Any, *arguments: Any, **named: Any) -> list[CaptionUpdate]:
                meter.heard += samples.size
                return super().push(samples, *arguments, **named)

            def skip(self, count: int) -> list[CaptionUpdate]:
                if not meter._skipped:
                    meter._from = self.heard_s
                meter._skipped += count
                return super().skip(count)

        class Watched(Feed):
            def take(self, *, paused: bool, stride: float) -> tuple[list[CaptionUpdate], float]:
                updates, seconds = super().take(paused=paused, stride=stride)
                # What was taken in a pause and what was missing before it are passed over alike.
                meter._settle(round(seconds * SAMPLE_RATE) if paused else 0)
                return updates, seconds

            def catch_up(self, *arguments: Any) -> tuple[list[CaptionUpdate], float]:
                try:
                    return super().catch_up(*arguments)
                finally:
                    meter._settle(0)

        with (
            replaced(engine.worker, "LanePipeline", Lane),
            replaced(engine.worker, "Feed", Watched),
        ):
            yield

    def untold_s(self, told: list[tuple[float, float]]) -> float:
        """Seconds of sound lost that none of these spans tells of."""
        missing = 0.0
        for begin, end in self.gaps:
            covered = sum(max(0.0, min(end, b) - max(begin, a)) for a, b in told)
            if end - begin >= _TOLD_FROM_S:
                missing += max(0.0, end - begin - covered)
        return missing

    def _settle(self, paused: int) -> None:
        """So many of the samples that were passed over last came in a pause."""
        count, self._skipped = self._skipped, 0
        paused = min(paused, count)
        self.paused += paused
        lost = count - paused
        if not lost:
            return
        self.lost += lost
        begin, end = self._from, self._from + lost / SAMPLE_RATE
        if self.gaps and begin - self.gaps[-1][1] < 1e-6:
            self.gaps[-1] = (self.gaps[-1][0], end)
        else:
            self.gaps.append((begin, end))


@dataclass(frozen=True, slots=True)
class Held:
    """What the program and the processes it has begun hold at one moment.

    Attributes:
        rss_mb, own_mb: resident memory of all processes, and of this one, MiB.
        threads, handles: of this process; handles are open files, pipes and sockets.
        timers: waiting in event loops, and timer threads.
        processes: how many.
    """

    rss_mb: float
    own_mb: float
    threads: int
    handles: int
    timers: int
    processes: int

    @classmethod
    def now(cls) -> Held:
        """Ask the system."""
        own = psutil.Process()
        others = own.children(recursive=True)
        own_mb = rss_mb = own.memory_info().rss / 2**20
        for process in others:
            with contextlib.suppress(psutil.NoSuchProcess):
                rss_mb += process.memory_info().rss / 2**20
        gc.collect()
        waiting = sum(
            isinstance(each, asyncio.TimerHandle) and not each.cancelled()
            for each in gc.get_objects()
        )
        timers = sum(isinstance(each, threading.Timer) for each in threading.enumerate())
        handles = int(getattr(own, "num_handles" if sys.platform == "win32" else "num_fds")())
        return cls(rss_mb, own_mb, own.num_threads(), handles, waiting + timers, 1 + len(others))


HEAD = "    min  RSS MB     own  lag p50   p95 ms  compute  events  procs  threads  handles  timers"


@dataclass(slots=True)
class Row:
    """Figures of one stretch, in seconds and MiB; see ``Held`` for what it holds.

    Attributes:
        until: stream time at its end.
        lag_p50, lag_p95, lag_mean: publishing time minus the end of the newest word, each time a
            newer one is shown.
        compute: processor seconds for a second of sound, all processes together.
        events: that happened in it.
    """

    until: float
    held: Held
    lag_p50: float
    lag_p95: float
    lag_mean: float
    compute: float
    events: int

    @property
    def line(self) -> str:
        """Of the table under ``HEAD``."""
        held = self.held
        return (
            f"{self.until / 60:7.1f} {held.rss_mb:7.1f} {held.own_mb:7.1f} "
            f"{1000 * self.lag_p50:8.0f} {1000 * self.lag_p95:8.0f} "
            f"{self.compute:8.3f} {self.events:7d} {held.processes:6d} {held.threads:8d} "
            f"{held.handles:8d} {held.timers:7d}"
        )


@dataclass(slots=True)
class Ledger:
    """A sink that checks each line against the laws once it is finished, and keeps its text.

    Attributes:
        played: recordings, in order; those looked at are taken off.
        finals: text of finished lines by their number.
        told: where sound was not heard, as notices said.
        codes: of notices, how often.
        lags: publishing time minus the end of the newest word, each time a newer one is shown;
            whoever reads them empties it.
        errors, words, noise_words, dumb: of the calm stretches: wrong words, spoken words, words
            where nobody speaks, recordings without a word.
        shown: the rows that a small display has now.
        first, last: our word ends minus those of the reference, seconds, in these stretches.
    """

    played: deque[Played]
    name: str = "ledger"
    finals: dict[int, str] = field(default_factory=dict)
    lines: int = 0
    breaches: int = 0
    first_breach: str = ""
    told: list[tuple[float, float]] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    lags: list[float] = field(default_factory=list)
    open_lines: int = 0
    errors: int = 0
    words: int = 0
    noise_words: int = 0
    dumb: int = 0
    first: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    shown: str = ""
    _rows: NewestRows = field(default_factory=NewestRows)
    _open: dict[int, list[CaptionUpdate]] = field(default_factory=dict)
    _waiting: deque[Word] = field(default_factory=deque)
    _newest: int = -1
    _newest_end: float = 0.0
    _shown_at: float = -1.0

    def open(self, header: StreamHeader) -> None:
        """Nothing to prepare."""

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Count it."""
        number = update.segment_id
        if number not in self._open:
            self.lines += 1
            if number <= self._newest:
                self._breach(f"segment {number} comes after {self._newest}")
            self._newest = max(self._newest, number)
        self._open.setdefault(number, []).append(update)
        self.open_lines = max(self.open_lines, len(self._open))
        self._time(update, published_at)
        self.shown = "\n".join(self._rows.take(update))
        if not update.is_final:
            return
        self.finals[number] = update.text
        self._waiting.extend(update.words)
        try:
            importlib.import_module("caption_laws").check_laws(self._open.pop(number))
        except AssertionError as error:
            self._breach(str(error))
        self.digest(published_at)

    def notice(self, notice: Notice) -> None:
        """Count it, and where it says that sound was not heard."""
        self.codes[notice.code] = self.codes.get(notice.code, 0) + 1
        if notice.span is not None:
            self.told.append(notice.span)

    def close(self, summary: StreamSummary) -> None:
        """Nothing to close."""

    def digest(self, heard: float) -> None:
        """Score the recordings of calm stretches whose words are all there.

        Args:
            heard: stream time; infinite at the end.
        """
        played = self.played
        while played and played[0].cut + _SETTLED_S < heard:
            if any(line[-1].start < played[0].cut for line in self._open.values()):
                return
            self._score(played.popleft())

    def _time(self, update: CaptionUpdate, published_at: float) -> None:
        if update.end <= self._newest_end:
            return
        self._newest_end = update.end
        if published_at == self._shown_at and self.lags:  # one decode may give several lines
            self.lags.pop()
        self._shown_at = published_at
        self.lags.append(published_at - update.end)

    def _score(self, item: Played) -> None:
        said: list[Word] = []
        while self._waiting and (self._waiting[0].start + self._waiting[0].end) / 2 < item.cut:
            said.append(self._waiting.popleft())
        if not item.calm:
            return
        # "Twenty-one" is scored as two words with the same end.
        ours = [(part, word.end) for word in said for part in normalised(word.text)]
        spoken = [(part, end) for word, end in item.ends for part in normalised(word)]
        if not spoken:
            self.noise_words += len(ours)
            return
        result = score([word for word, _ in spoken], [word for word, _ in ours])
        self.errors += result.errors
        self.words += result.words
        self.dumb += not ours
        offsets = self.last if item.stretch else self.first
        offsets += [ours[here][1] - item.start - spoken[there][1] for there, here in result.pairs]

    def _breach(self, law: str) -> None:
        self.breaches += 1
        self.first_breach = self.first_breach or law
