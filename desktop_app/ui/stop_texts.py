"""What the slider says of its stops, in plain words: no widgets, so that all can be tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

if TYPE_CHECKING:
    from engine.bench.measured import StopFigures
    from engine.types import EngineStats

translate = QCoreApplication.translate

UNMEASURED = str(QT_TRANSLATE_NOOP("StopTexts", "Not measured on this computer yet"))


def stop_name(name: str) -> str:
    """What a stop is called; a number between stops stays one."""
    return translate("Stops", name)


def stop_title(name: str) -> str:
    """The same at the beginning of a line."""
    return stop_name(name).capitalize()


def unmeasured() -> str:
    """That nothing is known of a stop."""
    return translate("StopTexts", UNMEASURED)


def measured_text(figures: StopFigures) -> str:
    """What a stop does on this computer."""
    cores = translate("StopTexts", "{0} cores").format(_number(figures.cores, 2))
    return _listed(
        _latencies(figures.first_ms, figures.stable_ms), _changes(figures.changes), cores
    )


def live_text(stats: EngineStats) -> str:
    """What the running captions do; empty before anything was said."""
    first, stable = stats.first_latency.p50, stats.stable_latency.p50
    if stats.state not in ("running", "paused") or first is None or stable is None:
        return ""
    busy = translate("StopTexts", "busy {0} %").format(_number(100 * stats.rtf, 0))
    return _listed(_latencies(first, stable), _changes(stats.revisions), busy)


def stop_tip(name: str, figures: StopFigures | None) -> str:
    """The tooltip of a stop, in one or two lines."""
    meaning = translate("StopTexts", _MEANING[name])
    title = translate("StopTexts", "{0}: {1}").format(stop_title(name), meaning)
    if figures is None:
        return f"{title}\n{unmeasured()}"
    here = translate("StopTexts", "On this computer: {0}").format(measured_text(figures))
    return f"{title}\n{here}"


_MEANING: Mapping[str, str] = {
    "fastest": str(
        QT_TRANSLATE_NOOP("StopTexts", "words appear earliest, and some are taken back")
    ),
    "fast": str(QT_TRANSLATE_NOOP("StopTexts", "words appear early, and few are taken back")),
    "balanced": str(QT_TRANSLATE_NOOP("StopTexts", "early words that seldom change")),
    "steady": str(QT_TRANSLATE_NOOP("StopTexts", "a word appears once and never changes")),
    "accurate": str(QT_TRANSLATE_NOOP("StopTexts", "words come latest, with the fewest errors")),
}


def _listed(*parts: str) -> str:
    between = translate("StopTexts", ", ", "between the figures of a stop")
    return between.join(parts)


def _number(value: float, digits: int) -> str:
    return QLocale().toString(value, "f", digits)


def _latencies(first_ms: float, stable_ms: float) -> str:
    first, stable = _after(first_ms), _after(stable_ms)
    # A word that is never taken back stays from the moment it is seen.
    if first == stable:
        return translate("StopTexts", "words {0}").format(first)
    return translate("StopTexts", "words {0}, stay {1}").format(first, stable)


def _after(milliseconds: float) -> str:
    # Below this nobody sees a delay; a word may even be seen before it has been said to its end.
    if milliseconds < 50:
        return translate("StopTexts", "at once")
    seconds = _number(milliseconds / 1000, 2 if milliseconds < 995 else 1)
    return translate("StopTexts", "after {0} s").format(seconds)


def _changes(number: float) -> str:
    if number < 0.005:
        return translate("StopTexts", "no changes")
    return translate("StopTexts", "{0} changes a word").format(_number(number, 2))
