"""What the diagnostics pane says, as plain rows: no widgets, so that every case can be tested."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, QLocale

from desktop_app.languages import phrase

if TYPE_CHECKING:
    from desktop_app.health.report import Machine
    from engine.types import EngineStats, Percentiles

translate = QCoreApplication.translate

Tone = Literal["plain", "good", "warning", "error"]
Card = Literal["engine", "latency", "sound", "machine"]

DASH = "–"
"""Nothing to say yet."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the pane.

    Attributes:
        label: what it is about.
        value: the figure.
        tone: how it is coloured.
        help: said where the pointer rests.
        wide: the value is a sentence and stands below its label.
    """

    label: str
    value: str
    tone: Tone = "plain"
    help: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A card of rows."""

    card: Card
    title: str
    rows: tuple[Row, ...]


def sections(
    stats: EngineStats, machine: Machine | None, precision: str = ""
) -> tuple[Section, ...]:
    """All cards, in reading order.

    Args:
        precision: what the model's weights are made of; empty where nobody knows.
    """
    return (
        Section("engine", translate("Diagnostics", "Engine"), _engine(stats, precision)),
        Section("latency", translate("Diagnostics", "Latency"), _latency(stats)),
        Section("sound", translate("Diagnostics", "Sound"), _sound(stats)),
        Section("machine", translate("Diagnostics", "Machine"), _machine(machine)),
    )


def number(value: float, digits: int = 0) -> str:
    """A figure as the language of the interface writes it."""
    return QLocale().toString(float(value), "f", digits)


def milliseconds(value: float) -> str:
    """``1,320 ms``."""
    return translate("Diagnostics", "{0} ms").format(number(value))


def seconds(value: float) -> str:
    """Milliseconds below a second."""
    if value < 1:
        return milliseconds(value * 1000)
    return translate("Diagnostics", "{0} s").format(number(value, 1))


def decibels(value: float) -> str:
    """``-23 dBFS``."""
    return translate("Diagnostics", "{0} dBFS").format(number(value))


def cores(value: float) -> str:
    """Processor cores in use."""
    return translate("Diagnostics", "{0} cores").format(number(value, 2))


def mebibytes(value: float) -> str:
    """``250 MiB``."""
    return translate("Diagnostics", "{0} MiB").format(number(value))


def gibibytes(value: float) -> str:
    """``12.0 GiB``."""
    return translate("Diagnostics", "{0} GiB").format(number(value, 1))


def percent(value: float) -> str:
    """``63 %``."""
    return translate("Diagnostics", "{0} %").format(number(value))


def lane_title(lane: str) -> str:
    """What a lane is called."""
    if lane == "mic":
        return translate("Diagnostics", "Microphone")
    if lane == "system":
        return translate("Diagnostics", "Computer")
    return lane


def _engine(stats: EngineStats, precision: str) -> tuple[Row, ...]:
    tones: dict[str, Tone] = {"running": "good", "paused": "warning", "failed": "error"}
    rows = [
        Row(
            translate("Diagnostics", "State"),
            _states().get(stats.state, stats.state),
            tones.get(stats.state, "plain"),
        ),
        Row(translate("Diagnostics", "Model"), stats.model_id or DASH),
        Row(
            translate("Diagnostics", "Weights"),
            precision or (translate("Diagnostics", "as published") if stats.model_id else DASH),
            help=translate("Diagnostics", "How exact the model's numbers are kept."),
        ),
    ]
    if stats.next_model_id:
        rows.append(
            Row(
                translate("Diagnostics", "Going over to"),
                stats.next_model_id,
                "warning",
                translate("Diagnostics", "It is loading, and takes over at a pause between words."),
            )
        )
    rows += _provider(stats)
    rows += [
        Row(
            translate("Diagnostics", "Real-time factor"),
            number(stats.rtf, 2) if stats.audio_s else DASH,
            "error" if stats.rtf >= 1 else "warning" if stats.rtf >= 0.8 else "plain",
            translate(
                "Diagnostics",
                "Computing time for each second of sound, over the last ten seconds. Below 1 it "
                "keeps up.",
            ),
        ),
        Row(
            translate("Diagnostics", "Behind"),
            seconds(stats.lag_s) if stats.audio_s else DASH,
            "error" if stats.lag_s >= 3 else "warning" if stats.lag_s >= 1 else "plain",
            translate("Diagnostics", "Sound that was captured and not yet looked at."),
        ),
    ]
    return tuple(rows)


def _states() -> dict[str, str]:
    return {
        "starting": translate("Diagnostics", "starting"),
        "running": translate("Diagnostics", "running"),
        "paused": translate("Diagnostics", "paused"),
        "stopped": translate("Diagnostics", "stopped"),
        "failed": translate("Diagnostics", "failed"),
    }


def _provider(stats: EngineStats) -> list[Row]:
    title, asked_title = translate("Diagnostics", "Runs on"), translate("Diagnostics", "Asked for")
    help_text = translate("Diagnostics", "Where the model really runs, as the runtime reports it.")
    if stats.provider and stats.warm_up_ms:
        took = translate("Diagnostics", "A second of silence took {0} when it was loaded.")
        help_text += " " + took.format(milliseconds(stats.warm_up_ms))
    asked = stats.provider_asked
    other = bool(stats.provider) and asked not in ("", "auto", stats.provider)
    rows = [
        Row(title, stats.provider or DASH, "warning" if other else "plain", help_text),
        Row(asked_title, asked or DASH),
    ]
    if stats.provider_reason:
        rows.append(Row(translate("Diagnostics", "Why"), phrase(stats.provider_reason), wide=True))
    return rows


def _latency(stats: EngineStats) -> tuple[Row, ...]:
    return (
        Row(
            translate("Diagnostics", "First shown"),
            _percentiles(stats.first_latency),
            help=translate(
                "Diagnostics",
                "From the end of a word to its first showing; half of the words, and 95 % of them.",
            ),
        ),
        Row(
            translate("Diagnostics", "Stable"),
            _percentiles(stats.stable_latency),
            help=translate(
                "Diagnostics", "From the end of a word until it will not change any more."
            ),
        ),
        Row(
            translate("Diagnostics", "Erasure"),
            number(stats.revisions, 2) if stats.words else DASH,
            help=translate(
                "Diagnostics",
                "Characters taken back for each one finally shown. This is what flickers.",
            ),
        ),
        Row(translate("Diagnostics", "Words"), number(stats.words)),
        Row(translate("Diagnostics", "Lines"), number(stats.segments)),
    )


def _sound(stats: EngineStats) -> tuple[Row, ...]:
    rows = [_level(stats, lane) for lane in sorted(stats.level_dbfs)]
    rows = rows or [Row(translate("Diagnostics", "Level"), DASH)]
    heard = translate("Diagnostics", "yes") if stats.speaking else translate("Diagnostics", "no")
    if stats.speaking and len(stats.level_dbfs) > 1:
        heard = ", ".join(lane_title(lane) for lane in sorted(stats.speaking))
    rows += [
        Row(translate("Diagnostics", "Speech now"), heard),
        Row(translate("Diagnostics", "Heard so far"), _clock(stats.audio_s)),
        Row(
            translate("Diagnostics", "Recogniser rested"),
            percent(100 * stats.rested) if stats.audio_s else DASH,
            help=translate("Diagnostics", "While nobody speaks only the speech detector works."),
        ),
        Row(
            translate("Diagnostics", "Noise suppression"),
            stats.denoiser_id or translate("Diagnostics", "off"),
        ),
        Row(
            translate("Diagnostics", "Lost samples"),
            number(stats.lost_samples),
            "warning" if stats.lost_samples else "plain",
            translate("Diagnostics", "Sound that never reached the recogniser."),
        ),
    ]
    return tuple(rows)


def _level(stats: EngineStats, lane: str) -> Row:
    level = stats.level_dbfs[lane]
    peak = stats.peak_dbfs.get(lane, -math.inf)
    parts = [decibels(level) if math.isfinite(level) else translate("Diagnostics", "silent")]
    if math.isfinite(level) and math.isfinite(peak):
        parts.append(translate("Diagnostics", "peak {0}").format(number(peak)))
    if (gain := stats.gain_db.get(lane, 0.0)) >= 0.5:
        parts.append(translate("Diagnostics", "made {0} dB louder").format(number(gain)))
    if lane in stats.clipping:
        parts.append(translate("Diagnostics", "too loud: cut off"))
    elif lane in stats.too_quiet:
        parts.append(translate("Diagnostics", "very quiet"))
    warned = level > -1 or lane in stats.clipping or lane in stats.too_quiet
    title = translate("Diagnostics", "Level")
    if len(stats.level_dbfs) > 1:
        title = translate("Diagnostics", "Level, {0}").format(lane_title(lane))
    return Row(
        title,
        ", ".join(parts),
        "warning" if warned else "plain",
        translate(
            "Diagnostics",
            "Loudness of the last tenth of a second and its highest sample; 0 is as loud as can "
            "be.",
        ),
    )


def _machine(machine: Machine | None) -> tuple[Row, ...]:
    processor, memory = translate("Diagnostics", "Processor"), translate("Diagnostics", "Memory")
    gpu_title = translate("Diagnostics", "GPU")
    if machine is None:
        return (Row(processor, DASH), Row(memory, DASH), Row(gpu_title, DASH))
    used = DASH if machine.cores is None else cores(machine.cores)
    rows = [Row(processor, used), Row(memory, mebibytes(machine.memory / 2**20))]
    gpu = machine.gpu
    if gpu is None:
        none = translate("Diagnostics", "no NVIDIA GPU")
        rows.append(Row(gpu_title, none, help=phrase(machine.why_no_gpu)))
        return tuple(rows)
    full = gpu.memory_used / gpu.memory_total if gpu.memory_total else 0.0
    rows += [
        Row(gpu_title, gpu.name),
        Row(
            translate("Diagnostics", "GPU memory"),
            translate("Diagnostics", "{0} of {1}").format(
                number(gpu.memory_used / 2**30, 1), gibibytes(gpu.memory_total / 2**30)
            ),
            "warning" if full > 0.92 else "plain",
            translate("Diagnostics", "Of all programs together."),
        ),
        Row(
            translate("Diagnostics", "GPU load"),
            DASH if gpu.utilisation is None else percent(gpu.utilisation),
        ),
    ]
    return tuple(rows)


def _percentiles(latency: Percentiles) -> str:
    if latency.p50 is None:
        return DASH
    half = milliseconds(latency.p50)
    if latency.p95 is None:
        return half
    return translate("Diagnostics", "{0}, 95 % {1}").format(half, milliseconds(latency.p95))


def _clock(value: float) -> str:
    hours, rest = divmod(int(value), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
