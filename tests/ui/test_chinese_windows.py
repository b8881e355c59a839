"""No window says anything in English where Chinese was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QListWidget, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import languages
from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.startup import OverlayOptions
from desktop_app.application.windows import MAKERS
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("^This plugin does not support", extend=True),
]

_ENGLISH = re.compile(r"[a-z]{3}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_NAMES = re.compile(
    r"Captionglass|English|Markdown \(\.md\)|Markdown|JSON.*|.*SubStation Alpha.*|Timed Text.*"
    r"|TensorRT|DirectML|Core ML|OpenVINO|CUDA|Inter|(Ctrl|Alt|Shift|Meta)\+.*|[\w.-]+/[\w./-]+"
    r"|\.?[\w/.-]*\.(toml|md|txt)"
)
"""What is the same in every language."""
_GETTERS = (
    "text",
    "title",
    "toolTip",
    "accessibleName",
    "accessibleDescription",
    "placeholderText",
    "windowTitle",
)


@pytest.fixture
def app(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaptionApp]:
    del qtbot
    monkeypatch.setenv("CAPTIONGLASS_HISTORY", str(tmp_path / "history"))
    theme.load_fonts()
    store = SettingsStore(tmp_path / "settings.toml")
    store.save(store.load().model_copy(update={"interface_language": "zh-CN"}))
    made = CaptionApp(OverlayOptions(source="mic"), store)
    yield made
    made.shut_down()
    made.overlay.deleteLater()
    languages.use("en")


def said_by(window: QWidget) -> Iterator[tuple[str, str]]:
    """Everything that can be read or heard of a window and what is in it."""
    for widget in (window, *window.findChildren(QWidget)):
        # A field for names that only comes where somebody renames.
        getters = () if isinstance(widget, QLineEdit) and widget.isHidden() else _GETTERS
        for name in getters:
            get = getattr(widget, name, None)
            said = get() if callable(get) and not isinstance(get, type) else None
            if isinstance(said, str):
                yield f"{type(widget).__name__}.{name}", said
        if isinstance(widget, QComboBox):
            for row in range(widget.count()):
                yield type(widget).__name__, widget.itemText(row)
        if isinstance(widget, QListWidget):
            for row in range(widget.count()):
                yield type(widget).__name__, widget.item(row).text()
        for action in widget.actions():
            yield type(widget).__name__, action.text()


def english(window: QWidget) -> list[tuple[str, str]]:
    return [
        (where, said)
        for where, said in said_by(window)
        if _ENGLISH.search(said) and not _CHINESE.search(said) and not _NAMES.fullmatch(said)
    ]


def test_the_captions_their_bar_and_the_tray(app: CaptionApp) -> None:
    app.overlay.show()
    app.overlay.focus_controls()
    assert english(app.overlay) == []
    assert english(app.tray.menu) == []
    menu = app.overlay.bar.stop_name.stops
    assert isinstance(menu, QMenu)
    assert english(menu) == []


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_window_and_its_pages(qtbot: QtBot, app: CaptionApp, kind: str) -> None:
    app.windows.show(kind)
    window = app.windows.opened(kind)
    assert window is not None
    QApplication.processEvents()
    found = english(window)
    pages = getattr(window, "list", None) if hasattr(window, "pages") else None
    for row in range(pages.count() if isinstance(pages, QListWidget) else 0):
        assert isinstance(pages, QListWidget)
        pages.setCurrentRow(row)
        qtbot.wait(20)
        found += english(window)
    assert found == []
