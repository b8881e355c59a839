"""Subtitles: the reading rules hold for any words, and the files are whole at every moment."""

from __future__ import annotations

import errno
import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial, spoken
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sinks._cells import LINE_WIDTH, READING_RATE, WIDE_READING_RATE, width
from engine.sinks.subtitles import MAX_S, MIN_S, SrtSink, VttSink, cues, words_of
from engine.types import Word

TIMES = re.compile(r"(\d\d+):(\d\d):(\d\d)[,.](\d{3}) --> (\d\d+):(\d\d):(\d\d)[,.](\d{3})")

texts = st.one_of(
    st.sampled_from(
        ["a", "the", "speech.", "well,", "and", "extraordinary", "why?", "字幕", "です"]
    ),
    st.text(st.characters(exclude_categories=["C", "Z", "M"]), min_size=1, max_size=100),
)


@st.composite
def word_lists(draw: st.DrawFn) -> list[Word]:
    clock = draw(st.floats(0.0, 5.0))
    words = []
    for _ in range(draw(st.integers(0, 40))):
        start = clock + draw(st.sampled_from([0.0, 0.01, 0.1, 0.7, 3.0, 20.0]))
        clock = start + draw(st.sampled_from([0.0, 0.05, 0.3, 0.9, 12.0]))
        words.append(Word(draw(texts), start, clock))
    return words


@given(word_lists(), st.floats(0.0, 30.0))
@settings(max_examples=150, deadline=None)
def test_the_rules_hold_for_any_words(words: list[Word], not_before: float) -> None:
    found = cues(words, not_before)
    for cue in found:
        assert 1 <= len(cue.lines) <= 2
        assert all(line.strip() == line != "" for line in cue.lines)
        assert all(width(line) <= LINE_WIDTH for line in cue.lines)
        assert MIN_S - 1e-6 <= cue.end - cue.start <= MAX_S + 1e-6
        assert cue.start >= not_before
    for before, after in itertools.pairwise(found):
        assert before.end <= after.start
    shown = "".join("".join(line) for cue in found for line in cue.lines)
    said = "".join(word.text for word in words)
    assert "".join(shown.split()) == "".join(said.split())


@given(st.lists(st.sampled_from(["we", "had", "everything", "us,", "it.", "the"])))
@settings(max_examples=100, deadline=None)
def test_words_stay_whole_and_in_order(texts: list[str]) -> None:
    found = cues(spoken(" ".join(texts)))
    assert [word for cue in found for line in cue.lines for word in line.split()] == texts


def test_ordinary_speech_is_never_late_and_can_be_read() -> None:
    text = (
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was "
        "the age of foolishness, it was the epoch of belief, it was the epoch of incredulity."
    )
    words = spoken(text, start=3.0, pace=0.3)
    found = cues(words)
    starts = {word.start for word in words}
    for cue in found:
        assert cue.start in starts
        assert sum(map(len, cue.lines)) / (cue.end - cue.start) <= READING_RATE
    assert all(cue.lines[-1][-1] in ",." for cue in found), "cues break at phrases"


def test_a_sentence_end_is_a_better_place_than_the_last_word_that_fits() -> None:
    text = "That is all there is to say of it. Now for something else entirely then, and at length"
    found = cues(spoken(text, pace=0.25))
    assert found[0].lines[-1].endswith("of it.")


def test_a_line_does_not_end_with_an_article() -> None:
    (cue,) = cues(spoken("He had never in all his days seen the harbour so full"))
    assert len(cue.lines) == 2
    assert cue.lines[0].split()[-1] != "the"


def test_a_long_silence_parts_two_cues() -> None:
    words = (*spoken("before the pause", 0.0), *spoken("after it", 6.0))
    assert [cue.lines for cue in cues(words)] == [("before the pause",), ("after it",)]


def test_a_short_word_stays_long_enough_to_be_read() -> None:
    (cue,) = cues([Word("Yes.", 2.0, 2.2)])
    assert (cue.start, cue.end) == (2.0, 3.0)


CHINESE = (
    "我们在这里为所有听不清楚的人实时显示字幕，而且一切都在自己的电脑上完成，不会发送到任何地方。"
    "他说：“今天下午三点（北京时间）开会，大家不要迟到！”然后就走了……谁也没有再说什么，真的吗？"
)
LATE = "，。、；：！？）”…"


def chinese_words(text: str, cut: int, pace: float = 0.2) -> list[Word]:
    """``text`` as a recogniser gives it: in words of ``cut`` characters, marks with them."""
    words, at = [], 0.0
    for begin in range(0, len(text), cut):
        run = text[begin : begin + cut]
        words.append(Word(run, at, at + pace * len(run)))
        at += pace * len(run)
    return words


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 1000])
def test_chinese_lines_hold_18_characters_and_begin_with_none_that_closes(cut: int) -> None:
    found = cues(chinese_words(CHINESE, cut))
    lines = [line for cue in found for line in cue.lines]
    assert "".join(lines) == CHINESE
    assert max(map(len, lines)) <= 18
    assert not any(line[0] in LATE or line[-1] in "“（" for line in lines)
    for cue in found:
        assert sum(map(len, cue.lines)) / (cue.end - cue.start) <= WIDE_READING_RATE
    ends = [cue.lines[-1][-1] for cue in found]
    assert all(end in LATE for end in ends), "subtitles end where phrases do"


@given(st.text(st.sampled_from("我们的字幕，。！？“”（）…a1 "), min_size=1, max_size=120))
@settings(max_examples=150, deadline=None)
def test_chinese_of_any_kind_keeps_its_marks_in_their_lines(text: str) -> None:
    marked = text.strip()[:1] in LATE
    found = cues([Word(text, 0.0, 10.0)])
    for line in [line for cue in found for line in cue.lines][marked:]:
        assert width(line) <= LINE_WIDTH
        # Where there are more marks in a row than a line holds, one has to.
        assert line[0] not in LATE or set(line) <= set(LATE + " ")


def test_a_particle_does_not_begin_a_line() -> None:
    (cue,) = cues(chinese_words("这是昨天晚上他告诉我们大家的那个非常有意思的故事", 1))
    assert len(cue.lines) == 2
    assert cue.lines[1][0] not in "的们"


def test_latin_words_among_chinese_stay_whole() -> None:
    text = "我昨天用 Python 写了一个 Captionglass 的小插件，运行得非常快"
    found = cues([Word(word, 0.0, 6.0) for word in text.split()])
    lines = [line for cue in found for line in cue.lines]
    assert any("Captionglass" in line for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_words_without_times_are_spread_over_their_line() -> None:
    line = replace(final(0, text="one two three four", at=2.0), words=(), start=2.0, end=4.0)
    assert [(word.text, word.start, word.end) for word in words_of(line)] == [
        ("one", 2.0, 2.5),
        ("two", 2.5, 3.0),
        ("three", 3.0, 3.5),
        ("four", 3.5, 4.0),
    ]


def test_times_that_run_backwards_are_straightened() -> None:
    found = cues([Word("one.", 5.0, 6.0), Word("two.", 1.0, 2.0), Word("three.", 30.0, 29.0)])
    assert [line for cue in found for line in cue.lines] == ["one. two.", "three."]
    assert found[0].end <= found[1].start


def read_times(path: Path) -> list[tuple[float, float]]:
    found = []
    for match in TIMES.finditer(path.read_text(encoding="utf-8")):
        n = [int(group) for group in match.groups()]
        found.append(
            (
                n[0] * 3600 + n[1] * 60 + n[2] + n[3] / 1000,
                n[4] * 3600 + n[5] * 60 + n[6] + n[7] / 1000,
            )
        )
    return found


def test_srt_reads_as_the_format_wants(tmp_path: Path) -> None:
    path = tmp_path / "out.srt"
    sink = SrtSink(path)
    sink.open(HEADER)
    sink.update(partial(0, 0), 0.0)
    sink.update(final(0, 1, "hello world", at=3661.5), 0.0)
    sink.update(final(1, 0, "five --> six", at=3670.0), 0.0)
    sink.close(SUMMARY)
    assert path.read_text(encoding="utf-8") == (
        "1\n01:01:01,500 --> 01:01:02,500\nhello world\n\n"
        "2\n01:01:10,000 --> 01:01:11,000\nfive → six\n\n"
    )


def test_vtt_reads_as_the_format_wants_and_escapes(tmp_path: Path) -> None:
    path = tmp_path / "out.vtt"
    sink = VttSink(path)
    sink.open(HEADER)
    sink.update(final(0, 1, "R&D <b>", at=1.0), 0.0)
    sink.close(SUMMARY)
    assert path.read_text(encoding="utf-8") == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nR&amp;D &lt;b&gt;\n\n"
    )


@pytest.mark.parametrize("make", [SrtSink, VttSink])
def test_the_file_is_whole_after_every_line_and_nothing_overlaps(
    tmp_path: Path, make: type[SrtSink] | type[VttSink]
) -> None:
    path = tmp_path / "out"
    sink = make(path)
    sink.open(HEADER)
    said: list[str] = []
    at = 0.0
    for segment in range(12):
        text = "a line of words that were spoken fast indeed, number " + str(segment)
        sink.update(final(segment, 0, text, at=at), 0.0)
        said += text.split()
        content = path.read_text(encoding="utf-8")
        assert content.endswith("\n\n")
        blocks = content.removeprefix("WEBVTT\n\n").strip().split("\n\n")
        shown = " ".join(" ".join(block.split("-->")[1].split("\n")[1:]) for block in blocks)
        assert shown.split() == said
        at += len(text.split()) * 0.3 + (0.1 if segment % 2 else 2.0)
    sink.close(SUMMARY)
    times = read_times(path)
    assert all(MIN_S <= end - start <= MAX_S for start, end in times)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(times))


def test_a_last_cue_left_standing_ends_where_the_next_line_begins(tmp_path: Path) -> None:
    path = tmp_path / "out.srt"
    sink = SrtSink(path)
    sink.open(HEADER)
    # Twenty characters a second would let these 36 characters stand until 1.8 s.
    sink.update(final(0, 0, "extraordinarily straightforward talk", at=0.0), 0.0)
    assert read_times(path)[0] == (0.0, 1.8)
    sink.update(final(1, 0, "next", at=1.2), 0.0)
    sink.close(SUMMARY)
    assert read_times(path) == [(0.0, 1.2), (1.2, 2.2)]


def test_a_cue_that_waits_for_a_full_disk_is_still_ended_where_the_next_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.srt"
    sink = SrtSink(path)
    sink.open(HEADER)
    with monkeypatch.context() as full:

        def write(*_arguments: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        full.setattr("engine.sinks._files.os.write", write)
        sink.update(final(0, 0, "extraordinarily straightforward talk", at=0.0), 0.0)
    assert path.read_bytes() == b""
    sink.update(final(1, 0, "next", at=1.2), 0.0)
    assert read_times(path) == [(0.0, 1.2), (1.2, 2.2)]
    sink.close(SUMMARY)


def test_a_line_that_follows_at_once_waits_until_the_one_before_could_be_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "out.srt"
    sink = SrtSink(path)
    sink.open(HEADER)
    sink.update(final(0, 0, "Yes.", at=0.0), 0.0)
    sink.update(final(1, 0, "No.", at=0.4), 0.0)
    sink.close(SUMMARY)
    assert read_times(path) == [(0.0, 1.0), (1.0, 2.0)]


def test_corrections_and_empty_lines_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.srt"
    sink = SrtSink(path)
    sink.open(HEADER)
    sink.update(final(0, 0, "", at=0.0), 0.0)
    sink.update(final(1, 0, "hello", at=0.0), 0.0)
    sink.update(replace(final(1, 1, "hallo", at=0.0), correction=True), 0.0)
    sink.close(SUMMARY)
    assert path.read_text(encoding="utf-8").count("-->") == 1
