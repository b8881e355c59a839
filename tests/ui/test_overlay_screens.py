"""Screens on a real X server: two with different scaling, one that is unplugged under the panel and
comes back, and windows that fill a screen."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_screen import XDisplay
from overlay_program import OverlayProgram, until
from Xlib import X, Xatom
from Xlib.display import Display

from desktop_app.ui.overlay import STRIP

pytestmark = pytest.mark.slow

SCALES = {"QT_SCREEN_SCALE_FACTORS": "left=1;right=2", "QT_SCALE_FACTOR_ROUNDING_POLICY": "Round"}
BOTH = "960x1080+0+0 480x540+960+0"
ALONE = "960x1080+0+0"
"""As Qt counts them: the right one has two pixels a step."""


class Monitors:
    """Two halves of the screen as monitors; the right one can be unplugged."""

    def __init__(self, display: XDisplay) -> None:
        self._display = display
        self._run("--setmonitor", "left", "960/254x1080/285+0+0", "screen")
        self.plug()

    def plug(self) -> None:
        self._run("--setmonitor", "right", "960/254x1080/285+960+0", "none")

    def unplug(self) -> None:
        self._run("--delmonitor", "right")

    def close(self) -> None:
        for name in ("right", "left"):
            self._run("--delmonitor", name, check=False)

    def _run(self, *arguments: str, check: bool = True) -> None:
        subprocess.run(
            ["xrandr", *arguments],
            env=self._display.env,
            check=check,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if not check else None,
            timeout=20,
        )


@pytest.fixture
def monitors(x_display: XDisplay) -> Iterator[Monitors]:
    made = Monitors(x_display)
    yield made
    made.close()


def geometry(arrangement: str, x: int, y: int, width: int, height: int) -> str:
    return f'[geometry."{arrangement}"]\nx = {x}\ny = {y}\nwidth = {width}\nheight = {height}\n'


def test_the_panel_survives_its_screen_and_goes_back_to_it(
    x_display: XDisplay, monitors: Monitors, tmp_path: Path
) -> None:
    settings = "lines = 2\n" + geometry(BOTH, 1000, 300, 400, 110)
    program = OverlayProgram(x_display, tmp_path, settings, **SCALES)

    def inside() -> tuple[int, int, int, int]:
        """The panel, in pixels of the screen."""
        x, y, width, height = program.place()
        scale = 2 if x >= 960 else 1
        return x, y + STRIP * scale, width, height - STRIP * scale

    try:
        # 40 steps from the left of its screen, 400 wide: two pixels each.
        until(lambda: (inside()[0], inside()[2]) == (960 + 80, 800), "the right screen")
        tall = inside()[3]
        monitors.unplug()
        # As wide as before, at the scale of this screen. It is moved first, then scaled.
        until(
            lambda: inside()[0] <= 560 and inside()[2] == 400 and abs(inside()[3] - tall / 2) <= 2,
            "the screen that is left",
        )
        assert program.process.poll() is None
        x, y, width, height = inside()
        x_display.xdotool("mousemove", str(x + width // 2), str(y + height - 20), "mousedown", "1")
        for step in range(1, 9):
            x_display.xdotool("mousemove", str(x + width // 2 - 10 * step), str(y + height - 20))
        x_display.xdotool("mouseup", "1")
        until(lambda: inside()[0] == x - 80, "the place it was dragged to")

        def kept() -> Any:
            return tomllib.loads(program.settings_file.read_text("utf-8"))["geometry"]

        until(lambda: kept().get(ALONE, {}).get("x") == x - 80, "the place in the settings")
        assert kept()[BOTH]["x"] == 1000, "each arrangement has its own"
        monitors.plug()
        until(
            lambda: (inside()[0], *inside()[2:]) == (960 + 80, 800, tall), "the right screen again"
        )
        monitors.unplug()
        until(lambda: inside()[:3] == (x - 80, y, 400), "where it was on the left one")
    finally:
        program.end()
    assert kept()[BOTH] == {"x": 1000, "y": 300, "width": 400, "height": 110}


class Full:
    """A window that fills the screen and has the focus, as a film or a game does."""

    def __init__(self, display: XDisplay) -> None:
        self.connection = Display(display.name)
        self.root = self.connection.screen().root
        self.window = self.root.create_window(
            0, 0, 800, 600, 0, self.connection.screen().root_depth,
            background_pixel=self.connection.screen().white_pixel,
            event_mask=X.ButtonPressMask,
        )  # fmt: skip
        self.window.set_wm_name("full")
        self.window.map()
        self.connection.sync()
        until(self.has_focus, "the focus")

    def has_focus(self) -> bool:
        focus = self.connection.get_input_focus().focus
        return bool(getattr(focus, "id", None) == self.window.id)

    def fill(self, on: bool) -> None:
        """As F11 does."""
        from Xlib.protocol import event

        atom = self.connection.intern_atom
        data = (32, [int(on), atom("_NET_WM_STATE_FULLSCREEN"), 0, 1, 0])
        message = event.ClientMessage(
            window=self.window, client_type=atom("_NET_WM_STATE"), data=data
        )
        self.root.send_event(message, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.connection.sync()
        size = (1920, 1080) if on else (800, 600)
        until(lambda: self._size() == size, "the full screen")

    def _size(self) -> tuple[int, int]:
        found = self.window.get_geometry()
        return found.width, found.height

    def below(self, window: str) -> bool:
        """Whether a window stands above it."""
        atom = self.connection.intern_atom("_NET_CLIENT_LIST_STACKING")
        stack = list(self.root.get_full_property(atom, Xatom.WINDOW).value)
        return stack.index(self.window.id) < stack.index(int(window))

    def clicked(self) -> bool:
        """Whether a click has arrived in it."""
        self.connection.sync()
        waiting = range(self.connection.pending_events())
        kinds = [self.connection.next_event().type for _ in waiting]
        return X.ButtonPress in kinds

    def close(self) -> None:
        self.window.destroy()
        self.connection.sync()
        self.connection.close()


@pytest.fixture
def full(x_display: XDisplay) -> Iterator[Full]:
    window = Full(x_display)
    yield window
    window.close()


def test_it_stays_above_a_window_that_fills_the_screen(
    x_display: XDisplay, full: Full, tmp_path: Path
) -> None:
    program = OverlayProgram(x_display, tmp_path)
    own = program.window
    try:
        assert full.has_focus()
        for _ in range(2):
            full.fill(True)
            until(lambda: full.below(own), "the captions")
            assert full.has_focus()
            # What is done to it does not put it above the captions again.
            x_display.xdotool("mousemove", "300", "100", "click", "1")
            full.window.configure(stack_mode=X.Above)
            full.connection.sync()
            until(lambda: full.below(own), "the captions")
            full.fill(False)
        full.fill(True)
        until(lambda: full.below(own), "the captions")
        x_display.xdotool("windowminimize", str(full.window.id))
        # A dialog is put away with its window; the captions come back.
        until(lambda: own in visible(x_display), "the captions by themselves")
        assert "not found" in owner_of(x_display, own)
    finally:
        program.end()


def test_locked_above_it_clicks_reach_it(x_display: XDisplay, full: Full, tmp_path: Path) -> None:
    program = OverlayProgram(x_display, tmp_path, "locked = true\n")
    try:
        full.fill(True)
        until(lambda: full.below(program.window), "the captions")
        x, y, width, height = program.place()
        full.clicked()

        def through() -> bool:
            x_display.xdotool("mousemove", str(x + width // 2), str(y + height - 50), "click", "1")
            return full.clicked()

        until(through, "a click in the window below")
        assert full.below(program.window)
    finally:
        program.end()


def visible(display: XDisplay) -> list[str]:
    done = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "^Captionglass$"],
        env=display.env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


def owner_of(display: XDisplay, window: str) -> str:
    done = subprocess.run(
        ["xprop", "-id", window, "WM_TRANSIENT_FOR"],
        env=display.env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
