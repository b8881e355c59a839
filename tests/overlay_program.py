"""The whole program on a screen of the tests, in a process and a settings folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from fixtures_screen import XDisplay

ROOT = Path(__file__).resolve().parents[1]
SAID = [[0, "It was the best of times, it was the worst of times, it was", " the age"]]
T = TypeVar("T")


def until(ready: Callable[[], T], what: str, seconds: float = 30.0) -> T:
    """What ``ready`` gives, once it gives something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := ready():
            return value
        time.sleep(0.1)
    pytest.fail(f"{what} did not come")


class OverlayProgram:
    """Runs until ``end``.

    Args:
        display: where.
        folder: for its settings.
        settings: its settings file.
        qt: more of the environment.

    Attributes:
        window: the number of its window.
    """

    def __init__(self, display: XDisplay, folder: Path, settings: str = "", **qt: str) -> None:
        self.display = display
        self.settings_file = folder / "captionglass" / "settings.toml"
        self.settings_file.parent.mkdir(parents=True, exist_ok=True)
        self.settings_file.write_text(settings, encoding="utf-8")
        env = display.env | {
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
            "XDG_CONFIG_HOME": str(folder),
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "overlay_window.py"), json.dumps(SAID)],
            env=env | qt,
            stdout=subprocess.DEVNULL,
        )
        self.window = until(self._find, "the window")

    def _find(self) -> str:
        assert self.process.poll() is None, "the program ended"
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "^Captionglass$"],
            env=self.display.env,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def place(self) -> tuple[int, int, int, int]:
        """Of the window, in pixels of the screen: x, y, width, height."""
        lines = self.display.xdotool("getwindowgeometry", "--shell", self.window).splitlines()
        found = dict(line.split("=") for line in lines)
        x, y, width, height = (int(found[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))
        return x, y, width, height

    def end(self) -> None:
        """Ask it to end, and see that it does."""
        self.process.terminate()
        assert self.process.wait(20) == 143
