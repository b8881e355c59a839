"""Finding words whatever their case, accents or width: ``CAFE`` finds ``café``."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """``text`` as it is compared: no case, no accents, wide letters made narrow."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold, text))


def spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where ``wanted``, already folded, stands in ``text``.

    Returns:
        First index and length in ``text`` of each place, in order, none overlapping.
    """
    if not wanted:
        return []
    origin: list[int] = []
    whole: list[str] = []
    for index, character in enumerate(text):
        part = _fold(character)
        whole.append(part)
        origin += [index] * len(part)
    compared = "".join(whole)
    found = []
    at = compared.find(wanted)
    while at >= 0:
        first, last = origin[at], origin[at + len(wanted) - 1]
        # An accent that is a character of its own belongs to the letter before it.
        while last + 1 < len(text) and not _fold(text[last + 1]):
            last += 1
        found.append((first, last + 1 - first))
        at = compared.find(wanted, at + len(wanted))
    return found


def _fold(character: str) -> str:
    if character.isascii():
        return character.lower()
    parts = unicodedata.normalize("NFKD", character.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()
