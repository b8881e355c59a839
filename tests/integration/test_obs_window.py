"""The panel as a window that OBS can capture: it is in its list, and its alpha is really there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixtures_obs import Obs
from overlay_program import OverlayProgram, until
from Xlib import X
from Xlib.display import Display
from Xlib.ext import composite

from desktop_app.settings.declared import Settings
from desktop_app.ui import theme

pytestmark = pytest.mark.slow


def pixmap_of(display: str, window: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The window as the X server holds it off the screen, which is what a capturing program gets:
    blue, green, red, alpha, multiplied already; uint8, shape (height, width, 4)."""
    connection = Display(display)
    try:
        found = connection.create_resource_object("window", int(window))
        found.composite_redirect_window(composite.RedirectAutomatic)
        connection.sync()
        size = found.get_geometry()
        assert size.depth == 32
        pixmap = found.composite_name_window_pixmap()
        image = pixmap.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
        flat = np.frombuffer(image.data, np.uint8)
        return flat.reshape(size.height, size.width, 4).copy()
    finally:
        connection.close()


def test_obs_lists_the_window_and_its_alpha_is_in_its_pixmap(obs: Obs, tmp_path: Path) -> None:
    program = OverlayProgram(obs.display, tmp_path, 'capture = "alpha"\ntheme = "dark"\n')
    try:
        scene = obs.ask("GetCurrentProgramScene")["currentProgramSceneName"]
        capture = {"sceneName": scene, "inputName": "Window", "inputKind": "xcomposite_input"}
        obs.ask("CreateInput", capture | {"inputSettings": {}})
        asked = {"inputName": "Window", "propertyName": "capture_window"}
        windows = obs.ask("GetInputPropertiesListPropertyItems", asked)["propertyItems"]
        names = [str(each["itemName"]) for each in windows]
        assert any("Captionglass" in name for name in names), names

        def settled() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]] | None:
            first, then = (pixmap_of(obs.display.name, program.window) for _ in range(2))
            white = (then == 255).all(axis=-1).sum()
            return then if white > 300 and (first == then).all() else None

        pixels = until(lambda: (found := settled()) is not None and [found], "the words")[0]
    finally:
        program.end()
    assert (pixels[0, 0] == 0).all(), "beside the round corner there is nothing"
    alpha = round(255 * Settings().opacity / 100)
    panel = pixels[-8, pixels.shape[1] // 2].astype(int)
    colour = theme.DARK.panel
    wanted = [alpha * each / 255 for each in (colour.blue(), colour.green(), colour.red())]
    assert abs(panel[3] - alpha) <= 2
    assert np.abs(panel[:3] - wanted).max() <= 2
    assert (pixels[..., 3] == 255).sum() > 2000, "letters are opaque"
