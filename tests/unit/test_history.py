"""History on disk: written as it goes, private when asked, deleted for good, never in the way."""

from __future__ import annotations

import errno
import html
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from desktop_app.history import clock
from desktop_app.history import sink as history_sink
from desktop_app.history.export import FORMATS, format_of, write
from desktop_app.history.lines import Line, Transcript
from desktop_app.history.record import decode
from desktop_app.history.sink import HistorySink
from desktop_app.history.store import HistoryError, HistoryStore
from engine.errors import SinkError, UsageError
from engine.types import Notice

NAMES = {"mic": "You", "system": "Others"}
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "history"


@pytest.fixture
def sink(folder: Path) -> Iterator[HistorySink]:
    opened = HistorySink(folder, NAMES)
    opened.open(HEADER)
    yield opened
    opened.close(SUMMARY)


def until(found: Callable[[], object]) -> None:
    """Wait for what the sink's thread does."""
    end = time.monotonic() + 20
    while not found():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def texts(folder: Path) -> list[str]:
    store = HistoryStore(folder)
    return [line.text for each in store.sessions() for line in store.read(each.id).lines]


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def kept(folder: Path, *said: str) -> str:
    """A session on disk; its id."""
    sink = HistorySink(folder, NAMES)
    sink.open(HEADER)
    for number, text in enumerate(said):
        sink.update(final(number, 0, text, at=3.0 * number), 0.0)
    sink.close(SUMMARY)
    assert sink.path is not None
    return sink.path.stem


def test_a_finished_line_is_on_the_disk_while_the_session_goes_on(
    sink: HistorySink, folder: Path
) -> None:
    sink.update(final(0, 0, "hello world"), 0.0)
    until(lambda: texts(folder) == ["hello world"])


def test_a_line_that_is_being_spoken_is_kept_too(sink: HistorySink, folder: Path) -> None:
    sink.update(partial(0, 0, "hello", " wor"), 0.0)
    until(lambda: texts(folder) == ["hello wor"])
    sink.update(final(0, 1, "hello world"), 0.0)
    until(lambda: texts(folder) == ["hello world"])


def test_it_reads_back_as_it_was_said(folder: Path) -> None:
    sink = HistorySink(folder, NAMES)
    sink.open(HEADER)
    sink.update(replace(final(0, 0, "你好 世界 🎧"), language="zh"), 0.0)
    sink.notice(Notice("source.gap", "info", "", lane="file", span=(4.0, 6.5)))
    sink.notice(Notice("source.lost", "warning", "the microphone is gone"))
    sink.update(final(1, 0, "wrong words", at=8.0), 0.0)
    sink.update(replace(final(1, 1, "right words", at=8.0), correction=True), 0.0)
    sink.close(SUMMARY)
    store = HistoryStore(folder)
    (session,) = store.sessions()
    record = store.read(session.id)
    assert [(line.kind, line.text) for line in record.lines] == [
        ("speech", "你好 世界 🎧"),
        ("gap", ""),
        ("speech", "right words"),
    ]
    assert record.lines[0].language == "zh"
    assert [word.text for word in record.lines[2].words] == ["right", "words"]
    assert record.head.source == "demo.wav"
    assert record.head.lane_names == NAMES
    assert session.first_words == "你好 世界 🎧"
    assert (session.lines, store.notices) == (2, [])


def test_only_its_owner_can_read_it(folder: Path) -> None:
    name = kept(folder, "hello")
    assert stat.S_IMODE((folder / f"{name}.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_nothing_said_leaves_nothing(sink: HistorySink, folder: Path) -> None:
    sink.close(SUMMARY)
    assert not folder.exists()


SPEAKER = """
import sys, time
from dataclasses import replace
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from caption_samples import HEADER, partial
from desktop_app.history.sink import HistorySink
sink = HistorySink(Path(sys.argv[1]))
sink.open(HEADER)
for number in range(100_000):
    sink.update(partial(0, number, "", str(number)), 0.0)
    print(number, time.monotonic(), flush=True)
    time.sleep(0.02)
"""


@pytest.mark.skipif(os.name == "nt", reason="kills as Unix does")
def test_killed_in_mid_speech_it_loses_no_more_than_the_last_second(folder: Path) -> None:
    command = [sys.executable, "-c", SPEAKER, str(folder), str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as speaker:
        assert speaker.stdout is not None
        said = [speaker.stdout.readline().split() for _ in range(110)]
        speaker.send_signal(signal.SIGKILL)
        said += [row.split() for row in speaker.stdout.readlines()]
    said = [row for row in said if len(row) == 2]
    end = float(said[-1][1])
    safe = [number for number, at in said if float(at) < end - 1.0]
    assert len(safe) > 20
    (text,) = texts(folder)
    assert int(text) >= int(safe[-1])


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_torn_last_write_costs_no_other_line(folder: Path, cut: int) -> None:
    name = kept(folder, "one", "two", "three")
    path = folder / f"{name}.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    store = HistoryStore(folder)
    assert [line.text for line in store.read(name).lines] == ["one", "two"]
    store.rename(name, "Talk")
    assert store.read(name).title == "Talk"
    assert [line.text for line in store.read(name).lines] == ["one", "two"]


def test_private_keeps_nothing(folder: Path) -> None:
    sink = HistorySink(folder, private=True)
    sink.open(HEADER)
    sink.update(final(0, 0, "secret"), 0.0)
    sink.close(SUMMARY)
    assert not folder.exists()


def test_private_can_be_switched_while_someone_speaks(sink: HistorySink, folder: Path) -> None:
    sink.update(final(0, 0, "open"), 0.0)
    until(lambda: texts(folder) == ["open"])
    sink.set_private(True)
    sink.update(partial(1, 0, "", "secret one"), 0.0)
    sink.update(final(2, 0, "secret two"), 0.0)
    sink.notice(Notice("source.gap", "info", "", span=(4.0, 6.5)))
    sink.set_private(False)
    # It was begun in private: its first words must not come with its last.
    sink.update(final(1, 1, "secret one and on"), 0.0)
    sink.update(replace(final(2, 1, "secret three"), correction=True), 0.0)
    sink.update(final(3, 0, "open again", at=9.0), 0.0)
    sink.close(SUMMARY)
    assert texts(folder) == ["open", "open again"]
    assert b"secret" not in everything(folder)


def test_deleting_is_final(folder: Path) -> None:
    gone, stays = kept(folder, "a secret"), kept(folder, "something else")
    store = HistoryStore(folder)
    store.rename(gone, "Secret talk")
    (folder / f"{gone}.jsonl.broken").write_bytes(b"secret too")
    # Another name of the same bytes shows what becomes of them.
    witness = folder.parent / "witness"
    os.link(folder / f"{gone}.jsonl", witness)
    store.delete(gone)
    assert [session.id for session in store.sessions()] == [stays]
    assert b"secret" not in everything(folder).lower()
    assert b"secret" not in witness.read_bytes().lower()
    with pytest.raises(HistoryError):
        store.read(gone)


def test_what_was_deleted_while_it_was_said_does_not_come_back(
    sink: HistorySink, folder: Path
) -> None:
    sink.update(final(0, 0, "secret one"), 0.0)
    sink.update(partial(1, 0, "", "secret"), 0.0)
    until(lambda: len(texts(folder)) == 2)
    store = HistoryStore(folder)
    store.delete(store.sessions()[0].id)
    sink.update(final(1, 1, "secret two"), 0.0)
    sink.update(replace(final(0, 1, "secret three"), correction=True), 0.0)
    sink.update(final(2, 0, "and on"), 0.0)
    until(lambda: texts(folder) == ["and on"])
    sink.update(final(3, 0, "and further", at=4.0), 0.0)
    sink.close(SUMMARY)
    assert texts(folder) == ["and on", "and further"]
    assert b"secret" not in everything(folder)


def test_all_goes_at_once(folder: Path) -> None:
    kept(folder, "one")
    (folder / "x.jsonl.broken").write_bytes(b"?")
    assert HistoryStore(folder).delete_all() == 2
    assert list(folder.iterdir()) == []


def test_what_is_old_is_forgotten(folder: Path) -> None:
    old, new = kept(folder, "old"), kept(folder, "new")
    before = time.time() - 8 * 86_400
    os.utime(folder / f"{old}.jsonl", (before, before))
    store = HistoryStore(folder)
    assert store.expire(0) == 0
    assert len(store.sessions()) == 2
    assert store.expire(7) == 1
    assert [session.id for session in store.sessions()] == [new]


def test_a_clock_that_leapt_ahead_deletes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(folder, "old")
    kept(folder, "new")
    store, really = HistoryStore(folder), time.time()

    def after(days: float) -> int:
        monkeypatch.setattr(time, "time", lambda: really + days * 86_400)
        return store.expire(7)

    assert after(0.1) == 0
    # A flat battery; it is started again and again, and set right the same day.
    assert [after(400.0), after(400.1), after(400.9)] == [0, 0, 0]
    assert [after(0.5), after(1.0)] == [0, 0]
    assert len(store.sessions()) == 2
    # A holiday: the clock says the same a day later.
    assert [after(60.0), after(60.5), after(61.1)] == [0, 0, 2]


def test_what_is_remembered_of_the_clock_may_be_rubbish(folder: Path) -> None:
    old = kept(folder, "old")
    kept(folder, "new")
    before = time.time() - 8 * 86_400
    os.utime(folder / f"{old}.jsonl", (before, before))
    (folder / clock.NAME).write_bytes(b"\xff")
    assert HistoryStore(folder).expire(7) == 1


def test_a_file_that_is_none_of_ours_is_kept_beside_and_told(folder: Path) -> None:
    good = kept(folder, "good")
    (folder / "2020-01-01-000000-abcd.jsonl").write_bytes(b"\x00\xff\n\x00\n")
    store = HistoryStore(folder)
    assert [session.id for session in store.sessions()] == [good]
    assert [notice.code for notice in store.notices] == ["history.broken"]
    assert (folder / "2020-01-01-000000-abcd.jsonl.broken").read_bytes() == b"\x00\xff\n\x00\n"
    assert HistoryStore(folder).sessions()[0].id == good


@pytest.mark.parametrize("damage", [b"\x00" * 40, b'{"line":{}}', b"[1]", b'{"line":{"id":"x"}}'])
def test_damage_in_the_middle_costs_that_line_alone(folder: Path, damage: bytes) -> None:
    name = kept(folder, "one", "two")
    path = folder / f"{name}.jsonl"
    rows = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*rows[:2], damage, *rows[2:]]))
    before = path.read_bytes()
    store = HistoryStore(folder)
    assert [line.text for line in store.read(name).lines] == ["one", "two"]
    assert [notice.code for notice in store.notices] == ["history.damaged"]
    assert path.read_bytes() == before


def test_two_programs_at_once_share_nothing(folder: Path) -> None:
    sinks = [HistorySink(folder), HistorySink(folder)]
    for number, each in enumerate(sinks):
        each.open(HEADER)
        each.update(final(0, 0, f"program {number}"), 0.0)
    for each in sinks:
        each.close(SUMMARY)
    assert sorted(texts(folder)) == ["program 0", "program 1"]


def test_a_disk_that_is_gone_stops_the_sink_and_says_why(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_bytes(b"")
    sink = HistorySink(place)
    sink.open(HEADER)
    sink.update(final(0, 0, "hello"), 0.0)
    with pytest.raises(SinkError) as caught:
        sink.close(SUMMARY)
    assert caught.value.remedy


def test_a_full_disk_is_told_once_and_what_was_said_meanwhile_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Notice] = []
    really, room = os.write, [10_000]

    def write(fd: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = really(fd, bytes(data)[: room[0]])
        room[0] -= done
        return done

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(history_sink, "_AGAIN_S", 0.05)
    sink = HistorySink(folder, NAMES, tell=told.append)
    sink.open(HEADER)
    sink.update(final(0, 0, "before"), 0.0)
    until(lambda: texts(folder) == ["before"])
    room[0] = 20
    sink.update(final(1, 0, "meanwhile", at=3.0), 0.0)
    until(lambda: told)
    sink.notice(Notice("source.gap", "info", "", lane="file", span=(5.0, 6.5)))
    sink.update(partial(2, 0, "and", " then", at=7.0), 0.0)
    sink.update(final(2, 1, "and still", at=7.0), 0.0)
    time.sleep(0.2)
    assert texts(folder) == ["before"]
    assert everything(folder).endswith(b"\n"), "half a line was left behind"
    room[0] = 10_000
    until(lambda: len(texts(folder)) == 4)
    sink.close(SUMMARY)
    store = HistoryStore(folder)
    (session,) = store.sessions()
    assert [(line.kind, line.text) for line in store.read(session.id).lines] == [
        ("speech", "before"),
        ("speech", "meanwhile"),
        ("gap", ""),
        ("speech", "and still"),
    ]
    assert [notice.code for notice in told] == [history_sink.STOPPED, history_sink.RESUMED]
    assert "disk is full" in told[0].text
    assert store.notices == []


@pytest.mark.parametrize("private", [True, False])
def test_where_the_first_write_fails_nothing_half_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    told: list[Notice] = []
    full = [True]
    really = os.write

    def write(fd: int, data: bytes) -> int:
        if full[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return really(fd, data)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(history_sink, "_AGAIN_S", 0.05)
    sink = HistorySink(folder, NAMES, tell=told.append)
    sink.open(HEADER)
    sink.update(final(0, 0, "hello"), 0.0)
    until(lambda: told)
    sink.set_private(private)
    if private:
        # What was asked to be forgotten does not come back with the space.
        full[0] = False
        time.sleep(0.2)
        sink.close(SUMMARY)
    else:
        with pytest.raises(SinkError, match="disk is full"):
            sink.close(SUMMARY)
    assert list(folder.iterdir()) == []


def test_what_never_was_a_record_is_kept_beside_even_without_a_line(folder: Path) -> None:
    kept(folder, "hello")
    (folder / "2026-01-01-000000-aaaa.jsonl").write_bytes(b"\x00garbage")
    (folder / "2026-01-01-000000-bbbb.jsonl").write_bytes(b'{"sess')
    store = HistoryStore(folder)
    assert len(store.sessions()) == 1
    assert [notice.code for notice in store.notices] == ["history.broken"]
    assert (folder / "2026-01-01-000000-aaaa.jsonl.broken").exists()
    assert (folder / "2026-01-01-000000-bbbb.jsonl").exists()


def test_an_id_names_no_other_file(folder: Path) -> None:
    kept(folder, "one")
    (folder.parent / "mine.jsonl").write_bytes(b"mine")
    with pytest.raises(HistoryError):
        HistoryStore(folder).delete("../mine")
    assert (folder.parent / "mine.jsonl").exists()


def test_two_lanes_stand_in_the_order_in_which_they_were_begun() -> None:
    transcript = Transcript()
    transcript.apply(replace(partial(0, 0, "", "long", at=1.0), lane="mic"))
    transcript.apply(replace(final(2, 0, "later", at=5.0), lane="system"))
    transcript.apply(replace(final(1, 0, "between", at=3.0), lane="system"))
    transcript.apply(replace(final(0, 1, "long line", at=1.0), lane="mic"))
    assert [line.text for line in transcript.lines] == ["long line", "between", "later"]
    transcript.apply(replace(final(1, 1, "", at=3.0), lane="system"))
    transcript.apply(replace(final(2, 1, "corrected", at=5.0), correction=True))
    assert [line.text for line in transcript.lines] == ["long line", "corrected"]
    transcript.begin("again")
    transcript.apply(final(0, 0, "new", at=0.0))
    assert [line.text for line in transcript.lines][2:] == ["again", "new"]


LINES = (
    Line("speech", "mic", "Hello & welcome.", 0.0, 2.0, 0),
    Line("gap", "mic", "", 3.0, 5.0),
    Line("speech", "system", "你好", 6.0, 7.0, 1),
    Line("start", "", "Started again", 0.0, 0.0),
    Line("speech", "mic", "Once more.", 1.0, 2.0, 0),
)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_holds_every_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"talk.{kind}"
    write(LINES, format_of(path), path, title="Talk", lane_names=NAMES)
    # XML may write a letter by its number.
    text = html.unescape(path.read_text(encoding="utf-8"))
    for said in ("welcome.", "你好", "Once more."):
        assert said in text
    if kind == "json":
        content = json.loads(text)
        assert [line["start"] for line in content["lines"]] == [0.0, 3.0, 6.0, 9.0]
    else:
        assert "Others" in text


def test_subtitles_of_two_sessions_never_run_backwards(tmp_path: Path) -> None:
    import pysubs2

    path = tmp_path / "talk.srt"
    write(LINES, "srt", path)
    starts = [event.start for event in pysubs2.load(str(path))]
    assert starts == sorted(starts)
    assert len(starts) == 3


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(UsageError, match=r"talk\.doc"):
        format_of(Path("talk.doc"))


def test_every_prefix_of_a_record_can_be_read(folder: Path) -> None:
    name = kept(folder, "one", "two", "three")
    data = (folder / f"{name}.jsonl").read_bytes()
    first = data.index(b"\n") + 1
    read = [len(decode(data[:end]).lines) for end in range(first, len(data) + 1)]
    assert read == sorted(read)
    assert read[-1] == 3
