"""A real X display of the tests' own, with a window manager and a compositor."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

_START_S = 20.0


@dataclass(frozen=True, slots=True)
class XDisplay:
    """A running display.

    Attributes:
        name: what ``DISPLAY`` is to be, e.g. ``:93``.
        size: pixels, (width, height).
    """

    name: str
    size: tuple[int, int]

    @property
    def env(self) -> dict[str, str]:
        """The environment for a program that shall appear on it through Qt's xcb plugin."""
        env = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
        return env | {"DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb"}

    def screenshot(self, path: Path) -> Path:
        """Write the whole screen, as the compositor shows it, to a PNG file."""
        subprocess.run(
            ["import", "-display", self.name, "-window", "root", str(path)],
            check=True,
            timeout=30,
            capture_output=True,
        )
        return path

    def xdotool(self, *arguments: str) -> str:
        """Run xdotool on it (pointer, keys, window search); returns what it prints."""
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self.env,
            check=True,
            timeout=30,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()


@pytest.fixture(autouse=True)
def _no_key_is_left_down(request: pytest.FixtureRequest) -> Iterator[None]:
    """It would repeat itself into whatever the next test opens."""
    yield
    if "x_display" not in request.fixturenames:
        return
    from Xlib.display import Display

    connection = Display(request.getfixturevalue("x_display").name)
    try:
        keys = connection.query_keymap()
    finally:
        connection.close()
    assert not any(keys), "a key was left down"


@pytest.fixture(scope="session")
def x_display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[XDisplay]:
    """Xvfb with openbox and picom. QApplication picks its platform once in a process: start the
    program under test as a subprocess with ``x_display.env``."""
    for program in ("Xvfb", "openbox", "picom", "xdotool", "import"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install xvfb openbox picom xdotool")
    size = (1920, 1080)
    folder = tmp_path_factory.mktemp("screen")
    log = (folder / "log").open("wb")
    running: list[subprocess.Popen[bytes]] = []
    try:
        name = _start_xvfb(size, log, running)
        # Otherwise a test would see the developer's own openbox settings.
        env = os.environ | {"DISPLAY": name, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        running.append(subprocess.Popen(["openbox"], env=env, stdout=log, stderr=log))
        _wait_for("a window manager", lambda: _root_has(name, "_NET_SUPPORTING_WM_CHECK"))
        picom = ["picom", "--backend", "xrender", "--config", os.devnull]
        running.append(subprocess.Popen(picom, env=env, stdout=log, stderr=log))
        _wait_for("a compositor", lambda: _composited(name))
        yield XDisplay(name, size)
    finally:
        for process in reversed(running):
            process.terminate()
        for process in reversed(running):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        log.close()


@contextlib.contextmanager
def bare_display(folder: Path, size: tuple[int, int]) -> Iterator[XDisplay]:
    """Xvfb with nothing on it: no window manager, no compositor."""
    for program in ("Xvfb", "import"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install xvfb imagemagick")
    running: list[subprocess.Popen[bytes]] = []
    with (folder / "xvfb.log").open("wb") as log:
        try:
            yield XDisplay(_start_xvfb(size, log, running), size)
        finally:
            for process in running:
                process.terminate()
                process.wait(10)


def _start_xvfb(
    size: tuple[int, int], log: IO[bytes], running: list[subprocess.Popen[bytes]]
) -> str:
    read_end, write_end = os.pipe()
    # The server picks a free number itself: nothing to guess, nothing to collide with.
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{size[0]}x{size[1]}x24"]
    command += ["-nolisten", "tcp", "+extension", "Composite", "+extension", "RANDR"]
    try:
        running.append(subprocess.Popen(command, pass_fds=(write_end,), stdout=log, stderr=log))
    finally:
        os.close(write_end)
    with os.fdopen(read_end) as pipe:
        number = pipe.readline().strip()
    if not number:
        pytest.fail("Xvfb did not start")
    return f":{number}"


def _wait_for(what: str, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.05)
    pytest.fail(f"{what} did not come up on the test display")


def _root_has(display: str, prop: str) -> bool:
    done = subprocess.run(
        ["xprop", "-display", display, "-root", prop], capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and "window id" in done.stdout


def _composited(display: str) -> bool:
    """A compositor owns the selection ``_NET_WM_CM_S0``; only the X protocol tells."""
    from Xlib.display import Display

    connection = Display(display)
    try:
        return bool(connection.get_selection_owner(connection.intern_atom("_NET_WM_CM_S0")))
    finally:
        connection.close()
