"""The window's part of the self-test: the one that needs Qt."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.health.check import Check

if TYPE_CHECKING:
    from engine.types import CaptionUpdate

_LIMIT_S = 15.0


@contextlib.contextmanager
def some_screen() -> Iterator[None]:
    """Without a screen, one in memory."""
    name = "QT_QPA_PLATFORM"
    there = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get(name)
    if sys.platform != "linux" or there:
        yield
        return
    os.environ[name] = "offscreen"
    try:
        yield
    finally:
        del os.environ[name]


def window() -> Check:
    """The overlay opens and draws a caption; its icon and its font are the program's own."""
    with some_screen():
        from desktop_app.screen import prepare_screen

        prepare_screen()
        return _open_window()


def _open_window() -> Check:
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtGui import QFontDatabase, QGuiApplication
    from PySide6.QtWidgets import QApplication

    from desktop_app.settings.declared import Settings
    from desktop_app.ui.overlay import Overlay
    from desktop_app.ui.theme import FAMILY, load_fonts
    from desktop_app.ui.tray import app_icon

    application = QApplication.instance() or QApplication(["captionglass"])
    load_fonts()
    overlay = Overlay(Settings())

    def until(holds: Callable[[], bool]) -> bool:
        end = time.monotonic() + _LIMIT_S
        while not holds() and time.monotonic() < end:
            QCoreApplication.processEvents()
            time.sleep(0.01)
        return holds()

    try:
        overlay.show()
        handle = overlay.windowHandle()
        seen = until(handle.isExposed)
        before = overlay.view.grab().toImage()
        overlay.apply([_caption()])
        drawn = until(lambda: overlay.view.grab().toImage() != before)
    finally:
        overlay.close()
        overlay.deleteLater()
        application.processEvents()
    faults = {
        "it does not speak all its languages": _speaks(),
        "it never appears": seen,
        "nothing is drawn": drawn,
        "its font is missing": FAMILY in QFontDatabase.families(),
        "its icon is missing": not app_icon().pixmap(64, 64).isNull(),
    }
    wrong = [fault for fault, well in faults.items() if not well]
    where = f"on {QGuiApplication.platformName()}"
    return Check("window", not wrong, ", ".join(wrong) or f"opened and drawn {where}")


def _caption() -> CaptionUpdate:
    from engine.types import CaptionUpdate, Word

    said = "It works 可以用"
    return CaptionUpdate(
        lane="mic",
        segment_id=0,
        revision=0,
        stable=said,
        unstable="",
        start=0.0,
        end=1.0,
        heard_at=1.0,
        is_final=True,
        words=tuple(Word(each, 0.0, 1.0) for each in said.split()),
    )


def _speaks() -> bool:
    """Whether every language of the interface brings its texts."""
    from PySide6.QtCore import QCoreApplication, QTranslator

    from desktop_app import languages

    application = QCoreApplication.instance()
    assert application is not None
    for language in languages.LANGUAGES:
        languages.use(language)
        here = [each for each in application.findChildren(QTranslator) if not each.isEmpty()]
        loaded = {Path(each.filePath()).stem for each in here}
        name = language.replace("-", "_")
        # Qt speaks English without a file.
        qt = set() if language == "en" else {f"qtbase_{name}"}
        if not {f"captionglass_{name}", *qt} <= loaded:
            return False
    return True
