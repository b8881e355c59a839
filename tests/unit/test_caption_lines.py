"""The laws of line breaking: a placed word never moves, and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_samples import measure, places, texts, update, words

from desktop_app.ui.caption_lines import KEPT_LINES, CaptionLines


@given(st.lists(words, min_size=1, max_size=40), st.floats(6, 40), st.data())
def test_appending_words_never_moves_a_placed_word(
    spoken: list[str], width: float, data: st.DataObject
) -> None:
    lines = CaptionLines(measure, width)
    before: list[tuple[int, int, float, str]] = []
    revision = 0
    position = 0
    while position < len(spoken):
        position += data.draw(st.integers(1, len(spoken) - position))
        lines.update(update(" ".join(spoken[:position]), revision=revision))
        after = places(lines)
        assert after[: len(before)] == before
        before, revision = after, revision + 1
    assert "".join(place[3] for place in before) == "".join(spoken)


@given(st.lists(words, min_size=1, max_size=30), st.lists(words, max_size=8), st.floats(8, 40))
def test_a_changing_tail_never_moves_the_stable_words(
    stable: list[str], tail: list[str], width: float
) -> None:
    lines = CaptionLines(measure, width)
    lines.update(update(" ".join(stable)))
    before = places(lines)
    lines.update(update(" ".join(stable), "".join(" " + word for word in tail), revision=1))
    assert places(lines)[: len(before)] == before


@given(words, st.sampled_from([".", ",", "!", "。", '."', "..."]), st.floats(4, 20))
def test_a_late_full_stop_does_not_carry_its_word_away(
    word: str, ending: str, width: float
) -> None:
    bare = word.rstrip('.,?"')
    lines = CaptionLines(measure, width)
    lines.update(update("aa bb " + bare))
    before = places(lines)
    lines.update(update("aa bb " + bare + ending, revision=1))
    assert [place[:3] for place in places(lines)] == [place[:3] for place in before]


@given(st.lists(words, min_size=1, max_size=40), st.floats(4, 60))
def test_no_line_is_wider_than_the_panel_but_for_hanging_punctuation(
    spoken: list[str], width: float
) -> None:
    lines = CaptionLines(measure, width)
    lines.update(update(" ".join(spoken)))
    for line in lines.window(lines.bottom):
        assert line is not None
        last = line.words[-1]
        assert last.x + measure(last.text.rstrip('.,?"') or last.text[:1]) <= width + 1e-9


def test_breaks_greedily() -> None:
    lines = CaptionLines(measure, 12)
    lines.update(update("over the gate and gone"))
    assert texts(lines.window(lines.bottom)) == ["over the", "gate and", "gone"]


def test_the_newest_is_at_the_bottom_and_the_oldest_leaves() -> None:
    lines = CaptionLines(measure, 20)
    for number in range(5):
        lines.update(update(f"line {number}", segment=number, final=True))
    assert texts(lines.window(3)) == ["line 2", "line 3", "line 4"]
    assert lines.bottom == 5


def test_fewer_lines_than_rows_leave_the_upper_rows_empty() -> None:
    lines = CaptionLines(measure, 20)
    lines.update(update("hello"))
    assert texts(lines.window(3)) == ["", "", "hello"]


def test_a_shrinking_tail_does_not_slide_the_text_back_down() -> None:
    lines = CaptionLines(measure, 10)
    lines.update(update("abcd abcd", " abcd abcd"))
    lines.update(update("abcd abcd", "", revision=1))
    assert lines.bottom == 2
    assert texts(lines.window(2)) == ["abcd abcd", ""]


def test_older_news_is_ignored() -> None:
    lines = CaptionLines(measure, 40)
    assert lines.update(update("one two", revision=4))
    assert not lines.update(update("one", revision=3))
    assert texts(lines.window(1)) == ["one two"]


def test_a_finished_line_changes_only_by_a_correction() -> None:
    lines = CaptionLines(measure, 40)
    lines.update(update("the sum", revision=1, final=True))
    assert not lines.update(update("other", revision=9))
    assert lines.update(update("that some", revision=0, final=True, correction=True))
    assert texts(lines.window(1)) == ["that some"]


def test_an_update_that_draws_the_same_is_no_change() -> None:
    lines = CaptionLines(measure, 40)
    assert lines.update(update("same"))
    assert not lines.update(update("same", revision=1, final=True))


def test_stable_characters_are_told_apart() -> None:
    lines = CaptionLines(measure, 40)
    lines.update(update("one tw", "o three"))
    line = lines.window(1)[0]
    assert line is not None
    assert [(word.text, word.stable) for word in line.words] == [
        ("one", 3),
        ("two", 2),
        ("three", 0),
    ]


def test_becoming_stable_moves_nothing() -> None:
    lines = CaptionLines(measure, 10)
    lines.update(update("one", " two three four"))
    before = places(lines)
    assert lines.update(update("one two three", " four", revision=1))
    assert places(lines) == before


def test_a_word_wider_than_the_panel_is_cut_and_whole() -> None:
    lines = CaptionLines(measure, 5)
    lines.update(update("a bcdabcdabcdabcd a"))
    shown = texts(lines.window(lines.bottom))
    assert "".join(shown).replace(" ", "") == "abcdabcdabcdabcda"
    assert all(measure(line) <= 5 for line in shown)


@pytest.mark.parametrize("odd", ["", "   ", "\n\t", "\x00\x07"])
def test_nothing_to_draw_draws_nothing(odd: str) -> None:
    lines = CaptionLines(measure, 30)
    assert not lines.update(update(odd))
    assert lines.empty


def test_control_characters_are_spaces() -> None:
    lines = CaptionLines(measure, 30)
    lines.update(update("one\ntwo\x00three"))
    assert texts(lines.window(1)) == ["one two three"]


def test_a_new_width_breaks_afresh_and_keeps_all_words() -> None:
    lines = CaptionLines(measure, 8)
    lines.update(update("one two three four five six"))
    lines.rebreak(measure, 100)
    assert texts(lines.window(1)) == ["one two three four five six"]
    assert lines.bottom == 1


def test_memory_is_bounded_over_hours() -> None:
    lines = CaptionLines(measure, 12)
    for number in range(2000):
        lines.update(update(f"words {number} and more", segment=number, final=True))
    assert lines.bottom >= 4000
    shown = lines.window(KEPT_LINES)
    assert all(line is not None for line in shown)
    assert lines.window(KEPT_LINES * 3)[0] is None


def test_a_line_long_gone_does_not_come_back() -> None:
    lines = CaptionLines(measure, 12)
    for number in range(200):
        lines.update(update(f"line {number}", segment=number, final=True))
    bottom = lines.bottom
    assert not lines.update(update("late", segment=3, revision=5, correction=True))
    assert lines.bottom == bottom


def test_a_new_session_goes_on_below() -> None:
    lines = CaptionLines(measure, 20)
    lines.update(update("before", final=True))
    lines.begin_session()
    lines.update(update("after"))
    assert texts(lines.window(2)) == ["before", "after"]


def test_letters_are_changed_before_lines_are_broken() -> None:
    lines = CaptionLines(lambda text: float(len(text)), 6)
    lines.letters = str.upper
    lines.update(update("straße", " ab"))
    assert texts(lines.window(lines.bottom)) == ["STRASS", "E AB"]
    line = lines.window(1)[0]
    assert line is not None
    assert [(word.text, word.stable) for word in line.words] == [("E", 1), ("AB", 0)]
