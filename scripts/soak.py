#!/usr/bin/env python3
"""Hours of a session to which everything happens: does anything grow, slow down, drift or go?

.venv/bin/python scripts/soak.py --hours 8
.venv/bin/python scripts/soak.py --hours 0.1 --every 60 --pace 5 --seed 7 --report soak.json
.venv/bin/python scripts/soak.py --hours 1 --real

Speech, noise, silence and pauses in random order, from the recordings in tests/audio and those of
--audio that have their words beside them, are said into a microphone that breaks off, stalls, is
unplugged and returns. Meanwhile models are swapped, the slider, the denoiser, the gain and the
settings change, somebody pauses, OBS is restarted and the recogniser's process crashes. What
happens, and when, follows from the seed. Each stretch ends in calm, where all is measured. The
first and the last stretch are calm throughout and play the same, so that what differs between the
two is the hours between.

It runs the engine as the program does, with the recogniser in a process of its own, in virtual
time (scripts/soaking/clock.py says what that is): an hour takes some minutes. --real takes an hour.
OBS is a stand-in that speaks its protocol (scripts/soaking/obs.py). It ends with 1 where a law is
broken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AUDIO = ROOT / "tests" / "audio"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

# The checkout has to be on the path first.
from soaking.clock import Children, Clock, RealTime, VirtualTime  # noqa: E402
from soaking.events import KINDS, Director, installed_denoisers, kinds_named  # noqa: E402
from soaking.laws import (  # noqa: E402
    BUSY_SHARE,
    DRIFT_S,
    GROWTH_MB,
    LAG_SHARE,
    SEAM_S,
    TAIL_SHARE,
    UNTOLD_S,
    WARMING_MB,
    WARMING_S,
    Check,
    median,
    slope,
    transcripts,
)
from soaking.meter import HEAD, Held, Ledger, Row, SampleMeter  # noqa: E402
from soaking.obs import StandInObs  # noqa: E402
from soaking.player import MICROPHONE, Player  # noqa: E402
from soaking.programme import Programme  # noqa: E402

from desktop_app.history.sink import HistorySink  # noqa: E402
from engine.bench.recordings import find  # noqa: E402
from engine.config import EngineConfig, LatencyProfile  # noqa: E402
from engine.errors import CaptionglassError, UsageError  # noqa: E402
from engine.session import Session  # noqa: E402
from engine.sinks.base import Sink  # noqa: E402
from engine.sinks.jsonl import JsonlSink  # noqa: E402
from engine.sinks.obs import ObsSink  # noqa: E402
from engine.sinks.subtitles import SrtSink  # noqa: E402
from engine.sinks.text import TextSink  # noqa: E402
from engine.stats import percentiles  # noqa: E402
from engine.types import SAMPLE_RATE  # noqa: E402
from engine.watched import SourceOpener  # noqa: E402
from models import catalogue  # noqa: E402
from models.errors import ModelError  # noqa: E402
from models.spec import ModelFiles  # noqa: E402
from models.store import ModelStore  # noqa: E402

OTHER_MODEL = "whisper-tiny.en"
_RESTORED = 0.7
"""Of a stretch, after which nothing happens until its end."""
_OBS_WAIT_S = 40.0
"""Real seconds in which OBS has to be found again: twice the longest pause between attempts."""
_END_S = 300.0
_WARM_AT_MOST = 4
"""Stretches for which the program may still be warming up; a third of them in a short run."""


class Soak:
    """One session and all that happens to it.

    Args:
        options: of the command line.
        folder: for what the sinks write.
    """

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.seconds = 3600.0 * options.hours
        if self.seconds < 2 * options.every:
            raise UsageError("too short for two stretches", "more --hours, or a smaller --every")
        self._known, self._store = catalogue.load(), ModelStore()
        recordings = find([AUDIO, *options.audio], AUDIO / "manifest.tsv")
        self.programme = Programme(
            recordings, self.seconds, options.every, options.seed, options.silence
        )
        self.children = Children()
        self.clock: Clock = (
            RealTime(self.children) if options.real else VirtualTime(self.children, options.charge)
        )
        self.player = Player(self.programme.sound(), self.clock, self._each, self._close)
        self.meter = SampleMeter()
        self.ledger = Ledger(self.programme.played)
        self.rows: list[Row] = []
        self._paths = {name: folder / name for name in ("events", "srt", "text", "history")}
        self._stretch = 0
        self._compute_s = 0.0
        self._events = 0

    def run(self) -> None:
        """Play it all.

        Raises:
            CaptionglassError: weights or recordings are missing.
        """
        options = self.options
        first = self._files(options.model or self._known.default)
        config = EngineConfig(
            first,
            self._files(self._known.vad),
            LatencyProfile.parse(options.profile),
            options.provider,
            isolated=not options.together,
        )
        others = [each for each in [self._installed(OTHER_MODEL)] if each not in (None, first)]
        with contextlib.ExitStack() as stack:
            obs = self.obs = StandInObs()
            stack.callback(obs.close)
            stack.enter_context(self.children.watched())
            stack.enter_context(self.meter.watching())
            session = self.session = self._session(config)
            self.director = Director(
                session,
                config,
                self.player,
                models=[first, *(each for each in others if each is not None)],
                denoisers=installed_denoisers(self._installed),
                obs=obs,
                children=self.children,
                settings=self.folder / "settings.toml",
                seed=options.seed,
                pace=options.pace,
                kinds=options.kinds,
            )
            stack.enter_context(self.clock.installed(session))
            print(HEAD, flush=True)
            session.start()
            while not self.clock.finished.wait(0.2) and not session.wait(0.0):
                pass
            self.seen_by_obs = session.error is None and self._obs_shows(self.ledger.shown)
            session.stop(_END_S)
            if failed := self.player.failed or (None if self.rows else session.error):
                raise failed
        self.ledger.digest(float("inf"))

    def report(self) -> dict[str, Any]:
        """``rows``, ``result``, ``targets`` (name, figure, bound, met) and ``events``."""
        options = self.options
        return {
            "hours": options.hours,
            "profile": options.profile,
            "seed": options.seed,
            "real": options.real,
            "silence": options.silence,
            "rows": [asdict(row) for row in self.rows],
            "result": self._result(),
            "targets": [
                {"name": name, "figure": figure, "bound": bound, "met": figure <= bound}
                for name, figure, bound in self._checks()
            ],
            "events": self.director.log,
        }

    # -- while it plays -----------------------------------------------------------------------

    def _session(self, config: EngineConfig) -> Session:
        paths = self._paths
        sinks: list[Sink] = [
            self.ledger,
            JsonlSink(paths["events"]),
            SrtSink(paths["srt"]),
            TextSink(paths["text"]),
            HistorySink(paths["history"]),
            ObsSink(port=self.obs.port, text_source="captions"),
        ]
        opener = SourceOpener("mic", "input", MICROPHONE, pinned=True, open=self.player.open)
        inventory = self.player.inventory
        with self.clock.arranged():
            return Session(config, [self.player.open()], sinks, [opener], lambda: inventory)

    def _each(self, now: float) -> None:
        self.director.look(now)
        starts = self.programme.starts
        if len(starts) > self._stretch + 1 and now >= starts[self._stretch + 1]:
            self._close(now)
            self._stretch += 1
            if not self.programme.repeating:
                self.director.begin(now, now + _RESTORED * self.options.every)

    def _close(self, now: float) -> None:
        """A stretch is over."""
        before = self.rows[-1].until if self.rows else 0.0
        compute_s = self.clock.compute_s
        if not self.options.real:
            self.clock.settle()
            self._wait_for_obs()
        lags, self.ledger.lags = self.ledger.lags, []
        lag = percentiles(lags)
        row = Row(
            now,
            Held.now(),
            (lag.p50 or 0.0) / 1000,
            (lag.p95 or 0.0) / 1000,
            sum(lags) / max(1, len(lags)),
            (compute_s - self._compute_s) / max(1e-9, now - before),
            len(self.director.log) - self._events,
        )
        self._events = len(self.director.log)
        self._compute_s = compute_s
        self.rows.append(row)
        print(row.line, flush=True)
        self.clock.forget()

    def _wait_for_obs(self) -> None:
        self.obs.wait()
        until = time.monotonic() + _OBS_WAIT_S
        while not self.obs.connected and time.monotonic() < until:
            time.sleep(0.02)

    def _obs_shows(self, text: str) -> bool:
        self._wait_for_obs()
        until = time.monotonic() + _OBS_WAIT_S
        while self.obs.text != text and time.monotonic() < until:
            time.sleep(0.02)
        return self.obs.text == text

    # -- what came of it ----------------------------------------------------------------------

    def _result(self) -> dict[str, Any]:
        ledger, meter, rows = self.ledger, self.meter, self.rows
        warm = self._warm()
        error = self.session.error
        return {
            "session_error": "" if error is None else error.message,
            "played_s": self.player.played / SAMPLE_RATE,
            "speech_share": self.programme.spoken_s / max(1e-9, self.player.played / SAMPLE_RATE),
            "heard_s": meter.heard / SAMPLE_RATE,
            "paused_s": meter.paused / SAMPLE_RATE,
            "lost_s": meter.lost / SAMPLE_RATE,
            "not_delivered_s": self.player.unheard / SAMPLE_RATE,
            "rss_growth_mb": self._growth_mb(),
            "rss_slope_mb_per_hour": slope([(row.until / 3600, row.held.rss_mb) for row in warm]),
            "lag_slope_ms_per_hour": slope([(row.until / 3600, 1e3 * row.lag_p95) for row in warm]),
            "lag_p95_first_s": rows[0].lag_p95 if rows else 0.0,
            "lag_p95_last_s": rows[-1].lag_p95 if rows else 0.0,
            "word_error_rate": 100.0 * ledger.errors / max(1, ledger.words),
            "reference_words": ledger.words,
            "words_where_nobody_speaks": ledger.noise_words,
            "offset_first_s": median(ledger.first),
            "offset_last_s": median(ledger.last),
            "lines": ledger.lines,
            "finals": len(ledger.finals),
            "most_open_lines": ledger.open_lines,
            "first_breach": ledger.first_breach,
            "notices": dict(sorted(ledger.codes.items())),
            "happened": dict(sorted(self.director.counts.items())),
            "obs_connections": self.obs.connections,
            "obs_closed_captions": self.obs.captions,
        }

    def _growth_mb(self) -> float:
        warm = [(row.until, row.held.rss_mb) for row in self._warm()]
        return slope(warm) * (warm[-1][0] - warm[0][0]) if warm else 0.0

    def _warm(self) -> list[Row]:
        """The rows from which on nothing may grow any more."""
        return self.rows[min(_WARM_AT_MOST, len(self.rows) // 3) :]

    def _checks(self) -> list[Check]:
        ledger, meter, player = self.ledger, self.meter, self.player
        first, last = self.rows[0], self.rows[-1]
        warm = self._warm()[0].held
        long = last.until - self._warm()[0].until >= WARMING_S
        counts, real = self.director.counts, self.options.real
        seams = sum(counts[kind] for kind in counts if kind.startswith("device "))
        mean = last.lag_mean / max(1e-9, first.lag_mean) - 1.0
        lag = last.lag_p95 / max(1e-9, first.lag_p95) - 1.0
        return [
            ("session failed", float(self.session.error is not None), 0),
            ("memory growth, MB", self._growth_mb(), GROWTH_MB if long else WARMING_MB),
            ("more threads", last.held.threads - warm.threads, 0),
            ("more file handles", last.held.handles - warm.handles, 0),
            ("more timers", last.held.timers - warm.timers, 2),
            ("more processes", last.held.processes - warm.processes, 0),
            ("change of mean lag, share", abs(mean), BUSY_SHARE if real else LAG_SHARE),
            ("change of lag p95, share", abs(lag), BUSY_SHARE if real else TAIL_SHARE),
            ("drift of word times, s", abs(median(ledger.last) - median(ledger.first)), DRIFT_S),
            (
                "samples unaccounted for",
                abs(player.played - meter.counted),
                SEAM_S * SAMPLE_RATE * seams if real else 0,
            ),
            (
                "lost, but delivered, s",
                abs(meter.lost - player.unheard) / SAMPLE_RATE,
                0.01 + SEAM_S * seams,
            ),
            ("lost and not told, s", meter.untold_s(ledger.told), UNTOLD_S),
            ("laws of captions broken", ledger.breaches, 0),
            ("lines never finished", ledger.lines - len(ledger.finals), 0),
            ("recordings without a word", ledger.dumb, 0),
            *transcripts(ledger, **self._paths),
            ("OBS shows something old", float(not self.seen_by_obs), 0),
            ("kinds of events that never came", self._missing(), 0),
        ]

    def _missing(self) -> int:
        counts, kinds = self.director.counts, self.director.kinds
        # A short run has no time for each.
        if sum(counts[kind] for kind in kinds) < 2 * len(kinds) and not self.options.force:
            return 0
        return sum(not counts[kind] for kind in kinds)

    def _files(self, name: str) -> ModelFiles:
        return self._store.files(self._known.get(name))

    def _installed(self, name: str) -> ModelFiles | None:
        try:
            return self._files(name)
        except ModelError:
            return None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where a law is broken."""
    parser = argparse.ArgumentParser(prog="scripts/soak.py", description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, required=True, help="of sound")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="in real time")
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--audio", type=Path, action="append", default=[], help="more recordings")
    parser.add_argument("--every", type=float, default=300.0, help="seconds of a stretch")
    parser.add_argument("--pace", type=float, default=20.0, help="mean seconds between two events")
    parser.add_argument(
        "--silence", type=float, default=0.5, help="share of the time, as in meetings; 0: none"
    )
    parser.add_argument(
        "--events",
        dest="kinds",
        type=kinds_named,
        default=KINDS,
        help=f"of what may happen, with commas: {', '.join(KINDS)}; or none",
    )
    parser.add_argument("--force", action="store_true", help="fail unless each kind happened")
    parser.add_argument("--charge", type=float, default=1.0, help="0: an infinitely fast machine")
    parser.add_argument("--together", action="store_true", help="the recogniser in this process")
    parser.add_argument("--model", default="", help="the default one where not given")
    parser.add_argument("--provider", default="cpu", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--report", type=Path, help="write the figures and the events, as JSON")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="captionglass-soak-") as folder:
            soak = Soak(options, Path(folder))
            soak.run()
            report = soak.report()
    except CaptionglassError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    report["took_s"] = time.monotonic() - began
    if options.report:
        text = json.dumps(report, indent=1) + "\n"
        options.report.write_text(text, encoding="utf-8")
    print(json.dumps(report["result"], indent=1))
    for each in report["targets"]:
        verdict = "met   " if each["met"] else "MISSED"
        print(f"{verdict} {each['name']}: {each['figure']:.3g} (at most {each['bound']:g})")
    return 0 if all(each["met"] for each in report["targets"]) else 1


if __name__ == "__main__":
    # What the engine says of the faults that are made here would be in the way of the table.
    logging.basicConfig(handlers=[logging.NullHandler()])
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
