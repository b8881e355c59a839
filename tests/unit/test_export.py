"""Events as subtitles and transcripts, read back by other parsers."""

from __future__ import annotations

import html
import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pysubs2
import pytest
import webvtt
from caption_samples import HEADER, SUMMARY, final, partial
from fixtures_cli import refused

from desktop_app.cli import main as cli
from engine.sinks.jsonl import JsonlSink
from engine.types import CaptionUpdate

SAID = (
    partial(0, 0, "it was", " the best"),
    final(0, 1, "It was the best of times, it was the worst of times, it was the age of wisdom."),
    final(1, 0, "Written {b} <i>as</i> \\N said & done 字幕", at=30.0),
)
WORDS = "It was the best of times, it was the worst of times, it was the age of wisdom."


def kept(path: Path, *updates: CaptionUpdate) -> Path:
    sink = JsonlSink(path)
    sink.open(HEADER)
    for update in updates:
        sink.update(update, 0.0)
    sink.close(SUMMARY)
    return path


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return kept(tmp_path / "events.jsonl", *SAID)


@pytest.mark.parametrize("ending", ["srt", "vtt"])
def test_subtitles_are_what_another_parser_expects(events: Path, ending: str) -> None:
    out = events.with_suffix(f".{ending}")
    assert cli.run(["export", str(events), str(out)]) == 0
    cues = webvtt.from_srt(out) if ending == "srt" else webvtt.read(out)
    assert len(cues) >= 2
    assert " ".join(" ".join(cue.lines) for cue in cues[:-1]) == WORDS
    times = [(cue.start_in_seconds, cue.end_in_seconds) for cue in cues]
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(times))
    assert all(len(html.unescape(line)) <= 42 for cue in cues for line in cue.lines)
    assert cues[-1].start == "00:00:30.000"


@pytest.mark.parametrize("ending", ["ass", "ssa", "ttml"])
def test_the_other_formats_hold_the_same_words_and_no_commands(events: Path, ending: str) -> None:
    out = events.with_suffix(f".{ending}")
    assert cli.run(["export", str(events), str(out)]) == 0
    if ending == "ttml":
        root = ET.parse(out).getroot()
        rows = ["".join(p.itertext()) for p in root.iter("{http://www.w3.org/ns/ttml}p")]
        last = " ".join(rows[-1].split())
    else:
        read = pysubs2.load(str(out))
        assert [event.is_drawing for event in read] == [False] * len(read)
        last = read[-1].text.replace("\\N", " ")
        assert " ".join(event.text.replace("\\N", " ") for event in read[:-1]) == WORDS
        assert "{" not in "".join(event.text for event in read)
    assert last == "Written (b) <i>as</i> /N said & done 字幕"


def test_what_a_crash_left_is_exported_up_to_the_torn_line(events: Path) -> None:
    whole = events.read_bytes()
    at = whole.index(b'{"t"', whole.index(b'"revision": 0'))
    torn = events.with_name("torn.jsonl")
    torn.write_bytes(whole[: at + 40])
    out = torn.with_suffix(".txt")
    assert cli.run(["export", str(torn), str(out)]) == 0
    assert out.read_text("utf-8") == "it was the best\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello\n", "holds no captions in line 1"),
        (b'{"segment": 1}\n', "holds no captions in line 1"),
        (b'{"header": {"source": "x"}}\n[1]\n', "holds no captions in line 2"),
        (b"\xff\xfe\n", "holds no captions"),
    ],
)
def test_what_is_no_events_file_is_refused(
    content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert cli.run(["export", str(path), str(tmp_path / "x.srt")]) == 2
    assert says in refused(capsys)
    assert not (tmp_path / "x.srt").exists()


def test_a_wrong_name_is_refused(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in (
        (["none.jsonl", "x.srt"], "cannot be read"),
        ([str(events), "x.doc"], "names no format"),
        ([str(events), str(events), "--format", "json"], "overwritten with itself"),
    ):
        assert cli.run(["export", *arguments]) == 2
        assert says in refused(capsys)
    assert cli.run(["export", str(events), "/nowhere/x.ass"]) == 1
    assert "its folder does not exist" in refused(capsys)
