from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from caption_laws import check_laws
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lines import LineBuilder, SpacedWord, joined
from engine.types import CaptionUpdate, Word

CALM = settings(deadline=None, max_examples=25)  # a busy machine is no failure

TEXTS = st.one_of(
    st.sampled_from(["a", "so", "old.", "Yes.", "No?", "well,", "then;", "end…", "U.S.", "3.5"]),
    st.sampled_from(["我", "们", "好。", "吗？", "，", "字幕", "🎧"]),
    st.text("abcdefgh", min_size=1, max_size=40),
    st.text("abc", min_size=200, max_size=260),
)


@dataclass(frozen=True)
class Step:
    """One call of ``show``: words given for good, and the tail behind them."""

    settled: list[SpacedWord]
    tail: list[SpacedWord]


@st.composite
def steps(draw: st.DrawFn) -> list[Step]:
    """Calls of ``show`` as any policy might make them: the tail need not become what is settled."""
    clock = itertools.count()

    def words(most: int) -> list[SpacedWord]:
        texts = draw(st.lists(st.tuples(TEXTS, st.booleans()), max_size=most))
        return [spoken(text, next(clock), spaced=spaced) for text, spaced in texts]

    # Where nothing was said yet, a punctuation mark belongs to nothing.
    begin = Step([spoken("so", next(clock))], [])
    return [begin, *(Step(words(6), words(5)) for _ in range(draw(st.integers(0, 12))))]


def spoken(text: str, at: float = 0.0, *, spaced: bool = True) -> SpacedWord:
    return SpacedWord(Word(text, float(at), float(at) + 1.0), spaced)


def sentence(text: str, at: float = 0.0) -> list[SpacedWord]:
    return [spoken(word, at + place) for place, word in enumerate(text.split())]


def builder(first_id: int = 0) -> LineBuilder:
    return LineBuilder("mic", itertools.count(first_id).__next__, "en")


def squeezed(text: str) -> str:
    return "".join(text.split())


def finals(updates: Sequence[CaptionUpdate]) -> list[str]:
    return [update.stable for update in updates if update.is_final]


class Reader:
    """Somebody who sees the newest state of every line."""

    def __init__(self) -> None:
        self.lines: dict[int, CaptionUpdate] = {}
        self.seen: list[CaptionUpdate] = []

    def read(self, updates: Sequence[CaptionUpdate]) -> None:
        for update in updates:
            before = self.lines.get(update.segment_id)
            if before is not None and before.text == update.text:
                assert before.stable != update.stable or update.is_final, "nothing changed"
            self.lines[update.segment_id] = update
            self.seen.append(update)

    @property
    def text(self) -> str:
        return squeezed("".join(self.lines[number].text for number in sorted(self.lines)))


class TestAnySequence:
    """Whatever a policy settles and shows."""

    @CALM
    @given(steps())
    def test_the_laws_hold(self, calls: list[Step]) -> None:
        lines, reader = builder(), Reader()
        for call in calls:
            reader.read(lines.show(call.settled, call.tail, 0.0))
        reader.read(lines.finish(0.0))
        check_laws(reader.seen)

    @CALM
    @given(steps())
    def test_what_is_settled_is_finished_once_and_in_order(self, calls: list[Step]) -> None:
        lines, reader = builder(), Reader()
        for call in calls:
            reader.read(lines.show(call.settled, call.tail, 0.0))
        reader.read(lines.finish(0.0))
        finished = [line for _, line in sorted(reader.lines.items())]
        assert all(line.is_final for line in finished)
        settled = [item.word for call in calls for item in call.settled]
        words = [word for line in finished for word in line.words]
        assert "".join(word.text for word in words) == "".join(word.text for word in settled)
        # Punctuation that comes alone may have joined the word before it; no word moved.
        starts = [word.start for word in words]
        assert starts == sorted(set(starts))
        assert set(starts) <= {word.start for word in settled}

    @CALM
    @given(steps())
    def test_a_reader_sees_all_that_is_settled_and_the_tail(self, calls: list[Step]) -> None:
        lines, reader = builder(), Reader()
        settled = ""
        for call in calls:
            reader.read(lines.show(call.settled, call.tail, 0.0))
            settled += joined(call.settled)
            assert reader.text == squeezed(settled + joined(call.tail))

    @CALM
    @given(steps())
    def test_showing_the_same_again_says_nothing(self, calls: list[Step]) -> None:
        lines = builder()
        for call in calls:
            lines.show(call.settled, call.tail, 0.0)
            assert lines.show([], call.tail, 1.0) == []

    @CALM
    @given(steps())
    def test_finish_leaves_nothing_open(self, calls: list[Step]) -> None:
        lines = builder()
        for call in calls:
            lines.show(call.settled, call.tail, 0.0)
        was_open = lines.is_open
        updates = lines.finish(2.0)
        assert bool(updates) == was_open
        assert all(update.is_final and not update.unstable for update in updates)
        assert not lines.is_open
        assert lines.finish(3.0) == []
        assert lines.show([], [], 4.0) == []

    @CALM
    @given(steps())
    def test_every_update_carries_its_lane_language_and_moment(self, calls: list[Step]) -> None:
        lines = builder()
        for number, call in enumerate(calls):
            for update in lines.show(call.settled, call.tail, float(number)):
                assert (update.lane, update.language) == ("mic", "en")
                assert update.heard_at == float(number)


def test_a_line_ends_where_a_sentence_does() -> None:
    updates = builder().show(sentence("This is one whole sentence. And this"), [], 0.0)
    assert finals(updates) == ["This is one whole sentence."]
    assert [update.stable for update in updates if not update.is_final] == ["And this"]


def test_short_sentences_share_a_line() -> None:
    updates = builder().show(sentence("Yes. No. Perhaps? Then come."), [], 0.0)
    assert finals(updates) == []
    assert updates[-1].stable == "Yes. No. Perhaps? Then come."


def test_the_end_of_a_sentence_waits_for_the_word_behind_it() -> None:
    lines = builder()
    assert finals(lines.show(sentence("This is one whole sentence."), [], 0.0)) == []
    updates = lines.show(sentence("Next", at=9.0), [], 0.0)
    assert finals(updates) == ["This is one whole sentence."]


def test_around_the_end_of_a_sentence_two_lines_are_open() -> None:
    lines, reader = builder(), Reader()
    reader.read(lines.show(sentence("This is one whole"), sentence("sentence. And this"), 0.0))
    assert [line.text for line in reader.lines.values()] == [
        "This is one whole sentence.",
        "And this",
    ]
    assert [line.unstable for line in reader.lines.values()] == [" sentence.", "And this"]
    assert not any(line.is_final for line in reader.lines.values())
    # The model thinks better of it: the words come back to the first line.
    reader.read(lines.show([], sentence("sentence and this"), 0.0))
    assert [line.text for line in reader.lines.values()] == [
        "This is one whole sentence and this",
        "",
    ]
    # And once more: the second line goes on under the same id.
    reader.read(lines.show(sentence("sentence.", at=4.0), sentence("And that", at=5.0), 0.0))
    assert sorted(reader.lines) == [0, 1]
    assert reader.lines[1].text == "And that"
    check_laws(reader.seen)


def test_an_empty_second_line_ends_with_the_first() -> None:
    lines, reader = builder(), Reader()
    reader.read(lines.show([], sentence("This is one whole sentence. And"), 0.0))
    reader.read(lines.show(sentence("This is one whole sentence"), [], 0.0))
    reader.read(lines.finish(0.0))
    assert [(line.is_final, line.text) for line in reader.lines.values()] == [
        (True, "This is one whole sentence"),
        (True, ""),
    ]
    check_laws(reader.seen)


def test_ids_go_on_from_line_to_line() -> None:
    lines = builder(first_id=7)
    first = [*lines.show(sentence("One."), [], 0.0), *lines.finish(0.0)]
    second = [*lines.show(sentence("Two."), [], 0.0), *lines.finish(0.0)]
    assert {update.segment_id for update in first} == {7}
    assert {update.segment_id for update in second} == {8}
    assert [update.revision for update in second] == [0, 1]


def test_a_long_line_ends_at_a_clause() -> None:
    early = "this clause, "
    long = "and then it went on and on "
    text = early + long * 5 + "until here, where it stopped"
    updates = builder().show(sentence(text), [], 0.0)
    (line,) = finals(updates)
    assert line.endswith("until here,")
    assert 140 <= len(line) <= 220


def test_a_very_long_line_ends_at_any_word() -> None:
    updates = builder().show(sentence("and on it went " * 40), [], 0.0)
    lines = finals(updates)
    assert len(lines) >= 2
    assert all(len(line) < 260 for line in lines)
    assert not any(line != line.strip() for line in lines)


def test_a_number_or_a_name_with_a_dot_inside_ends_nothing() -> None:
    words = [*sentence("it costs about as much as 3."), spoken("5", 20.0, spaced=False)]
    updates = builder().show([*words, *sentence("dollars", at=30.0)], [], 0.0)
    assert finals(updates) == []
    assert updates[-1].stable == "it costs about as much as 3.5 dollars"


def unspaced(text: str) -> list[SpacedWord]:
    return [spoken(character, place, spaced=False) for place, character in enumerate(text)]


def test_words_without_spaces_are_joined_without_spaces() -> None:
    lines = builder()
    (update,) = lines.show(unspaced("今天天气"), unspaced("很好"), 0.0)
    assert (update.stable, update.unstable) == ("今天天气", "很好")
    assert len(update.words) == 4


def test_the_tail_brings_its_own_space_and_only_where_one_belongs() -> None:
    lines = builder()
    (update,) = lines.show([], sentence("hello there"), 0.0)
    assert (update.stable, update.unstable) == ("", "hello there")
    (update,) = lines.show(sentence("hello"), sentence("there", at=1.0), 0.0)
    assert (update.stable, update.unstable) == ("hello", " there")


@pytest.mark.parametrize("mark", "。？！")
def test_a_chinese_sentence_ends_a_line(mark: str) -> None:
    first = "今天的天气非常好我们一起去公园里散步然后回家吃饭吧" + mark
    updates = builder().show(unspaced(first + "明天也是"), [], 0.0)
    assert finals(updates) == [first]


def test_chinese_without_any_mark_does_not_fill_one_line_for_ever() -> None:
    updates = builder().show(unspaced("我们一直走一直走" * 60), [], 0.0)
    assert finals(updates)
    assert all(len(line) <= 260 for line in finals(updates))


def test_a_closing_quotation_mark_stays_with_its_sentence() -> None:
    first = "他说“今天的天气非常好我们一起去公园里散步然后回家。”"
    updates = builder().show(unspaced(first + "明天"), [], 0.0)
    assert all(not line.startswith("”") for line in [*finals(updates), updates[-1].stable])
