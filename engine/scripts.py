"""Which characters belong to scripts that put no space between words."""

from __future__ import annotations

NUMERALS = frozenset("零〇一二三四五六七八九十百千万萬亿億点點两兩")
"""Chinese numerals; a run of them is one number."""

PER_CENT = "百分之"
"""Said before the number."""

_CHINESE = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_KANA = ((0x3041, 0x309F), (0x30A0, 0x30FF), (0x31F0, 0x31FF))
_OTHERS = ((0x0E01, 0x0EDF), (0x1000, 0x109F), (0x1780, 0x17B3))  # Thai, Lao; Burmese; Khmer
_HIGH_MARKS = frozenset("、。〃々〈〉《》「」『』【】〔〕〜！，．：；？（）“”‘’…—")


def is_chinese(character: str) -> bool:
    """A Chinese character, as Chinese and Japanese write them."""
    return character == "々" or _within(character, _CHINESE)


def is_kana(character: str) -> bool:
    """A Japanese syllable."""
    return _within(character, _KANA)


def is_wide(character: str) -> bool:
    """Chinese, Japanese or one of their marks: twice as wide as a Latin letter."""
    return is_chinese(character) or is_kana(character) or character in _HIGH_MARKS


def is_spaceless(character: str) -> bool:
    """A letter of a script that puts no space between words, at which a word may begin."""
    if is_chinese(character) or is_kana(character):
        return character.isalnum()
    return _within(character, _OTHERS) and character.isalpha()


def _within(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(character)
    return any(low <= code <= high for low, high in ranges)
