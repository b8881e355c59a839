"""How long lines stay, and how they move: with a clock of the test's own."""

from __future__ import annotations

import pytest
from fixtures_session import caption

from desktop_app.ui.caption_lines import CaptionLines, VisualLine
from desktop_app.ui.motion import FADE_S, GLIDE_S, Motion
from desktop_app.ui.reading import LEAST_S, MOST_S, Reading, reading_s

FORTY = "abcdefghi " * 4


def made(*texts: str) -> CaptionLines:
    lines = CaptionLines(lambda text: float(len(text)), 42)
    for number, text in enumerate(texts):
        lines.update(caption(text, segment=number, final=True))
    return lines


def shown(lines: CaptionLines, reading: Reading, rows: int) -> list[str]:
    return [
        " ".join(word.text for word in line.words)
        for line in lines.window(rows, reading.bottom)
        if line is not None
    ]


def test_time_to_read_grows_with_the_length() -> None:
    (short,) = made("Yes.").window(1)
    (long,) = made(FORTY).window(1)
    (chinese,) = made("春江潮水连海平海上明月共潮生").window(1)
    assert short is not None
    assert long is not None
    assert chinese is not None
    assert reading_s(short) == LEAST_S
    assert reading_s(long) == pytest.approx(2.0, abs=0.1)
    assert 1.2 < reading_s(chinese) <= MOST_S


def test_a_line_leaves_when_it_could_have_been_read() -> None:
    lines, reading = made(FORTY + "1"), Reading()
    assert reading.advance(lines, 1, 100.0) is None
    lines.update(caption(FORTY + "2", segment=1))
    wait = reading.advance(lines, 1, 100.5)
    assert wait == pytest.approx(1.6, abs=0.1)
    assert shown(lines, reading, 1)[0].endswith("1")
    assert reading.advance(lines, 1, 102.2) is None
    assert shown(lines, reading, 1)[0].endswith("2")


def test_the_last_word_of_a_line_stays_a_moment() -> None:
    lines, reading = CaptionLines(lambda text: float(len(text)), 42), Reading()
    lines.update(caption("one two"))
    reading.advance(lines, 1, 100.0)
    lines.update(caption("one two three", revision=1, final=True))
    reading.advance(lines, 1, 110.0)
    lines.update(caption(FORTY, segment=1))
    wait = reading.advance(lines, 1, 110.1)
    assert wait == pytest.approx(0.4, abs=0.01)


def test_with_room_nothing_waits() -> None:
    lines, reading = made("One."), Reading()
    for number in range(1, 3):
        reading.advance(lines, 3, 100.0)
        lines.update(caption("More.", segment=number, final=True))
        assert reading.advance(lines, 3, 100.0) is None


def test_every_line_of_a_burst_is_shown_and_the_backlog_ends() -> None:
    lines, reading = made(*(f"{FORTY}{number}" for number in range(8))), Reading()
    seen: list[str] = []
    now = 100.0
    wait: float | None = 0.0
    while wait is not None:
        wait = reading.advance(lines, 3, now)
        seen += [text for text in shown(lines, reading, 3) if text not in seen]
        now += wait or 0.0
    assert len(seen) == 8
    assert 3.0 < now - 100.0 < 12.0


def test_what_is_hopelessly_behind_is_passed_over() -> None:
    lines, reading = made("First."), Reading()
    reading.advance(lines, 2, 100.0)
    for number in range(1, 30):
        lines.update(caption(f"{FORTY}{number}", segment=number, final=True))
    reading.advance(lines, 2, 100.1)
    assert lines.bottom - reading.bottom <= 6


def test_new_breaks_keep_no_new_words_waiting() -> None:
    lines, reading = made(FORTY), Reading()
    reading.advance(lines, 1, 100.0)
    reading.catch_up(lines)
    lines.update(caption("New.", segment=1))
    assert reading.advance(lines, 1, 100.1) is None
    lines.update(caption("Newer.", segment=2))
    assert reading.advance(lines, 1, 100.2) is not None


def row(key: int, *words: str) -> VisualLine:
    lines = CaptionLines(lambda text: float(len(text)), 1000)
    lines.update(caption(" ".join(words), segment=key))
    (line,) = lines.window(1)
    assert line is not None
    return line


NOWHERE: tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]] = ({}, {})


def test_lines_move_from_where_they_are_without_a_jump() -> None:
    motion = Motion()
    one, two, three = row(1, "a"), row(2, "b"), row(3, "c")
    motion.glide((one, two), (two, three), 1, 30.0, NOWHERE, 10.0)
    assert motion.offset(two, 10.0) == (0.0, 30.0)
    assert motion.offset(three, 10.0) == (0.0, 30.0)
    assert [(line, number) for number, line in motion.leaving] == [(one, -1)]
    assert motion.offset(one, 10.0) == (0.0, 30.0)
    half = motion.offset(two, 10.05)[1]
    four = row(4, "d")
    motion.glide((two, three), (three, four), 1, 30.0, NOWHERE, 10.05)
    assert motion.offset(three, 10.05)[1] == pytest.approx(half + 30.0)
    assert motion.offset(two, 10.05)[1] == pytest.approx(half + 30.0)
    assert not motion.gliding(10.06 + GLIDE_S)
    assert motion.leaving == []


def test_a_line_between_others_moves_only_what_is_above_it() -> None:
    motion = Motion()
    one, other, two = row(1, "a"), row(5, "x"), row(2, "b")
    motion.glide((None, one, other), (one, two, other), 1, 30.0, NOWHERE, 10.0)
    assert motion.offset(one, 10.0)[1] == 30.0
    assert motion.offset(other, 10.0)[1] == 0.0
    assert motion.offset(two, 10.0)[1] == 0.0


def test_aligned_lines_slide_to_their_new_place() -> None:
    motion = Motion()
    line = row(1, "a")
    motion.glide((line,), (line,), 0, 30.0, ({line.key: 50.0}, {line.key: 40.0}), 10.0)
    assert motion.offset(line, 10.0) == (10.0, 0.0)
    assert motion.offset(line, 10.0 + GLIDE_S) == (0.0, 0.0)


def test_new_words_come_out_and_known_ones_stay() -> None:
    motion = Motion()
    motion.come_out((row(1, "a"),), (row(1, "a", "b"),), 10.0)
    line = row(1, "a", "b")
    assert motion.opacity(line, 0, 10.0) == 1.0
    assert motion.opacity(line, 1, 10.0) < 0.5
    assert motion.fresh() == {line.key: 1}
    assert motion.opacity(line, 1, 10.0 + FADE_S) == 1.0
    assert not motion.fading(10.0 + FADE_S)
