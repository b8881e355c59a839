"""Two screens with different scaling, without a display: places are kept for each arrangement, and
letters are drawn with the pixels that the screen has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
from PySide6.QtWidgets import QApplication
from desktop_app.settings.declared import Settings
from desktop_app.ui import theme
from desktop_app.ui.overlay import Overlay
application = QApplication([])
theme.load_fonts()
found = []
for places in json.loads(sys.argv[1]):
    overlay = Overlay(Settings.model_validate({"geometry": places, "lines": 2}))
    overlay.show()
    application.processEvents()
    picture = overlay.view.grab()
    found.append({
        "panel": overlay.panel().getRect(),
        "ratio": overlay.devicePixelRatioF(),
        "pixels": [picture.width(), picture.height()],
    })
    overlay.hide()
print(json.dumps(found))
"""
LAPTOP = {"name": "laptop", "x": 0, "y": 0, "width": 1280, "height": 800}
DESK = {"name": "desk", "x": 1280, "y": -200, "width": 3200, "height": 1800}
SCALES = "laptop=1;desk=2"


def shown(folder: Path, screens: list[dict[str, Any]], places: list[Any]) -> list[Any]:
    """Where panels are with these screens, for each of the settings."""
    file = folder / "screens.json"
    dpi = {"logicalDpi": 96, "logicalBaseDpi": 96}
    file.write_text(json.dumps({"screens": [screen | dpi for screen in screens]}), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(places)],
        env=os.environ
        | {"QT_QPA_PLATFORM": f"offscreen:configfile={file}", "QT_SCREEN_SCALE_FACTORS": SCALES},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_places_belong_to_arrangements_and_pixels_to_screens(tmp_path: Path) -> None:
    both = "1280x800+0+0 1600x900+1280-200"
    place = {"x": 1400, "y": 100, "width": 700, "height": 110}
    alone = {"x": 30, "y": 500, "width": 640, "height": 110}
    known = {"1280x800+0+0": alone, both: place}
    there, kept = shown(tmp_path, [LAPTOP, DESK], [{both: place}, known])
    assert there == kept
    assert there["panel"][0::2] == [1400, 700]
    assert there["ratio"] == 2
    assert there["pixels"] == [2 * each for each in there["panel"][2:]]
    brought, back = shown(tmp_path, [LAPTOP], [{both: place}, known])
    x, y, width, height = brought["panel"]
    assert width == 700
    assert 0 <= x <= 1280 - width
    assert 0 <= y <= 800 - height
    assert (brought["ratio"], brought["pixels"]) == (1, [width, height])
    assert back["panel"][0::2] == [30, 640]
