"""What ``readme_figures`` measures with: runs that start programs and read their answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import wave
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_SETTLED_S = 12.0
"""How long the window runs before its memory is read."""
_PROGRAM = (sys.executable, "-m", "desktop_app")

Figures = dict[str, float]


class RunError(Exception):
    """A program that was asked did not answer."""


class Asked(NamedTuple):
    """What to measure on.

    Attributes:
        audio, reference: recordings and what is said in them.
        quick: less of it.
        folder: for what the programs write.
        models: as the README's table calls them: an id, and more behind a space.
    """

    audio: Path
    reference: Path
    quick: bool
    folder: Path
    models: Sequence[str]


class Run(NamedTuple):
    """One measurement, and whether it takes seconds only."""

    measure: Callable[[Asked], Figures]
    quick: bool = True


def bench(asked: Asked) -> Figures:
    """The stops of the slider, and what else runs the same weights, in real time."""
    file = asked.folder / "bench.json"
    more = ["--profiles", "balanced", "--limit-seconds", "30"] if asked.quick else ["--peers"]
    _run(
        *_PROGRAM, "bench", str(asked.audio), "--reference", str(asked.reference),
        "--json", str(file), *more,
    )  # fmt: skip
    told = json.loads(file.read_text(encoding="utf-8"))
    found = {
        f"{row['name']} {key}": value
        for row in told["rows"]
        for key, value in row.items()
        if isinstance(value, (int, float))
    }
    if told["offline"]:
        found["the same weights, offline wer_percent"] = told["offline"]["wer_percent"]
    return found


def help_text(asked: Asked) -> Figures:  # noqa: ARG001
    """How soon ``captionglass --help`` answers."""
    return {"seconds": _quickest(*_PROGRAM, "--help")}


def second_start(asked: Asked) -> Figures:  # noqa: ARG001
    """What ``run.py`` adds to a start that has nothing to set up."""
    through = _quickest(sys.executable, "scripts/run.py", "--version")
    return {"seconds": max(0.0, through - _quickest(*_PROGRAM, "--version"))}


def start(asked: Asked) -> Figures:  # noqa: ARG001
    """When the window is seen, and when captions can be shown."""
    told = json.loads(_run(sys.executable, "scripts/measure/startup_profile.py", "--json"))
    return {name: float(value) for name, value in told["moments"].items()}


def memory(asked: Asked) -> Figures:
    """Resident memory of the window and its processes while the demo recording is captioned."""
    import psutil

    homes = {
        name: str(asked.folder)
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    }
    environment = {**os.environ, **homes, "CAPTIONGLASS_HISTORY": str(asked.folder / "history")}
    if not environment.get("DISPLAY"):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    asked.folder.chmod(0o700)
    window = subprocess.Popen(
        [*_PROGRAM, "--new", "--source", "assets/demo.wav"],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        time.sleep(_SETTLED_S)
        if window.poll() is not None:
            raise RunError(f"the window ended with {window.returncode}")
        main = psutil.Process(window.pid)
        everybody = [main, *main.children(recursive=True)]
        return {"megabytes": sum(each.memory_info().rss for each in everybody) / 2**20}
    finally:
        window.terminate()
        window.wait(20)


def silence(asked: Asked) -> Figures:
    """A minute in which nothing is heard: processor with the start, and captions."""
    path = asked.folder / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(2 * 16_000 * 60))
    before = _children_s()
    said = _run(*_PROGRAM, "caption", str(path), "--realtime")
    return {"cores": (_children_s() - before) / 60.0, "captions": float(len(said.splitlines()))}


def models(asked: Asked) -> Figures:
    """What models cost and how often they err."""
    titles = {title.partition(" ")[0]: title for title in asked.models}
    ids = list(titles)[:1] if asked.quick else _installed(list(titles))
    seconds = "30" if asked.quick else "120"
    told = json.loads(
        _run(
            *_PROGRAM, "models", "compare", *ids, str(asked.audio),
            "--reference", str(asked.reference), "--seconds", seconds, "--json",
        )
    )  # fmt: skip
    rows = {row["model"]: row for row in told["rows"]}
    return {
        f"{titles[name]} {key}": value
        for name, row in rows.items()
        for key, value in row.items()
        if isinstance(value, (int, float))
    }


def serve(asked: Asked) -> Figures:
    """Fifty readers of captions."""
    told = _run(
        sys.executable, "scripts/measure/serve_bench.py", "--seconds", "5" if asked.quick else "20"
    )
    two = r"p50 ([\d.]+), p95 ([\d.]+)"
    late = re.search(f"bus {two}; readers {two}", told)
    names = ("bus p50", "bus p95", "readers p50", "readers p95")
    return _named(names, late, told) | _named(
        ("cores",), re.search(r"serving: ([\d.]+)", told), told
    )


def isolation(asked: Asked) -> Figures:
    """The recogniser in the program's own process and in one of its own, and its crash."""
    audio = ROOT / "tests" / "audio" / "en_long"
    file = next(path for path in sorted(audio.iterdir()) if path.suffix == ".flac")
    told = _run(
        sys.executable, "scripts/measure/isolation_bench.py", str(file),
        "--seconds", "12" if asked.quick else "44",
    )  # fmt: skip
    found: Figures = {}
    rows = {"together": "in the program's own process", "apart": "in a process of its own"}
    keys = ("ready_s", "p50", "p95", "cores", "memory")
    for name, title in rows.items():
        line = re.search(
            rf"^{name}\s+ready ([\d.]+) s, .* p50 ([\d.]+) ms p95 ([\d.]+) ms, ([\d.]+) cores, "
            r"([\d.]+) MiB",
            told,
            re.MULTILINE,
        )
        found |= _named([f"{title} {key}" for key in keys], line, told)
    killed = re.search(r"^killed\s+.* after ([\d.]+) s", told, re.MULTILINE)
    return found | _named(("killed back_s",), killed, told)


def paint(asked: Asked) -> Figures:
    """What it costs to paint captions."""
    told = _run(
        sys.executable, "scripts/measure/paint_bench.py", "--seconds", "3" if asked.quick else "6"
    )
    line = re.search(r"lines glide\s+([\d.]+) / ([\d.]+) ms .*?([\d.]+) cores", told)
    return _named(("glide p50", "glide p95", "glide cores"), line, told)


RUNS: Mapping[str, Run] = {
    "help": Run(help_text),
    "second start": Run(second_start),
    "start": Run(start),
    "memory": Run(memory),
    "paint": Run(paint),
    "serve": Run(serve),
    "isolation": Run(isolation),
    "bench": Run(bench),
    "models": Run(models),
    "silence": Run(silence, quick=False),
}
"""By name, the short ones first."""


def _named(names: Sequence[str], found: re.Match[str] | None, told: str) -> Figures:
    if found is None:
        raise RunError(f"it answered something else: {told.strip()[-200:]!r}")
    return {name: float(value) for name, value in zip(names, found.groups(), strict=True)}


def _installed(ids: Sequence[str]) -> list[str]:
    told = json.loads(_run(*_PROGRAM, "models", "list", "--installed", "--json"))
    here = {each["id"] for each in told}
    return [each for each in ids if each in here]


def _quickest(*command: str) -> float:
    """Wall seconds of the quickest of three."""
    taken = []
    for _ in range(3):
        began = time.monotonic()
        _run(*command)
        taken.append(time.monotonic() - began)
    return min(taken)


def _children_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _run(*command: str) -> str:
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
        errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
        raise RunError(f"{' '.join(command[1:4])} ended with {done.returncode}: {last}")
    return done.stdout
