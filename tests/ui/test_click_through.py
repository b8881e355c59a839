"""A locked panel on a real screen: clicks arrive in the window below, and a key unlocks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_screen import XDisplay
from Xlib import X
from Xlib.display import Display

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SAID = json.dumps([[0, "It was the best of times", " it was"]])


def until(ready: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if value := ready():
            return value
        time.sleep(0.1)
    pytest.fail(f"{what} did not come")


class Below:
    """A window that counts the clicks it gets."""

    def __init__(self, display: XDisplay) -> None:
        self.connection = Display(display.name)
        screen = self.connection.screen()
        self.window = screen.root.create_window(
            100, 400, 1700, 650, 0, screen.root_depth,
            background_pixel=screen.white_pixel, event_mask=X.ButtonPressMask,
        )  # fmt: skip
        self.window.set_wm_name("below")
        self.window.set_wm_normal_hints(flags=1, min_width=1)  # where it is asked to be
        self.window.map()
        self.connection.sync()
        self.clicks = 0

    def count(self) -> int:
        self.connection.sync()
        while self.connection.pending_events():
            self.clicks += self.connection.next_event().type == X.ButtonPress
        return self.clicks

    def close(self) -> None:
        self.window.destroy()
        self.connection.sync()
        self.connection.close()


@pytest.fixture
def below(x_display: XDisplay) -> Iterator[Below]:
    window = Below(x_display)
    yield window
    window.close()


@pytest.fixture
def locked(below: Below, x_display: XDisplay, tmp_path: Path) -> Iterator[str]:
    """The whole program, locked by its settings file; the number of its window."""
    del below
    folder = tmp_path / "config"
    (folder / "captionglass").mkdir(parents=True)
    (folder / "captionglass" / "settings.toml").write_text("locked = true\n", encoding="utf-8")
    env = x_display.env | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
        "XDG_CONFIG_HOME": str(folder),
    }
    command = [sys.executable, str(ROOT / "tests" / "overlay_window.py"), SAID]
    program = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    try:
        yield until(lambda: find(x_display), "the window")
    finally:
        program.terminate()
        assert program.wait(20) == 143


def find(display: XDisplay) -> str:
    done = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "^Captionglass$"],
        env=display.env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def test_clicks_reach_what_is_below_until_it_is_unlocked(
    locked: str, below: Below, x_display: XDisplay
) -> None:
    lines = x_display.xdotool("getwindowgeometry", "--shell", locked).splitlines()
    place = {key: int(value) for key, value in (line.split("=") for line in lines)}
    x, y = place["X"] + place["WIDTH"] // 2, place["Y"] + place["HEIGHT"] - 40

    def click() -> int:
        x_display.xdotool("mousemove", str(x), str(y), "click", "1")
        time.sleep(0.15)
        return below.count()

    until(lambda: click() >= 1, "a click in the window below")
    before = below.count()
    assert click() == before + 1
    assert click() == before + 2
    x_display.xdotool("key", "ctrl+alt+shift+l")
    # A click before the key is heard may still pass.
    until(lambda: click() == below.count() == click(), "a panel that takes clicks")
    before = below.count()
    assert click() == before
    x_display.xdotool("key", "ctrl+alt+shift+l")
    until(lambda: click() > before, "a click in the window below again")
    # Hidden and shown again it gets another frame.
    for _ in range(2):
        x_display.xdotool("key", "ctrl+alt+shift+h")
        time.sleep(0.6)
    until(lambda: find(x_display), "the window again")
    before = below.count()
    until(lambda: click() > before, "a click through the new frame")
