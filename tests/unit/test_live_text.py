"""The file that holds what is being said: always whole, the newest rows, empty at the end."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.errors import SinkError
from engine.sinks.live_text import LiveTextSink, NewestRows, wrapped


def test_it_holds_the_newest_rows(tmp_path: Path) -> None:
    path = tmp_path / "现在.txt"
    sink = LiveTextSink(path, rows=2, width=20)
    sink.open(HEADER)
    assert path.read_text("utf-8") == ""
    sink.update(partial(0, 0, "good", " morning"), 0.0)
    assert path.read_text("utf-8") == "good morning\n"
    sink.update(final(0, 1, "good morning everybody here"), 0.0)
    assert path.read_text("utf-8") == "good morning\neverybody here\n"
    sink.update(final(1, 0, "next"), 0.0)
    assert path.read_text("utf-8") == "everybody here\nnext\n"
    sink.close(SUMMARY)
    assert path.read_text("utf-8") == ""
    assert not list(tmp_path.glob(".*"))


def test_a_word_that_was_taken_back_is_gone(tmp_path: Path) -> None:
    sink = LiveTextSink(tmp_path / "x")
    sink.open(HEADER)
    sink.update(final(0, 0, "ice cream"), 0.0)
    sink.update(final(1, 0, "I scream"), 0.0)
    sink.update(final(1, 1, ""), 0.0)
    assert (tmp_path / "x").read_text("utf-8") == "ice cream\n"


def test_a_reader_never_sees_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    sink = LiveTextSink(path, rows=1, width=400)
    sink.open(HEADER)
    seen: set[str] = set()
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            seen.add(path.read_text("utf-8"))

    reader = threading.Thread(target=read)
    reader.start()
    texts = [f"{number} " + "word " * 50 for number in range(200)]
    for number, text in enumerate(texts):
        sink.update(final(number, 0, text), 0.0)
    over.set()
    reader.join()
    assert seen <= {"", *(f"{text.strip()}\n" for text in texts)}
    assert len(seen) > 1


def test_a_folder_that_went_is_told_with_a_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "usb"
    folder.mkdir()
    sink = LiveTextSink(folder / "x")
    sink.open(HEADER)
    (folder / "x").unlink()
    folder.rmdir()
    with pytest.raises(SinkError) as caught:
        sink.update(final(0, 0, "hello"), 0.0)
    assert caught.value.remedy
    sink.close(SUMMARY)


def test_on_a_full_disk_it_waits_for_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "live.txt"
    told: list[str] = []
    sink = LiveTextSink(path, tell=lambda notice: told.append(notice.code))
    sink.open(HEADER)

    def write_whole(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("engine.sinks.live_text.write_whole", write_whole)
        sink.update(final(0, 0, "one"), 0.0)
        sink.update(final(1, 0, "two"), 0.0)
    assert told == ["sink.waits"]
    sink.update(final(2, 0, "three"), 0.0)
    assert told == ["sink.waits", "sink.goes_on"]
    assert path.read_text(encoding="utf-8") == "two\nthree\n"


def test_chinese_breaks_between_characters_and_takes_more_room() -> None:
    assert wrapped("你好世界再见", 7) == ["你好世", "界再见"]
    assert wrapped("", 8) == []
    # A row of 42 Latin characters is one of 18 Chinese ones.
    rows = wrapped("我们在这里为所有听不清楚的人实时显示字幕而且一切都在自己的电脑上完成", 42)
    assert [len(row) for row in rows] == [18, 16]


def test_the_newest_rows_are_those_of_subtitles_in_chinese_too() -> None:
    said = (
        "我们在这里为所有听不清楚的人实时显示字幕，"
        "而且一切都在自己的电脑上完成，不会发送到任何地方。"
    )
    rows = NewestRows().take(final(0, 0, said))
    assert rows == ["字幕，而且一切都在自己的电脑上完成，", "不会发送到任何地方。"]


def test_no_row_begins_with_punctuation_that_closes() -> None:
    assert wrapped("你好世，界再见。", 7) == ["你好", "世，界", "再见。"]
    assert wrapped("他说（你好）", 7) == ["他说", "（你", "好）"]


def test_words_of_latin_text_stay_whole_and_long_ones_are_cut() -> None:
    assert wrapped("a bc def", 5) == ["a bc", "def"]
    assert wrapped("abcdefgh", 5) == ["abcde", "fgh"]
