"""What has to hold at the end of a soak, and whether it does."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from desktop_app.history.store import HistoryStore
from engine.sinks.text import plain
from soaking.meter import Ledger

GROWTH_MB, WARMING_MB, WARMING_S = 24.0, 64.0, 600.0
"""Of memory from the first to the last measurement after the warm-up, as a line fitted to all of
them says: what a recogniser's process differs by when it is begun anew. A run of minutes is still
warming up: each model, denoiser and length of window costs some memory the first time."""
LAG_SHARE, TAIL_SHARE, BUSY_SHARE = 0.1, 0.25, 0.5
"""Of the mean, of the p95, which in a short stretch is the lag of a word or two, and of both in
real time, where the machine has other things to do."""
DRIFT_S = 0.03
UNTOLD_S = 0.5
SEAM_S = 0.05
"""By which a device that comes back may be placed wrongly on the stream clock, each time."""

Check = tuple[str, float, float]
"""Name, figure, and the most it may be."""


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line fitted to them by least squares; 0 where there are fewer than two."""
    if len(points) < 2:
        return 0.0
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def median(offsets: Sequence[float]) -> float:
    """Of them; not a number where there are none."""
    return statistics.median(offsets) if offsets else float("nan")


def transcripts(
    ledger: Ledger, *, events: Path, history: Path, srt: Path, text: Path
) -> list[Check]:
    """How far each file's account of what was said differs from what the sinks were given.

    Args:
        ledger: what they were given.
        events, history, srt, text: written by the sinks; ``history`` is a folder.
    """
    finals = {number: said for number, said in ledger.finals.items() if said.strip()}
    kept = {number: plain(said) for number, said in finals.items()}
    words = _words(finals[number] for number in sorted(finals))
    return [
        ("lines that differ in the event file", _differing(finals, _of_events(events)), 0),
        ("lines that differ in the history", _differing(kept, _of_history(history)), 0),
        ("words that differ in the SRT file", _apart(words, _of_srt(srt)), 0),
        ("words that differ in the text file", _apart(words, _of_text(text)), 0),
    ]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _of_events(path: Path) -> dict[int, str]:
    lines: dict[int, str] = {}
    with path.open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row.get("final") and row["stable"].strip():
                lines[row["segment"]] = row["stable"]
    return lines


def _of_history(folder: Path) -> dict[int, str]:
    store = HistoryStore(folder)
    return {
        line.id: line.text
        for session in store.sessions()
        for line in store.read(session.id, words=False).lines
        if line.kind == "speech" and line.is_final and line.text.strip()
    }


def _of_srt(path: Path) -> list[str]:
    cues = [cue.split("\n")[2:] for cue in _read(path).split("\n\n") if cue.strip()]
    return _words(line for cue in cues for line in cue)


def _of_text(path: Path) -> list[str]:
    lines = _read(path).splitlines()
    return _words(line for line in lines if not line.startswith("[not heard "))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.split()]


def _differing(given: Mapping[int, str], written: Mapping[int, str]) -> int:
    return sum(given.get(key) != written.get(key) for key in {*given, *written})


def _apart(given: Sequence[str], written: Sequence[str]) -> int:
    # Subtitles cut what is longer than a line, wherever it has no space.
    if "".join(given) == "".join(written):
        return 0
    one, other = Counter(given), Counter(written)
    # In another order they differ too.
    return max(1, ((one - other) + (other - one)).total())
