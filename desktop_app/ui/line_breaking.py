"""Where a line of text may break: words, and single characters of Chinese and Japanese with the
punctuation that belongs to them. Pure Python."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_HANGING = frozenset(".,;:!?…%)]}\"'”’»、。，．：；！？）」』】》〉〕％")
_MAX_HANGING = 3
_OPENING = frozenset("([{“‘«「『【《〈（〔")
_SMALL = frozenset("ーゝゞヽヾ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ")
_WIDE_BREAKS = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3000, 0x30FF),  # CJK punctuation, kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF00, 0xFF60),  # full-width forms
    (0x20000, 0x3FFFF),
)


@dataclass(frozen=True, slots=True)
class Token:
    """A run with no break in it.

    Attributes:
        text: as it is.
        start: its place in the whole text, characters.
        spaced: a space stands before it.
    """

    text: str
    start: int
    spaced: bool


def tokens(text: str) -> Iterator[Token]:
    """Runs between which a line may break: words, and single characters of Chinese and Japanese
    with the punctuation that belongs to them."""
    begin = -1
    spaced = False
    seen_space = False
    for index, character in enumerate(text):
        if character.isspace() or unicodedata.category(character) == "Cc":
            if begin >= 0:
                yield Token(text[begin:index], begin, spaced)
                begin = -1
            seen_space = True
            continue
        if begin >= 0 and _may_break(text, begin, index):
            yield Token(text[begin:index], begin, spaced)
            begin = -1
        if begin < 0:
            begin, spaced, seen_space = index, seen_space, False
    if begin >= 0:
        yield Token(text[begin:], begin, spaced)


def _may_break(text: str, begin: int, index: int) -> bool:
    """Whether the line may break before ``text[index]``, inside a run without spaces."""
    before, after = text[index - 1], text[index]
    if after in _HANGING or after in _SMALL or before in _OPENING or _extends(text, index):
        return False
    return begin < index and (is_wide(before) or is_wide(after))


def is_wide(character: str) -> bool:
    """A character of Chinese or Japanese, on both sides of which a line may break."""
    code = ord(character)
    return code >= 0x2E80 and any(low <= code <= high for low, high in _WIDE_BREAKS)


def core(text: str) -> str:
    """The part that must fit: closing punctuation may hang into the margin, so that a full stop
    which arrives late does not carry its word to the next line."""
    end = len(text)
    while end > 1 and len(text) - end < _MAX_HANGING and text[end - 1] in _HANGING:
        end -= 1
    return text[:end]


def cluster_end(text: str, start: int) -> int:
    """Where the character that begins at ``start`` ends, with all that is drawn upon it."""
    end = start + 1
    while end < len(text) and _extends(text, end):
        end += 1
    return end


def _extends(text: str, index: int) -> bool:
    """Whether ``text[index]`` is drawn as one with what stands before it."""
    character = text[index]
    if unicodedata.category(character)[0] == "M" or "\U0001f3fb" <= character <= "\U0001f3ff":
        return True
    if character == "\u200d" or text[index - 1] == "\u200d":
        return True
    if not _is_flag_half(character):
        return False
    begin = index
    while begin and _is_flag_half(text[begin - 1]):
        begin -= 1
    return (index - begin) % 2 == 1


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def reads_right_to_left(text: str) -> bool:
    """By its first letter that has a direction."""
    return direction(text) == "R"


def direction(text: str) -> Literal["L", "R", ""]:
    """Of the first letter that has one; empty for numbers and signs."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "R"
        if kind == "L":
            return "L"
    return ""


def against(texts: Sequence[str], rtl: bool) -> Iterator[tuple[int, int]]:
    """The runs of two and more words that read against the line, as (first, behind the last)."""
    wanted = "L" if rtl else "R"
    index = 0
    while index < len(texts):
        if direction(texts[index]) != wanted:
            index += 1
            continue
        end = index + 1
        for later in range(index + 1, len(texts)):
            kind = direction(texts[later])
            if kind == wanted:
                end = later + 1
            elif kind:
                break
        if end - index > 1:
            yield index, end
        index = end
