"""Which figures the diagnostics pane plots, and how each plot is labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from desktop_app.ui.plots import Curve, Plot
from desktop_app.ui.readings import (
    cores,
    decibels,
    gibibytes,
    mebibytes,
    milliseconds,
    number,
    percent,
    seconds,
)

if TYPE_CHECKING:
    from desktop_app.health.report import Machine
    from engine.types import EngineStats

translate = QCoreApplication.translate

_LANES = 2
"""At most so many levels are drawn."""
_QUIETEST = -60.0
"""dBFS at the lower end of the level's axis."""

FIGURES = (
    "first", "stable", "rtf", "lag", "level.0", "level.1", "speech", "lost", "cores", "memory",
    "gpu_memory", "gpu_load",
)  # fmt: skip
"""Names of all figures in the history."""


def figures(stats: EngineStats, machine: Machine | None, lost: int) -> dict[str, float | None]:
    """One reading for the history.

    Args:
        lost: samples lost since the reading before.
    """
    heard = stats.audio_s > 0
    found: dict[str, float | None] = {
        "first": stats.first_recent_ms,
        "stable": stats.stable_recent_ms,
        "rtf": stats.rtf if heard else None,
        "lag": stats.lag_s if heard else None,
        "speech": float(bool(stats.speaking)),
        "lost": float(lost),
    }
    for place, lane in enumerate(sorted(stats.level_dbfs)[:_LANES]):
        found[f"level.{place}"] = stats.level_dbfs[lane]
    if machine is not None:
        found["cores"] = machine.cores
        found["memory"] = machine.memory / 2**20
        if (gpu := machine.gpu) is not None:
            found["gpu_memory"] = gpu.memory_used / 2**30
            found["gpu_load"] = gpu.utilisation
    return found


def plots(lanes: Sequence[str] = (), gpu_gib: float = 1.0) -> tuple[Plot, ...]:
    """All plots, in reading order.

    Args:
        lanes: what the lanes are called, where there are several.
        gpu_gib: all the memory of the GPU.
    """
    first, stable = translate("Plots", "First shown"), translate("Plots", "Stable")
    levels = [lanes[place] if place < len(lanes) else "" for place in range(_LANES)]
    return (
        Plot(
            "latency",
            translate("Plots", "Latency"),
            (Curve("first", first), Curve("stable", stable)),
            milliseconds,
            translate("Plots", "Of the last twenty words, the one in the middle."),
            least=500,
        ),
        Plot(
            "rtf",
            translate("Plots", "Real-time factor"),
            (Curve("rtf"),),
            _two_digits,
            translate("Plots", "Above the dotted line computing takes longer than the sound."),
            least=1,
            digits=2,
            limit=1.0,
        ),
        Plot(
            "level",
            translate("Plots", "Level of the sound"),
            tuple(Curve(f"level.{place}", levels[place]) for place in range(_LANES)),
            decibels,
            translate("Plots", "0 dBFS is as loud as can be. Shaded where speech was heard."),
            fixed=(_QUIETEST, 0.0),
            shade="speech",
            shade_label=translate("Plots", "speech"),
        ),
        Plot(
            "lag",
            translate("Plots", "Waiting to be recognised"),
            (Curve("lag"),),
            seconds,
            translate("Plots", "Sound that was captured and not yet looked at."),
            least=1,
            digits=1,
        ),
        Plot(
            "lost",
            translate("Plots", "Lost samples in a second"),
            (Curve("lost"),),
            number,
            translate("Plots", "Sound that never reached the recogniser."),
            least=1000,
        ),
        Plot("cores", translate("Plots", "Processor"), (Curve("cores"),), cores, digits=2),
        Plot("memory", translate("Plots", "Memory"), (Curve("memory"),), mebibytes, least=500),
        Plot(
            "gpu_memory",
            translate("Plots", "GPU memory"),
            (Curve("gpu_memory"),),
            gibibytes,
            translate("Plots", "Of all programs together; the axis ends at what there is."),
            fixed=(0.0, max(gpu_gib, 0.001)),
        ),
        Plot(
            "gpu_load",
            translate("Plots", "GPU load"),
            (Curve("gpu_load"),),
            percent,
            translate("Plots", "Share of the last moment in which it computed."),
            fixed=(0.0, 100.0),
        ),
    )


def _two_digits(value: float) -> str:
    return number(value, 2)
