"""The first steps on a real screen, from the very first start of the program to the second."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fixtures_screen import XDisplay

from desktop_app.settings.store import default_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TITLE = "Welcome to Captionglass"
_LIMIT_S = 60.0


def start(display: XDisplay, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "desktop_app", *arguments],
        cwd=ROOT,
        env=display.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def wait(what: str, ready: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _LIMIT_S
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, what
        time.sleep(0.1)


@pytest.fixture
def first(x_display: XDisplay) -> Iterator[subprocess.Popen[str]]:
    """Started where nothing was ever chosen."""
    process = start(x_display)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def shown(display: XDisplay, title: str = TITLE) -> list[str]:
    """Windows of that title that can be seen."""
    done = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", title],
        env=display.env,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout.split()


def test_they_are_made_by_the_keyboard_and_come_again_only_when_asked_for(
    x_display: XDisplay, first: subprocess.Popen[str]
) -> None:
    wait("the first steps", lambda: bool(shown(x_display)), first)
    (window,) = shown(x_display)
    x_display.xdotool("windowactivate", "--sync", window)
    assert not default_path().exists()
    for _ in range(4):
        # To whatever has the focus: a window that goes on the key's way down would leave it down.
        x_display.xdotool("key", "Return")
        time.sleep(0.5)
    wait("the end of the first steps", lambda: not shown(x_display), first)
    assert default_path().exists()
    again = start(x_display, "--first-run")
    assert again.communicate(timeout=_LIMIT_S)[1] == ""
    wait("the first steps again", lambda: bool(shown(x_display)), first)
    assert start(x_display, "--quit").communicate(timeout=_LIMIT_S)[1] == ""
    assert first.wait(_LIMIT_S) == 0
    second = start(x_display)
    try:
        wait("the captions", lambda: bool(shown(x_display, "^Captionglass$")), second)
        assert shown(x_display) == []
    finally:
        start(x_display, "--quit").communicate(timeout=_LIMIT_S)
        second.communicate(timeout=_LIMIT_S)
