"""What the diagnostics pane says, as plain rows: no widgets, so that every case can be tested."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.gpu import GpuReading
    from engine.types import EngineStats, Percentiles

Tone = Literal["plain", "good", "warning", "error"]

DASH = "–"
"""Nothing to say yet."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the operating system says about this process and the GPU.

    Attributes:
        cores: processor cores in use since the reading before; None at the first.
        memory: resident bytes.
        gpu: None where there is no NVIDIA GPU.
        why_no_gpu: one clause; empty where there is one.
    """

    cores: float | None
    memory: int
    gpu: GpuReading | None
    why_no_gpu: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the pane."""

    label: str
    value: str
    tone: Tone = "plain"
    help: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A card of rows."""

    title: str
    rows: tuple[Row, ...]


def sections(stats: EngineStats, machine: Machine | None) -> tuple[Section, ...]:
    """All cards, in reading order."""
    return (
        Section("Engine", _engine(stats)),
        Section("Latency", _latency(stats)),
        Section("Sound", _sound(stats)),
        Section("Machine", _machine(machine)),
    )


def as_text(cards: tuple[Section, ...]) -> str:
    """The pane for an e-mail or a bug report."""
    width = max(len(row.label) for card in cards for row in card.rows) + 2
    blocks = [
        "\n".join([card.title, *(f"  {row.label:<{width}}{row.value}" for row in card.rows)])
        for card in cards
    ]
    return "\n\n".join(blocks) + "\n"


def _engine(stats: EngineStats) -> tuple[Row, ...]:
    states: dict[str, Tone] = {"running": "good", "paused": "warning", "failed": "error"}
    return (
        Row("State", stats.state, states.get(stats.state, "plain")),
        _model(stats),
        _provider(stats),
        Row(
            "Real-time factor",
            f"{stats.rtf:.2f}" if stats.audio_s else DASH,
            "error" if stats.rtf >= 1 else "warning" if stats.rtf >= 0.8 else "plain",
            "Computing time for each second of sound, over the last ten seconds. Below 1 it keeps"
            " up.",
        ),
        Row(
            "Behind",
            _seconds(stats.lag_s) if stats.audio_s else DASH,
            "error" if stats.lag_s >= 3 else "warning" if stats.lag_s >= 1 else "plain",
            "Sound that was captured and not yet looked at.",
        ),
    )


def _model(stats: EngineStats) -> Row:
    name = stats.model_id or DASH
    if stats.next_model_id:
        return Row("Model", f"{name}, then {stats.next_model_id}", help="The next one is loading.")
    return Row("Model", name)


def _provider(stats: EngineStats) -> Row:
    help_text = "Where the model really runs, as the runtime reports it."
    if not stats.provider:
        return Row("Runs on", DASH, help=help_text)
    if stats.warm_up_ms:
        help_text += f" A second of silence took {stats.warm_up_ms:,.0f} ms when it was loaded."
    reason = stats.provider_reason
    if stats.provider_asked not in ("", "auto", stats.provider):
        value = f"{stats.provider}, {stats.provider_asked} was asked for"
        return Row("Runs on", f"{value} ({reason})" if reason else value, "warning", help_text)
    return Row(
        "Runs on", f"{stats.provider} ({reason})" if reason else stats.provider, help=help_text
    )


def _latency(stats: EngineStats) -> tuple[Row, ...]:
    first = "From the end of a word to its first showing; half of the words, and 95 % of them."
    stable = "From the end of a word until it will not change any more."
    return (
        Row("First shown", _percentiles(stats.first_latency), help=first),
        Row("Stable", _percentiles(stats.stable_latency), help=stable),
        Row(
            "Erasure",
            f"{stats.revisions:.2f}" if stats.words else DASH,
            help="Characters taken back for each one finally shown. This is what flickers.",
        ),
        Row("Words", f"{stats.words:,}"),
        Row("Lines", f"{stats.segments:,}"),
    )


def _sound(stats: EngineStats) -> tuple[Row, ...]:
    rows = [_level(stats, lane) for lane in sorted(stats.level_dbfs)] or [Row("Level", DASH)]
    heard = ", ".join(sorted(stats.speaking)) if len(stats.level_dbfs) > 1 else "yes"
    rows += [
        Row("Speech now", heard if stats.speaking else "no"),
        Row("Heard so far", _clock(stats.audio_s)),
        Row(
            "Recogniser rested",
            f"{100 * stats.rested:.0f} % of the time" if stats.audio_s else DASH,
            help="While nobody speaks only the speech detector works.",
        ),
        Row("Noise suppression", stats.denoiser_id or "off"),
        Row(
            "Lost samples",
            f"{stats.lost_samples:,}",
            "warning" if stats.lost_samples else "plain",
            "Sound that never reached the recogniser.",
        ),
    ]
    return tuple(rows)


def _level(stats: EngineStats, lane: str) -> Row:
    level = stats.level_dbfs[lane]
    peak = stats.peak_dbfs.get(lane, -math.inf)
    value = f"{level:.0f} dBFS" if math.isfinite(level) else "silent"
    if math.isfinite(level) and math.isfinite(peak):
        value += f", peak {peak:.0f}"
    if (gain := stats.gain_db.get(lane, 0.0)) >= 0.5:
        value += f", made {gain:.0f} dB louder"
    if lane in stats.clipping:
        value += ", too loud: cut off"
    elif lane in stats.too_quiet:
        value += ", very quiet"
    warned = level > -1 or lane in stats.clipping or lane in stats.too_quiet
    return Row(
        f"Level, {lane}" if len(stats.level_dbfs) > 1 else "Level",
        value,
        "warning" if warned else "plain",
        "Loudness of the last tenth of a second and its highest sample; 0 is as loud as can be.",
    )


def _machine(machine: Machine | None) -> tuple[Row, ...]:
    if machine is None:
        return (Row("Processor", DASH), Row("Memory", DASH), Row("GPU", DASH))
    cores = DASH if machine.cores is None else f"{machine.cores:.2f} cores"
    rows = [Row("Processor", cores), Row("Memory", f"{machine.memory / 2**20:,.0f} MiB")]
    gpu = machine.gpu
    if gpu is None:
        rows.append(Row("GPU", "no NVIDIA GPU", help=machine.why_no_gpu))
        return tuple(rows)
    full = gpu.memory_used / gpu.memory_total if gpu.memory_total else 0.0
    rows += [
        Row("GPU", gpu.name),
        Row(
            "GPU memory",
            f"{gpu.memory_used / 2**30:.1f} of {gpu.memory_total / 2**30:.1f} GiB",
            "warning" if full > 0.92 else "plain",
            "Of all programs together.",
        ),
        Row("GPU load", DASH if gpu.utilisation is None else f"{gpu.utilisation} %"),
    ]
    return tuple(rows)


def _percentiles(latency: Percentiles) -> str:
    if latency.p50 is None:
        return DASH
    half = f"{latency.p50:,.0f} ms"
    return half if latency.p95 is None else f"{half}, 95 % {latency.p95:,.0f} ms"


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
