"""Where a source gave nothing to hear: what transcripts show of it, and what is said."""

from __future__ import annotations

import typing
from collections.abc import Callable
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.errors import SourceError
from engine.faults import Cause, broken, duration, heard_again, skipped, told
from engine.sinks.base import Sink
from engine.sinks.subtitles import SrtSink, VttSink
from engine.sinks.text import TextSink, not_heard
from engine.types import Notice


def gap(start: float, end: float, lane: str = "file") -> Notice:
    return heard_again(lane, "Mic", (start, end))


def written(sink: Sink, path: Path, *notices: Notice) -> str:
    """A line, the notices, another line."""
    sink.open(HEADER)
    sink.update(final(0, 1, "before it", at=1.0), 0.0)
    for notice in notices:
        sink.notice(notice)
    sink.update(final(1, 1, "behind it", at=190.0), 0.0)
    sink.close(SUMMARY)
    return path.read_text(encoding="utf-8")


def test_a_text_says_where_nothing_was_heard(tmp_path: Path) -> None:
    path = tmp_path / "out"
    text = written(TextSink(path), path, gap(12.3, 185.2))
    assert text.splitlines() == ["before it", "[not heard 00:12–03:06]", "behind it"]


def test_with_two_lanes_it_says_which(tmp_path: Path) -> None:
    path = tmp_path / "out"
    sink = TextSink(path, {"file": "You", "system": "Others"})
    text = written(sink, path, gap(12.3, 185.2, "system"))
    assert text.splitlines()[1] == "Others: [not heard 00:12–03:06]"


@pytest.mark.parametrize(
    "notice",
    [
        gap(12.0, 12.2),
        Notice("source.gone", "warning", "Mic is gone"),
        skipped("file", (12.0, 15.0), 3.0),
    ],
)
def test_nothing_else_is_written(notice: Notice, tmp_path: Path) -> None:
    path = tmp_path / "out"
    text = written(TextSink(path), path, notice)
    assert text.splitlines() == ["before it", "behind it"]


def test_a_gap_waits_for_a_line_of_the_other_lane_begun_before_it(tmp_path: Path) -> None:
    path = tmp_path / "out"
    sink = TextSink(path)
    sink.open(HEADER)
    sink.update(partial(0, 0, "still", at=1.0), 0.0)
    sink.notice(gap(3.0, 6.0, "mic"))
    assert path.read_text(encoding="utf-8") == ""
    sink.update(final(0, 1, "still speaking", at=1.0), 0.0)
    sink.close(SUMMARY)
    text = path.read_text(encoding="utf-8")
    assert text.splitlines() == ["still speaking", "[not heard 00:03–00:06]"]


@pytest.mark.parametrize("kind", [SrtSink, VttSink])
def test_subtitles_show_none(kind: Callable[[Path], Sink], tmp_path: Path) -> None:
    with_gap, without = tmp_path / "with", tmp_path / "without"
    assert written(kind(with_gap), with_gap, gap(12.3, 185.2)) == written(kind(without), without)


def test_times_of_a_gap_lie_outwards() -> None:
    assert not_heard((0.0, 0.4)) == "[not heard 00:00–00:01]"
    assert not_heard((59.99, 60.01)) == "[not heard 00:59–01:01]"
    assert not_heard((3_599.5, 7_325.0)) == "[not heard 59:59–2:02:05]"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.25, "0.2 s"), (59.94, "59.9 s"), (125.0, "2 min 5 s"), (7_260.0, "2 h 1 min")],
)
def test_a_duration_is_said_as_people_say_it(seconds: float, text: str) -> None:
    assert duration(10.0, 10.0 + seconds) == text


@pytest.mark.parametrize("cause", typing.get_args(Cause))
def test_every_cause_is_told_in_one_line_that_names_the_device(cause: Cause) -> None:
    notice = told(cause, "mic", "Headset", "Built-in")
    assert notice.code == f"source.{cause}"
    assert notice.lane == "mic"
    assert "Built-in" in notice.text or "Headset" in notice.text
    assert "\n" not in notice.text + notice.remedy


def test_the_end_of_a_gap_and_a_source_that_broke_off_are_told() -> None:
    assert gap(2.0, 5.5).text == "Mic is heard; 3.5 s before that are missing"
    notice = broken("pipe", SourceError("the pipe broke", "mend it"))
    assert (notice.code, notice.severity, notice.lane) == ("source.failed", "error", "pipe")
