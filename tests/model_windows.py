"""The model window over a stand-in for the use of models, and what is asked of it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtCore import Signal as QtSignal
from pytestqt.qtbot import QtBot

from desktop_app.ui import theme
from desktop_app.ui.model_rows import ModelRow
from desktop_app.ui.model_window import ModelWindow
from desktop_app.ui.model_work import ModelWork
from engine.types import Notice


class Use(QObject):
    """Stands for ``ModelUse``: knows what a test says."""

    changed = QtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.work = ModelWork(self)
        self.current, self.coming, self.too_slow, self.language = "here.en", "", "", ""
        self.refused: dict[str, Notice] = {}
        self.used: list[str] = []

    def use(self, model_id: str) -> None:
        self.used.append(model_id)


def opened(qtbot: QtBot, use: Use) -> ModelWindow:
    window = ModelWindow(use, theme.DARK)  # type: ignore[arg-type]
    with qtbot.waitSignal(use.work.listed):
        window.show()
    return window


def row(window: ModelWindow, model_id: str = "far.en") -> ModelRow:
    return window.rows[model_id]


def offered(window: ModelWindow, model_id: str = "far.en") -> list[str]:
    return list(row(window, model_id).buttons)


def ended(qtbot: QtBot, use: Use, model_id: str = "far.en") -> None:
    qtbot.waitUntil(lambda: model_id not in use.work.jobs, timeout=10_000)
