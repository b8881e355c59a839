"""The laws of line breaking: a placed word never moves, and nothing is lost."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.ui.caption_lines import KEPT_LINES, CaptionLines, VisualLine
from engine.types import CaptionUpdate


def measure(text: str) -> float:
    """Wide characters count two, narrow ones one, and i less: not all words of a length agree."""
    return sum(2.0 if ord(c) >= 0x2E80 else 0.6 if c in "il.," else 1.0 for c in text)


def update(
    stable: str,
    unstable: str = "",
    *,
    segment: int = 0,
    revision: int = 0,
    final: bool = False,
    correction: bool = False,
    lane: str = "mic",
    start: float = 0.0,
) -> CaptionUpdate:
    return CaptionUpdate(
        lane=lane,
        segment_id=segment,
        revision=revision,
        stable=stable,
        unstable=unstable,
        start=start,
        end=start + 1.0,
        heard_at=0.0,
        is_final=final,
        correction=correction,
    )


def texts(lines: tuple[VisualLine | None, ...]) -> list[str]:
    shown = []
    for line in lines:
        parts: list[str] = []
        end = 0.0
        for word in line.words if line else ():
            if parts and word.x > end + 0.1:
                parts.append(" ")
            parts.append(word.text)
            end = word.x + word.width
        shown.append("".join(parts))
    return shown


def places(lines: CaptionLines) -> list[tuple[int, int, float, str]]:
    return [
        (row, number, word.x, word.text)
        for row, line in enumerate(lines.window(lines.bottom))
        if line is not None
        for number, word in enumerate(line.words)
    ]


words = st.text("abcdil", min_size=1, max_size=12).flatmap(
    lambda word: st.sampled_from(["", ".", ",", "?", "...", '."']).map(lambda end: word + end)
)
chinese = st.text("春江潮水连海平，。「」", min_size=1, max_size=12)


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


@given(st.lists(chinese, min_size=1, max_size=10), st.floats(6, 40))
def test_appending_chinese_never_moves_a_placed_character(spoken: list[str], width: float) -> None:
    lines = CaptionLines(measure, width)
    before: list[tuple[int, int, float, str]] = []
    for count in range(1, len(spoken) + 1):
        lines.update(update("".join(spoken[:count]), revision=count))
        after = places(lines)
        # The last run may still take closing punctuation, or follow its opening bracket.
        settled = before[:-1]
        assert after[: len(settled)] == settled
        before = after
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


def test_a_cluster_is_never_cut() -> None:
    family = "👩‍👩‍👧"
    lines = CaptionLines(measure, 3)
    lines.update(update(family * 3))
    for line in texts(lines.window(lines.bottom)):
        assert not line.startswith("\u200d")
        assert not line.endswith("\u200d")


def test_chinese_punctuation_never_begins_a_line() -> None:
    lines = CaptionLines(measure, 8)
    lines.update(update("春江潮水，连海平。「海上」明月"))
    shown = texts(lines.window(lines.bottom))
    assert shown[0] == "春江潮水，"
    assert all(line[0] not in "，。」" and line[-1] != "「" for line in shown)


def test_right_to_left_text_is_marked() -> None:
    lines = CaptionLines(measure, 30)
    lines.update(update("مرحبا بالعالم"))
    line = lines.window(1)[0]
    assert line is not None
    assert line.rtl


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


def shared(width: float = 20) -> CaptionLines:
    return CaptionLines(measure, width, share=True)


def shown(lines: CaptionLines) -> list[str]:
    return texts(lines.window(lines.bottom))


def test_short_sentences_of_one_lane_share_a_line() -> None:
    lines = shared()
    lines.update(update("Yes.", final=True))
    lines.update(update("No", " mo", segment=1))
    assert shown(lines) == ["Yes. No mo"]
    lines.update(update("No more of that", " now", segment=1, revision=1))
    assert shown(lines) == ["Yes. No more of that", "now"]
    assert lines.bottom == 2


@pytest.mark.parametrize(
    "other",
    [
        {"lane": "system"},
        {"start": 9.0},  # after a long pause
    ],
)
def test_another_lane_and_a_pause_begin_a_line(other: dict[str, object]) -> None:
    lines = shared()
    lines.update(update("Yes.", final=True))
    lines.update(update("No", segment=1, **other))  # type: ignore[arg-type]
    assert shown(lines) == ["Yes.", "No"]


def test_nothing_goes_behind_a_sentence_that_still_grows() -> None:
    lines = shared()
    lines.update(update("Yes"))
    lines.update(update("No", segment=1))
    lines.update(update("Yes sir", revision=1, final=True))
    assert shown(lines) == ["Yes sir", "No"]


def test_a_late_sentence_never_comes_between_two_that_share_a_line() -> None:
    lines = shared()
    lines.update(update("Yes.", segment=1, final=True))
    lines.update(update("No.", segment=3, final=True))
    lines.update(update("What?", segment=2, lane="system", final=True))
    lines.update(update("Well", segment=4))
    assert shown(lines) == ["Yes. No.", "What?", "Well"]


def test_a_correction_takes_along_what_shares_its_line() -> None:
    lines = shared(12)
    lines.update(update("Yes.", final=True))
    lines.update(update("No", segment=1))
    lines.update(update("Yesterday.", final=True, correction=True))
    assert shown(lines) == ["Yesterday.", "No"]
    lines.update(update("", final=True, correction=True))
    assert "".join(shown(lines)) == "No"


def test_chinese_sentences_share_a_line_without_a_space() -> None:
    lines = shared()
    lines.update(update("春江。", final=True))
    lines.update(update("潮水", segment=1))
    assert shown(lines) == ["春江。潮水"]


def test_sessions_share_no_line() -> None:
    lines = shared()
    lines.update(update("Yes.", final=True))
    lines.begin_session()
    lines.update(update("No"))
    assert shown(lines) == ["Yes.", "No"]


sentence = st.tuples(st.lists(words, min_size=1, max_size=6), st.sampled_from(["mic", "system"]))


@given(st.lists(sentence, min_size=1, max_size=12), st.floats(8, 40), st.booleans())
def test_what_is_placed_stays_whoever_speaks_next(
    spoken: list[tuple[list[str], str]], width: float, named: bool
) -> None:
    lines = shared(width)
    if named:
        lines.label = lambda lane: {"mic": "i", "system": "lll"}[lane]
    before: list[tuple[int, int, float, str]] = []
    for segment, (said, lane) in enumerate(spoken):
        for count in range(1, len(said) + 1):
            stable = " ".join(said[: count - 1])
            tail = (" " if stable else "") + said[count - 1]
            lines.update(update(stable, tail, segment=segment, revision=count, lane=lane))
        lines.update(update(" ".join(said), segment=segment, revision=99, final=True, lane=lane))
        after = places(lines)
        assert after[: len(before)] == before
        before = after
    heard = "".join("".join(said) for said, _ in spoken)
    assert (
        "".join(
            word.text
            for line in lines.window(lines.bottom)
            if line
            for word in line.words
            if not word.label
        )
        == heard
    )
    for line in lines.window(lines.bottom):
        assert line is not None
        assert all(one.x + one.width <= two.x + 1e-9 for one, two in itertools.pairwise(line.words))


def test_a_lane_is_named_where_it_begins_to_speak() -> None:
    lines = shared(30)
    lines.label = {"mic": "You", "system": "Others"}.__getitem__
    lines.update(update("Hello.", final=True))
    lines.update(update("Anyone?", segment=1, final=True))
    lines.update(update("Yes.", segment=2, lane="system", final=True))
    lines.update(update("Good.", segment=3, final=True))
    lines.update(update("So.", segment=4, start=30.0, final=True))
    assert shown(lines) == ["You Hello. Anyone?", "Others Yes.", "You Good.", "You So."]
    line = lines.window(1)[0]
    assert line is not None
    assert [word.label for word in line.words] == [True, False]
    assert line.lane == "mic"


def test_letters_are_changed_before_lines_are_broken() -> None:
    lines = CaptionLines(lambda text: float(len(text)), 6)
    lines.letters = str.upper
    lines.update(update("straße", " ab"))
    assert texts(lines.window(lines.bottom)) == ["STRASS", "E AB"]
    line = lines.window(1)[0]
    assert line is not None
    assert [(word.text, word.stable) for word in line.words] == [("E", 1), ("AB", 0)]


def test_memory_is_bounded_where_sentences_share_lines() -> None:
    lines = shared(12)
    for number in range(2000):
        lines.update(update("ab cd", segment=number, start=number, final=True))
    assert len(lines._placed) <= 2 * KEPT_LINES + 2
    assert all(line is not None for line in lines.window(KEPT_LINES - 1))
    lines.rebreak(measure, 12)
    assert all("ab cd" in text for text in texts(lines.window(KEPT_LINES - 2)))


def order(text: str) -> list[str]:
    """The words as the eye meets them, from the left."""
    lines = CaptionLines(measure, 60)
    lines.update(update(text))
    line = lines.window(1)[0]
    assert line is not None
    places = [(-word.x - word.width if line.rtl else word.x, word.text) for word in line.words]
    return [text for _, text in sorted(places)]


def test_words_that_read_the_other_way_stand_in_their_own_order() -> None:
    assert order("שלום hello there 12 עולם") == ["עולם", "12", "hello", "there", "שלום"]
    assert order("say שלום עולם now") == ["say", "עולם", "שלום", "now"]
    assert order("one two") == ["one", "two"]


@pytest.mark.parametrize("one", ["👍🏽", "🇩🇪", "न\u0940", "1\ufe0f\u20e3", "👩‍👩‍👧"])
def test_what_is_drawn_as_one_is_never_cut(one: str) -> None:
    lines = CaptionLines(lambda text: float(len(text)), len(one) * 2 - 1)
    lines.update(update(one * 3))
    assert texts(lines.window(lines.bottom)) == [one] * 3


def test_a_small_kana_never_begins_a_line() -> None:
    lines = CaptionLines(measure, 8)
    lines.update(update("きょうはちょっと"))
    assert all(line[0] not in "ょっ" for line in texts(lines.window(lines.bottom)))
