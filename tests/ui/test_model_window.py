"""The model window: what it shows of each model, finds, offers and takes in."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from model_windows import Use, ended, offered, opened, row
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.ui import theme
from desktop_app.ui.model_facts import UNTRIED, Entry, facts, language_label, matches, purpose, size
from desktop_app.ui.model_window import ModelWindow
from desktop_app.ui.model_work import ADDING
from engine.types import Notice
from models import catalogue
from models.catalogue import Catalogue
from models.spec import ModelSpec
from models.store import ModelStore

pytest_plugins = ["fixtures_model_window"]

ROOT = Path(__file__).parents[2]
ORT = bytes(4) + b"ORTM" + bytes(50)


@pytest.fixture
def window(model_window: ModelWindow) -> ModelWindow:
    return model_window


def test_the_model_that_is_used_now_changes_and_one_that_refused_says_why(
    window: ModelWindow, use: Use
) -> None:
    use.coming = "other.en"
    use.changed.emit()
    assert row(window, "other.en").chip.text() == "Loading…"
    assert offered(window, "other.en") == []
    use.coming = ""
    use.refused["other.en"] = Notice("model.swap_failed", "error", "it is damaged", "get it again")
    use.changed.emit()
    assert row(window, "other.en").problem.text() == "It is damaged: get it again"
    assert row(window, "other.en").buttons["use"].text() == "Try again"
    use.refused, use.current = {}, "other.en"
    window._look()
    assert row(window, "other.en").chip.text() == "In use"
    assert offered(window, "here.en") == ["remove", "use"] or offered(window, "here.en") == ["use"]


def test_a_damaged_one_says_so(qtbot: QtBot, window: ModelWindow, use: Use) -> None:
    entry = replace(row(window, "other.en").entry, state="damaged", error="its file is short")
    use.work.entries = tuple(
        entry if each.spec.id == "other.en" else each for each in use.work.entries
    )
    use.work.listed.emit()
    assert row(window, "other.en").problem.text() == "Its file is short"
    assert "use" not in offered(window, "other.en")
    del qtbot


def test_a_family_that_never_ran_on_real_weights_says_so(window: ModelWindow) -> None:
    assert row(window).caution.text().startswith("Not yet tried with its real weights")
    assert row(window, "here.en").caution.text() == ""
    limits = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Known limits")[2]
    named = set(re.findall(r"family\s+`(\w+)`", limits))
    assert named == UNTRIED


def test_search_and_language_leave_what_is_looked_for(qtbot: QtBot, use: Use) -> None:
    known = catalogue.load(catalogue.CATALOGUE)
    entries = tuple(Entry(spec, "afar") for spec in known)
    use.work._catalogue, use.work.entries = known, entries
    use.language = "zh-CN"
    window = ModelWindow(use, theme.LIGHT)  # type: ignore[arg-type]
    qtbot.addWidget(window)
    assert len(window.shown()) == len(entries)
    window.languages.setCurrentIndex(window.languages.findData("ko"))
    shown = window.shown()
    assert {"zipformer-ko", "whisper-base"} <= set(shown)
    assert "moonshine-tiny-en" not in shown
    assert "silero-vad" not in shown
    window.languages.setCurrentIndex(0)
    window.search.setText("русский vosk")
    window.filter()
    assert window.shown() == ["zipformer-ru-small"]
    window.search.setText("no such thing")
    window.filter()
    assert window.nothing.isVisibleTo(window)
    window.search.clear()
    window.filter()
    suggested = [name for name, row in window.rows.items() if row.standing.suggested]
    assert suggested == [known.best_for("zh-CN").id]
    window.take_back(("zipformer", "ko"))
    window.filter()
    assert window.shown() == ["zipformer-ko"]
    assert window.kept() == ("zipformer", "ko")


def test_the_facts_of_a_model_are_said(use: Use) -> None:
    del use
    known = catalogue.load(catalogue.CATALOGUE)
    streaming = Entry(known.get("zipformer-ko"), "here", cores=0.371)
    assert facts(streaming) == ["141 MB", "Korean", "Apache-2.0", "streaming", "0.37 cores here"]
    whisper = Entry(known.get("whisper-base"), "here")
    assert facts(whisper) == [
        "148 MB", "99 languages", "MIT", "not streaming", "not measured here",
    ]  # fmt: skip
    smaller = replace(whisper.spec, derived_from="whisper-base", precision="int8")
    assert purpose(smaller) == "Made on this computer from whisper-base, with weights of 8 bits"
    assert size(known.get("moonshine-tiny-streaming-en")) == "about 51 MB"
    assert language_label("zh") == "Chinese (中文)"
    assert matches(whisper, "99 chinese")
    assert not matches(whisper, "parakeet")


def test_a_folder_of_ones_own_is_added(
    qtbot: QtBot, window: ModelWindow, use: Use, tmp_path: Path
) -> None:
    folder = tmp_path / "My own"
    folder.mkdir()
    for name in ("encoder_model.ort", "decoder_model_merged.ort"):
        (folder / name).write_bytes(ORT)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(folder))])
    action, button, key = (
        Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(QDropEvent(QPointF(5, 5), action, dropped, button, key))
    assert window.adding.isVisible()
    assert window.adding.title.text() == "Add My own"
    window.adding.add.click()
    qtbot.waitUntil(lambda: use.work.jobs[ADDING].state == "failed")
    assert "has no tokenizer.json: add what is missing" in window.adding.told.text()
    (folder / "tokenizer.json").write_bytes(b"{}")
    window.adding.languages.setCurrentIndex(window.adding.languages.findData("en"))
    assert window.adding.add.text() == "Try again"
    window.adding.add.click()
    ended(qtbot, use, ADDING)
    assert window.adding.isHidden()
    described = catalogue.described(ModelStore().root)
    assert [(spec.id, spec.folder) for spec in described] == [("my-own", folder)]


def test_a_computer_that_is_too_slow_is_offered_the_smaller_model(
    window: ModelWindow, use: Use, far: ModelSpec
) -> None:
    big = replace(use.work.entries[0].spec, id="big.en", title="Big", files=far.files)
    use.work.entries += (Entry(big, "here"),)
    use.work._catalogue = Catalogue(tuple(each.spec for each in use.work.entries), "here.en", "vad")
    assert window.slow.isHidden()
    use.too_slow = "big.en"
    use.work.listed.emit()
    assert window.slow.words.text() == "This computer is slow for Big. Other.En asks less of it."
    window.slow.use.click()
    assert use.used == ["other.en"]


def test_everything_is_named_and_reached_by_the_keyboard(qtbot: QtBot, window: ModelWindow) -> None:
    for button in filter(QPushButton.isVisible, window.findChildren(QPushButton)):
        assert button.accessibleName() or button.text()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert row(window).buttons["get"].accessibleName() == "Get: Far"
    window.add_button.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.search.hasFocus()
    window.search.setText("x")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.search.text() == ""
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


@pytest.mark.slow
def test_fifty_openings_leave_nothing_behind(
    qtbot: QtBot, use: Use, far: ModelSpec, count_objects: Callable[[], tuple[int, int]]
) -> None:
    del far

    def once() -> None:
        window = opened(qtbot, use)
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    once()
    before = count_objects()
    for _ in range(50):
        once()
    assert count_objects() == before


@pytest.fixture
def count_objects() -> Callable[[], tuple[int, int]]:
    """How many windows and timers there are, and threads."""

    def count() -> tuple[int, int]:
        gc.collect()
        timers = [each for each in gc.get_objects() if isinstance(each, QTimer)]
        return len(QApplication.topLevelWidgets()) + len(timers), threading.active_count()

    return count
