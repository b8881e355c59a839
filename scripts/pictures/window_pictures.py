"""Make pictures of every window in a language: dark and light, at 100 and 200 %.

.venv/bin/python scripts/pictures/window_pictures.py FOLDER [LANGUAGE]   writes KIND-THEME-SCALE.png
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from desktop_app.application.caption_app import CaptionApp

import pictures

_SETTLE_MS = 400
_SCREENS = {
    "screens": [
        {
            "name": "1",
            "x": 0,
            "y": 0,
            "width": 3840,
            "height": 2400,
            "logicalDpi": 96,
            "logicalBaseDpi": 96,
            "dpr": 1,
        }
    ]
}


def main(arguments: list[str]) -> int:
    if not arguments:
        raise SystemExit(__doc__)
    folder = Path(arguments[0]).resolve()
    language = arguments[1] if len(arguments) > 1 else "zh-CN"
    if (scale := pictures.scale()) is not None:
        return take_pictures(folder, language, scale)
    with tempfile.TemporaryDirectory() as home:
        screens = Path(home, "screens.json")
        screens.write_text(json.dumps(_SCREENS), encoding="utf-8")
        return pictures.at_each_scale(
            __file__,
            folder,
            language,
            variables=lambda scale: {
                "QT_QPA_PLATFORM": f"offscreen:configfile={screens}",
                "XDG_CONFIG_HOME": f"{home}/{scale}",
                "XDG_STATE_HOME": f"{home}/{scale}",
                "CAPTIONGLASS_HISTORY": f"{home}/{scale}",
            },
        )


def take_pictures(folder: Path, language: str, scale: str) -> int:
    from PySide6.QtWidgets import QApplication

    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.application.startup import OverlayOptions
    from desktop_app.application.windows import MAKERS
    from desktop_app.settings.store import SettingsStore
    from desktop_app.ui.theme import load_fonts
    from engine.types import Notice

    application = QApplication(["captionglass"])
    load_fonts()
    for theme in ("dark", "light"):
        store = SettingsStore(Path(os.environ["XDG_CONFIG_HOME"], f"{theme}.toml"))
        store.save(store.load().model_copy(update={"interface_language": language, "theme": theme}))
        app = CaptionApp(OverlayOptions(source="demo"), store)

        def keep(window: QWidget, name: str, theme: str = theme) -> None:
            _settle(application)
            window.grab().save(str(folder / f"{name}-{theme}-{scale}00.png"))

        app.overlay.set_message("Listening to the demo recording")
        app.overlay.add_notice(
            Notice(
                "a.b",
                "warning",
                "Mic is held by another program: trying again",
                "close that program",
                recoverable=False,
            )
        )
        app.overlay.show()
        app.overlay.focus_controls()
        keep(app.overlay, "overlay")
        app.tray.menu.popup(app.overlay.pos())
        keep(app.tray.menu, "tray")
        app.tray.menu.hide()
        app.overlay.bar.stop_name.stops.popup(app.overlay.pos())
        keep(app.overlay.bar.stop_name.stops, "stops")
        app.overlay.bar.stop_name.stops.hide()
        _say_something(app)
        for kind in MAKERS:
            app.windows.show(kind)
            window = app.windows.opened(kind)
            assert window is not None
            keep(window, kind)
            _pages(window, kind, keep)
        app.shut_down()
    return 0


def _pages(window: Any, kind: str, keep: Any) -> None:
    """The pages behind the first one, where the window has some."""
    if hasattr(window, "go"):
        count, choose = window.stack.count(), window.go
    elif hasattr(window, "pages"):
        count, choose = window.list.count(), window.list.setCurrentRow
    else:
        return
    for index in range(count):
        choose(index)
        keep(window, f"{kind}-{index}")


def _say_something(app: CaptionApp) -> None:
    """Fill the transcript."""
    from desktop_app.history.lines import Line

    said = (
        ("system", "Good morning everybody, shall we begin?", 62.0),
        (
            "mic",
            "好的。今天我们来谈一谈实时字幕的延迟和准确率，这一行写得很长，看它怎样换行。",
            66.0,
        ),
        ("", "", 80.0),
        ("system", "After the café we can look at the figures together.", 95.0),
    )
    for number, (lane, text, at) in enumerate(said):
        line = Line("speech", lane, text, at, at + 4.0, number)
        app.keeping.transcript.take(line if text else Line("gap", "mic", "", at, at + 4.0))


def _settle(application: QApplication) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(_SETTLE_MS, loop.quit)
    loop.exec()
    application.processEvents()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
