"""--events: exactly the documented lines, whole at every moment, and a disk that fills up."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.bus import CaptionBus
from engine.errors import SinkError
from engine.sinks.jsonl import JsonlSink
from engine.sinks.memory import MemorySink
from engine.sinks.queued import QueuedSink
from engine.types import GAP, Notice


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_lines_are_those_documented(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    sink = JsonlSink(path)
    sink.open(HEADER)
    sink.update(partial(0, 0, "hello", " wor", at=1.0), 1.23456)
    sink.update(final(0, 1, "hello world", at=1.0), 2.0)
    sink.notice(Notice("engine.behind", "warning", "the engine is behind"))
    sink.notice(Notice(GAP, "info", "heard again", lane="mic", span=(3.25, 5.00004)))
    sink.close(SUMMARY)
    header, first, last, gap, summary = lines(path)
    assert header == {
        "header": {
            "version": "0.1.0",
            "model": "moonshine-tiny-en",
            "provider": "cpu",
            "profile": "balanced",
            "sample_rate": 16000,
            "source": "demo.wav",
        }
    }
    assert first == {
        "t": 1.2346,
        "lane": "file",
        "segment": 0,
        "revision": 0,
        "stable": "hello",
        "unstable": " wor",
        "final": False,
        "correction": False,
        "start": 1.0,
        "end": 2.0,
        "words": [["hello", 1.0, 1.3]],
    }
    assert last["final"] is True
    assert last["words"] == [["hello", 1.0, 1.3], ["world", 1.3, 1.6]]
    assert gap == {"gap": {"lane": "mic", "start": 3.25, "end": 5.0}}
    assert summary["summary"]["rtf"] == 0.25
    assert {"audio_s", "compute_s", "rtf", "cores", "lost_samples", "peak_rss_mb"} <= set(
        summary["summary"]
    )


def test_every_line_is_there_before_the_next_comes(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    sink = JsonlSink(path)
    sink.open(HEADER)
    for segment in range(3):
        sink.update(final(segment), 0.0)
        assert len(lines(path)) == segment + 2
    sink.close(SUMMARY)


def test_text_is_utf8_and_one_object_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "事件 🎧.jsonl"
    sink = JsonlSink(path)
    sink.open(HEADER)
    sink.update(replace(final(0), stable="字幕 “é” 🎧\n\u2028 next", words=()), 0.0)
    sink.close(SUMMARY)
    raw = path.read_bytes()
    assert "字幕 “é” 🎧".encode() in raw
    assert raw.count(b"\n") == 3
    assert json.loads(raw.split(b"\n")[1])["stable"] == "字幕 “é” 🎧\n\u2028 next"


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("old\n" * 1000, encoding="utf-8")
    sink = JsonlSink(path)
    sink.open(HEADER)
    sink.close(SUMMARY)
    assert len(lines(path)) == 2


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        ("missing/events.jsonl", "its folder does not exist", "create"),
        ("folder", "is a folder", "name of a file"),
        ("file/events.jsonl", "is no folder", "another folder"),
    ],
)
def test_an_unwritable_path_is_told_at_open(
    tmp_path: Path, name: str, message: str, remedy: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SinkError, match=message) as caught:
        JsonlSink(tmp_path / name).open(HEADER)
    assert remedy in caught.value.remedy
    assert str(tmp_path / name) in caught.value.message


class Disk:
    """Has so many bytes of room."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._write = os.write

    def write(self, fd: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = self._write(fd, data[: self.room])
        self.room -= done
        return done


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk(2000)
    monkeypatch.setattr("engine.sinks._files.os.write", found.write)
    return found


def test_a_disk_that_stays_full_ends_the_file_at_a_whole_line_and_the_captions_go_on(
    tmp_path: Path, disk: Disk
) -> None:
    path = tmp_path / "events.jsonl"
    memory = MemorySink()
    bus = CaptionBus([QueuedSink(JsonlSink(path, memory.notice)), memory])
    bus.open(HEADER)
    for segment in range(100):
        bus.publish(final(segment))
    bus.close(SUMMARY)
    assert len(memory.updates) == 100
    assert memory.closed
    assert [notice.code for notice in memory.notices] == ["sink.waits", "sink.failed"]
    for notice in memory.notices:
        assert "the disk is full" in notice.text
        assert "free some space" in notice.remedy
    written = lines(path)
    assert 2 < len(written) < 100
    assert all("summary" not in line for line in written)
    assert disk.room <= 0


def test_what_did_not_fit_is_written_once_there_is_room(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "events.jsonl"
    told: list[str] = []
    sink = JsonlSink(path, lambda notice: told.append(notice.code))
    sink.open(HEADER)
    for segment in range(100):
        sink.update(final(segment), 0.0)
        lines(path)
    assert told == ["sink.waits"]
    disk.room = 1_000_000
    sink.update(final(100), 0.0)
    assert told == ["sink.waits", "sink.goes_on"]
    assert [line["segment"] for line in lines(path)[1:]] == list(range(101))
    disk.room = 10
    sink.update(final(101), 0.0)
    disk.room = 1_000_000
    sink.close(SUMMARY)
    assert [line["segment"] for line in lines(path)[1:-1]] == list(range(102))
    assert "summary" in lines(path)[-1]


def test_a_disk_that_is_full_for_days_takes_no_more_memory(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sinks._files._MOST_WAITING", 5000)
    sink = JsonlSink(tmp_path / "events.jsonl")
    sink.open(HEADER)

    def say_much() -> None:
        for segment in range(100):
            sink.update(final(segment), 0.0)

    with pytest.raises(SinkError, match="is cut short, the disk is full"):
        say_much()
    assert disk.room <= 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_really_full_device_is_one_clear_error() -> None:
    sink = JsonlSink(Path("/dev/full"))
    with pytest.raises(SinkError, match="the disk is full"):
        sink.open(HEADER)
