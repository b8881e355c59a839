"""The transcript window on a real screen: real wheel, clicks and keys."""

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

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
State = dict[str, Any]


class Program:
    """The window in a process of its own."""

    def __init__(self, display: XDisplay, folder: Path) -> None:
        self.display = display
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "transcript_screen.py"), str(folder)],
            env=display.env | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, order: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()

    def state(self) -> State:
        assert self.process.stdout is not None
        self.tell("state")
        found: State = json.loads(self.process.stdout.readline())
        return found

    def until(self, right: Callable[[State], bool]) -> State:
        end = time.monotonic() + 20
        while True:
            state = self.state()
            if right(state):
                return state
            assert time.monotonic() < end, state
            time.sleep(0.05)

    def click(self, at: list[int], button: int = 1) -> None:
        self.display.xdotool("mousemove", str(at[0]), str(at[1]), "click", str(button))


@pytest.fixture
def program(x_display: XDisplay, tmp_path: Path) -> Iterator[Program]:
    made = Program(x_display, tmp_path)
    yield made
    assert made.process.stdin is not None
    made.process.stdin.close()
    assert made.process.stdout is not None
    assert made.process.wait(20) == 0
    made.process.stdout.close()


def test_one_scrolls_up_comes_back_and_searches(program: Program) -> None:
    state = program.until(lambda now: bool(now["active"]) and bool(now["at_end"]))
    for _ in range(6):
        program.click(state["table"], 4)
    program.until(lambda now: not now["at_end"])
    program.tell("say what came meanwhile")
    state = program.until(lambda now: now["latest"] == "Jump to latest (1 new)")
    assert state["mark"] == 60
    program.click(state["latest_at"])
    program.until(lambda now: bool(now["at_end"]) and not now["latest"])
    program.display.xdotool("key", "ctrl+f")
    program.display.xdotool("type", "NUMBER 1")
    program.until(lambda now: now["count"] == "11 of 11")
    program.display.xdotool("key", "Return")
    program.until(lambda now: now["count"] == "1 of 11")
    program.click(state["copy_at"])
    program.until(lambda now: "what came meanwhile" in now["copied"])
