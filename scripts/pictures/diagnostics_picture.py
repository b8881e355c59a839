"""Make the picture of the diagnostics pane: three minutes of the real engine on real speech.

.venv/bin/python scripts/pictures/diagnostics_picture.py        writes docs/diagnostics.png

No screen is needed. What is heard is assets/demo.wav again and again, with pauses between.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZE = (1120, 880)
SCALE = "1.5"
PAUSES_S = (6.0, 14.0, 3.0, 9.0)
TAKES_S = 190
COLOURS = 128


def main() -> int:
    """Start this file again where no screen, no settings and no history are touched."""
    if "CAPTIONGLASS_PICTURE" in os.environ:
        return take_picture(Path(os.environ["CAPTIONGLASS_PICTURE"]))
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "QT_SCALE_FACTOR": SCALE,
            "PYTHONPATH": str(ROOT),
            "XDG_CONFIG_HOME": home,
            "XDG_STATE_HOME": home,
            "CAPTIONGLASS_HISTORY": home,
            "CAPTIONGLASS_PICTURE": home,
        }
        subprocess.run([sys.executable, __file__], env=env, check=True)
        picture = ROOT / "docs" / "diagnostics.png"
        reduce = ["convert", f"{home}/picture.png", "-strip", "+dither", "-colors", str(COLOURS)]
        subprocess.run([*reduce, "-define", "png:compression-level=9", str(picture)], check=True)
    return 0


def take_picture(folder: Path) -> int:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.application.startup import OverlayOptions
    from desktop_app.ui.diagnostics import Diagnostics
    from desktop_app.ui.theme import load_fonts

    application = QApplication(["captionglass"])
    load_fonts()
    captions = CaptionApp(OverlayOptions(source=str(speech(folder))))
    captions.begin()
    captions.show_diagnostics()
    pane = captions.windows.opened("diagnostics")
    assert isinstance(pane, Diagnostics)
    pane.resize(*SIZE)

    def photograph() -> None:
        if max(captions.stats().level_dbfs.values(), default=0.0) < -30:
            QTimer.singleShot(100, photograph)
            return
        pane.refresh()
        if focused := pane.focusWidget():
            focused.clearFocus()
        pane.grab().save(str(folder / "picture.png"))
        application.quit()

    QTimer.singleShot(TAKES_S * 1000, photograph)
    application.exec()
    captions.shut_down()
    return 0


def speech(folder: Path) -> Path:
    """Somebody speaks, pauses, and speaks again."""
    import numpy as np
    import soundfile

    samples, rate = soundfile.read(ROOT / "assets" / "demo.wav", dtype="float32")
    hush = np.random.default_rng(7)
    parts = []
    for seconds in PAUSES_S:
        quiet = hush.normal(0.0, 0.0012, int(seconds * rate)).astype(np.float32)
        parts += [samples, quiet]
    path = folder / "speech.wav"
    soundfile.write(path, np.concatenate([*parts, samples]), rate)
    return path


if __name__ == "__main__":
    sys.exit(main())
