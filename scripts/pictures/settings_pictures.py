"""Make pictures of the settings window: each page, dark and light, at 100 and 200 %.

.venv/bin/python scripts/pictures/settings_pictures.py [FOLDER [PAGE ...]]   PAGE-THEME-SCALE.png

The pages are those of ``desktop_app/settings/pages.py``; ``search`` is what a search
finds. With CAPTIONGLASS_PICTURES_IN=zh-CN everything is said in Chinese.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import pictures

_WIDE = (940, 760)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]).resolve() if arguments else Path.cwd()
    if (scale := pictures.scale()) is not None:
        return take_pictures(folder, scale, arguments[1:])
    with tempfile.TemporaryDirectory() as home:
        return pictures.at_each_scale(
            __file__,
            folder,
            *arguments[1:],
            variables=lambda scale: {
                "XDG_CONFIG_HOME": f"{home}/{scale}",
                "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            },
        )


def take_pictures(folder: Path, scale: str, wanted: list[str]) -> int:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from desktop_app.application import starting
    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.application.startup import Cancelled, OverlayOptions
    from desktop_app.settings.pages import PAGES
    from desktop_app.ui import theme
    from desktop_app.ui.settings_window import SettingsWindow

    def start(_wish: Any, _sink: Any, _say: Any, cancel: threading.Event, _make: Any) -> Any:
        cancel.wait()
        raise Cancelled

    mock.patch.object(starting, "start_session", start).start()
    application = QApplication(["captionglass"])
    theme.load_fonts()
    app = CaptionApp(OverlayOptions())
    app.begin()
    app.applying.change(
        lane_name_mic="我",
        lane_name_system="会议室里的其他人，名字很长",
        text_colour="#ffe9b0",
        source="both",
        hotkeys={"bigger": "Ctrl+Alt+Shift+H", "smaller": ""},
        clear_after=20,
        interface_language=os.environ.get("CAPTIONGLASS_PICTURES_IN", "en"),
    )
    app.applying.save_preset("Interviews on Thursdays 采访")
    application.processEvents()
    for look in ("dark", "light"):
        app.applying.change(theme=look)
        app.show_settings()
        window = app.windows.opened("settings")
        assert isinstance(window, SettingsWindow)
        window.resize(*_WIDE)
        for name in wanted or [*(page.name for page in PAGES), "search"]:
            if name == "search":
                window.search.setText("colour")
                window.look_up()
            else:
                window.show_page(name)
            window.foot.say("All settings are as they were at first.", app.settings)
            QTest.qWait(60)
            window.grab().save(str(folder / f"{name}-{look}-{scale}00.png"))
    app.shut_down()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
