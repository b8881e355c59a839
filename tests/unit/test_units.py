"""Tokens as words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.recognizers.base import Token
from engine.units import Unit, is_wordy, units_of

PIECES = [" know", ",", "n", " and", ".", " 你", "好"]


def text(ids: Sequence[int]) -> str:
    return "".join(PIECES[number] for number in ids).strip()


def token(number: int, time: float | None = 1.0, logp: float = -0.1) -> Token:
    return Token(number, PIECES[number].startswith(" "), logp, time)


def texts(units: Sequence[Unit]) -> list[tuple[str, str]]:
    return [(unit.text, unit.bare) for unit in units]


def test_punctuation_belongs_to_the_word_before_it() -> None:
    units = units_of([token(0), token(2), token(1), token(3)], text)
    assert texts(units) == [("known,", "known"), ("and", "and")]
    assert [unit.core for unit in units] == [2, 1]


def test_a_comma_written_twice_is_one_comma() -> None:
    (unit,) = units_of([token(0), token(1), token(1), token(1)], text)
    assert unit.text == "know,"
    assert unit.ids == (0, 1, 1, 1), "the model is told what it wrote"


def test_different_marks_are_kept() -> None:
    (unit,) = units_of([token(0), token(1), token(4)], text)
    assert unit.text == "know,."


def test_a_word_is_as_sure_and_as_late_as_its_weakest_and_latest_token() -> None:
    (unit,) = units_of([token(0, 1.0, -0.1), token(2, 1.4, -2.0), token(1, 3.0, -9.0)], text)
    assert unit.end == 1.4
    assert 0.13 < unit.probability < 0.14


def test_punctuation_without_a_word_stands_alone() -> None:
    (unit,) = units_of([token(1)], text)
    assert (unit.text, unit.wordy, unit.spaced) == (",", False, False)


def test_chinese_characters_are_words_in_the_sense_of_letters() -> None:
    assert is_wordy("你")
    assert not is_wordy("，。")


class Bytes:
    """A vocabulary of single bytes, as a tokenizer falls back to: a character may be in several
    tokens, and part of one is no text."""

    def text(self, ids: Sequence[int]) -> str:
        return bytes(ids).decode("utf-8", "replace").strip()

    def tokens(self, said: str) -> list[Token]:
        return [
            Token(byte, byte == 32, -0.1, float(place)) for place, byte in enumerate(said.encode())
        ]

    def words(self, said: str) -> list[str]:
        return [unit.text for unit in units_of(self.tokens(said), self.text)]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("你好，世界。", ["你", "好，", "世", "界。"]),
        (" café über", ["café", "über"]),
        ("用 Python写", ["用", "Python", "写"]),
        ("2019年", ["2019", "年"]),
        ("二零一九年", ["二零一九", "年"]),
        ("百分之五十的", ["百分之五十", "的"]),
        ("それは", ["そ", "れ", "は"]),
        (" 한국어 말", ["한국어", "말"]),
        (" привет мир", ["привет", "мир"]),
        ("很好！", ["很", "好！"]),
    ],
)
def test_scripts_without_spaces_are_taken_by_the_character(said: str, words: list[str]) -> None:
    assert Bytes().words(said) == words


def test_marks_in_several_pieces_are_no_part_of_the_word() -> None:
    *_, last = units_of(Bytes().tokens("很好！"), Bytes().text)
    assert (last.text, last.bare, last.core) == ("好！", "好", 3)


def test_part_of_a_character_is_not_shown() -> None:
    units = units_of(Bytes().tokens("你好")[:-1], Bytes().text)
    assert [unit.text for unit in units] == ["你", ""]
