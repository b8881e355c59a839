"""The model window: a model is fetched, held, given up, gone on with, and removed."""

from __future__ import annotations

import re
import time

import pytest
from fixtures_hub import LocalHub
from model_windows import Use, ended, offered, opened, row
from pytestqt.qtbot import QtBot

from desktop_app.ui import model_work
from desktop_app.ui.model_rows import how_far
from desktop_app.ui.model_window import ModelWindow
from desktop_app.ui.model_work import Job
from models.spec import ModelSpec
from models.store import ModelStore

pytest_plugins = ["fixtures_model_window"]


@pytest.fixture
def store(own_models: ModelStore) -> ModelStore:
    return own_models


@pytest.fixture
def window(model_window: ModelWindow) -> ModelWindow:
    return model_window


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
