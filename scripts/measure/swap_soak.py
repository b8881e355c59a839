#!/usr/bin/env python3
"""Models swapped again and again while somebody speaks: words, samples, stalls and memory.

.venv/bin/python scripts/measure/swap_soak.py AUDIO... --reference MANIFEST.tsv
.venv/bin/python scripts/measure/swap_soak.py AUDIO... --reference MANIFEST.tsv --models A,B

The recordings are joined, cut to --seconds, and captioned in real time: with each model alone, then
with a swap from one to the other and back, evenly spread. A stall is by how much later captions
come around a swap than they do at the same place with the slower of the two models alone: the
longest time from a sound's capture to the caption that rests on it is compared. Halfway between two
swaps the same is measured, which is what the machine does by itself. Memory is compared each time
the first model is back, of all processes: as in the window, each recogniser has one of its own
unless --together is given.

On a machine that is busy with other things, --virtual-time charges processor seconds to a clock
instead of waiting; loading beside the captions is then not charged.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

# The checkout has to be on the path first.
import numpy as np  # noqa: E402
import psutil  # noqa: E402
import soundfile  # noqa: E402

from engine.bench.metrics import normalised, score  # noqa: E402
from engine.bench.recordings import Recording, find, sound  # noqa: E402
from engine.config import EngineConfig, LatencyProfile  # noqa: E402
from engine.errors import CaptionglassError  # noqa: E402
from engine.lane import LanePipeline  # noqa: E402
from engine.loading import bring_up, give_back_memory  # noqa: E402
from engine.policy import Policy  # noqa: E402
from engine.session import Session  # noqa: E402
from engine.sources.file import FileSource  # noqa: E402
from engine.stats import percentiles  # noqa: E402
from engine.types import (  # noqa: E402
    SAMPLE_RATE,
    CaptionUpdate,
    Notice,
    StreamHeader,
    StreamSummary,
)
from engine.vad import SileroVad  # noqa: E402
from models import catalogue  # noqa: E402
from models.spec import ModelFiles  # noqa: E402
from models.store import ModelStore  # noqa: E402

STALL_MS = 300.0
MEMORY_MB = 20.0
POINTS = 1.0
_BEFORE_S, _BEHIND_S = 0.5, 4.0
"""Around a swap, where captions are looked at for a stall."""
_BLOCK = 1_600
_CAUGHT_UP_S = 0.064
_GAP_WITHIN_S = 1.5
"""As the engine does."""
_SETTLED_S = 3.0
"""Seconds behind a swap at which memory is read."""


@dataclass(slots=True)
class Swap:
    """One swap that happened.

    Attributes:
        to: the model.
        at: ``time.monotonic()`` when it took over.
        stall_ms: see the top of this file; None where nobody spoke.
        rss_mb: resident memory a while later; 0 where the sound ended before.
    """

    to: str
    at: float
    stall_ms: float | None = None
    rss_mb: float = 0.0


class Watcher:
    """A sink that notes when each update came, and how old the sound was that it rests on."""

    name = "watcher"

    def __init__(self) -> None:
        self.finals: list[str] = []
        self.lags: list[tuple[float, float]] = []  # monotonic, seconds
        self.notices: list[Notice] = []
        self.swaps: list[Swap] = []
        self.began = 0.0

    def open(self, header: StreamHeader) -> None:
        """The sound begins now."""
        del header
        self.began = time.monotonic()

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Note it."""
        del published_at
        now = time.monotonic()
        self.lags.append((now, now - update.heard_at))
        if update.is_final:
            self.finals.append(update.text)

    def take(self, updates: Sequence[CaptionUpdate], now: float, lag: float) -> None:
        """Note updates of a clock other than the computer's."""
        self.lags += [(now, lag)] * bool(updates)
        self.finals += [update.text for update in updates if update.is_final]

    def notice(self, notice: Notice) -> None:
        """Note it."""
        self.notices.append(notice)
        if notice.code == "model.swapped":
            self.swaps.append(Swap("", time.monotonic()))

    def close(self, summary: StreamSummary) -> None:
        """Nothing to do."""

    def measure_stalls(self, alone: Sequence[Watcher]) -> list[float]:
        """Fill in ``stall_ms`` of each swap, against each model alone.

        Returns:
            The same halfway between swaps, where there is nothing to stall for.
        """
        places = [swap.at - self.began for swap in self.swaps]
        for swap, place in zip(self.swaps, places, strict=True):
            swap.stall_ms = self._stall(place, alone)
        halfway = [(one + other) / 2 for one, other in itertools.pairwise(places)]
        calm = [self._stall(place, alone) for place in halfway]
        return [stall for stall in calm if stall is not None]

    def latest(self, place: float) -> float | None:
        """The longest time to a caption around a second of the sound; None where none came."""
        near = [lag for at, lag in self.lags if -_BEFORE_S <= at - self.began - place <= _BEHIND_S]
        return max(near, default=None)

    def _stall(self, place: float, alone: Sequence[Watcher]) -> float | None:
        own = self.latest(place)
        usual = [lag for other in alone if (lag := other.latest(place)) is not None]
        return 1000.0 * max(0.0, own - max(usual)) if own is not None and usual else None


def joined(recordings: Sequence[Recording], seconds: float, path: Path) -> list[str]:
    """Write the recordings one after another into a WAV; returns the words said in it."""
    pieces: list[np.ndarray] = []
    words: list[str] = []
    length = 0.0
    for recording in recordings:
        samples = sound(recording)
        if length + samples.size / SAMPLE_RATE > seconds:
            continue
        pieces += [samples, np.zeros(SAMPLE_RATE, np.float32)]
        length += samples.size / SAMPLE_RATE + 1.0
        words += normalised(recording.transcript or "")
    soundfile.write(path, np.concatenate(pieces), SAMPLE_RATE)
    return words


def resident(process: psutil.Process) -> float:
    """MiB that a process and its children hold."""
    total = process.memory_info().rss
    for child in process.children():
        with contextlib.suppress(psutil.Error):
            total += child.memory_info().rss
    return float(total / 2**20)


def errors(reference: Sequence[str], watcher: Watcher) -> float:
    """Word error rate in percent."""
    result = score(reference, normalised(" ".join(watcher.finals)))
    return 100.0 * result.errors / max(1, len(reference))


def alone(config: EngineConfig, path: Path) -> Watcher:
    """Caption with one model, in real time."""
    watcher = Watcher()
    session = Session(config, [FileSource(path, realtime=True)], [watcher])
    session.start()
    session.wait()
    if session.error is not None:
        raise session.error
    return watcher


def swapped(
    config: EngineConfig, path: Path, models: Sequence[ModelFiles], swaps: int, seconds: float
) -> tuple[Watcher, Session, float]:
    """Caption in real time, swapping; returns the resident memory before the first swap too."""
    watcher = Watcher()
    process = psutil.Process()
    session = Session(config, [FileSource(path, realtime=True)], [watcher])
    session.start()
    moments = [seconds * (number + 1) / (swaps + 1) for number in range(swaps)]
    asked = 0
    before = 0.0
    while not session.wait(0.05):
        now = time.monotonic()
        heard = session.stats().audio_s
        if asked < swaps and heard >= moments[asked] and len(watcher.swaps) == asked:
            before = before or resident(process)
            session.swap_model(models[(asked + 1) % 2])
            asked += 1
        for number, swap in enumerate(watcher.swaps):
            swap.to = models[(number + 1) % 2].spec.id
            if not swap.rss_mb and now - swap.at >= _SETTLED_S:
                swap.rss_mb = resident(process)
    if session.error is not None:
        raise session.error
    return watcher, session, before


def virtual(
    config: EngineConfig, path: Path, models: Sequence[ModelFiles], swaps: int
) -> tuple[Watcher, float, float]:
    """The same in virtual time; returns the seconds heard and the memory before the first swap."""
    watcher, process = Watcher(), psutil.Process()
    samples, _ = soundfile.read(path, dtype="float32")
    numbers = itertools.count()
    running = bring_up(models[0], config.provider).recognizer
    policy = Policy.at(config.profile)
    lane = LanePipeline("mic", running, SileroVad(config.vad), policy, lambda: next(numbers), "en")
    moments = [samples.size / SAMPLE_RATE * (number + 1) / (swaps + 1) for number in range(swaps)]
    now = before = 0.0
    given_at: float | None = None
    for first in range(0, samples.size, _BLOCK):
        block = samples[first : first + _BLOCK]
        heard = (first + block.size) / SAMPLE_RATE
        if given_at is None and len(watcher.swaps) < swaps and heard >= moments[len(watcher.swaps)]:
            before = before or process.memory_info().rss / 2**20
            other = models[(len(watcher.swaps) + 1) % 2]
            running, given_at = bring_up(other, config.provider).recognizer, heard
        now = max(now, heard)
        began = time.process_time()
        updates = []
        if given_at is not None and (lane.at_gap or heard - given_at > _GAP_WITHIN_S):
            updates += lane.swap(running)
            watcher.swaps.append(Swap(running.spec.id, now))
            given_at = None
        updates += lane.push(block, now, decode=now - heard < _CAUGHT_UP_S)
        now += time.process_time() - began
        watcher.take(updates, now, now - heard)
        if watcher.swaps and not watcher.swaps[-1].rss_mb and heard - watcher.swaps[-1].at > 1.0:
            give_back_memory()
            watcher.swaps[-1].rss_mb = process.memory_info().rss / 2**20
    watcher.take(lane.end(), now, 0.0)
    return watcher, lane.heard_s, before


def main(arguments: Sequence[str] | None = None) -> int:
    """The command of the module's docstring; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("audio", type=Path, nargs="+")
    parser.add_argument("--reference", type=Path, required=True, metavar="MANIFEST.tsv")
    parser.add_argument("--models", default="moonshine-tiny-en,whisper-tiny.en", metavar="A,B")
    parser.add_argument("--swaps", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--provider", default="cpu")
    parser.add_argument("--virtual-time", action="store_true")
    parser.add_argument("--together", action="store_true", help="recognisers in this process")
    parser.add_argument("--report", type=Path, metavar="FILE.json")
    options = parser.parse_args(arguments)
    known, store = catalogue.load(), ModelStore()
    models = [store.files(known.get(name)) for name in options.models.split(",")]
    config = EngineConfig(
        model=models[0],
        vad=store.files(known.get(known.vad)),
        profile=LatencyProfile.parse(options.profile),
        provider=options.provider,
        isolated=not (options.together or options.virtual_time),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "joined.wav"
        words = joined(find(options.audio, options.reference), options.seconds, path)
        seconds = soundfile.info(path).duration
        rates, singles = {}, []
        for files in models:
            single = replace(config, model=files)
            if options.virtual_time:
                singles.append(virtual(single, path, [files], 0)[0])
            else:
                singles.append(alone(single, path))
            rates[files.spec.id] = errors(words, singles[-1])
            print(f"{files.spec.id} alone: {rates[files.spec.id]:.1f} % of {len(words)} words")
        give_back_memory()
        if options.virtual_time:
            watcher, heard, before = virtual(config, path, models, options.swaps)
            lost = 0
        else:
            watcher, session, before = swapped(config, path, models, options.swaps, seconds)
            heard, lost = session.stats().audio_s, session.stats().lost_samples
    rate = errors(words, watcher)
    calm = percentiles(each / 1000.0 for each in watcher.measure_stalls(singles)).p95 or 0.0
    stalls = [swap.stall_ms / 1000.0 for swap in watcher.swaps if swap.stall_ms is not None]
    stall = percentiles(stalls).p95 or 0.0
    back = [swap.rss_mb - before for swap in watcher.swaps[1::2] if swap.rss_mb]
    gaps = [notice for notice in watcher.notices if notice.code == "engine.gap"]
    for number, swap in enumerate(watcher.swaps, 1):
        late = "nobody spoke" if swap.stall_ms is None else f"stall {swap.stall_ms:4.0f} ms"
        print(f"  {number:2} to {swap.to:<20} {late}, {swap.rss_mb:.0f} MiB")
    missing = round((seconds - heard) * SAMPLE_RATE)
    checks = {
        f"{len(watcher.swaps)} of {options.swaps} swaps": len(watcher.swaps) == options.swaps,
        f"{rate:.1f} % word errors": rate <= min(rates.values()) + POINTS,
        f"{lost} samples lost, {missing} not heard, {len(gaps)} gaps": (
            not lost and not missing and not gaps
        ),
        f"stall p95 {stall:.0f} ms; between swaps {calm:.0f} ms": stall <= STALL_MS,
        f"memory {before:.0f} MiB, then {', '.join(f'{more:+.0f}' for more in back)}": (
            all(more <= MEMORY_MB for more in back)
        ),
    }
    for text, well in checks.items():
        print(f"{'ok' if well else 'NOT'}  {text}")
    if options.report:
        report = {
            "seconds": seconds,
            "alone": rates,
            "swapped": rate,
            "stalls_ms": [round(1000.0 * each) for each in stalls],
            "rss_mb": [before, *(swap.rss_mb for swap in watcher.swaps)],
            "checks": checks,
        }
        options.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CaptionglassError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
