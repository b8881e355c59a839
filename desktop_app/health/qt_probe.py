"""Whether Qt can open a window here, asked in a process of its own: without a screen Qt aborts.

Run as ``python -m desktop_app.health.qt_probe``: one line with platform and size of the screen.
"""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from desktop_app.console import say
from desktop_app.screen import prefer_xwayland


def main() -> int:
    """Open the screen as the window does, say what it is."""
    prefer_xwayland()
    application = QGuiApplication([])
    size = application.primaryScreen().size()
    say(f"{application.platformName()}, {size.width()} x {size.height()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
