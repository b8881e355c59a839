"""Lines that sentences share: what is placed stays, whoever speaks next."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_samples import measure, places, texts, update, words

from desktop_app.ui.caption_lines import KEPT_LINES, CaptionLines


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


def test_memory_is_bounded_where_sentences_share_lines() -> None:
    lines = shared(12)
    for number in range(2000):
        lines.update(update("ab cd", segment=number, start=number, final=True))
    assert len(lines._placed) <= 2 * KEPT_LINES + 2
    assert all(line is not None for line in lines.window(KEPT_LINES - 1))
    lines.rebreak(measure, 12)
    assert all("ab cd" in text for text in texts(lines.window(KEPT_LINES - 2)))
