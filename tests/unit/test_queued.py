"""The queue before a slow sink: bounded, counted, and safe for finished lines."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.errors import SinkError
from engine.sinks.memory import MemorySink
from engine.sinks.queued import QueuedSink
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

NOTICE = Notice("engine.behind", "warning", "the engine is behind")


class Gated(MemorySink):
    """Holds its thread in ``update`` until the gate opens, and may raise there or in ``open``."""

    def __init__(self) -> None:
        super().__init__("gated")
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.threads: set[str] = set()
        self.open_error: Exception | None = None
        self.error: Exception | None = None
        self.close_error: Exception | None = None

    def open(self, header: StreamHeader) -> None:
        self.threads.add(threading.current_thread().name)
        if self.open_error:
            raise self.open_error
        super().open(header)

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        self.threads.add(threading.current_thread().name)
        self.entered.set()
        self.gate.wait()
        if self.error:
            raise self.error
        super().update(update, published_at)

    def close(self, summary: StreamSummary) -> None:
        self.threads.add(threading.current_thread().name)
        super().close(summary)
        if self.close_error:
            raise self.close_error


@pytest.fixture
def inner() -> Iterator[Gated]:
    sink = Gated()
    yield sink
    sink.gate.set()


def hold(sink: QueuedSink, inner: Gated) -> None:
    """Open it and keep its thread busy with segment 100."""
    sink.open(HEADER)
    sink.update(partial(100, 0), 0.0)
    assert inner.entered.wait(5.0)


def feed(sink: QueuedSink, updates: Iterable[CaptionUpdate]) -> None:
    for update in updates:
        sink.update(update, 0.0)


def test_all_arrives_in_order_on_one_thread_of_its_own(inner: Gated) -> None:
    inner.gate.set()
    sink = QueuedSink(inner)
    assert sink.name == "gated"
    sink.open(HEADER)
    updates = [partial(0, 0), final(0, 1), partial(1, 0), final(1, 1)]
    for index, update in enumerate(updates):
        sink.update(update, float(index))
    sink.notice(NOTICE)
    sink.close(SUMMARY)
    assert inner.header == HEADER
    assert inner.updates == updates
    assert inner.times == [0.0, 1.0, 2.0, 3.0]
    assert inner.notices == [NOTICE]
    assert inner.summary == SUMMARY
    assert inner.threads == {"sink-gated"}
    assert sink.dropped == 0


def test_with_room_nothing_is_dropped(inner: Gated) -> None:
    sink = QueuedSink(inner, max_pending=100)
    hold(sink, inner)
    for revision in range(99):
        sink.update(partial(0, revision), 0.0)
    inner.gate.set()
    sink.close(SUMMARY)
    assert len(inner.updates) == 100
    assert sink.dropped == 0


def test_when_full_superseded_partials_go_and_the_newest_state_stays(inner: Gated) -> None:
    sink = QueuedSink(inner, max_pending=4)
    hold(sink, inner)
    for revision in range(50):
        sink.update(partial(0, revision), 0.0)
    sink.update(final(0, 50), 0.0)
    sink.update(final(1, 0), 0.0)
    inner.gate.set()
    sink.close(SUMMARY)
    seen = [(update.segment_id, update.revision) for update in inner.updates]
    assert len(seen) == 1 + 4
    assert seen[-2:] == [(0, 50), (1, 0)]
    assert seen == sorted(seen, key=lambda pair: (pair[0] != 100, pair))
    assert sink.dropped == 53 - len(seen)


def test_no_final_is_dropped_however_long_the_inner_sink_takes(inner: Gated) -> None:
    sink = QueuedSink(inner, max_pending=3, patience=30.0)
    hold(sink, inner)
    feeder = threading.Thread(
        target=lambda: [sink.update(final(segment), 0.0) for segment in range(20)]
    )
    feeder.start()
    inner.gate.set()
    feeder.join(30.0)
    sink.close(SUMMARY)
    assert [update.segment_id for update in inner.updates[1:]] == list(range(20))


def test_a_partial_that_finds_only_finals_is_counted_not_queued(inner: Gated) -> None:
    sink = QueuedSink(inner, max_pending=2)
    hold(sink, inner)
    sink.update(final(0), 0.0)
    sink.update(final(1), 0.0)
    sink.update(partial(2, 0), 0.0)
    assert sink.dropped == 1
    inner.gate.set()
    sink.close(SUMMARY)
    assert [update.segment_id for update in inner.updates] == [100, 0, 1]


def test_a_sink_stuck_for_good_fails_rather_than_hold_the_engine(inner: Gated) -> None:
    sink = QueuedSink(inner, max_pending=1, patience=0.05)
    hold(sink, inner)
    sink.update(final(0), 0.0)
    with pytest.raises(SinkError, match="does not keep up"):
        sink.update(final(1), 0.0)
    with pytest.raises(SinkError):
        sink.close(SUMMARY)


def test_close_has_a_time_limit_and_says_what_was_lost(inner: Gated) -> None:
    sink = QueuedSink(inner, patience=0.05)
    hold(sink, inner)
    sink.update(final(0), 0.0)
    with pytest.raises(SinkError, match=r"did not finish in 0\.05 s, 1 updates were lost"):
        sink.close(SUMMARY)


def test_an_inner_error_is_raised_at_the_next_call_and_the_inner_sink_is_closed(
    inner: Gated,
) -> None:
    inner.error = SinkError("the disk is full", "free some space")
    sink = QueuedSink(inner)
    hold(sink, inner)
    inner.gate.set()
    updates = map(final, range(1_000_000))
    with pytest.raises(SinkError, match="the disk is full"):
        feed(sink, updates)
    with pytest.raises(SinkError, match="the disk is full"):
        sink.close(SUMMARY)
    assert inner.closed


def test_an_inner_error_with_nothing_after_it_is_raised_by_close(inner: Gated) -> None:
    inner.error = SinkError("the disk is full")
    sink = QueuedSink(inner)
    hold(sink, inner)
    inner.gate.set()
    with pytest.raises(SinkError, match="the disk is full"):
        sink.close(SUMMARY)


def test_an_error_of_the_inner_close_is_raised(inner: Gated) -> None:
    inner.gate.set()
    inner.close_error = SinkError("the disk is full")
    sink = QueuedSink(inner)
    sink.open(HEADER)
    with pytest.raises(SinkError, match="the disk is full"):
        sink.close(SUMMARY)


def test_an_inner_sink_that_does_not_open_is_told_at_open(inner: Gated) -> None:
    inner.open_error = SinkError("no such folder", "create it first")
    sink = QueuedSink(inner)
    with pytest.raises(SinkError, match="no such folder"):
        sink.open(HEADER)
    assert not inner.closed


def test_close_without_open_does_nothing(inner: Gated) -> None:
    QueuedSink(inner).close(SUMMARY)
    assert not inner.closed
