"""How much of a line text takes, how long it takes to read, and where it may be parted: the same
rules for letters that are set apart by spaces and for Chinese and Japanese, which are not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from engine import scripts

NARROW, WIDE = 3, 7
"""What a Latin letter and a Chinese character take of a line."""

LINE_CHARACTERS = 42
LINE_WIDTH = LINE_CHARACTERS * NARROW
"""A line of subtitles: 42 characters of Latin text, or 18 of Chinese, Japanese or Korean."""

READING_RATE, WIDE_READING_RATE = 20.0, 9.0
"""Characters a second that can be read with comfort: of Latin text, of wide characters."""

CLOSING = frozenset(",.;:!?%)]}…—”’»、。，．：；！？）」』】》〉〕〗％～ー々・")
"""What no line begins with."""

_SMALL_KANA = frozenset("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ")
_OPENING = frozenset("([{“‘«「『【《〈（〔〖")
_WHOLE = 4
"""So many Chinese characters that come as one word stay together."""


def width(text: str) -> int:
    """What ``text`` takes of a line; combining characters take nothing."""
    return sum(0 if unicodedata.combining(c) else WIDE if is_wide(c) else NARROW for c in text)


def is_wide(character: str) -> bool:
    """Chinese, Japanese, Korean, an emoji, or one of their marks."""
    return unicodedata.east_asian_width(character) in "WF"


def reading_s(text: str) -> float:
    """Seconds that it takes to read ``text``."""
    wide = sum(map(is_wide, text))
    return (len(text) - wide) / READING_RATE + wide / WIDE_READING_RATE


def unspaced(before: str, after: str) -> bool:
    """Whether no space stands between two words: Chinese and Japanese have none."""
    if not before or not after:
        return False
    one, other = before[-1], after[0]
    if scripts.is_wide(one) and all(character in CLOSING for character in after):
        return _ideographic(one) or scripts.is_wide(other)
    if not (_ideographic(one) or _ideographic(other)):
        return False
    return all(_ideographic(each) or scripts.is_wide(each) for each in (one, other))


def parts(text: str, most: int = LINE_WIDTH) -> Iterator[str]:
    """``text`` in the parts between which a line may break, each no wider than ``most``.

    A Latin word is one part, a Chinese character is one with the punctuation that belongs to it.
    """
    letters = sum(_ideographic(character) and character not in CLOSING for character in text)
    whole = letters <= _WHOLE and width(text) <= most
    begin = 0
    for index in range(1, len(text)):
        before, after = text[index - 1], text[index]
        if _may_break(before, after) and (before in CLOSING or not whole):
            yield from chopped(text[begin:index], most)
            begin = index
    if text:
        yield from chopped(text[begin:], most)


def belongs(before: str, after: str) -> bool:
    """Whether ``after`` may not begin the line after ``before``: closing punctuation alone, or
    what stands without a space behind an opening bracket."""
    if all(character in CLOSING for character in after):
        return True
    return unspaced(before, after) and not _may_break(before[-1], after[0])


def _may_break(before: str, after: str) -> bool:
    """Inside a run without spaces."""
    if before in _OPENING or after in CLOSING or after in _SMALL_KANA:
        return False
    if not {before, after}.isdisjoint(' "') or unicodedata.category(after)[0] == "M":
        return False
    return _ideographic(before) or _ideographic(after)


def chopped(text: str, most: int = LINE_WIDTH) -> Iterator[str]:
    """``text`` cut where it must be; closing punctuation takes a character with it."""
    while width(text) > most:
        cut = 1
        while width(text[: cut + 1]) <= most:
            cut += 1
        back = cut
        while back > 1 and (text[back] in CLOSING or text[back - 1] in _OPENING):
            back -= 1
        if text[back] in CLOSING:
            back = cut  # there is nothing but marks
        yield text[:back].rstrip()
        text = text[back:].lstrip()
    yield text


def _ideographic(character: str) -> bool:
    """Of Chinese or Japanese, or one of their own marks."""
    if scripts.is_chinese(character) or scripts.is_kana(character):
        return True
    if not "\u2e80" <= character <= "\uffef" or not is_wide(character):
        return False
    # Korean puts spaces between words.
    return not unicodedata.name(character, "").startswith("HANGUL")
