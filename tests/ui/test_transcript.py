"""The transcript window: follows what is said, is searched, copied, exported; earlier sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial
from fixtures_session import FakeSession, FakeStart, caption
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.application import starting
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.finding import folded, spans
from desktop_app.history.lines import Line, Transcript
from desktop_app.history.sink import HistorySink
from desktop_app.history.store import HistoryStore
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from desktop_app.ui.transcript import TranscriptWindow
from engine.types import Notice

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)

NAMES = {"mic": "You", "system": "Others"}
Make = Callable[..., TranscriptWindow]


@pytest.fixture
def live() -> Transcript:
    return Transcript()


@pytest.fixture
def store(tmp_path: Path) -> HistoryStore:
    return HistoryStore(tmp_path / "kept")


@pytest.fixture
def window(qtbot: QtBot, live: Transcript, store: HistoryStore) -> Iterator[TranscriptWindow]:
    theme.load_fonts()
    made = TranscriptWindow(live, theme.DARK, NAMES, store)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitActive(made)
    yield made
    made.close()


def fill(live: Transcript, count: int, text: str = "line number") -> None:
    first = len(live.lines)
    for number in range(first, first + count):
        live.apply(final(number, 0, f"{text} {number}", at=3.0 * number))


def keep(store: HistoryStore, text: str) -> str:
    sink = HistorySink(store.folder, NAMES)
    sink.open(HEADER)
    sink.update(final(0, 0, text), 0.0)
    sink.close(SUMMARY)
    assert sink.path is not None
    return sink.path.stem


def press(qtbot: QtBot, button: Any) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def shown(window: TranscriptWindow) -> list[str]:
    model = window.model
    return [model.index(row, 0).data() for row in range(model.rowCount(QModelIndex()))]


def test_it_follows_what_is_said(window: TranscriptWindow, live: Transcript) -> None:
    live.apply(partial(0, 0, "hello", " wor"))
    assert shown(window) == ["hello wor"]
    live.apply(final(0, 1, "hello world"))
    live.take(Line("gap", "file", "", 4.0, 6.5))
    live.apply(replace(final(0, 2, "hello, world"), correction=True))
    assert shown(window) == ["hello, world", "not heard 00:04–00:07"]


def test_a_screen_reader_is_told_who_and_when(window: TranscriptWindow, live: Transcript) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    live.apply(caption("hello", final=True, lane="mic"))
    assert window.model.index(0, 0).data(role) == "hello, 00:00"
    live.apply(caption("yes", segment=62, final=True, lane="system"))
    assert window.model.index(1, 0).data(role) == "yes, Others, 01:02"
    for widget in window.findChildren(QLineEdit) + window.findChildren(QPushButton):
        if widget.isVisible():
            assert widget.accessibleName() or widget.property("text")


def test_it_stays_at_the_end_until_one_scrolls_up(
    qtbot: QtBot, window: TranscriptWindow, live: Transcript
) -> None:
    fill(live, 60)
    live.apply(final(60, 0, "a long line that needs several rows " * 12, at=900.0))
    bar = window.table.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert 60 in window.table.seen()
    bar.setValue(bar.maximum() // 2)
    place = window.table.seen()[1]
    at = window.table.rowViewportPosition(place)
    live.apply(final(61, 0, "new", at=950.0))
    assert window.table.rowViewportPosition(place) == at
    assert window.latest_button.text() == "Jump to latest (1 new)"
    press(qtbot, window.latest_button)
    assert bar.value() == bar.maximum()
    assert not window.latest_button.isVisible()
    live.apply(final(62, 0, "newer", at=960.0))
    assert 62 in window.table.seen()


def test_it_marks_where_one_stopped_reading(window: TranscriptWindow, live: Transcript) -> None:
    fill(live, 60)
    bar = window.table.verticalScrollBar()
    bar.setValue(0)
    fill(live, 40)
    assert window.rows.mark == 60
    window.table.show_row(60)
    height = window.table.rowHeight(60)
    assert height > window.table.rowHeight(61)
    window.table.to_end()
    bar.setValue(0)
    assert window.rows.mark == 100, "the mark was seen: it goes on with the reader"


def test_closing_it_is_stopping_too(window: TranscriptWindow, live: Transcript) -> None:
    fill(live, 5)
    window.close()
    fill(live, 2)
    assert window.rows.mark == 5


@pytest.mark.parametrize(
    ("wanted", "count"),
    [("CAFE", 2), ("éclair", 1), ("世界", 2), ("ｃａｆｅ", 2), ("strasse", 1), ("nothing", 0)],
)
def test_search_minds_neither_case_nor_accents(
    qtbot: QtBot, window: TranscriptWindow, live: Transcript, wanted: str, count: int
) -> None:
    for number, text in enumerate(
        ["A café and a Cafe\u0301", "你好，世界。世界", "Eclair", "Straße"]
    ):
        live.apply(final(number, 0, text, at=float(number)))
    # As an input method does: these are no keys.
    window.search.insert(wanted)
    qtbot.waitUntil(lambda: window.rows.wanted == folded(wanted))
    assert len(window.hits) == count
    expected = f"{count} of {count}" if count else "Not found"
    assert window.count.text() == expected
    assert window.next_button.isEnabled() == bool(count)


def test_what_is_marked_is_what_was_found() -> None:
    text = "Ein Cafe\u0301 in der Straße, café"
    assert [text[a : a + n] for a, n in spans(text, "cafe")] == ["Cafe\u0301", "café"]
    assert [text[a : a + n] for a, n in spans(text, "strasse")] == ["Straße"]


def test_hits_are_gone_through_by_keys(
    qtbot: QtBot, window: TranscriptWindow, live: Transcript
) -> None:
    fill(live, 200)
    qtbot.keyClick(window.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.search.hasFocus()
    qtbot.keyClicks(window.search, "number 1")
    qtbot.waitUntil(lambda: len(window.hits) == 111)
    assert window.rows.hit == 199
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert (window.rows.hit, window.count.text()) == (1, "1 of 111")
    assert 1 in window.table.seen()
    qtbot.keyClick(window.search, Qt.Key.Key_F3)
    assert window.rows.hit == 10
    press(qtbot, window.previous_button)
    assert window.rows.hit == 1
    live.apply(final(500, 0, "number 1", at=5000.0))
    qtbot.waitUntil(lambda: window.count.text() == "1 of 112")
    qtbot.keyClick(window.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.count.text() == "")
    assert window.isVisible()


def test_copy_all_or_what_is_selected(
    qtbot: QtBot, window: TranscriptWindow, live: Transcript
) -> None:
    fill(live, 3)
    press(qtbot, window.copy_button)
    clipboard = QGuiApplication.clipboard()
    assert clipboard.text() == "line number 0\nline number 1\nline number 2"
    table = window.table
    at = QPoint(80, table.rowViewportPosition(1) + 8)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(table, Qt.Key.Key_C, both)
    assert clipboard.text() == "[00:03] line number 1"
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "line number 1"


def test_export_by_the_menu(
    window: TranscriptWindow, live: Transcript, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(live, 2)
    path = tmp_path / "talk.srt"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    srt: QAction = window.export_menu.actions()[0]
    srt.trigger()
    assert "line number 1" in path.read_text(encoding="utf-8")
    assert window.status.text() == f"Written to {path}"
    window.export(tmp_path / "no" / "folder.srt")
    assert "does not exist" in window.status.text()


def test_earlier_sessions_are_opened_named_and_deleted(
    qtbot: QtBot, window: TranscriptWindow, live: Transcript, store: HistoryStore
) -> None:
    fill(live, 1)
    name = keep(store, "what was said before")
    other = keep(store, "something else")
    window.sessions.refresh("")
    rows = window.sessions.list
    qtbot.waitUntil(lambda: rows.count() == 3)
    row = next(r for r in (1, 2) if rows.item(r).text().startswith("what"))
    at = rows.visualItemRect(rows.item(row)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert shown(window) == ["what was said before"]
    press(qtbot, window.sessions.rename_button)
    editor = rows.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, "Board meeting")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows.item(row).text().startswith("Board meeting\n"))
    assert store.read(name).title == "Board meeting"
    press(qtbot, window.sessions.delete_button)
    assert len(store.sessions()) == 2, "once is not enough"
    press(qtbot, window.sessions.delete_button)
    assert [session.id for session in store.sessions()] == [other]
    assert rows.count() == 2
    fill(live, 1)
    rows.setCurrentRow(0)
    assert shown(window) == ["line number 0", "line number 1"]
    assert window.rows.mark == 1, "what came while an earlier one was read is new"


def test_a_hundred_thousand_lines_are_only_measured_where_they_are_seen(
    window: TranscriptWindow, live: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.model.release()
    for number in range(100_000):
        text = "word " * (number % 60 + 1)
        live.take(Line("speech", "mic", text, 2.0 * number, 2.0 * number + 1, number))
    measured: list[int] = []
    height = window.rows.height

    def counted(row: int, width: int) -> int:
        measured.append(row)
        return height(row, width)

    monkeypatch.setattr(window.rows, "height", counted)
    window.model.show(live, NAMES)
    bar = window.table.verticalScrollBar()
    assert bar.value() == bar.maximum()
    for _ in range(20):
        bar.setValue(bar.value() - 97)
        window.grab()
    live.take(Line("speech", "mic", "one more", 900_000.0, 900_001.0, 100_000))
    assert 0 < len(measured) < 3000
    assert len(window.model.hits("word")) > 100_000


@pytest.mark.parametrize("look", [theme.DARK, theme.LIGHT])
def test_its_text_can_be_read(
    window: TranscriptWindow, live: Transcript, look: theme.Theme
) -> None:
    fill(live, 1)
    window.set_theme(look)
    for colour in (look.text, look.label, look.value, look.unstable):
        assert theme.contrast(colour, look.card) >= theme.LEGIBLE
    image = window.table.viewport().grab().toImage()
    assert image.pixelColor(image.width() - 4, image.height() - 4) == look.card


# The whole program


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[FakeSession]:
    start = FakeStart()
    monkeypatch.setattr(starting, "start_session", start)
    return start.sessions


@pytest.fixture
def captions(
    qtbot: QtBot, sessions: list[FakeSession], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[CaptionApp]:
    monkeypatch.setenv("CAPTIONGLASS_HISTORY", str(tmp_path / "history"))
    theme.load_fonts()
    made = CaptionApp(OverlayOptions(), SettingsStore(tmp_path / "settings.toml"))
    made.begin()
    qtbot.waitUntil(lambda: made.session is not None)
    sessions[-1].run()
    yield made
    made.shut_down()
    made.deleteLater()


def test_opening_costs_nothing_before_it_is_opened(captions: CaptionApp) -> None:
    assert captions.keeping.window is None


def test_the_bar_the_tray_and_ctrl_t_open_it(qtbot: QtBot, captions: CaptionApp) -> None:
    captions.tray.transcript_action.trigger()
    window = captions.keeping.window
    assert window is not None
    for way in (
        lambda: captions.overlay.bar.transcript.click(),
        lambda: qtbot.keyClick(
            captions.overlay.bar, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier
        ),
        captions.show_transcript,
    ):
        window.close()
        way()
        assert window.isVisible()
    assert captions.keeping.window is window


def test_what_was_said_before_it_was_opened_is_there_and_on_the_disk(
    qtbot: QtBot, captions: CaptionApp, sessions: list[FakeSession]
) -> None:
    sessions[-1].say(caption("hello world", final=True))
    sessions[-1].note(Notice("source.gap", "info", "", lane="mic", span=(2.0, 4.0)))
    qtbot.waitUntil(lambda: len(captions.keeping.transcript.lines) == 2)
    captions.show_transcript()
    window = captions.keeping.window
    assert window is not None
    assert shown(window) == ["hello world", "not heard 00:02–00:04"]
    captions.retry()
    qtbot.waitUntil(lambda: len(sessions) == 2 and captions.session is sessions[1])
    sessions[1].run()
    sessions[1].say(caption("once more", final=True))
    qtbot.waitUntil(lambda: len(shown(window)) == 4)
    assert shown(window)[3] == "once more"
    captions.shut_down()
    store = HistoryStore()
    kept = [[line.text for line in store.read(each.id).lines] for each in store.sessions()]
    assert sorted(kept) == [["hello world", ""], ["once more"]]


def test_private_keeps_nothing(
    qtbot: QtBot, captions: CaptionApp, sessions: list[FakeSession]
) -> None:
    captions.tray.private_action.trigger()
    assert captions.settings.keep_history is False
    captions.show_transcript()
    window = captions.keeping.window
    assert window is not None
    assert window.private.isChecked()
    sessions[-1].say(caption("a secret", final=True))
    qtbot.waitUntil(lambda: shown(window) == ["a secret"])
    captions.shut_down()
    assert not HistoryStore().folder.exists()


def test_fifty_openings_leak_nothing(captions: CaptionApp) -> None:
    import threading

    from PySide6.QtWidgets import QApplication

    captions.show_transcript()
    window = captions.keeping.window
    assert window is not None
    window.close()
    before = len(QApplication.allWidgets()), threading.active_count()
    for _ in range(50):
        captions.show_transcript()
        QApplication.processEvents()
        window.close()
    QApplication.processEvents()
    assert (len(QApplication.allWidgets()), threading.active_count()) == before
