"""Make the picture of the README: a real window over a drawn landscape, with the real engine.

.venv/bin/python scripts/pictures/screenshot.py        writes docs/overlay.png

Needs Xvfb, openbox, picom and import (ImageMagick); starts a screen of its own. The words are
what the default model makes of assets/demo.wav at speaking pace.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZE = (1920, 1080)
SCALE = "1.5"
LEAST_S = 14.0
MOST_S = 60.0


def main() -> int:
    """Start a screen, and this file again on it."""
    if "CAPTIONGLASS_SCREENSHOT" in os.environ:
        return take_pictures(Path(os.environ["CAPTIONGLASS_SCREENSHOT"]))
    folder = ROOT / "docs"
    folder.mkdir(exist_ok=True)
    running: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as home:
        try:
            display = start_xvfb(running)
            env = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
            env |= {
                "DISPLAY": display,
                "XDG_CONFIG_HOME": home,
                "QT_QPA_PLATFORM": "xcb",
                "QT_SCALE_FACTOR": SCALE,
                "PYTHONPATH": str(ROOT),
                "CAPTIONGLASS_SCREENSHOT": str(folder),
            }
            for command in (["openbox"], ["picom", "--backend", "xrender", "--config", os.devnull]):
                running.append(subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL))
                time.sleep(1)
            return subprocess.run([sys.executable, __file__], env=env, check=False).returncode
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait()


def start_xvfb(running: list[subprocess.Popen[bytes]]) -> str:
    """A free screen's name; the server picks the number."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24"]
    running.append(
        subprocess.Popen(
            [*command, "-nolisten", "tcp"], pass_fds=(write_end,), stderr=subprocess.DEVNULL
        )
    )
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        return f":{pipe.readline().strip()}"


def take_pictures(folder: Path) -> int:
    """On the screen: wait for a good moment of the demo, and photograph it."""
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import (
        QColor,
        QGuiApplication,
        QLinearGradient,
        QPainter,
        QPainterPath,
        QPaintEvent,
        QRadialGradient,
        Qt,
    )
    from PySide6.QtWidgets import QApplication, QWidget

    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.application.startup import OverlayOptions
    from desktop_app.ui.theme import load_fonts

    class Landscape(QWidget):
        """Evening over hills: bright above, dark below, so that legibility is put to the test."""

        def paintEvent(self, _event: QPaintEvent) -> None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            width, height = self.width(), self.height()
            sky = QLinearGradient(0, 0, 0, height)
            for place, colour in ((0, "#2b4a7f"), (0.45, "#e69a7a"), (0.7, "#fbe3b8")):
                sky.setColorAt(place, QColor(colour))
            painter.fillRect(self.rect(), sky)
            sun = QRadialGradient(width * 0.68, height * 0.56, height * 0.32)
            for place, colour in ((0, "#fffdf2"), (0.22, "#fff3c4"), (0.26, "#60fff0c0")):
                sun.setColorAt(place, QColor(colour))
            sun.setColorAt(1, QColor(255, 240, 200, 0))
            painter.fillRect(self.rect(), sun)
            chance = random.Random(11)
            painter.setPen(Qt.PenStyle.NoPen)
            hills = ("#b98a86", "#7d6478", "#4d4a66", "#2b3350", "#161d33")
            for number, colour in enumerate(hills):
                base = height * (0.60 + 0.085 * number)
                waves = [(chance.uniform(0.6, 3.2), chance.uniform(0, 6.3)) for _ in range(4)]
                path = QPainterPath()
                path.moveTo(0, height)
                for x in range(0, width + 4, 4):
                    rise = sum(
                        math.sin(x / width * 6.3 * speed + shift) / (1 + speed)
                        for speed, shift in waves
                    )
                    path.lineTo(x, base - rise * height * 0.045)
                path.lineTo(width, height)
                painter.fillPath(path, QColor(colour))
            painter.end()

    flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnBottomHint
    application = QApplication(["captionglass"])
    load_fonts()
    # Openbox puts a window as large as the screen above everything.
    landscape = Landscape(None, flags | Qt.WindowType.WindowDoesNotAcceptFocus)
    landscape.setGeometry(QGuiApplication.primaryScreen().geometry().adjusted(0, 0, 0, -1))
    landscape.show()
    captions = CaptionApp(OverlayOptions(source=str(ROOT / "assets" / "demo.wav")))
    # Where the sun is behind it, to show that the panel is translucent.
    panel = captions.overlay.panel()
    captions.overlay.set_panel(panel.translated(0, landscape.height() * 6 // 10 - panel.y()))
    captions.begin()
    began = time.monotonic()
    result = 1

    def look() -> None:
        nonlocal result
        late = time.monotonic() - began > MOST_S
        if not late and (time.monotonic() - began < LEAST_S or not good_moment(captions)):
            return
        timer.stop()
        captions.overlay.bar.show()
        captions.overlay.notices.changed.emit()
        QTimer.singleShot(150, photograph)
        result = 1 if late else 0

    def photograph() -> None:
        picture = folder / "overlay.png"
        subprocess.run(["import", "-window", "root", "-strip", str(picture)], check=True)
        application.quit()

    timer = QTimer(interval=50)
    timer.timeout.connect(look)
    timer.start()
    application.exec()
    captions.shut_down()
    return result


def good_moment(captions: object) -> bool:
    """Three full lines, of which the last is still being spoken."""
    from desktop_app.application.caption_app import CaptionApp

    assert isinstance(captions, CaptionApp)
    view = captions.overlay.view
    lines = view.lines
    if view.gliding or len(lines) < 3 or any(line is None for line in lines):
        return False
    last = lines[-1]
    assert last is not None
    unstable = sum(word.stable < len(word.text) for word in last.words)
    return len(last.words) >= 4 and 1 <= unstable < len(last.words)


if __name__ == "__main__":
    sys.exit(main())
