"""What the slider says of its stops, in plain words: no widgets, so that all can be tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.bench.measured import StopFigures
    from engine.types import EngineStats

UNMEASURED = "Not measured on this computer yet"


def measured_text(figures: StopFigures) -> str:
    """What a stop does on this computer."""
    return ", ".join(
        (
            _latencies(figures.first_ms, figures.stable_ms),
            _changes(figures.changes),
            f"{figures.cores:.2f} cores",
        )
    )


def live_text(stats: EngineStats) -> str:
    """What the running captions do; empty before anything was said."""
    first, stable = stats.first_latency.p50, stats.stable_latency.p50
    if stats.state not in ("running", "paused") or first is None or stable is None:
        return ""
    busy = f"busy {100 * stats.rtf:.0f} %"
    return ", ".join((_latencies(first, stable), _changes(stats.revisions), busy))


def stop_tip(name: str, figures: StopFigures | None) -> str:
    """The tooltip of a stop, in one or two lines."""
    title = f"{name.capitalize()}: {_MEANING[name]}"
    said = f"On this computer: {measured_text(figures)}" if figures else UNMEASURED
    return f"{title}\n{said}"


_MEANING = {
    "fastest": "words appear earliest, and some are taken back",
    "fast": "words appear early, and few are taken back",
    "balanced": "early words that seldom change",
    "steady": "a word appears once and never changes",
    "accurate": "words come latest, with the fewest errors",
}


def _latencies(first_ms: float, stable_ms: float) -> str:
    first, stable = _after(first_ms), _after(stable_ms)
    # A word that is never taken back stays from the moment it is seen.
    return f"words {first}" if first == stable else f"words {first}, stay {stable}"


def _after(milliseconds: float) -> str:
    # Below this nobody sees a delay; a word may even be seen before it has been said to its end.
    if milliseconds < 50:
        return "at once"
    return f"after {milliseconds / 1000:.{2 if milliseconds < 995 else 1}f} s"


def _changes(number: float) -> str:
    return "no changes" if number < 0.005 else f"{number:.2f} changes a word"
