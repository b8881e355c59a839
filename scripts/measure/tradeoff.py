#!/usr/bin/env python3
"""Latency against word errors where no shown word is ever taken back (erasure 0).

.venv/bin/python scripts/measure/tradeoff.py AUDIO... --reference MANIFEST.tsv --plot PNG

Each point is a policy that shows a word only once it is locked, as the stop "steady" does, with
other numbers for how long a word waits (theta), how many looks must agree, and how much longer a
word waits that the model is unsure of. Work is charged to a clock, as `captionglass bench
--virtual-time` does. The stop "steady" itself is marked; the broken line is what the same weights
do with whole utterances.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

# The checkout has to be on the path first.
from engine.bench.metrics import Measured, normalised, score  # noqa: E402
from engine.bench.offline import transcribe  # noqa: E402
from engine.bench.recordings import Recording, find, sound, within  # noqa: E402
from engine.bench.virtual import VirtualClock  # noqa: E402
from engine.config import STOPS, LatencyProfile  # noqa: E402
from engine.errors import CaptionglassError  # noqa: E402
from engine.lane import LanePipeline  # noqa: E402
from engine.policy import Policy  # noqa: E402
from engine.recognizers.base import Recognizer, load  # noqa: E402
from engine.stats import percentiles  # noqa: E402
from engine.types import Samples  # noqa: E402
from engine.vad import SileroVad  # noqa: E402
from models import catalogue  # noqa: E402
from models.spec import ModelFiles  # noqa: E402
from models.store import ModelStore  # noqa: E402

Heard = Sequence[tuple[Recording, Samples]]

_THETA = (0.0, 0.08, 0.2, 0.5)
_LOOKS = (1, 2, 3)
_HIGHEST = 2.0
"""How much of the plot is shown, in word error rates of whole utterances."""


@dataclass(frozen=True, slots=True)
class Point:
    """One policy: milliseconds, per cent, processor seconds for a second of sound."""

    line: str
    theta: float
    p50: float
    p95: float
    wer: float
    erasure: float
    compute: float


def policies() -> Iterator[tuple[str, Policy]]:
    """The lines of the plot, each with its points in order of theta."""
    steady = Policy.at(LatencyProfile(STOPS["steady"]))
    yield "steady", steady
    for looks, theta in itertools.product(_LOOKS, _THETA):
        plain = replace(
            steady,
            show_after=theta,
            lock_after=theta,
            show_agree=looks,
            lock_agree=looks,
            unsure=0.0,
        )
        yield f"{looks} look{'s' * (looks > 1)}, no doubt", plain
    for theta in _THETA:
        yield (
            "3 looks, unsure words wait",
            replace(steady, show_after=theta, lock_after=theta, patience=max(0.6, theta + 0.3)),
        )


def play(policy: Policy, recognizer: Recognizer, vad: ModelFiles, heard: Heard) -> Point:
    """One policy over all recordings."""
    measured, compute, seconds = Measured(), 0.0, 0.0
    for recording, samples in heard:
        ids = itertools.count()
        lane = LanePipeline("file", recognizer, SileroVad(vad), policy, ids.__next__)
        clock = VirtualClock(lane)
        measured.measure(list(clock.play(samples)), recording.reference, recording.ends)
        compute += clock.compute_s
        seconds += clock.heard_s
    stable = percentiles(measured.stable)
    return Point(
        "",
        policy.show_after,
        round(stable.p50 or 0.0),
        round(stable.p95 or 0.0),
        round(measured.wer, 2),
        round(measured.erasure, 3),
        round(compute / seconds, 3),
    )


def offline(recognizer: Recognizer, vad: ModelFiles, heard: Heard) -> float:
    """Word error rate of whole utterances, per cent."""
    errors = words = 0
    for recording, samples in heard:
        text = transcribe(samples, recognizer, SileroVad(vad))
        result = score(recording.reference or [], normalised(text))
        errors += result.errors
        words += result.words
    return 100.0 * errors / max(1, words)


def plot(points: Sequence[Point], whole: float, path: Path) -> None:
    """Two panels, the median and the 95th percentile, as a picture."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    import pyqtgraph as pg
    from pyqtgraph.exporters import ImageExporter

    pg.setConfigOptions(background="w", foreground="k", antialias=True)
    pg.mkQApp()
    widget = pg.GraphicsLayoutWidget(size=(1200, 520), show=True)
    lines = dict.fromkeys(point.line for point in points)
    colours = dict(zip(lines, ("#d00000", "#999999", "#4a90d9", "#1b4f8a", "#2a9d4a"), strict=True))
    for column, (figure, title) in enumerate((("p50", "median"), ("p95", "95th percentile"))):
        panel = widget.addPlot(row=0, col=column)
        panel.setLabel("bottom", f"stable latency, {title}, ms")
        panel.setLabel("left", "word error rate, %")
        panel.showGrid(x=True, y=True, alpha=0.2)
        # Words locked half heard would else press everything else into one line.
        panel.setYRange(0.0, _HIGHEST * whole)
        if column == 0:
            panel.addLegend(offset=(-10, 10), labelTextSize="10pt")
        panel.addItem(
            pg.InfiniteLine(whole, angle=0, pen=pg.mkPen("#666", style=pg.QtCore.Qt.DashLine))
        )
        for line, colour in colours.items():
            own = [p for p in points if p.line == line]
            panel.plot(
                [getattr(p, figure) for p in own],
                [p.wer for p in own],
                name=line,
                pen=None if line == "steady" else pg.mkPen(colour, width=2),
                symbol="star" if line == "steady" else "o",
                symbolSize=20 if line == "steady" else 8,
                symbolBrush=colour,
                symbolPen=None,
            )
    pg.QtWidgets.QApplication.processEvents()
    exporter = ImageExporter(widget.scene())
    exporter.parameters()["width"] = 1600
    exporter.export(str(path))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("audio", nargs="+", type=Path)
    parser.add_argument("--reference", required=True, type=Path, metavar="MANIFEST.tsv")
    parser.add_argument("--limit-seconds", type=float, default=1e9, metavar="N")
    parser.add_argument("--model", default="")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    asked = parser.parse_args()
    try:
        known, store = catalogue.load(), ModelStore()
        recognizer = load(store.files(known.get(asked.model or known.default)), "cpu")
        vad = store.files(known.get(known.vad))
        found = within(find(asked.audio, asked.reference), asked.limit_seconds)
        heard = [(recording, sound(recording)) for recording in found]
        whole = offline(recognizer, vad, heard)
        print(f"whole utterances: WER {whole:.2f} %", flush=True)
        points = []
        for line, policy in policies():
            point = replace(play(policy, recognizer, vad, heard), line=line)
            points.append(point)
            print(
                f"{line:28} theta {point.theta:.2f}  stable {point.p50:4.0f}/{point.p95:4.0f} ms"
                f"  WER {point.wer:5.2f}  erasure {point.erasure}  compute {point.compute:.2f}",
                flush=True,
            )
    except CaptionglassError as error:
        print(f"scripts/measure/tradeoff.py: {error}", file=sys.stderr)
        return 1
    if asked.json:
        report = {"offline_wer": whole, "points": [asdict(point) for point in points]}
        asked.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if asked.plot:
        plot(points, whole, asked.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
