"""Line breaking in other scripts: Chinese, right to left, and what is drawn as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_samples import measure, places, texts, update

from desktop_app.ui.caption_lines import CaptionLines

chinese = st.text("春江潮水连海平，。「」", min_size=1, max_size=12)


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
