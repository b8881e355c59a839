"""What it costs to have each line of a session on the disk: a file of lines beside SQLite.

.venv/bin/python scripts/measure/history_bench.py [FOLDER]   a temporary one if none
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_LINES = 300
_LINE = (
    '{"line":{"id":%d,"lane":"mic","start":1.0,"end":3.5,"text":"' + "what was said " * 5 + '"}}\n'
)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(dir=arguments[0] if arguments else None) as name:
        folder = Path(name)
        report("file of lines, fsync", appended(folder / "lines.jsonl"))
        for mode in ("NORMAL", "FULL"):
            report(f"SQLite, WAL, {mode}", in_sqlite(folder / f"{mode}.db", mode))
        written = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
        print(*(f"{path}: {size:,} bytes" for path, size in written.items()), sep="\n")
    return 0


def appended(path: Path) -> list[float]:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(number: int) -> None:
        os.write(fd, (_LINE % number).encode())
        os.fsync(fd)

    taken = timed(write)
    os.close(fd)
    return taken


def in_sqlite(path: Path, mode: str) -> list[float]:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute(f"PRAGMA synchronous={mode}")
    database.execute("PRAGMA secure_delete=ON")
    database.execute("CREATE TABLE line (session INTEGER, number INTEGER, content TEXT)")
    taken = timed(lambda n: database.execute("INSERT INTO line VALUES (1, ?, ?)", (n, _LINE % n)))
    database.close()
    return taken


def timed(write: Callable[[int], object]) -> list[float]:
    found = []
    for number in range(_LINES):
        began = time.perf_counter()
        write(number)
        found.append((time.perf_counter() - began) * 1000)
    return sorted(found)


def report(what: str, taken: list[float]) -> None:
    p95 = taken[len(taken) * 95 // 100]
    print(f"{what:24} p50 {statistics.median(taken):7.3f} ms   p95 {p95:7.3f} ms")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
