#!/usr/bin/env python3
"""What it costs to run the recogniser in a process of its own, and what a crash then costs.

.venv/bin/python scripts/measure/isolation_bench.py AUDIO [--seconds N] [--model ID]

AUDIO is captioned in real time, with the recogniser in the program's own process and in one of its
own. Each run is a fresh program, which measures start, lateness of captions, processor and memory.
Then the recogniser is killed by a segmentation fault in the middle of speech, and the time is taken
until the next caption.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]


def measured(audio: Path, seconds: float, model: str, *, isolated: bool, crash: bool) -> None:
    """One run; prints its figures as JSON."""
    began = time.monotonic()
    import psutil

    from engine.config import EngineConfig, LatencyProfile
    from engine.session import Session
    from engine.sinks.memory import MemorySink
    from engine.sources.file import FileSource
    from engine.stats import percentiles
    from engine.types import CaptionUpdate
    from models import catalogue
    from models.store import ModelStore

    class Late(MemorySink):
        def __init__(self) -> None:
            super().__init__()
            self.lags: list[tuple[float, float]] = []

        def update(self, update: CaptionUpdate, published_at: float) -> None:
            super().update(update, published_at)
            now = time.monotonic()
            self.lags.append((now, now - update.heard_at))

    known, store = catalogue.load(), ModelStore()
    sink = Late()
    config = EngineConfig(
        store.files(known.get(model or known.default)),
        store.files(known.get(known.vad)),
        LatencyProfile.parse("balanced"),
        isolated=isolated,
    )
    session = Session(config, [FileSource(audio, realtime=True)], [sink])
    session.start()
    while session.stats().state == "starting":
        time.sleep(0.002)
    ready = time.monotonic() - began
    own = psutil.Process()
    crashed_at = memory = cpu = 0.0
    while not session.wait(0.05) and session.stats().audio_s < seconds:
        if session.stats().audio_s < seconds / 2 or memory:
            continue
        family = [own, *own.children()]
        memory = sum(each.memory_full_info().uss for each in family) / 2**20
        if crash:
            crashed_at = time.monotonic()
            own.children()[0].send_signal(signal.SIGSEGV)
    family = [own, *own.children()]
    cpu = sum(sum(each.cpu_times()[:2]) for each in family)
    heard = session.stats().audio_s
    session.stop()
    if session.error is not None:
        raise session.error
    late = percentiles(lag for _, lag in sink.lags)
    figures: dict[str, Any] = {
        "ready_s": ready,
        "p50": late.p50,
        "p95": late.p95,
        "cores": cpu / heard,
        "memory": memory,
    }
    if crash:
        figures["back_s"] = min(at for at, _ in sink.lags if at > crashed_at) - crashed_at
        figures["notices"] = [f"{notice.code}: {notice.text}" for notice in sink.notices]
    print(json.dumps(figures))


def fresh(options: argparse.Namespace, *more: str) -> dict[str, Any]:
    """The same in a program of its own."""
    command = [sys.executable, __file__, str(options.audio), "--one", *more]
    command += ["--seconds", str(options.seconds), "--model", options.model]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("audio", type=Path)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--model", default="")
    for hidden in ("--one", "--isolated", "--crash"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        isolated, crash = options.isolated, options.crash
        measured(options.audio, options.seconds, options.model, isolated=isolated, crash=crash)
        return 0
    runs = {"together": fresh(options), "apart": fresh(options, "--isolated")}
    for name, run in runs.items():
        print(
            f"{name:9} ready {run['ready_s']:.2f} s, behind the sound p50 {run['p50']:.0f} ms"
            f" p95 {run['p95']:.0f} ms, {run['cores']:.2f} cores, {run['memory']:.0f} MiB"
        )
    one, other = runs.values()
    ratios = {key: other[key] / one[key] for key in ("ready_s", "p50", "p95", "cores", "memory")}
    print("ratio     " + ", ".join(f"{key} {value:.2f}" for key, value in ratios.items()))
    crash = fresh(options, "--isolated", "--crash")
    print(f"killed    the next caption after {crash['back_s']:.2f} s; {crash['notices']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
