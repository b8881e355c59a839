"""Figures of timelines short enough to be worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bench.metrics import Measured, Timed, normalised, score
from engine.stats import percentiles
from engine.types import CaptionUpdate


def shown(
    at: float, unstable: str = "", *, stable: str = "", segment: int = 0, end: float = 0.0
) -> Timed:
    """What a reader sees of one line from ``at`` on."""
    update = CaptionUpdate(
        lane="file",
        segment_id=segment,
        revision=round(at * 1000),
        stable=stable,
        unstable=unstable,
        start=0.0,
        end=end,
        heard_at=0.0,
    )
    return Timed(update, at)


def measured(
    timeline: list[Timed],
    reference: str | None = "",
    ends: tuple[tuple[str, float], ...] = (),
) -> Measured:
    found = Measured()
    found.measure(timeline, None if reference is None else normalised(reference), ends)
    return found


# -- latency ------------------------------------------------------------------------------------


def test_a_word_is_timed_from_its_end_to_its_first_showing() -> None:
    timeline = [
        shown(1.0, "Hello"),
        shown(2.5, "Hello, world."),
        shown(3.0, stable="Hello, world."),
    ]
    found = measured(timeline, "hello world", (("hello", 0.8), ("world", 1.9)))
    assert found.first == pytest.approx([0.2, 0.6])
    assert found.stable == pytest.approx([0.2, 0.6])


def test_a_word_that_went_away_is_stable_from_its_last_coming_on() -> None:
    timeline = [shown(1.0, "the cat"), shown(1.5, "the cap"), shown(2.0, "the cat sat")]
    found = measured(timeline, "the cat sat", (("the", 0.5), ("cat", 0.9), ("sat", 1.6)))
    assert found.first == pytest.approx([0.5, 0.1, 0.4])
    assert found.stable == pytest.approx([0.5, 1.1, 0.4])


def test_a_word_seen_before_its_end_has_a_negative_latency() -> None:
    found = measured([shown(1.0, "congratulations")], None, (("congratulations", 1.2),))
    assert found.first == pytest.approx([-0.2])


def test_a_wrong_word_has_no_latency_and_its_neighbours_keep_theirs() -> None:
    found = measured([shown(1.0, "a nib c")], "a bee c", (("a", 0.1), ("bee", 0.2), ("c", 0.3)))
    assert found.first == pytest.approx([0.9, 0.7])
    assert (found.errors, found.words) == (1, 3)


def test_a_word_that_moves_to_another_place_counts_from_there() -> None:
    timeline = [shown(1.0, "world"), shown(2.0, "hello world")]
    found = measured(timeline, "hello world", (("hello", 0.5), ("world", 0.9)))
    assert found.first == pytest.approx([1.5, 0.1])


def test_repeated_words_are_told_apart_by_their_places() -> None:
    timeline = [shown(1.0, "no"), shown(2.0, "no no"), shown(3.0, "no no no")]
    found = measured(timeline, "no no no", (("no", 0.5), ("no", 1.5), ("no", 2.5)))
    assert found.first == pytest.approx([0.5, 0.5, 0.5])


def test_words_of_a_later_line_are_timed_too() -> None:
    timeline = [shown(1.0, stable="one"), shown(2.0, "two", segment=1)]
    found = measured(timeline, "one two", (("one", 0.5), ("two", 1.6)))
    assert found.first == pytest.approx([0.5, 0.4])


# -- erasure ------------------------------------------------------------------------------------


def test_growing_text_erases_nothing() -> None:
    found = measured([shown(1.0, "It"), shown(2.0, "It was"), shown(3.0, stable="It was.")])
    assert (found.erased, found.erased_stable, found.characters) == (0, 0, 7)
    assert found.erasure == 0.0


def test_every_character_from_the_first_changed_one_on_is_taken_back() -> None:
    # "hello wor|d" goes, then "hello |world" goes whole and comes back as capitals.
    timeline = [shown(1.0, "hello word"), shown(2.0, "hello world"), shown(3.0, "hello World")]
    found = measured(timeline)
    assert found.erased == 1 + 5
    assert found.erasure == pytest.approx(6 / 11)


def test_two_lines_open_at_once_do_not_erase_one_another() -> None:
    timeline = [
        shown(1.0, "one", segment=4),
        shown(1.5, "two", segment=5),
        shown(2.0, "once", segment=4),
        shown(2.5, "twin", segment=5),
        shown(3.0, stable="once", segment=4),
        shown(3.5, stable="two", segment=5),
    ]
    found = measured(timeline, "once two")
    # "on|e", "tw|o", then "tw|in".
    assert found.erased == 1 + 1 + 2
    assert found.characters == len("once two")
    assert found.errors == 0


def test_what_moves_from_unstable_to_stable_has_not_moved_for_a_reader() -> None:
    found = measured([shown(1.0, " b c", stable="a"), shown(2.0, " c", stable="a b")])
    assert (found.erased, found.erased_stable) == (0, 0)


def test_a_rewritten_stable_part_is_seen_even_where_the_whole_text_stays() -> None:
    found = measured([shown(1.0, stable="a b"), shown(2.0, " b", stable="a")])
    assert (found.erased, found.erased_stable) == (0, 2)


def test_recordings_add_up() -> None:
    total = Measured()
    for latency in (0.1, 0.3):
        total.add(measured([shown(1.0, "cat"), shown(2.0, "c")], "c d", (("c", 2.0 - latency),)))
    assert (total.erased, total.characters, total.errors, total.words) == (4, 2, 2, 4)
    assert total.first == pytest.approx([0.1, 0.3])
    assert total.erasure == 2.0
    assert total.wer == 50.0


# -- word errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", "hello world"),
        ("well-known, half—way", "well known half way"),
        ("It's the dogs' bone, 'really'", "it's the dogs bone really"),
        ("don’t", "don't"),
        ("press 1 or 21", "press one or twenty one"),
        ("1,234 and 100000", "one thousand two hundred thirty four and one hundred thousand"),
        ("in 1775", "in one thousand seven hundred seventy five"),
        ("7 200 019", "seven two hundred nineteen"),
        ("0 10 13 90", "zero ten thirteen ninety"),
        ("snake_case … «ça»", "snake case ça"),
        ("123456789", "123456789"),
        ("", ""),
    ],
)
def test_words_are_compared_without_case_punctuation_and_figures(text: str, words: str) -> None:
    assert normalised(text) == words.split()


def test_figures_and_hyphens_cost_nothing() -> None:
    found = measured([shown(1.0, "Twenty-one well known men.")], "21 well-known men")
    assert (found.errors, found.words) == (0, 5)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "errors"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a x c", 1),
        ("a b c", "a c", 1),
        ("a b c", "a b b c", 1),
        ("a b c", "", 3),
        ("", "a b", 2),
        ("a b c d", "b c d a", 2),
    ],
)
def test_word_errors(reference: str, hypothesis: str, errors: int) -> None:
    result = score(reference.split(), hypothesis.split())
    assert (result.errors, result.words) == (errors, len(reference.split()))


def plain_distance(reference: list[str], hypothesis: list[str]) -> int:
    """Levenshtein's distance as the textbook has it."""
    row = list(range(len(hypothesis) + 1))
    for i, left in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(hypothesis, 1):
            diagonal, row[j] = row[j], min(diagonal + (left != right), row[j] + 1, row[j - 1] + 1)
    return row[-1]


WORDS = st.lists(st.sampled_from("abcd"), max_size=14)


@given(reference=WORDS, hypothesis=WORDS)
def test_the_fast_alignment_is_the_textbooks(reference: list[str], hypothesis: list[str]) -> None:
    result = score(reference, hypothesis)
    assert result.errors == plain_distance(reference, hypothesis)
    assert all(reference[i] == hypothesis[j] for i, j in result.pairs)
    left, right = zip(*result.pairs, strict=True) if result.pairs else ((), ())
    assert list(left) == sorted(set(left))
    assert list(right) == sorted(set(right))
    # What is not paired is an error, and a substitution takes one word of each side.
    unpaired = max(len(reference), len(hypothesis)) - len(result.pairs)
    assert result.errors >= unpaired


def test_an_unknown_transcript_counts_no_words_and_an_empty_one_counts_what_was_invented() -> None:
    timeline = [shown(1.0, "thank you")]
    unknown, silence = measured(timeline, None), measured(timeline, "")
    assert (unknown.errors, unknown.words) == (0, 0)
    assert (silence.errors, silence.words) == (2, 0)


def test_nothing_shown_is_every_word_missed_and_no_latency() -> None:
    found = measured([], "a b", (("a", 0.1), ("b", 0.2)))
    assert (found.errors, found.words, found.first, found.erasure) == (2, 2, [], 0.0)
    assert percentiles(found.first).p50 is None


# -- figures ------------------------------------------------------------------------------------


def test_percentiles_are_milliseconds_of_words_that_exist() -> None:
    found = percentiles(number / 1000 for number in range(100, 0, -1))
    assert (found.p50, found.p95) == (51.0, 96.0)
    one = percentiles([0.25])
    assert (one.p50, one.p95) == (250.0, 250.0)
