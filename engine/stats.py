"""Counting what the engine does, for whoever asks once a second."""

from __future__ import annotations

import itertools
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.types import CaptionUpdate, EngineStats, Percentiles, Samples, StreamSummary

_RECENT_S = 10.0
"""Seconds of sound the real-time factor is taken over."""
_LATENCIES = 400
"""Words the latency percentiles are taken over."""
_LATEST = 20
"""Words that a plot of the latency follows."""


@dataclass(slots=True)
class _Line:
    shown: str = ""
    words_stable: int = 0
    since: list[tuple[str, float]] = field(default_factory=list)
    """Each word shown, and since when it has stood there."""
    seen: dict[tuple[int, str], float] = field(default_factory=dict)
    """When a word was first seen at a place."""


class StatsCollector:
    """Written by the inference thread, read by any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._audio_s = 0.0
        self._compute_s = 0.0
        self._recent: deque[tuple[float, float]] = deque()
        self._first: deque[float] = deque(maxlen=_LATENCIES)
        self._stable: deque[float] = deque(maxlen=_LATENCIES)
        self._levels: dict[str, float] = {}
        self._peaks: dict[str, float] = {}
        self._gains: dict[str, float] = {}
        self._speaking: frozenset[str] = frozenset()
        self._clipping: frozenset[str] = frozenset()
        self._too_quiet: frozenset[str] = frozenset()
        self._rested_s = 0.0
        self._lines: dict[int, _Line] = {}
        self._erased = 0
        self._characters = 0
        self._words = 0
        self._segments = 0
        self._lag_s = 0.0
        self._lost = 0
        self._cpu_at_start = time.process_time()

    def heard(
        self,
        lane: str,
        samples: Samples,
        rate: int,
        *,
        speaking: bool,
        rested: bool = False,
        gain_db: float = 0.0,
        clipping: bool = False,
        too_quiet: bool = False,
    ) -> None:
        """Sound of one lane came in.

        Args:
            samples: float32 mono, shape (n,).
            rate: Hz.
            speaking: the detector hears speech.
            rested: the recogniser had nothing to do.
            gain_db: by how much it is amplified before it is recognised.
            clipping, too_quiet: what ``LevelWatch`` found.
        """
        level = peak = -math.inf
        if samples.size:
            power = float(np.dot(samples, samples)) / samples.size
            level = 10.0 * math.log10(power) if power > 0 else -math.inf
            highest = float(np.abs(samples).max())
            peak = 20.0 * math.log10(highest) if highest > 0 else -math.inf
        with self._lock:
            self._levels[lane] = level
            self._peaks[lane] = peak
            self._gains[lane] = gain_db
            self._speaking = _marked(self._speaking, lane, speaking)
            self._clipping = _marked(self._clipping, lane, clipping)
            self._too_quiet = _marked(self._too_quiet, lane, too_quiet)
            self._rested_s += samples.size / rate if rested else 0.0
            self._audio_s += samples.size / rate

    def computed(self, audio_s: float, compute_s: float) -> None:
        """Work was done: ``compute_s`` seconds of it for ``audio_s`` seconds of sound."""
        with self._lock:
            self._compute_s += compute_s
            self._recent.append((audio_s, compute_s))
            while len(self._recent) > 1 and sum(a for a, _ in self._recent) > _RECENT_S:
                self._recent.popleft()

    def behind(self, lag_s: float, lost: int) -> None:
        """How much sound waits, and how many samples are lost so far."""
        with self._lock:
            self._lag_s = lag_s
            self._lost = lost

    def published(self, update: CaptionUpdate, spoken_at: float | None, now: float) -> None:
        """An update went out.

        Args:
            spoken_at: ``time.monotonic()`` at the stream clock's zero; None for a file read
                faster than it was spoken, which has no latency.
            now: ``time.monotonic()``.
        """
        text = update.text
        with self._lock:
            line = self._lines.setdefault(update.segment_id, _Line())
            self._erased += len(line.shown) - common_length(line.shown, text)
            line.shown = text
            if spoken_at is not None:
                # Both are known only once a word is locked: when it was first seen at its place,
                # and since when it has stayed there.
                words = _words(update)
                line.since = _still_there(line.since, words, now)
                for place, text in enumerate(words):
                    line.seen.setdefault((place, text), now)
                for place, word in enumerate(update.words):
                    if place >= line.words_stable:
                        seen, stays = line.seen[place, words[place]], line.since[place][1]
                        self._first.append(seen - spoken_at - word.end)
                        self._stable.append(stays - spoken_at - word.end)
            line.words_stable = len(update.words)
            if update.is_final:
                self._characters += len(text)
                self._words += len(update.words)
                self._segments += bool(update.words)
                del self._lines[update.segment_id]

    def slider_moved(self) -> None:
        """Latencies and erasure from here on are those of another place on the slider."""
        with self._lock:
            self._first.clear()
            self._stable.clear()
            self._erased = self._characters = 0

    def snapshot(self, base: EngineStats) -> EngineStats:
        """The figures now, in the state and on the model that ``base`` names."""
        with self._lock:
            audio = sum(a for a, _ in self._recent)
            compute = sum(c for _, c in self._recent)
            return EngineStats(
                state=base.state,
                model_id=base.model_id,
                provider=base.provider,
                provider_asked=base.provider_asked,
                provider_reason=base.provider_reason,
                warm_up_ms=base.warm_up_ms,
                next_model_id=base.next_model_id,
                audio_s=self._audio_s,
                compute_s=self._compute_s,
                rtf=compute / audio if audio else 0.0,
                lag_s=self._lag_s,
                lost_samples=self._lost,
                level_dbfs=dict(self._levels),
                peak_dbfs=dict(self._peaks),
                gain_db=dict(self._gains),
                speaking=self._speaking,
                clipping=self._clipping,
                too_quiet=self._too_quiet,
                rested=self._rested_s / self._audio_s if self._audio_s else 0.0,
                denoiser_id=base.denoiser_id,
                first_latency=percentiles(self._first),
                stable_latency=percentiles(self._stable),
                first_recent_ms=percentiles(_latest(self._first)).p50,
                stable_recent_ms=percentiles(_latest(self._stable)).p50,
                revisions=self._erased / self._characters if self._characters else 0.0,
                words=self._words,
                segments=self._segments,
            )

    def summary(self) -> StreamSummary:
        """The figures of the whole session."""
        cpu = time.process_time() - self._cpu_at_start
        with self._lock:
            seconds = self._audio_s
            return StreamSummary(
                audio_s=seconds,
                compute_s=self._compute_s,
                rtf=self._compute_s / seconds if seconds else 0.0,
                cores=cpu / seconds if seconds else 0.0,
                lost_samples=self._lost,
                peak_rss_mb=peak_rss_mb(),
                segments=self._segments,
                words=self._words,
            )


def _marked(lanes: frozenset[str], lane: str, on: bool) -> frozenset[str]:
    return lanes | {lane} if on else lanes - {lane}


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters, or words, two sequences have in common at their beginning."""
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return common


def _words(update: CaptionUpdate) -> list[str]:
    shown = [word.text for word in update.words] + update.unstable.split()
    return [word.strip(".,;:!?").lower() for word in shown]


def _still_there(
    before: list[tuple[str, float]], words: list[str], now: float
) -> list[tuple[str, float]]:
    kept = [
        old if old[0] == word else (word, now) for old, word in zip(before, words, strict=False)
    ]
    return kept + [(word, now) for word in words[len(before) :]]


def _latest(seconds: deque[float]) -> list[float]:
    return list(itertools.islice(reversed(seconds), _LATEST))


def percentiles(seconds: Iterable[float]) -> Percentiles:
    """p50 and p95 in milliseconds, each the value itself at that rank."""
    ordered = sorted(seconds)
    if not ordered:
        return Percentiles()

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000.0

    return Percentiles(at(0.5), at(0.95))


def peak_rss_mb() -> float:
    """Highest resident memory of this process so far, MiB."""
    if sys.platform == "win32":
        import psutil

        return float(psutil.Process().memory_info().peak_wset) / 2**20
    if sys.platform == "linux":
        # Not getrusage: there a process begins with the peak of the one that started it.
        for line in Path("/proc/self/status").read_text("utf-8", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 2**10
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return float(peak) / (2**20 if sys.platform == "darwin" else 2**10)
