"""The panel on its own, shown with the settings that a test names."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.settings.declared import Settings
from desktop_app.ui import theme
from desktop_app.ui.overlay import Overlay


def made(qtbot: QtBot, **settings: object) -> Overlay:
    theme.load_fonts()
    window = Overlay(Settings.model_validate(settings))
    # Its closing is for the application to decide.
    qtbot.addWidget(window, before_close_func=lambda widget: widget.hide())
    window.show()
    qtbot.waitExposed(window)
    return window
