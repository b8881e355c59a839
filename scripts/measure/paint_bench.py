"""Measure what painting captions costs: an update, a glide, and nothing.

.venv/bin/python scripts/measure/paint_bench.py [--scale 2] [--width 1920] [--seconds 6]

Prints milliseconds a repaint, repaints an update, and cores in use while words come and while none
do. Paints to memory (Qt's offscreen platform) unless QT_QPA_PLATFORM says otherwise.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UPDATES_S = 3  # a word each: people speak so fast
SENTENCE = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age "
    "of foolishness, 春江潮水连海平，海上明月共潮生 it was the season of light."
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", default="2", help="device pixels in one pixel")
    parser.add_argument("--width", type=int, default=1920, help="of the panel, device pixels")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each part")
    wanted = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = wanted.scale
    measure(wanted.width / float(wanted.scale), wanted.seconds)
    return 0


def measure(width: float, seconds: float) -> None:
    """Print the costs of a panel so wide, device-independent pixels."""
    from PySide6.QtCore import QRect, QTimer, qInstallMessageHandler
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QApplication

    from desktop_app.settings.declared import Settings
    from desktop_app.ui.caption_view import CaptionView
    from desktop_app.ui.overlay import Overlay
    from desktop_app.ui.theme import load_fonts
    from engine.types import CaptionUpdate

    painted: list[float] = []
    plain = CaptionView.paintEvent

    def timed(view: CaptionView, event: QPaintEvent) -> None:
        began = time.perf_counter()
        plain(view, event)
        painted.append(1000 * (time.perf_counter() - began))

    CaptionView.paintEvent = timed  # type: ignore[method-assign, assignment]
    qInstallMessageHandler(lambda *_: None)
    application = QApplication(["paint_bench"])
    load_fonts()
    words = SENTENCE.split()

    def update(number: int) -> CaptionUpdate:
        segment, said = divmod(number, len(words))
        stable, tail = " ".join(words[:said]), (" " if said else "") + words[said]
        return CaptionUpdate("mic", segment, said, stable, tail, segment, segment + 1, 0.0)

    def run(overlay: Overlay, name: str, talking: bool) -> None:
        painted.clear()
        number = 0
        timer = QTimer()

        def say() -> None:
            nonlocal number
            overlay.apply([update(number)])
            number += 1

        timer.timeout.connect(say)
        if talking:
            timer.start(1000 // UPDATES_S)
        wall, cpu = time.monotonic(), time.process_time()
        QTimer.singleShot(round(seconds * 1000), lambda: application.exit(0))
        application.exec()
        timer.stop()
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        each = f"{len(painted) / number:.1f} an update" if number else f"{len(painted)}"
        cost = "-"
        if painted:
            ranked = sorted(painted)
            cost = f"{statistics.median(ranked):.2f} / {ranked[int(len(ranked) * 0.95)]:.2f} ms"
        print(f"{name:<34}{cost:>18}{each:>18}{cpu / wall:>10.4f} cores")

    print(f"{'':<34}{'repaint p50 / p95':>18}{'repaints':>18}{'':>16}")
    for name, chosen in (
        ("words come, no motion", {"reduced_motion": True}),
        ("words come, lines glide", {"fade_in": False}),
        ("words come and fade in", {}),
        ("with a shadow", {"shadow": 60}),
    ):
        overlay = Overlay(Settings.model_validate(chosen))
        overlay.show()
        overlay.set_panel(QRect(0, 300, round(width), overlay.view.height_for(3)))
        for number in range(2 * len(words)):  # the fonts are loaded, the glyphs are drawn
            overlay.view.apply([update(number)])
            overlay.view.flush()
            overlay.grab()
        overlay.view.catch_up()
        overlay.view.begin_session()
        application.processEvents()
        run(overlay, name, talking=True)
        if not chosen:
            overlay.view.catch_up()
            application.processEvents()
            run(overlay, "nothing is said", talking=False)
        overlay.hide()


if __name__ == "__main__":
    sys.exit(main())
