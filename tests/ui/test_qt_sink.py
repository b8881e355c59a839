"""The crossing to Qt: a batch at a time, on the right thread, and never without the finals."""

from __future__ import annotations

import threading
import time

import shiboken6
from fixtures_session import SUMMARY, caption
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.application.qt_sink import QtSink
from engine.sinks.base import Sink
from engine.types import CaptionUpdate, Notice, StreamHeader

HEADER = StreamHeader("0", "m", "cpu", "balanced", 16_000, "mic")


def test_it_is_a_sink(qapp: QApplication) -> None:
    del qapp
    sink: Sink = QtSink()
    assert sink.name == "window"


def test_everything_arrives_in_order_on_the_qt_thread(qtbot: QtBot) -> None:
    sink = QtSink()
    seen: list[str] = []
    threads: set[threading.Thread] = set()

    def saw(what: str) -> None:
        seen.append(what)
        threads.add(threading.current_thread())

    sink.opened.connect(lambda header: saw(f"open {header.model_id}"))
    sink.captions.connect(lambda batch: saw(" ".join(update.text for update in batch)))
    sink.notices.connect(lambda batch: saw(" ".join(notice.code for notice in batch)))
    sink.closed.connect(lambda summary: saw(f"close {summary.words}"))

    def work() -> None:
        sink.open(HEADER)
        sink.update(caption("two", segment=2), 0.0)
        sink.update(caption("one", segment=1), 0.0)
        sink.notice(Notice("b", "info", "b"))
        sink.notice(Notice("a", "info", "a"))
        sink.close(SUMMARY)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == []
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert seen == ["open m", "one two", "b a", "close 3"]
    assert threads == {threading.main_thread()}


def test_only_the_newest_of_a_line_is_delivered(qtbot: QtBot) -> None:
    sink = QtSink()
    batches: list[list[CaptionUpdate]] = []
    sink.captions.connect(batches.append)
    for revision in range(50):
        sink.update(caption("word " * revision, revision=revision), 0.0)
    qtbot.waitUntil(lambda: bool(batches))
    QApplication.processEvents()
    assert [[update.revision for update in batch] for batch in batches] == [[49]]


def test_a_final_is_not_replaced_by_a_straggler_but_by_a_correction(qtbot: QtBot) -> None:
    sink = QtSink()
    batches: list[list[CaptionUpdate]] = []
    sink.captions.connect(batches.append)
    sink.update(caption("final", revision=5, final=True), 0.0)
    sink.update(caption("late", revision=6), 0.0)
    qtbot.waitUntil(lambda: len(batches) == 1)
    sink.update(caption("final", segment=1, final=True), 0.0)
    sink.update(caption("better", segment=1, final=True, correction=True), 0.0)
    qtbot.waitUntil(lambda: len(batches) == 2)
    assert [update.text for batch in batches for update in batch] == ["final", "better"]


def test_no_final_is_lost_while_the_window_is_slow(qtbot: QtBot) -> None:
    sink = QtSink()
    finals: list[int] = []
    batches = 0

    def slow(batch: list[CaptionUpdate]) -> None:
        nonlocal batches
        batches += 1
        time.sleep(0.01)
        finals.extend(update.segment_id for update in batch if update.is_final)

    sink.captions.connect(slow)

    def work() -> None:
        for segment in range(200):
            for revision in range(5):
                final = revision == 4
                sink.update(caption("x", segment=segment, revision=revision, final=final), 0.0)

    thread = threading.Thread(target=work)
    thread.start()
    qtbot.waitUntil(lambda: len(finals) == 200, timeout=20_000)
    thread.join()
    QApplication.processEvents()
    assert finals == list(range(200))
    assert batches < 1000


def test_a_storm_of_one_notice_is_one_notice(qtbot: QtBot) -> None:
    sink = QtSink()
    seen: list[Notice] = []
    sink.notices.connect(seen.extend)
    for number in range(1000):
        sink.notice(Notice("engine.behind", "warning", f"{number}"))
    qtbot.waitUntil(lambda: bool(seen))
    QApplication.processEvents()
    assert [notice.text for notice in seen] == ["999"]


def test_one_that_is_gone_is_told_nothing(qapp: QApplication) -> None:
    del qapp
    sink = QtSink()
    shiboken6.delete(sink)
    sink.notice(Notice("sink.failed", "error", "an output ended late"))
    sink.close(SUMMARY)
