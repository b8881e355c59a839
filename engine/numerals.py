"""Chinese numerals as digits, where people write digits."""

from __future__ import annotations

import re

from engine.scripts import PER_CENT

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5}
_DIGITS |= {"六": 6, "七": 7, "八": 8, "九": 9}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

_NUMBER = re.compile("[零〇一二三四五六七八九十百千万萬亿億点點两兩]+")
_NAMES = re.compile("[零〇一二三四五六七八九]{3,}")
"""Said digit by digit: years, telephone and room numbers."""


def in_digits(text: str) -> str:
    """A word with its numbers in digits: those said digit by digit from three digits on, other
    ones from three characters on (a hundred and five, but not "ten thousand"), and per cents.
    """
    if PER_CENT in text:
        head, _, tail = text.partition(PER_CENT)
        found = _NUMBER.match(tail)
        value = _value(found[0]) if found else None
        if found and value is not None:
            return f"{in_digits(head)}{value}%{tail[found.end() :]}"
    return _NUMBER.sub(lambda found: _written(found[0]), text)


def _written(number: str) -> str:
    if _NAMES.fullmatch(number):
        return "".join(str(_DIGITS[digit]) for digit in number)
    if len(number) >= 3 and number[-1] in _MYRIADS:
        value = _value(number[:-1])
        return number if value is None else value + number[-1]
    value = _value(number) if len(number) >= 3 else None
    return number if value is None else value


def _value(number: str) -> str | None:
    """Its digits; None where it is no number, as in "fifty or sixty" said "five six ten"."""
    whole, point, part = number.replace("點", "点").partition("点")
    if point and not (part and all(digit in _DIGITS for digit in part)):
        return None
    total = _whole(whole)
    if total is None:
        return None
    return str(total) + ("." + "".join(str(_DIGITS[digit]) for digit in part) if part else "")


def _whole(number: str) -> int | None:
    total = section = digit = 0
    expects = True  # a digit may stand here
    size = 10**12
    for character in number:
        if character in _DIGITS:
            if not expects:
                return None
            digit = _DIGITS[character]
            expects = digit == 0
        elif character in _TENS:
            if _TENS[character] >= size or (digit == 0 and character != "十"):
                return None
            size = _TENS[character]
            section += (digit or 1) * size
            digit, expects = 0, True
        else:
            if not section + digit:
                return None
            total = (total + section + digit) * _MYRIADS[character]
            section = digit = 0
            size, expects = 10**12, True
    return total + section + digit if number else None
