#!/usr/bin/env python3
"""Hours of speech through one lane, in virtual time: does anything grow, slow down, drift or go?

.venv/bin/python scripts/soak.py --hours 3
.venv/bin/python scripts/soak.py --hours 0.05 --every 60 --audio FOLDER --report soak.json

Speech, noise, silence and pauses in random order, from the recordings in tests/audio and those of
--audio that have their words beside them. The last stretch plays the first one again, so that
what differs between the two is the hours between. It takes about a quarter of the time it plays.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import statistics
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AUDIO = ROOT / "tests" / "audio"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

# The checkout has to be on the path first.
import psutil  # noqa: E402
from soak_programme import Played, Programme  # noqa: E402

from engine.bench.metrics import normalised, score  # noqa: E402
from engine.bench.recordings import find  # noqa: E402
from engine.bench.virtual import VirtualClock  # noqa: E402
from engine.bus import CaptionBus  # noqa: E402
from engine.config import LatencyProfile  # noqa: E402
from engine.errors import CaptionglassError, UsageError  # noqa: E402
from engine.lane import LanePipeline  # noqa: E402
from engine.policy import Policy  # noqa: E402
from engine.recognizers.base import load  # noqa: E402
from engine.sinks.subtitles import SrtSink  # noqa: E402
from engine.sinks.text import TextSink  # noqa: E402
from engine.stats import percentiles  # noqa: E402
from engine.types import SAMPLE_RATE, CaptionUpdate, StreamHeader, StreamSummary, Word  # noqa: E402
from engine.vad import SileroVad  # noqa: E402
from models import catalogue  # noqa: E402
from models.store import ModelStore  # noqa: E402

GROWTH_MB = 5.0
LAG_SHARE = 0.1
DRIFT_S = 0.03
_SETTLED_S = 5.0
"""Seconds behind a recording after which no word of it can still be on its way."""


@dataclass(slots=True)
class Row:
    """Figures of one stretch, in seconds and MiB.

    Attributes:
        until: stream time at its end.
        rss_mb, threads: resident memory and threads then.
        lag_p50, lag_p95: publishing time minus the end of the newest word, each
            time a newer one is shown.
        compute: processor seconds for a second of sound.
        window: the longest that was looked at.
        open_lines: the most that were open at once.
    """

    until: float = 0.0
    rss_mb: float = 0.0
    threads: int = 0
    lag_p50: float = 0.0
    lag_p95: float = 0.0
    compute: float = 0.0
    window: float = 0.0
    open_lines: int = 0
    updates: int = 0


@dataclass(slots=True)
class Tally:
    """All that is kept: counts, and what is not digested yet.

    Attributes:
        captioned: characters of the words of final lines.
        noise_words: captioned where nobody speaks.
        dumb: recordings of which no word was captioned.
        first, latest: our word ends minus those of the reference, seconds, in the first stretch
            and in the one that is being played.
    """

    errors: int = 0
    words: int = 0
    noise_words: int = 0
    captioned: int = 0
    dumb: int = 0
    lines: int = 0
    finals: int = 0
    breaches: int = 0
    first_breach: str = ""
    first: list[float] = field(default_factory=list)
    latest: list[float] = field(default_factory=list)
    open: dict[int, list[CaptionUpdate]] = field(default_factory=dict)
    waiting: deque[Word] = field(default_factory=deque)
    newest: int = -1

    def take(self, update: CaptionUpdate) -> None:
        """Count an update; a line is checked against the laws once it is final."""
        number = update.segment_id
        if number not in self.open:
            self.lines += 1
            if number <= self.newest:
                self._breach(f"segment {number} comes after {self.newest}")
            self.newest = max(self.newest, number)
        self.open.setdefault(number, []).append(update)
        if not update.is_final:
            return
        self.finals += 1
        self.captioned += sum(len(word.text) for word in update.words)
        self.waiting.extend(update.words)
        try:
            importlib.import_module("caption_laws").check_laws(self.open.pop(number))
        except AssertionError as error:
            self._breach(str(error))

    def digest(self, played: deque[Played], heard: float, stretch: int) -> None:
        """Score the recordings whose words are all there.

        Args:
            played: in order; those scored are taken off.
            heard: stream time; infinite at the end.
            stretch: the one that is being played.
        """
        while played and played[0].cut + _SETTLED_S < heard:
            if any(line[-1].start < played[0].cut for line in self.open.values()):
                return
            self._score(played.popleft(), stretch)

    def _score(self, item: Played, stretch: int) -> None:
        said: list[Word] = []
        while self.waiting and (self.waiting[0].start + self.waiting[0].end) / 2 < item.cut:
            said.append(self.waiting.popleft())
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
        if item.stretch in (0, stretch):
            offsets = self.latest if item.stretch else self.first
            offsets += [
                ours[here][1] - item.start - spoken[there][1] for there, here in result.pairs
            ]

    def _breach(self, law: str) -> None:
        self.breaches += 1
        self.first_breach = self.first_breach or law


def soak(options: argparse.Namespace) -> dict[str, object]:
    """Play it; a line for each stretch.

    Returns:
        ``rows``, ``result`` and ``targets`` (name, figure, bound, met).

    Raises:
        CaptionglassError: weights or recordings are missing, or the model failed.
    """
    total = 3600.0 * options.hours
    if total < 2 * options.every:
        raise UsageError("too short for two stretches", "more --hours, or a smaller --every")
    known, store = catalogue.load(), ModelStore()
    recognizer = load(store.files(known.get(options.model or known.default)), options.provider)
    recordings = find([AUDIO, *options.audio], AUDIO / "manifest.tsv")
    policy = Policy.at(LatencyProfile.parse(options.profile))
    lane = LanePipeline(
        "file",
        recognizer,
        SileroVad(store.files(known.get(known.vad))),
        policy,
        itertools.count().__next__,
        "en",
    )
    programme = Programme(recordings, total, options.every, options.seed)
    clock = VirtualClock(lane, options.charge)
    tally, rows = Tally(), list[Row]()
    with tempfile.TemporaryDirectory(prefix="captionglass-soak-") as folder:
        text = Path(folder) / "soak.txt"
        bus = CaptionBus([TextSink(text), SrtSink(Path(folder) / "soak.srt")])
        bus.open(StreamHeader("", recognizer.spec.id, "cpu", options.profile, SAMPLE_RATE, "soak"))
        print("    min  RSS MB  lag p50   p95 ms  compute  window  lines  threads", flush=True)
        for row in _rows(clock, lane, programme, bus, tally):
            rows.append(row)
            print(_line(row), flush=True)
        bus.close(StreamSummary(clock.heard_s, clock.compute_s, 0.0, 0.0, 0, 0.0, 0, 0))
        written = sum(map(len, text.read_text(encoding="utf-8").split()))
    return {
        "hours": options.hours,
        "profile": options.profile,
        "seed": options.seed,
        "rows": [asdict(row) for row in rows],
        "result": _result(tally, rows, written),
        "targets": _targets(tally, rows, written),
    }


def _rows(
    clock: VirtualClock, lane: LanePipeline, programme: Programme, bus: CaptionBus, tally: Tally
) -> Iterator[Row]:
    process = psutil.Process()
    row, lags, newest, shown_at = Row(), list[float](), 0.0, -1.0
    stretch, heard_s, compute_s = 0, 0.0, 0.0

    def close(until: float) -> Row:
        lag = percentiles(lags)
        row.until = until
        row.rss_mb = process.memory_info().rss / 2**20
        row.threads = process.num_threads()
        row.lag_p50, row.lag_p95 = (lag.p50 or 0.0) / 1000, (lag.p95 or 0.0) / 1000
        row.compute = (clock.compute_s - compute_s) / max(1e-9, clock.heard_s - heard_s)
        return row

    for timed in clock.play(programme.sound()):
        if len(programme.starts) > stretch + 1 and timed.at >= programme.starts[stretch + 1]:
            stretch += 1
            yield close(programme.starts[stretch])
            row = Row()
            lags.clear()
            shown_at = -1.0
            tally.latest.clear()
            heard_s, compute_s = clock.heard_s, clock.compute_s
        update = timed.update
        tally.take(update)
        bus.publish(update)
        if update.end > newest:
            newest = update.end
            if timed.at == shown_at:  # one decode may give several lines
                lags.pop()
            shown_at = timed.at
            lags.append(shown_at - newest)
        row.updates += 1
        row.window = max(row.window, lane.stabilizer.window_s)
        row.open_lines = max(row.open_lines, len(tally.open))
        tally.digest(programme.played, clock.heard_s, stretch)
    tally.digest(programme.played, float("inf"), stretch)
    tally.noise_words += len(tally.waiting)
    yield close(clock.heard_s)


def _line(row: Row) -> str:
    return (
        f"{row.until / 60:7.1f} {row.rss_mb:7.1f} {1000 * row.lag_p50:8.0f} "
        f"{1000 * row.lag_p95:7.0f} {row.compute:8.3f} {row.window:7.1f} {row.open_lines:6d} "
        f"{row.threads:8d}"
    )


def _median(offsets: Sequence[float]) -> float:
    return statistics.median(offsets) if offsets else float("nan")


def _result(tally: Tally, rows: Sequence[Row], written: int) -> dict[str, object]:
    return {
        "rss_growth_mb": rows[-1].rss_mb - rows[0].rss_mb,
        "lag_p95_first_s": rows[0].lag_p95,
        "lag_p95_last_s": rows[-1].lag_p95,
        "word_error_rate": 100.0 * tally.errors / max(1, tally.words),
        "reference_words": tally.words,
        "characters_captioned": tally.captioned,
        "characters_in_text": written,
        "words_where_nobody_speaks": tally.noise_words,
        "offset_first_s": _median(tally.first),
        "offset_last_s": _median(tally.latest),
        "lines": tally.lines,
        "finals": tally.finals,
        "first_breach": tally.first_breach,
    }


def _targets(tally: Tally, rows: Sequence[Row], written: int) -> list[dict[str, object]]:
    growth = rows[-1].rss_mb - rows[0].rss_mb
    lag = rows[-1].lag_p95 / max(1e-9, rows[0].lag_p95) - 1.0
    drift = abs(_median(tally.latest) - _median(tally.first))
    checks: list[tuple[str, float, float]] = [
        ("memory growth, MB", growth, GROWTH_MB),
        ("change of lag p95, share", abs(lag), LAG_SHARE),
        ("drift of word times, s", drift, DRIFT_S),
        ("laws of captions broken", tally.breaches, 0),
        ("lines never finished", tally.lines - tally.finals, 0),
        ("recordings without a word", tally.dumb, 0),
        ("characters missing in the text", abs(tally.captioned - written), 0),
    ]
    return [
        {"name": name, "figure": figure, "bound": bound, "met": figure <= bound}
        for name, figure, bound in checks
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak.py", description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, required=True, help="of sound")
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--audio", type=Path, action="append", default=[], help="more recordings")
    parser.add_argument("--every", type=float, default=600.0, help="seconds of a stretch")
    parser.add_argument("--charge", type=float, default=1.0, help="0: an infinitely fast machine")
    parser.add_argument("--model", default="", help="the default one where not given")
    parser.add_argument("--provider", default="cpu", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--report", type=Path, help="write the figures here, as JSON")
    options = parser.parse_args(arguments)
    try:
        report = soak(options)
        if options.report:
            text = json.dumps(report, indent=1) + "\n"
            options.report.write_text(text, encoding="utf-8")
    except CaptionglassError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    targets = report["targets"]
    print(json.dumps(report["result"], indent=1))
    assert isinstance(targets, list)
    for each in targets:
        verdict = "met   " if each["met"] else "MISSED"
        print(f"{verdict} {each['name']}: {each['figure']:.3g} (at most {each['bound']:g})")
    return 0 if all(each["met"] for each in targets) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
