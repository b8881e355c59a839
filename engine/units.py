"""Tokens as words: what the streaming policy decides about."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.recognizers.base import Token
from engine.scripts import NUMERALS, PER_CENT, is_spaceless

BROKEN = "\ufffd"
"""How a tokenizer writes part of a character."""

_MOST_PIECES = 4  # tokens a character may be in
_REPEATED = re.compile(r"([,;:?!，；：？！、。])\1+")  # but not "..."


@dataclass(frozen=True, slots=True)
class Unit:
    """A word of a hypothesis.

    Attributes:
        tokens: all of it, punctuation behind it included.
        core: how many tokens stand before that punctuation.
        text, bare: as shown, with and without it.
        end: when its sound ended, seconds of the window; None where the family cannot tell.
        probability: of its least probable token.
        seen: decodes in a row that have given it at this place.
    """

    tokens: tuple[Token, ...]
    core: int
    text: str
    bare: str
    end: float | None
    probability: float
    seen: int = 1

    @property
    def spoken_s(self) -> float:
        """About how many seconds it takes to say, by its length."""
        return min(0.09 * max(2, len(self.bare)), 0.8)

    @classmethod
    def of(cls, tokens: tuple[Token, ...], text: Callable[[Sequence[int]], str]) -> Unit:
        """The word that ``tokens`` make; ``text`` is the recogniser's own."""
        ids = [token.id for token in tokens]
        core = len(tokens)
        for place in range(len(tokens) - 1, 0, -1):
            behind = text(ids[place:])
            if is_wordy(behind):
                break
            if BROKEN not in behind:
                core = place
        ends = [token.time for token in tokens[:core] if token.time is not None]
        return cls(
            tokens=tokens,
            core=core,
            # On a window cut inside a word some models write the comma twice.
            text=_REPEATED.sub(r"\1", text(ids)).replace(BROKEN, ""),
            bare=text(ids[:core]).replace(BROKEN, ""),
            end=max(ends) if ends else None,
            probability=math.exp(min(token.logp for token in tokens[:core])),
        )

    @property
    def ids(self) -> tuple[int, ...]:
        """Token ids."""
        return tuple(token.id for token in self.tokens)

    @property
    def core_ids(self) -> tuple[int, ...]:
        """Token ids without trailing punctuation."""
        return self.ids[: self.core]

    @property
    def spaced(self) -> bool:
        """A space belongs before it."""
        return self.tokens[0].starts_word

    @property
    def wordy(self) -> bool:
        """More than punctuation."""
        return is_wordy(self.bare)


def units_of(tokens: Sequence[Token], text: Callable[[Sequence[int]], str]) -> list[Unit]:
    """Group the tokens of a hypothesis into words.

    Args:
        tokens: in order.
        text: gives the text of some token ids, without surrounding space.
    """
    groups: list[list[Token]] = []
    for place, token in enumerate(tokens):
        if token.starts_word or not groups or _begins_anew(groups[-1], tokens[place:], text):
            groups.append([])
        groups[-1].append(token)
    return [Unit.of(tuple(group), text) for group in groups]


def _begins_anew(
    before: Sequence[Token], tokens: Sequence[Token], text: Callable[[Sequence[int]], str]
) -> bool:
    """Whether another word begins though no space does: scripts without spaces are taken a
    character at a time, but for their numerals, which mean something only together."""
    ids = [token.id for token in tokens[:_MOST_PIECES]]
    said, first = text([before[-1].id]), text(ids[:1])
    if said.isascii() and first.isascii():
        return False
    said = text([token.id for token in before])
    if not said or said.endswith(BROKEN):
        return False  # in the middle of a character
    coming = next((t for n in range(1, len(ids) + 1) if BROKEN not in (t := text(ids[:n]))), "")
    if not coming:
        return is_spaceless(said[-1])
    last, first = said[-1], coming[0]
    if (last in NUMERALS or said.endswith(PER_CENT)) and first in NUMERALS:
        return False
    if (said + first).endswith((PER_CENT, PER_CENT[:-1])):
        return False
    return is_spaceless(first) or (is_spaceless(last) and first.isalnum())


def is_wordy(text: str) -> bool:
    """More than punctuation."""
    return any(character.isalnum() for character in text)
