"""Make pictures of the model window: dark and light, at 100 and 200 %, with a transfer under way.

.venv/bin/python scripts/pictures/model_pictures.py [FOLDER]     writes models-THEME-SCALE.png

What is installed is what the models folder holds; the transfer is only drawn.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pictures

_LIMIT_S = 20.0


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]).resolve() if arguments else Path.cwd()
    if (scale := pictures.scale()) is not None:
        return take_pictures(folder, scale)
    return pictures.at_each_scale(__file__, folder)


def take_pictures(folder: Path, scale: str) -> int:
    from PySide6.QtCore import QObject, Signal
    from PySide6.QtWidgets import QApplication

    from desktop_app import languages
    from desktop_app.ui import theme
    from desktop_app.ui.model_window import ModelWindow
    from desktop_app.ui.model_work import Job, ModelWork

    application = QApplication(["captionglass"])
    theme.load_fonts()
    languages.use("en")

    class Use(QObject):
        """Knows which model is in use, and changes nothing."""

        changed = Signal()
        current, coming, too_slow, language = "moonshine-tiny-en", "", "", "en"

        def __init__(self) -> None:
            super().__init__()
            self.work = ModelWork(self)
            self.refused: dict[str, object] = {}

        def use(self, _model_id: str) -> None:
            """Nobody asks."""

    for look in (theme.DARK, theme.LIGHT):
        use = Use()
        window = ModelWindow(use, look)  # type: ignore[arg-type]
        window.show()
        until = time.monotonic() + _LIMIT_S
        while not use.work.entries and time.monotonic() < until:
            application.processEvents()
        use.work.jobs["moonshine-tiny-streaming-en"] = Job(
            done=21_400_000, total=51_097_861, rate=3.2e6
        )
        window.filter()
        window.search.clearFocus()
        application.processEvents()
        window.grab().save(str(folder / f"models-{look.name}-{scale}00.png"))
        window.close()
        use.work.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
