"""Vocabularies of streaming exports: pieces to text, phrases to pieces; and what favoured phrases
earn."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RecognizerError
from engine.recognizers.zipformer_context import ContextGraph
from engine.recognizers.zipformer_tokens import (
    _BYTE_LETTERS,
    Vocabulary,
    read_scores,
    read_tokens,
)
from engine.units import BROKEN

SPECIAL = ["<blk>", "<sos/eos>", "<unk>"]
ENGLISH = Vocabulary([*SPECIAL, "▁HE", "LLO", "▁WORLD", "▁", "'S", "▁I"])
MIXED = Vocabulary([*SPECIAL, "你", "好", "▁HELLO", "▁A", "B", "吗", "▁我"])
FALLBACK = Vocabulary([*SPECIAL, *[f"<0x{value:02X}>" for value in range(256)], "▁the", "好"])


def ids(vocabulary: Vocabulary, *pieces: str) -> list[int]:
    return [vocabulary._ids[piece] for piece in pieces]


class TestText:
    """Pieces to what is read."""

    def test_english(self) -> None:
        said = ids(ENGLISH, "▁HE", "LLO", "▁WORLD", "'S")
        assert ENGLISH.text(said) == "hello world's"
        assert [ENGLISH.starts_word(token) for token in said] == [True, False, True, False]
        assert ENGLISH.text([]) == ""

    def test_a_vocabulary_that_tells_cases_apart_keeps_them(self) -> None:
        both = Vocabulary([*SPECIAL, "▁He", "llo"])
        assert both.text(ids(both, "▁He", "llo")) == "Hello"

    def test_chinese_has_no_spaces_of_its_own(self) -> None:
        said = ids(MIXED, "你", "好", "▁HELLO", "▁A", "B", "▁我", "好")
        assert MIXED.text(said) == "你好 hello ab 我好"
        assert not any(MIXED.starts_word(token) for token in ids(MIXED, "你", "▁我", "B"))
        spaced = ids(MIXED, "你", "▁我")
        assert MIXED.text(spaced) == "你我"

    def test_characters_may_be_spelled_in_bytes(self) -> None:
        spelled = [FALLBACK._ids[f"<0x{value:02X}>"] for value in "龘".encode()]
        assert FALLBACK.text([*ids(FALLBACK, "好"), *spelled]) == "好龘"
        assert FALLBACK.text(spelled[:2]) == BROKEN

    def test_special_tokens_say_nothing(self) -> None:
        assert ENGLISH.text([0, 1, 2, *ids(ENGLISH, "▁I")]) == "i"
        assert (ENGLISH.blank, ENGLISH.unknown) == (0, 2)

    @given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Z")), min_size=1))
    def test_pieces_that_spell_bytes_give_any_text_back(self, text: str) -> None:
        vocabulary = Vocabulary([*SPECIAL, "▁", *_BYTE_LETTERS.replace(" ", "")])
        assert vocabulary.of_bytes
        assert not vocabulary.uncased
        spelled = [vocabulary._ids[_BYTE_LETTERS[value]] for value in text.encode()]
        assert vocabulary.text([vocabulary._ids["▁"], *spelled]) == text

    def test_byte_pieces_know_which_word_a_space_belongs_before(self) -> None:
        han, word = (
            "".join(_BYTE_LETTERS[value] for value in text.encode()) for text in ("好", "AB")
        )
        vocabulary = Vocabulary([*SPECIAL, "▁" + han, "▁" + word])
        assert [vocabulary.starts_word(token) for token in (3, 4)] == [False, True]
        assert vocabulary.text([3, 4, 3, 3]) == "好 AB 好好"

    def test_no_other_vocabulary_is_taken_for_bytes(self) -> None:
        assert not any(vocabulary.of_bytes for vocabulary in (ENGLISH, MIXED, FALLBACK))


class TestEncode:
    """Phrases to pieces."""

    def test_words_are_cut_into_the_fewest_pieces_where_nothing_else_is_known(self) -> None:
        vocabulary = Vocabulary([*SPECIAL, "▁", "A", "B", "▁A", "▁AB", "C", "BC"])
        assert vocabulary.encode("abc") == ids(vocabulary, "▁AB", "C")
        assert vocabulary.encode("a abc") == ids(vocabulary, "▁A", "▁AB", "C")

    def test_and_into_the_most_probable_where_scores_are(self) -> None:
        pieces = [*SPECIAL, "▁", "A", "B", "▁A", "▁AB", "C", "BC"]
        scores = {"▁A": -1.0, "BC": -1.0, "▁AB": -9.0, "C": -1.0}
        vocabulary = Vocabulary(pieces, scores)
        assert vocabulary.encode("ABC") == ids(vocabulary, "▁A", "BC")

    def test_chinese_is_cut_into_characters_and_both_may_stand_in_a_phrase(self) -> None:
        assert MIXED.encode("你好 hello") == ids(MIXED, "你", "好", "▁HELLO")
        assert MIXED.encode("你好hello吗") == ids(MIXED, "你", "好", "▁HELLO", "吗")

    def test_what_has_no_pieces_is_told(self) -> None:
        assert MIXED.encode("你龘") is None
        assert ENGLISH.encode("hello zebra") is None

    def test_bytes_spell_everything(self) -> None:
        vocabulary = Vocabulary([*SPECIAL, "▁", *_BYTE_LETTERS.replace(" ", "")])
        cut = vocabulary.encode("好 ab")
        assert cut is not None
        assert vocabulary.text(cut) == "好 ab"


class TestFiles:
    """``tokens.txt`` and what the tokenizer was trained to."""

    def test_tokens_are_read_whatever_ends_a_line(self, tmp_path: Path) -> None:
        path = tmp_path / "tokens.txt"
        path.write_bytes("<blk> 0\r\n▁A 2\r\n<unk> 1\r\n  3\r\n好 4\r\n\u2028 5\r\n".encode())
        vocabulary = read_tokens(path)
        assert (len(vocabulary), vocabulary.unknown) == (6, 1)
        assert vocabulary.text([2, 4]) == "a好"
        assert vocabulary.text([4, 3, 2]) == "好  a"

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "from 0"),
            ("<blk> 0\n<unk> 2\n", "from 0"),
            ("<blk> 0\nHELLO\n", "line 2"),
            ("<blk> zero\n", "line 1"),
        ],
    )
    def test_what_is_no_token_list_is_one_clear_error(
        self, tmp_path: Path, text: str, says: str
    ) -> None:
        path = tmp_path / "tokens.txt"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RecognizerError, match=says) as caught:
            read_tokens(path)
        assert caught.value.remedy

    def test_rubbish_is_one_clear_error(self, tmp_path: Path) -> None:
        path = tmp_path / "tokens.txt"
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(RecognizerError, match="cannot be read"):
            read_tokens(path)

    def test_scores_come_from_a_list_or_from_the_tokenizer_itself(self, tmp_path: Path) -> None:
        listed, packed = tmp_path / "bpe.vocab", tmp_path / "bpe.model"
        listed.write_text("<unk>\t0\n▁A\t-1.5\n好\t-2\n", encoding="utf-8")
        pieces = (("<unk>", 0.0), ("▁A", -1.5), ("好", -2.0))
        packed.write_bytes(
            b"".join(_field(1, _piece(*piece)) for piece in pieces) + _field(2, b"\x18\x01")
        )
        expected = {"<unk>": 0.0, "▁A": -1.5, "好": -2.0}
        assert read_scores(listed) == read_scores(packed) == expected

    @pytest.mark.parametrize("content", [b"", b"\xff\xff\xff", b"\x0a\xff\x01x"])
    def test_what_holds_no_scores_gives_none(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "bpe.model"
        path.write_bytes(content)
        assert read_scores(path) == {}
        assert read_scores(tmp_path / "missing.vocab") == {}


def _piece(text: str, score: float) -> bytes:
    return _field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18\x01"


def _field(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


class TestContextGraph:
    """What a path earns."""

    def earned(self, graph: ContextGraph, *tokens: int) -> list[float]:
        node, amounts = graph.root, []
        for token in tokens:
            amount, node = graph.step(node, token)
            amounts.append(amount)
        return amounts

    def test_a_whole_phrase_keeps_what_each_step_earned(self) -> None:
        graph = ContextGraph([([1, 2, 3], 2.0)])
        assert self.earned(graph, 1, 2, 3) == [2.0, 2.0, 2.0]
        assert self.earned(graph, 1, 2, 3, 9) == [2.0, 2.0, 2.0, 0.0]

    def test_half_a_phrase_gives_it_back(self) -> None:
        graph = ContextGraph([([1, 2, 3], 2.0)])
        assert self.earned(graph, 1, 2, 9) == [2.0, 2.0, -4.0]
        assert self.earned(graph, 9, 8) == [0.0, 0.0]

    def test_one_may_begin_inside_another(self) -> None:
        graph = ContextGraph([([1, 2, 3], 1.0), ([2, 4], 1.0)])
        # 1 2 was the beginning of the first; 2 4 completes the second.
        assert sum(self.earned(graph, 1, 2, 4)) == 2.0

    def test_a_phrase_may_be_the_beginning_of_another(self) -> None:
        graph = ContextGraph([([1, 2], 1.0), ([1, 2, 3], 3.0)])
        assert sum(self.earned(graph, 1, 2)) == 6.0

    @given(
        st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=5),
        st.lists(st.integers(1, 5), max_size=20),
    )
    def test_nobody_earns_more_than_a_point_for_a_token(
        self, phrases: list[list[int]], said: list[int]
    ) -> None:
        graph = ContextGraph([(phrase, 1.0) for phrase in phrases])
        total = 0.0
        for place, amount in enumerate(self.earned(graph, *said), 1):
            total += amount
            assert 0.0 <= total <= place
