"""The model window: what it shows of each model, and what its buttons do."""

from __future__ import annotations

import gc
import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures_hub import LocalHub, contents
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, QPointF, Qt, QTimer, QUrl
from PySide6.QtCore import Signal as QtSignal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.ui import model_work, theme
from desktop_app.ui.model_facts import UNTRIED, Entry, facts, language_label, matches, purpose, size
from desktop_app.ui.model_rows import ModelRow, how_far
from desktop_app.ui.model_window import ModelWindow
from desktop_app.ui.model_work import ADDING, Job, ModelWork
from engine.types import Notice
from models import catalogue
from models.catalogue import Catalogue
from models.spec import ModelFile, ModelSpec
from models.store import ModelStore

ROOT = Path(__file__).parents[2]
ORT = bytes(4) + b"ORTM" + bytes(50)


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


def put(store: ModelStore, model_id: str, content: bytes = b"weights") -> ModelSpec:
    """A model that is here."""
    file = ModelFile("model.bin", (), len(content), hashlib.sha256(content).hexdigest())
    spec = ModelSpec(
        id=model_id,
        title=model_id.title(),
        family="whisper",
        kind="recognizer",
        languages=("en",),
        licence="MIT",
        attribution="nobody",
        files=(file,),
        good_for="Trying",
    )
    folder = store.folder(spec)
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(content)
    return spec


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """An own models folder, with two models in it."""
    root = tmp_path / "models"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))
    return ModelStore(root)


@pytest.fixture
def far(local_hub: LocalHub, store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> ModelSpec:
    """One that can be had from the hub, beside two that are here."""
    spec = replace(local_hub.model("site", **contents()), family="zipformer", good_for="Far away")
    known = (put(store, "here.en"), put(store, "other.en"), spec)
    monkeypatch.setattr(catalogue, "load", lambda: Catalogue(known, "here.en", "vad"))
    return spec


@pytest.fixture
def use(qapp: QApplication) -> Iterator[Use]:
    del qapp
    theme.load_fonts()
    made = Use()
    yield made
    made.work.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(qtbot: QtBot, far: ModelSpec, use: Use) -> Iterator[ModelWindow]:
    made = opened(qtbot, use)
    yield made
    made.close()
    made.deleteLater()
    del far


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


def test_a_model_is_fetched_and_can_then_be_used(
    qtbot: QtBot, window: ModelWindow, use: Use, store: ModelStore, far: ModelSpec
) -> None:
    assert offered(window) == ["get"]
    assert offered(window, "here.en") == []
    assert row(window, "here.en").chip.text() == "In use"
    told: list[str] = []
    use.work.changed.connect(lambda _: told.append(row(window).how_far.text()))
    row(window).press("get")
    ended(qtbot, use)
    assert store.verify(far)
    assert offered(window) == ["remove", "use"]
    assert any(re.fullmatch(r"\d+ % of 1 MB( · .*/s · \d+ .* left)?", text) for text in told), told
    assert window.told.text() == "Far is here now"
    row(window).press("use")
    assert use.used == ["far.en"]


def test_it_is_held_and_goes_on_where_it_was(
    qtbot: QtBot, window: ModelWindow, use: Use, local_hub: LocalHub
) -> None:
    local_hub.behaviour.slow = True
    row(window).press("get")
    qtbot.waitUntil(local_hub.halfway.is_set)
    row(window).press("pause")
    assert offered(window) == ["cancel", "resume"]
    assert row(window).how_far.text().startswith("Paused")
    qtbot.waitUntil(lambda: use.work.jobs["far.en"].done == 500_000)
    local_hub.behaviour.slow = False
    row(window).press("resume")
    ended(qtbot, use)
    assert "bytes=500000-" in local_hub.ranges
    assert "use" in offered(window)


def test_a_package_that_is_on_its_way_is_said_to_come_to_its_end() -> None:
    job = Job("paused", done=500, total=1000)
    assert how_far(job).startswith("Paused · 50 %")
    job.moved = time.monotonic()
    assert how_far(job).startswith("Pauses after this package · 50 %")


def test_given_up_nothing_stays(
    qtbot: QtBot, window: ModelWindow, use: Use, local_hub: LocalHub, store: ModelStore
) -> None:
    local_hub.behaviour.slow = True
    row(window).press("get")
    qtbot.waitUntil(local_hub.halfway.is_set)
    row(window).press("cancel")
    assert row(window).how_far.text() == "Stopping…"
    assert offered(window) == []
    ended(qtbot, use)
    assert offered(window) == ["get"]
    assert not list(store.root.glob(".*resume"))


def test_a_window_that_is_closed_stops_nothing_and_shows_it_when_it_opens(
    qtbot: QtBot, window: ModelWindow, use: Use, local_hub: LocalHub
) -> None:
    local_hub.behaviour.slow = True
    row(window).press("get")
    qtbot.waitUntil(local_hub.halfway.is_set)
    window.close()
    again = opened(qtbot, use)
    assert offered(again) == ["cancel", "pause"]
    assert again.rows["far.en"].progress.isVisible()
    local_hub.go_on.set()
    ended(qtbot, use)
    qtbot.waitUntil(lambda: "use" in offered(again))
    again.close()
    again.deleteLater()


def test_the_program_ends_and_what_has_arrived_is_used_the_next_time(
    qtbot: QtBot, window: ModelWindow, use: Use, local_hub: LocalHub
) -> None:
    local_hub.behaviour.slow = True
    row(window).press("get")
    qtbot.waitUntil(local_hub.halfway.is_set)
    qtbot.waitUntil(lambda: use.work.jobs["far.en"].done > 0)
    use.work.close()
    next_time = Use()
    again = opened(qtbot, next_time)
    assert offered(again) == ["discard", "get"]
    assert again.rows["far.en"].buttons["get"].text() == "Resume"
    assert again.rows["far.en"].how_far.text() == "500 kB of it is here already"
    local_hub.behaviour.slow = False
    again.rows["far.en"].press("get")
    ended(qtbot, next_time)
    assert "bytes=500000-" in local_hub.ranges
    again.close()
    again.deleteLater()
    next_time.work.close()


def test_what_arrived_can_be_thrown_away(
    qtbot: QtBot, window: ModelWindow, use: Use, store: ModelStore, far: ModelSpec
) -> None:
    folder = store.resume_folder(far)
    folder.mkdir(parents=True)
    (folder / "weights.bin.part").write_bytes(b"x" * 1000)
    with qtbot.waitSignal(use.work.listed):
        use.work.refresh()
    row(window).press("discard")
    qtbot.waitUntil(lambda: offered(window) == ["get"])
    assert not folder.exists()


def test_a_failure_is_one_line_with_its_remedy_and_can_be_tried_again(
    qtbot: QtBot, window: ModelWindow, use: Use, local_hub: LocalHub
) -> None:
    files, local_hub.files = local_hub.files, {}
    row(window).press("get")
    qtbot.waitUntil(lambda: use.work.jobs["far.en"].state == "failed", timeout=10_000)
    text = row(window).problem.text()
    assert text.startswith("Could not fetch")
    assert "no such file: update Captionglass" in text
    assert "\n" not in text
    assert row(window).buttons["get"].text() == "Try again"
    local_hub.files = files
    row(window).press("get")
    ended(qtbot, use)
    assert row(window).problem.text() == ""
    assert "use" in offered(window)


def test_removing_can_be_taken_back(
    qtbot: QtBot, window: ModelWindow, use: Use, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    row(window, "other.en").press("remove")
    assert offered(window, "other.en") == ["undo"]
    assert row(window, "other.en").purpose.text() == "Removed from this computer"
    row(window, "other.en").press("undo")
    assert offered(window, "other.en") == ["remove", "use"]
    monkeypatch.setattr(model_work, "UNDO_MS", 10)
    row(window, "other.en").press("remove")
    qtbot.waitUntil(lambda: "other.en" not in use.work.leaving)
    assert not (store.root / "other.en").exists()


def test_what_was_removed_is_gone_when_the_program_ends_meanwhile(
    window: ModelWindow, use: Use, store: ModelStore
) -> None:
    row(window, "other.en").press("remove")
    assert (store.root / "other.en").exists()
    use.work.close()
    assert not (store.root / "other.en").exists()


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
