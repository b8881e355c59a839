"""Words as people write them: marks, scripts and numbers of Chinese, with the laws kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ChineseScript
from engine.lines import SpacedWord, joined
from engine.numerals import in_digits
from engine.text import TextStage
from engine.types import Word

CALM = settings(deadline=None, max_examples=60)


def words(text: str, language: str = "") -> list[SpacedWord]:
    """Words parted by ``|``; one that begins with a space has one before it."""
    return [
        SpacedWord(Word(part.strip(), 0.0, 1.0), part.startswith(" "), language)
        for part in text.split("|")
        if part
    ]


def written(text: str, script: ChineseScript = "as-is", language: str = "") -> str:
    settled, _ = TextStage(script)(words(text, language), [])
    return joined(settled)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("今天|很好,|我们|走吧.", "今天很好，我们走吧。"),
        ("你|好|吗?|好!", "你好吗？好！"),
        ("三|点:|开会;|散会", "三点：开会；散会"),
        ("好|.", "好。"),
        ("well,| yes.", "well, yes."),
        ("3.5| and| 1,000.", "3.5 and 1,000."),
        ("用|Python,| 3.5", "用Python, 3.5"),
        ("五定州| 中国| 唐朝", "五定州中国唐朝"),
        ("用| Python| 写", "用 Python 写"),
        ("あの,|そうです.", "あの，そうです。"),
    ],
)
def test_marks_and_spaces_are_those_of_the_script(said: str, shown: str) -> None:
    assert written(said) == shown


@pytest.mark.parametrize(
    ("script", "shown"),
    [("as-is", "头发發"), ("simplified", "头发发"), ("traditional", "頭髮發")],
)
def test_either_script_by_choice(script: ChineseScript, shown: str) -> None:
    assert written("头|发|發", script) == shown


def test_a_japanese_word_keeps_its_own_characters() -> None:
    assert written("国|会", "traditional", "ja") == "国会"
    assert written("国|会", "traditional", "zh") == "國會"
    assert written("会う", "traditional") == "会う"


def test_the_characters_behind_tell_too_while_they_are_known() -> None:
    stage = TextStage("traditional")
    settled, tail = stage(words("头"), words("发"))
    assert (joined(settled), joined(tail)) == ("頭", "髮")
    settled, tail = stage(words("发"), [])
    assert joined(settled) == "髮", "what stands before it is still known"
    stage.restart()
    assert joined(stage(words("发"), [])[0]) == "發"


@pytest.mark.parametrize("script", ["as-is", "simplified", "traditional"])
@CALM
@given(
    parts=st.lists(
        st.text("头发發国國干乾后里,.?!， 九十八一百分之点點abc", min_size=1, max_size=3),
        min_size=1,
        max_size=12,
    ),
    cuts=st.lists(st.integers(0, 3), min_size=1, max_size=12),
)
def test_what_is_settled_never_hangs_on_what_comes(
    script: ChineseScript, parts: list[str], cuts: Sequence[int]
) -> None:
    said = [SpacedWord(Word(part.strip() or "a", 0.0, 1.0), False) for part in parts]
    stage, shown, at = TextStage(script), [], 0
    while at < len(said):
        count = cuts[at % len(cuts)]
        settled, tail = stage(said[at : at + count], said[at + count : at + count + 2])
        assert len(settled) == len(said[at : at + count])
        assert all(item.word.text for item in [*settled, *tail])
        shown += settled
        at += max(1, count) if count else 1
        if not count:
            shown += stage(said[at - 1 : at], [])[0]
    assert len(shown) == len(said)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("二零一九", "2019"),
        ("一九九八年", "1998年"),
        ("一点点", "一点点"),
        ("一點點", "一點點"),
        ("三點一四", "3.14"),
        ("二十五", "25"),
        ("一百零五", "105"),
        ("三千五百", "3500"),
        ("两万五千", "25000"),
        ("一百二十万", "120万"),
        ("百分之五十", "50%"),
        ("百分之三点五", "3.5%"),
        ("三点一四", "3.14"),
        ("九一一", "911"),
        # As people leave them:
        ("五十", "五十"),
        ("一万", "一万"),
        ("五六十", "五六十"),
        ("三三两两", "三三两两"),
        ("一", "一"),
        ("万一", "万一"),
        ("百分之", "百分之"),
        ("hello", "hello"),
        ("", ""),
    ],
)
def test_numbers_are_in_digits_where_people_write_digits(said: str, shown: str) -> None:
    assert in_digits(said) == shown


@CALM
@given(st.text("零一二三四五六七八九十百千万亿点两分之年", max_size=10))
def test_any_run_of_numerals_is_answered(text: str) -> None:
    assert isinstance(in_digits(text), str)


@CALM
@given(st.integers(100, 99_999))
def test_a_number_said_is_the_number_written(number: int) -> None:
    assert in_digits(_said(number)) in (str(number), _said(number)[:-1] + "万", _said(number))
    if number % 10 and number % 10_000 > 1000:
        assert in_digits(_said(number)) == str(number)


def _said(number: int) -> str:
    digits = "零一二三四五六七八九"
    if number >= 10_000:
        head, rest = divmod(number, 10_000)
        gap = "零" if 0 < rest < 1000 else ""
        return _said(head) + "万" + gap + (_said(rest) if rest else "")
    for size, name in ((1000, "千"), (100, "百"), (10, "十")):
        if number >= size:
            head, rest = divmod(number, size)
            gap = "零" if 0 < rest < size // 10 else ""
            return digits[head] + name + gap + (_said(rest) if rest else "")
    return digits[number]
