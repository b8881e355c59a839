"""A real window on a real screen: what pixels, focus and stacking say."""

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

import numpy as np
import pytest
from fixtures_screen import XDisplay
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage
from Xlib import X
from Xlib.display import Display

from desktop_app.settings.declared import Settings
from desktop_app.ui import theme
from desktop_app.ui.hover_bar import HEIGHT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SAID = [[0, "It was the best of times, it was the worst of times, it was", " the age"]]
SCRIPTED = (str(ROOT / "tests" / "overlay_window.py"), json.dumps(SAID))
Pixels = NDArray[np.int64]
T = TypeVar("T")


class Overlay:
    """The program in a process of its own."""

    def __init__(self, display: XDisplay, *arguments: str) -> None:
        self.display = display
        env = display.env | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.window = until(lambda: self._find(), "the window")
        self.geometry()

    def _find(self) -> str:
        assert self.process.poll() is None, self.process.communicate()
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "^Captionglass$"],
            env=self.display.env,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def geometry(self) -> dict[str, int]:
        lines = self.display.xdotool("getwindowgeometry", "--shell", self.window).splitlines()
        return {key: int(value) for key, value in (line.split("=") for line in lines)}

    def end(self) -> tuple[int, str, str]:
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


class Background:
    """A managed window, its left half white and its right half black."""

    def __init__(self, display: XDisplay) -> None:
        self.connection = Display(display.name)
        screen = self.connection.screen()
        size = (1500, 700)
        self.window = screen.root.create_window(
            200, 330, *size, 0, screen.root_depth, background_pixel=screen.white_pixel
        )
        right = self.window.create_window(
            size[0] // 2, 0, size[0] // 2, size[1], 0, screen.root_depth,
            background_pixel=screen.black_pixel,
        )  # fmt: skip
        self.window.set_wm_name("background")
        self.window.set_wm_normal_hints(flags=1, min_width=1)
        right.map()
        self.window.map()
        self.connection.sync()
        until(self._active, "the background's focus")
        self.middle = self._left() + size[0] // 2

    def raise_above(self) -> None:
        self.window.configure(stack_mode=X.Above)
        self.connection.sync()

    def has_focus(self) -> bool:
        focus = self.connection.get_input_focus().focus
        return bool(getattr(focus, "id", None) == self.window.id)

    def close(self) -> None:
        self.window.destroy()
        self.connection.sync()
        self.connection.close()

    def _active(self) -> bool:
        return self.has_focus()

    def _left(self) -> int:
        root = self.connection.screen().root
        return int(root.translate_coords(self.window, 0, 0).x)


def until(ready: Callable[[], T], what: str) -> T:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        value = ready()
        if value:
            return value
        time.sleep(0.1)
    pytest.fail(f"{what} did not come")


def shot(display: XDisplay, folder: Path) -> Pixels:
    image = QImage(str(display.screenshot(folder / "shot.png")))
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    return pixels.reshape(image.height(), image.width(), 4)[..., :3].astype(np.int64)


def near(pixels: Pixels, colour: QColor, spread: int = 14) -> int:
    wanted = np.array([colour.red(), colour.green(), colour.blue()])
    return int((np.abs(pixels - wanted) <= spread).all(axis=-1).sum())


def blended(colour: QColor, behind: int) -> NDArray[np.float64]:
    share = Settings().opacity / 100
    panel = np.array([colour.red(), colour.green(), colour.blue()])
    return np.asarray(panel * share + behind * (1 - share))


@pytest.fixture
def background(x_display: XDisplay) -> Iterator[Background]:
    window = Background(x_display)
    yield window
    window.close()


@pytest.fixture
def overlay(background: Background, x_display: XDisplay) -> Iterator[Overlay]:
    del background
    running = Overlay(x_display, *SCRIPTED)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.communicate()


def panel_pixels(overlay: Overlay, folder: Path) -> tuple[Pixels, dict[str, int]]:
    """The panel as the compositor shows it, once its text has come, and where it is."""
    from desktop_app.ui.overlay import STRIP

    place = overlay.geometry()
    top = place["Y"] + STRIP

    def cut() -> Pixels:
        screen = shot(overlay.display, folder)
        return screen[top : place["Y"] + place["HEIGHT"], place["X"] : place["X"] + place["WIDTH"]]

    until(lambda: near(cut(), theme.DARK.text) > 500, "the text")
    # Words fade in and lines glide.
    until(lambda: bool((cut() == cut()).all()), "the end of every motion")
    return cut(), place | {"TOP": top}


def test_the_background_shows_through_and_the_text_is_outlined(
    overlay: Overlay, background: Background, tmp_path: Path
) -> None:
    pixels, place = panel_pixels(overlay, tmp_path)
    middle = background.middle - place["X"]
    halves = {255: pixels[:, : middle - 4], 0: pixels[:, middle + 4 :]}
    for behind, half in halves.items():
        assert half.shape[1] > 200
        # Along the lower edge there is no text.
        strip = half[-6, 40:-40]
        assert np.abs(strip - blended(theme.DARK.panel, behind)).max() <= 4
        assert near(half, theme.DARK.text) > 150
        assert near(half, theme.DARK.outline, 6) > 150
    assert near(pixels, theme.DARK.unstable) > 60
    corner = pixels[1, 1]
    assert (corner > 250).all()


def test_it_takes_no_focus_and_stays_above(
    overlay: Overlay, background: Background, tmp_path: Path
) -> None:
    before, _ = panel_pixels(overlay, tmp_path)
    assert background.has_focus()
    background.raise_above()
    after, _ = panel_pixels(overlay, tmp_path)
    assert (before == after).all()
    place = overlay.geometry()
    centre = [str(place["X"] + place["WIDTH"] // 2), str(place["Y"] + place["HEIGHT"] - 60)]
    overlay.display.xdotool("mousemove", *centre, "click", "1")
    assert background.has_focus()


def test_it_comes_back_where_it_was_dragged(overlay: Overlay, x_display: XDisplay) -> None:
    before = overlay.geometry()
    x, y = before["X"] + before["WIDTH"] // 2, before["Y"] + before["HEIGHT"] - 40
    x_display.xdotool("mousemove", str(x), str(y), "mousedown", "1")
    for step in range(1, 11):
        x_display.xdotool("mousemove", str(x - 12 * step), str(y - 9 * step))
    x_display.xdotool("mouseup", "1")
    wanted = (before["X"] - 120, before["Y"] - 90)
    until(lambda: (overlay.geometry()["X"], overlay.geometry()["Y"]) == wanted, "the new place")
    code, out, err = overlay.end()
    assert (code, out.strip(), err) == (128 + signal.SIGTERM, "stopped", "")
    again = Overlay(x_display, *SCRIPTED)
    try:
        after = again.geometry()
        assert (after["X"], after["Y"]) == wanted
        assert (after["WIDTH"], after["HEIGHT"]) == (before["WIDTH"], before["HEIGHT"])
    finally:
        again.end()


def test_the_bar_appears_under_the_pointer(overlay: Overlay, tmp_path: Path) -> None:
    _, place = panel_pixels(overlay, tmp_path)
    display = overlay.display
    display.xdotool("mousemove", "5", "5")
    top = place["TOP"] - 6 - HEIGHT
    bar = np.s_[top : place["TOP"] - 8, place["X"] : place["X"] + place["WIDTH"]]
    accent = theme.DARK.accent
    until(lambda: near(shot(display, tmp_path)[bar], accent) == 0, "an empty strip")
    display.xdotool("mousemove", str(place["X"] + 60), str(place["TOP"] + 60))
    until(lambda: near(shot(display, tmp_path)[bar], accent) > 50, "the bar")
    # The menu of the stops takes the keys, though the window it belongs to takes no focus.
    right = place["X"] + place["WIDTH"]
    display.xdotool("mousemove", str(right - 184), str(place["TOP"] - 30))
    display.xdotool("mousemove", str(right - 184), str(top + 19), "click", "1")
    until(
        lambda: near(shot(display, tmp_path)[place["TOP"] + 20 :], theme.DARK.card) > 9000, "menu"
    )
    before = near(shot(display, tmp_path)[bar], accent)
    time.sleep(0.5)  # it is painted before it has the keys
    display.xdotool("key", "Down", "Return")
    until(lambda: near(shot(display, tmp_path)[bar], accent) < before / 2, "the first stop")
    display.xdotool("mousemove", "5", "5")
    until(lambda: near(shot(display, tmp_path)[bar], accent) == 0, "the end of the bar")


def test_the_real_engine_captions_the_demo(
    background: Background, x_display: XDisplay, tmp_path: Path
) -> None:
    del background
    demo = str(ROOT / "assets" / "demo.wav")
    running = Overlay(x_display, "-m", "desktop_app", "--source", demo)
    try:
        panel_pixels(running, tmp_path)
        code, _, err = running.end()
        assert (code, err) == (128 + signal.SIGTERM, "")
    finally:
        running.process.kill()
        running.process.communicate()
