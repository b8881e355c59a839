"""The bus: order, stamps, and sinks that fail."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import pytest
from caption_laws import check_laws
from caption_samples import HEADER, SUMMARY, final, partial

from engine.bus import CaptionBus
from engine.errors import SinkError
from engine.sinks.memory import MemorySink
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

NOTICE = Notice("engine.behind", "warning", "the engine is behind")


class Failing(MemorySink):
    """Raises ``error`` in the methods named."""

    def __init__(self, *where: str, error: Exception | None = None) -> None:
        super().__init__("failing")
        self._where = where
        self._error = error or SinkError("disk is full", "free some space")

    def open(self, header: StreamHeader) -> None:
        self._may_raise("open")
        super().open(header)

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        self._may_raise("update")
        super().update(update, published_at)

    def notice(self, notice: Notice) -> None:
        self._may_raise("notice")
        super().notice(notice)

    def close(self, summary: StreamSummary) -> None:
        super().close(summary)
        self._may_raise("close")

    def _may_raise(self, where: str) -> None:
        if where in self._where:
            raise self._error


def test_every_sink_gets_everything_in_order() -> None:
    sinks = [MemorySink("one"), MemorySink("two")]
    bus = CaptionBus(sinks)
    updates = [partial(0, 0), partial(0, 1, "hello", " wor"), final(0, 2), final(1, 0)]
    bus.open(HEADER)
    for update in updates:
        bus.publish(update)
    bus.notice(NOTICE)
    bus.close(SUMMARY)
    for sink in sinks:
        assert sink.header == HEADER
        assert sink.updates == updates
        assert sink.notices == [NOTICE]
        assert sink.summary == SUMMARY
    check_laws(sinks[0].updates)


def test_stamps_count_from_the_first_sample() -> None:
    sink = MemorySink()
    bus = CaptionBus([sink])
    bus.open(HEADER)
    bus.publish(partial(0, 0))
    bus.mark_first_sample(time.monotonic() - 5.0)
    bus.mark_first_sample(time.monotonic())
    bus.publish(partial(0, 1))
    bus.publish(final(0, 2))
    assert sink.times[0] == 0.0
    assert 5.0 <= sink.times[1] <= sink.times[2] < 60.0


@pytest.mark.parametrize("where", ["open", "update", "notice", "close"])
def test_a_failing_sink_is_closed_and_reported_and_the_others_go_on(where: str) -> None:
    first, failing, last = MemorySink(), Failing(where), MemorySink()
    bus = CaptionBus([first, failing, last])
    bus.open(HEADER)
    bus.publish(final(0))
    bus.notice(NOTICE)
    bus.publish(final(1))
    bus.close(SUMMARY)
    for sink in (first, last):
        assert [update.segment_id for update in sink.updates] == [0, 1]
        assert sink.summary == SUMMARY
    report = next(notice for notice in last.notices if notice.code == "sink.failed")
    assert (report.text, report.remedy, report.severity) == (
        "disk is full",
        "free some space",
        "error",
    )
    assert failing.closed is (where != "open")
    assert len(failing.updates) == {"open": 0, "update": 0, "notice": 1, "close": 2}[where]


def test_a_sink_that_leaves_early_is_told_what_there_was_so_far() -> None:
    failing = Failing("notice")
    bus = CaptionBus([failing])
    bus.open(HEADER)
    bus.publish(final(0, text="three short words", at=2.0))
    bus.notice(NOTICE)
    assert failing.summary is not None
    assert (failing.summary.segments, failing.summary.words) == (1, 3)
    assert failing.summary.audio_s == pytest.approx(2.9)


def test_a_bug_in_a_sink_is_named_but_its_words_are_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sink = MemorySink()
    bus = CaptionBus([Failing("update", error=ValueError("hello world")), sink])
    bus.open(HEADER)
    with caplog.at_level(logging.DEBUG):
        bus.publish(final(0))
    assert sink.notices[0].text == "failing stopped: ValueError"
    assert "ValueError" in caplog.text
    assert "hello world" not in caplog.text


def test_all_sinks_may_fail_at_once() -> None:
    bus = CaptionBus([Failing("update", "notice"), Failing("update", "notice", "close")])
    bus.open(HEADER)
    bus.publish(final(0))
    bus.publish(final(1))
    bus.close(SUMMARY)


def test_a_sink_added_later_is_opened_and_gets_what_follows() -> None:
    bus = CaptionBus()
    early, late = MemorySink(), MemorySink()
    bus.add(early)
    bus.open(HEADER)
    bus.publish(final(0))
    bus.add(late)
    bus.publish(final(1))
    bus.close(SUMMARY)
    assert [update.segment_id for update in early.updates] == [0, 1]
    assert late.header == HEADER
    assert [update.segment_id for update in late.updates] == [1]
    assert late.closed


def test_a_failure_at_close_reaches_a_sink_that_is_still_open() -> None:
    sink = MemorySink()
    bus = CaptionBus([Failing("close"), sink])
    bus.open(HEADER)
    bus.close(SUMMARY)
    bus.close(SUMMARY)
    assert [notice.code for notice in sink.notices] == ["sink.failed"]


def test_memory_sink_tells_finished_lines_and_corrections() -> None:
    sink = MemorySink()
    for update in (
        partial(0, 0),
        final(0, 1, "helo world"),
        final(1, 0, "second"),
        replace(final(0, 2, "hello world"), correction=True),
    ):
        sink.update(update, 0.0)
    assert sink.text == "hello world\nsecond"


@pytest.mark.parametrize(
    ("updates", "law"),
    [
        ([partial(0, 1), partial(0, 1)], "revision does not rise"),
        ([partial(0, 0, "hello"), partial(0, 1, "jello")], "stable is rewritten"),
        ([replace(final(0), unstable=" tail")], "unstable tail"),
        ([final(0, 0), partial(0, 1, "hello world")], "finished already"),
        ([final(1), final(0)], "segment ids do not rise"),
        ([replace(final(0), correction=True)], "never was"),
        ([replace(final(0), start=9.0)], "ends before it starts"),
        ([replace(final(0), stable="other words")], "are not those"),
        ([replace(final(0), words=tuple(reversed(final(0).words)), stable="world hello")], "back"),
    ],
)
def test_each_law_is_enforced(updates: list[CaptionUpdate], law: str) -> None:
    with pytest.raises(AssertionError, match=law):
        check_laws(updates)
