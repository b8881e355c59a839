"""Two lanes in one file or pipe: what began first stands first, under the speaker's name."""

from __future__ import annotations

import io
import itertools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial, spoken

from engine.sinks._order import TimeOrder
from engine.sinks.base import Sink
from engine.sinks.subtitles import SrtSink, VttSink
from engine.sinks.terminal import TerminalSink
from engine.sinks.text import TextSink
from engine.types import CaptionUpdate

LABELS = {"mic": "You", "system": "Others"}
CUE = re.compile(r"(\d\d:\d\d:\d\d[,.]\d{3}) --> (\S+)\n(.+?)\n\n", re.DOTALL)


def _lane(update: CaptionUpdate, lane: str) -> CaptionUpdate:
    return replace(update, lane=lane)


def _talk() -> Iterator[CaptionUpdate]:
    """The others hold a speech of 9 s; you speak twice meanwhile, and once after."""
    speech = "one two three. four five six. seven eight nine. ten"
    words = spoken(speech, 1.0, 0.9)
    yield _lane(partial(0, 0, "one", at=1.0), "system")
    yield _lane(partial(1, 0, "yes", at=2.0), "mic")
    yield _lane(final(1, 1, "yes indeed", at=2.0), "mic")
    yield _lane(partial(0, 1, "one two", at=1.0), "system")
    yield _lane(final(2, 1, "go on", at=6.0), "mic")
    yield replace(_lane(final(0, 2, speech, at=1.0), "system"), words=words, end=words[-1].end)
    yield _lane(final(3, 0, "thanks", at=12.0), "mic")


def _write(sink: Sink) -> None:
    sink.open(HEADER)
    for update in _talk():
        sink.update(update, 0.0)
    sink.close(SUMMARY)


def test_lines_stand_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    _write(TextSink(tmp_path / "out", LABELS))
    assert (tmp_path / "out").read_text(encoding="utf-8").splitlines() == [
        "Others: one two three. four five six. seven eight nine. ten",
        "You: yes indeed",
        "You: go on",
        "You: thanks",
    ]


@pytest.mark.parametrize("kind", [SrtSink, VttSink])
def test_cues_of_two_lanes_stand_at_their_times(kind: Callable[..., Sink], tmp_path: Path) -> None:
    _write(kind(tmp_path / "out", LABELS))
    cues = CUE.findall((tmp_path / "out").read_text(encoding="utf-8") + "\n")
    starts = [start for start, _, _ in cues]
    assert starts == sorted(starts)
    by_text = {text.split("\n")[0]: start.replace(",", ".") for start, _, text in cues}
    assert by_text["You: yes indeed"] == "00:00:02.000"
    assert by_text["You: go on"] == "00:00:06.000"
    others = [cue for cue in cues if "You:" not in cue[2]]
    assert others[0][2].startswith("Others: one two three.")
    assert len(others) >= 2
    for before, after in itertools.pairwise(others):
        assert before[1] <= after[0], "one lane never overlaps itself"


def test_a_line_whose_time_moves_back_leaves_the_cues_in_order(tmp_path: Path) -> None:
    sink = SrtSink(tmp_path / "out", LABELS)
    sink.open(HEADER)
    sink.update(_lane(partial(0, 0, "", "hello", at=5.0), "system"), 0.0)
    sink.update(_lane(final(1, 0, "yes indeed", at=4.0), "mic"), 0.0)
    sink.update(_lane(final(0, 1, "hello", at=3.7), "system"), 0.0)
    sink.close(SUMMARY)
    cues = CUE.findall((tmp_path / "out").read_text(encoding="utf-8"))
    assert [(start, text) for start, _, text in cues] == [
        ("00:00:04,000", "You: yes indeed"),
        ("00:00:04,000", "Others: hello"),
    ]
    assert all(start < end for start, end, _ in cues)


def test_one_lane_is_never_held_back_and_bears_no_name(tmp_path: Path) -> None:
    sink = TextSink(tmp_path / "out")
    sink.open(HEADER)
    sink.update(partial(0, 0, "one"), 0.0)
    sink.update(partial(1, 0, "two", at=3.0), 0.0)
    sink.update(final(0, 1, "one two"), 0.0)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "one two\n"
    sink.close(SUMMARY)


def test_a_pipe_gets_the_order_and_a_terminal_each_line_at_once() -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    pipe, screen = io.StringIO(), Tty()
    _write(TerminalSink(pipe, io.StringIO(), labels=LABELS))
    _write(TerminalSink(screen, io.StringIO(), labels=LABELS))
    assert [line[:8] for line in pipe.getvalue().splitlines()] == [
        "Others: ",
        "You: yes",
        "You: go ",
        "You: tha",
    ]
    assert screen.getvalue().startswith("You: yes indeed\nYou: go on\nOthers: one")
    assert sorted(screen.getvalue()) == sorted(pipe.getvalue())


def test_a_draft_that_came_to_nothing_holds_nobody_up() -> None:
    order: TimeOrder[str] = TimeOrder()
    order.follow(_lane(partial(0, 0, "", "noise", at=1.0), "system"))
    order.hold("mic", 2.0, "yes")
    assert list(order.ready()) == []
    order.follow(_lane(partial(0, 1, "", "", at=0.0), "system"))
    assert list(order.ready()) == ["yes"]


def test_whatever_two_lanes_do_nothing_is_lost_and_the_order_holds() -> None:
    chance = random.Random(4)
    for _ in range(200):
        order: TimeOrder[tuple[float, int]] = TimeOrder()
        events: list[tuple[float, int, CaptionUpdate]] = []
        ids = itertools.count()
        for lane in ("mic", "system"):
            clock = chance.random()
            for _ in range(8):
                segment, start = next(ids), clock
                clock += chance.uniform(0.2, 5.0)
                shown = _lane(partial(segment, 0, "word", at=start), lane)
                events.append((start + 0.01, segment, shown))
                events.append((clock, segment, _lane(final(segment, 1, "word", at=start), lane)))
                clock += chance.uniform(0.05, 2.0)
        given: list[tuple[float, int]] = []
        for _, segment, update in sorted(events, key=lambda event: event[0]):
            order.follow(update)
            if update.is_final:
                order.hold(update.lane, update.start, (update.start, segment))
            given += order.ready()
        given += order.rest()
        assert len(given) == 16
        assert given == sorted(given)
