"""Finding the settled words in what is heard anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.matching import Said, unsaid
from engine.recognizers.base import Token


class Ears:
    """Words, their marks apart, as tokens."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def text(self, ids: Sequence[int]) -> str:
        return "".join(self.pieces[number] for number in ids).strip()

    def tokens(self, *said: tuple[str, float | None]) -> list[Token]:
        found = []
        for word, end in said:
            for piece in (f" {word.rstrip('.,')}", word[len(word.rstrip(".,")) :]):
                if piece:
                    self.pieces.append(piece)
                    starts = piece.startswith(" ")
                    found.append(Token(len(self.pieces) - 1, starts, -0.1, end))
        return found


def rest(said: Sequence[tuple[str, float]], *heard: tuple[str, float | None]) -> str:
    ears = Ears()
    settled = [Said(word, end) for word, end in said]
    left = unsaid(ears.tokens(*heard), settled, ears.text)
    return ears.text([token.id for token in left])


def test_with_nothing_settled_all_is_new() -> None:
    assert rest([], ("the", 0.3), ("cat", 0.6)) == "the cat"
    assert rest([(",", 0.3)], ("the", 0.3), ("cat", 0.6)) == "the cat"


def test_settled_words_are_left_out_and_the_mark_behind_them_is_not() -> None:
    assert rest([("the", 0.3)], ("the", 0.3), ("cat", 0.6)) == "cat"
    assert rest([("the", 0.3), ("cat", 0.6)], ("the", 0.3), ("Cat.", 0.6), ("It", 1.0)) == ". It"
    assert rest([("the", 0.3), ("cat", 0.6)], ("the", 0.3), ("cat", 0.6)) == ""


@pytest.mark.parametrize(
    ("settled", "heard", "left"),
    [
        # another form of the word, at its place
        ([("old", 0.5)], [("older", 0.6), ("people", 1.0)], "people"),
        ([("dog", 0.5)], [("cat", 0.5), ("sat", 0.9)], "sat"),
        # two for one, one for two
        ([("gonna", 0.6), ("go", 0.9)], [("going", 0.4), ("to", 0.6), ("go", 0.9), ("now", 1.3)],
         "now"),
        ([("can", 0.4), ("find", 0.8)], [("confine", 0.8), ("it", 1.1)], "it"),
        # a scrap of the word the window was cut in
        ([("cat", 0.5), ("sat", 0.9)], [("at", 0.1), ("cat", 0.5), ("sat", 0.9), ("on", 1.2)],
         "on"),
        # the first settled word is no longer in the window
        ([("the", 0.0), ("cat", 0.5)], [("cat", 0.5), ("sat", 0.9)], "sat"),
        # the same word again
        ([("no", 0.5)], [("no", 0.5), ("no", 0.9), ("no", 1.3)], "no no"),
        ([("no", 0.5), ("no", 0.9)], [("no", 0.5), ("no", 0.9), ("no", 1.3)], "no"),
        # a word settled in error, not heard any more
        ([("the", 0.3), ("the", 0.4)], [("the", 0.3), ("cat", 0.8)], "cat"),
        # nothing of it is heard any more, and what is lies behind it
        ([("um", 0.3)], [("yes", 1.5)], "yes"),
    ],
)  # fmt: skip
def test_what_is_heard_otherwise_is_settled_all_the_same(
    settled: list[tuple[str, float]], heard: list[tuple[str, float]], left: str
) -> None:
    assert rest(settled, *heard) == left


def test_without_times_the_words_alone_decide() -> None:
    assert (
        rest([("the", 9.0), ("cat", 9.0)], ("the", None), ("cat,", None), ("sat", None)) == ", sat"
    )
    assert rest([("no", 1.0), ("no", 1.0)], ("no", None), ("no", None), ("no", None)) == "no"


WORDS = st.lists(
    st.sampled_from(["a", "b", "c", "the", "then", "there", "cat", "好", "吗", "x1"]), max_size=12
)


@settings(deadline=None, max_examples=150)
@given(WORDS, WORDS)
def test_what_is_heard_alike_is_split_where_it_was(settled: list[str], behind: list[str]) -> None:
    times = [0.4 * (number + 1) for number in range(len(settled) + len(behind))]
    heard = list(zip([*settled, *behind], times, strict=True))
    expected = " ".join(behind)
    assert rest(heard[: len(settled)], *heard) == expected
