"""The settings on a real screen: by real keys, from another start of the program, by an editor."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from fixtures_screen import XDisplay

from desktop_app.settings.store import SettingsStore, default_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")


def until(found: Callable[[], T], what: str) -> T:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come")


class Program:
    """The overlay in a process of its own, and other starts of it."""

    def __init__(self, display: XDisplay) -> None:
        self.display = display
        self._env = display.env | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
        script = str(ROOT / "tests" / "overlay_window.py")
        self._process = subprocess.Popen(
            [sys.executable, script, json.dumps([[0, "It was the best of times", ""]])],
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.panel = until(lambda: self.found("^Captionglass$"), "the panel")

    def found(self, name: str) -> str:
        assert self._process.poll() is None, self._process.communicate()
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", name],
            env=self._env,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def ask(self, *options: str) -> None:
        command = [sys.executable, "-m", "desktop_app", *options]
        subprocess.run(command, env=self._env, cwd=ROOT, check=True, timeout=60)

    def height(self) -> int:
        said = self.display.xdotool("getwindowgeometry", "--shell", self.panel)
        return int(dict(line.split("=") for line in said.splitlines())["HEIGHT"])

    def end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        _, errors = self._process.communicate(timeout=20)
        assert errors == ""


@pytest.fixture
def program(x_display: XDisplay) -> Iterator[Program]:
    started = Program(x_display)
    yield started
    started.end()


def test_settings_are_opened_searched_and_changed_by_keys_alone(program: Program) -> None:
    keys = program.display.xdotool
    program.ask("--settings")
    window = until(lambda: program.found("^Settings – Captionglass$"), "the settings")
    keys("windowactivate", "--sync", window)

    def look_for(text: str) -> None:
        keys("key", "ctrl+f")
        keys("type", text)
        keys("key", "Return", "Tab", "Tab")

    look_for("Keep what was said")
    keys("key", "space")
    until(lambda: not SettingsStore().load().keep_history, "the change")
    look_for("Global hotkeys")
    keys("key", "space")
    keys("key", "ctrl+shift+F9")
    until(lambda: SettingsStore().load().hotkeys == {"toggle_visible": "Ctrl+Shift+F9"}, "the key")
    keys("key", "ctrl+shift+F9")
    until(lambda: not program.found("^Captionglass$"), "the end of the panel")
    # A key that is held toggles once: what follows at once is the same press.
    time.sleep(0.5)
    keys("key", "ctrl+shift+F9")
    until(lambda: program.found("^Captionglass$"), "the panel")
    keys("windowactivate", "--sync", window)
    keys("key", "Escape", "Escape")
    until(lambda: not program.found("^Settings – Captionglass$"), "the end of the settings")


def test_presets_and_editors_change_the_panel_that_is_shown(program: Program) -> None:
    before = program.height()
    program.ask("--use-preset", "lecture")
    until(lambda: program.height() > before, "the preset")
    until(lambda: SettingsStore().load().lines == 5, "the setting")
    tall = program.height()
    path = default_path()
    text = path.read_text(encoding="utf-8").replace("lines = 5", "lines = 2")
    other = path.with_suffix(".new")
    other.write_text(text, encoding="utf-8")
    other.replace(path)
    until(lambda: program.height() < tall, "the edit")
