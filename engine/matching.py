"""Finding what is settled already in what a recogniser hears anew.

A recogniser that cannot be told what is said (``is_prefixed`` is false) gives the whole window
each time. The words in front of the tail are then the settled ones, heard once more and not always
alike: a letter more, two words for one, a scrap of the word the window was cut in. They are
aligned with the settled ones by what they say and by when, at the least cost, and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.recognizers.base import Token
from engine.stats import common_length
from engine.units import Unit, is_wordy, units_of

_MISSING = 0.6
"""Cost of a word that only one side has: more than another form of the same word, and two of them
more than another word at the same time."""
_FAR_S = 1.0
"""Seconds between two times of the same word that cost ``_FAR`` more."""
_FAR = 0.5
_SAME_WORD_S = 0.4
"""Seconds between the ends that two models give the last settled word, from which they do not mean
the same one."""
_SAME_WORD = 0.5
"""The same for how unlike they may be."""
_SAME_MOMENT_S = 0.04
"""Seconds behind the end of the last settled word in which no other word can have ended."""


@dataclass(frozen=True, slots=True)
class Said:
    """A settled word.

    Attributes:
        text: as the recogniser's ``text`` gives it.
        end: of its sound, seconds of the window.
    """

    text: str
    end: float


def unsaid(
    tokens: Sequence[Token], said: Sequence[Said], text: Callable[[Sequence[int]], str]
) -> tuple[Token, ...]:
    """The tokens behind what is settled.

    Args:
        tokens: what is heard in the whole window.
        said: the settled words in it, in order.
        text: gives the text of some token ids, without surrounding space.
    """
    settled = [(word, _key(word.text)) for word in said if is_wordy(word.text)]
    if not settled:
        return tuple(tokens)
    units = units_of(tokens, text)
    places = [place for place, unit in enumerate(units) if unit.wordy]
    heard = [(units[place], _key(units[place].bare)) for place in places]
    count = _least(settled, heard)
    if count == 0:
        return tuple(tokens)
    last = places[count - 1]
    # The mark behind the last settled word may still be open.
    rest = list(units[last].tokens[units[last].core :])
    for unit in units[last + 1 :]:
        rest += unit.tokens
    return tuple(rest)


def heard_again(
    tokens: Sequence[Token], said: Sequence[Said], text: Callable[[Sequence[int]], str]
) -> tuple[list[Unit], tuple[Token, ...]] | None:
    """What another model has settled, as this one hears it.

    Args:
        tokens: what is heard in the whole window, with times.
        said: the settled words in it, in order; at least one.
        text: gives the text of some token ids, without surrounding space.

    Returns:
        The settled words and the tokens behind them; None where the last of them is not heard.
    """
    rest = unsaid(tokens, said, text)
    if rest and not is_wordy(said[-1].text[-1:]):
        first = units_of(rest, text)[0]
        if not first.wordy:  # the mark stands there already
            rest = rest[len(first.tokens) :]
    units = units_of(tokens[: len(tokens) - len(rest)], text)
    words = [word.text for word in said if is_wordy(word.text)]
    heard = [unit.bare for unit in units if unit.wordy]
    if not words or not heard or _unlike(_key(words[-1]), _key(heard[-1])) > _SAME_WORD:
        return None
    end = max(unit.end or 0.0 for unit in units)
    return None if abs(end - said[-1].end) > _SAME_WORD_S else (units, rest)


def _least(settled: Sequence[tuple[Said, str]], heard: Sequence[tuple[Unit, str]]) -> int:
    """How many of the heard words are the settled ones, at the least cost."""
    row = [number * _MISSING for number in range(len(heard) + 1)]
    for word, key in settled:
        above, row = row, [row[0] + _MISSING]
        for number, (unit, other) in enumerate(heard):
            same = above[number] + _unlike(key, other) + _apart(word, unit)
            row.append(min(same, above[number + 1] + _MISSING, row[number] + _MISSING))
    reached = settled[-1][0].end + _SAME_MOMENT_S
    left = [unit.end is not None and unit.end <= reached for unit, _ in heard]
    costs = [cost + _MISSING * sum(left[number:]) for number, cost in enumerate(row)]
    return costs.index(min(costs))


def _unlike(one: str, other: str) -> float:
    """0 for the same word, 1 for words that do not even begin alike."""
    if one == other:
        return 0.0
    return 1.0 - common_length(one, other) / max(len(one), len(other))


def _apart(word: Said, unit: Unit) -> float:
    return 0.0 if unit.end is None else _FAR * abs(word.end - unit.end) / _FAR_S


def _key(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
