#!/usr/bin/env python3
"""Measures again what the README and the pages say was measured, and prints both beside each other.

.venv/bin/python scripts/measure/readme_figures.py --quick   what takes seconds: about three minutes
.venv/bin/python scripts/measure/readme_figures.py   all of it in real time: about 25 minutes
.venv/bin/python scripts/measure/readme_figures.py --only start     one measurement
.venv/bin/python scripts/measure/readme_figures.py --said           what is said, measuring nothing

The figures are read out of the pages, so none stands here. The recordings are those of tests/audio
unless --audio and --reference name others: the README's own were taken on more than can be given
away, so ratios near one are what to expect of times and memory, and not of word errors.
Hours of sound have a command of their own, scripts/soak.py; so has the package, scripts/package.py.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from figure_runs import RUNS, Asked, RunError

ROOT = Path(__file__).resolve().parents[2]


README = "README.md"
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.]*\w)")


class Said(NamedTuple):
    """A figure that a page states.

    Attributes:
        page: where.
        what: of what.
        value: as it stands there.
        run: what measures it.
        key: under which name.
    """

    page: str
    what: str
    value: float
    run: str
    key: str


class Table(NamedTuple):
    """A table of Markdown: its head, and its rows by their first cell."""

    head: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]]


_BENCH_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "first p50 / p95 ms": ("first_p50_ms", "first_p95_ms"),
    "stable p50 / p95 ms": ("stable_p50_ms", "stable_p95_ms"),
    "erasure": ("erasure",),
    "WER %": ("wer_percent",),
    "cores": ("cores",),
    "peak memory MB": ("peak_rss_mb",),
}
_MODEL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "disk MB": ("disk_mb",),
    "peak memory MB": ("peak_rss_mb",),
    "processor s for 1 s of sound": ("cores",),
    "WER %": ("wer",),
    "against float": ("wer_change",),
}
_ISOLATION_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "ready after": ("ready_s",),
    "behind the sound, p50 / p95": ("p50", "p95"),
    "cores": ("cores",),
    "memory": ("memory",),
}
_WHAT_ROWS: Mapping[str, tuple[str, str]] = {
    "`captionglass --help`": ("help", "seconds"),
    "window on the screen, model on disk": ("start", "shown"),
    "a minute of silence": ("silence", "cores"),
    "memory with the window": ("memory", "megabytes"),
    "what `run.py` adds to a second start": ("second start", "seconds"),
}
_SENTENCES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "docs/control.md",
        r"captions reach the readers ([\d.]+) ms \(p50\) and ([\d.]+) ms \(p95\) after",
        "serve",
        ("readers p50", "readers p95"),
    ),
    (
        "docs/control.md",
        r"the bus within the process takes ([\d.]+) and ([\d.]+) ms",
        "serve",
        ("bus p50", "bus p95"),
    ),
    ("docs/control.md", r"Serving takes ([\d.]+) cores", "serve", ("cores",)),
    (
        "docs/decisions.md",
        r"([\d.]+) ms \(p50\) and ([\d.]+) ms \(p95\) a repaint with gliding lines, ([\d.]+) cores",
        "paint",
        ("glide p50", "glide p95", "glide cores"),
    ),
    (
        "docs/decisions.md",
        r"the next caption came after ([\d.]+) s",
        "isolation",
        ("killed back_s",),
    ),
)
"""Figures within sentences: the page, where in it, and what measures them."""


def said() -> list[Said]:
    """Every figure that can be measured again, in the order of the pages."""
    bench, what, models = (table(README, head) for head in ("profile", "what", "model"))
    found = list(_of_table(README, bench, _BENCH_COLUMNS, "bench"))
    for name, (run, key) in _WHAT_ROWS.items():
        found.append(
            Said(README, name.replace("`", ""), numbers(what.rows[name][-1])[-1], run, key)
        )
    found += _of_table(README, models, _MODEL_COLUMNS, "models")
    found += _of_table("docs/decisions.md", table("docs/decisions.md", ""), _ISOLATION_COLUMNS,
                       "isolation")  # fmt: skip
    for page, pattern, run, keys in _SENTENCES:
        match = re.search(pattern.replace(" ", r"\s+"), read(page))
        if match is None:
            raise LookupError(f"{page} does not say any more: {pattern}")
        found += [
            Said(page, key, float(n), run, key) for key, n in zip(keys, match.groups(), strict=True)
        ]
    return found


def _of_table(
    page: str, of: Table, columns: Mapping[str, tuple[str, ...]], run: str
) -> Iterator[Said]:
    for name, cells in of.rows.items():
        for column, cell in zip(of.head[1:], cells, strict=True):
            for key, value in zip(columns[column], numbers(cell), strict=False):
                yield Said(page, f"{name}, {key}", value, run, f"{name} {key}")


def table(page: str, first: str) -> Table:
    """The first table of a page whose head begins with this cell.

    Raises:
        LookupError: there is none.
    """
    lines = iter(read(page).splitlines())
    for line in lines:
        head = _cells(line)
        if not head or head[0] != first:
            continue
        next(lines)
        rows = {}
        for row in lines:
            if not (cells := _cells(row)):
                break
            rows[cells[0]] = cells[1:]
        return Table(head, rows)
    raise LookupError(f"{page} has no table that begins with {first!r}")


def _cells(line: str) -> tuple[str, ...]:
    if not line.startswith("|"):
        return ()
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def numbers(text: str) -> list[float]:
    """The numbers in a cell."""
    return [float(found) for found in _NUMBER.findall(text)]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def report(figures: Sequence[Said], measured: Mapping[str, Mapping[str, float]]) -> str:
    """The table: what is said, what was measured, and how many times as much that is."""
    lines = [f"{'page':18} {'figure':58} {'says':>9} {'here':>9} {'ratio':>6}"]
    for figure in figures:
        here = measured.get(figure.run, {}).get(figure.key)
        if here is None:
            values = f"{'-':>9} {'-':>6}"
        else:
            ratio = f"{here / figure.value:6.2f}" if figure.value else f"{'':6}"
            values = f"{here:9.3g} {ratio}" if abs(here) < 1000 else f"{here:9.0f} {ratio}"
        what = f"{figure.run}: {figure.what}"
        lines.append(f"{figure.page.rpartition('/')[2]:18} {what:58} {figure.value:9g} {values}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--only", action="append", choices=RUNS, help="this one; may be repeated")
    parser.add_argument("--said", action="store_true", help="measure nothing")
    parser.add_argument("--audio", type=Path, default=ROOT / "tests" / "audio" / "en_clean")
    parser.add_argument("--reference", type=Path, default=ROOT / "tests" / "audio" / "manifest.tsv")
    options = parser.parse_args(arguments)
    figures = said()
    wanted = [] if options.said else options.only or [
        name for name, run in RUNS.items() if run.quick or not options.quick
    ]  # fmt: skip
    measured: dict[str, Mapping[str, float]] = {}
    failed = False
    models = list(table(README, "model").rows)
    with tempfile.TemporaryDirectory(prefix="captionglass-figures-") as folder:
        asked = Asked(options.audio, options.reference, options.quick, Path(folder), models)
        for name in wanted:
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                measured[name] = RUNS[name].measure(asked)
            except RunError as error:
                failed = True
                print(f"{name}: {error}", file=sys.stderr, flush=True)
    print(report([f for f in figures if options.said or f.run in wanted], measured))
    if wanted and hasattr(os, "getloadavg"):
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
