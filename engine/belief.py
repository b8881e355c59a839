"""What of a hypothesis to believe, and when: pure functions over words and the slider's numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.policy import Policy
from engine.units import Unit

BACKWARDS = 0.06
"""Seconds a word may attend before the one in front of it while the window grows. Words that look
further back than that have not been said yet: the model repeats itself, or guesses an ending."""

BACKWARDS_AT_END = 0.4
"""The same for the very last word of a line, which is not left out lightly."""

_AT_ONCE = 3
"""Words that may look no further into the sound than the one in front of them; more than that in
a row are the model going round in circles."""

_LONGEST_WORD = 12
"""Tokens; what has more is a model going round in circles."""

_SAME_SOUND = 0.2
"""Seconds between two estimates of when the same word ended."""


def following(units: Sequence[Unit], reached: float, backwards: float) -> list[Unit]:
    """As many words as follow the sound.

    Args:
        units: of one hypothesis, in order.
        reached: end of the last word before them, window time in seconds.
        backwards: seconds the last of them may look back.
    """
    stuck = 0
    for place, unit in enumerate(units):
        if unit.end is None:
            continue
        is_last = place == len(units) - 1
        if unit.end < reached - (backwards if is_last else BACKWARDS):
            return list(units[:place])
        stuck = stuck + 1 if unit.end <= reached else 0
        if len(unit.tokens) > _LONGEST_WORD:
            return list(units[:place])
        if stuck > _AT_ONCE:
            return list(units[: place - _AT_ONCE])
        reached = max(reached, unit.end)
    return list(units)


def seen_before(tail: Sequence[Unit], unit: Unit, place: int) -> Unit | None:
    """The same word at the same sound in the hypothesis before. Words in front of it may have
    changed meanwhile: they wait for themselves alone.

    Args:
        tail: the hypothesis before.
        unit: the word, and ``place`` where it stands now.
    """
    if unit.end is None:
        same = tail[place : place + 1]
        return same[0] if same and same[0].core_ids == unit.core_ids else None
    for old in tail:
        near = old.end is not None and abs(old.end - unit.end) < _SAME_SOUND
        if near and old.core_ids == unit.core_ids:
            return old
    return None


def may_show(policy: Policy, unit: Unit, window_end: float) -> bool:
    """Whether a word that is not shown yet may be.

    Args:
        policy: the slider's numbers.
        unit: its end is window time, as ``window_end`` is; seconds.
    """
    if not unit.wordy:
        return True
    age = math.inf if unit.end is None else window_end - unit.end
    if unit.seen < policy.show_agree and unit.probability < policy.sure:
        return unit.end is not None and age >= policy.patience
    return age >= min(policy.show_after + _doubt(policy, unit), policy.patience)


def may_lock(
    policy: Policy, unit: Unit, window_end: float, lock_after: float, wait: float = 0.0
) -> bool:
    """Whether a shown word may be locked.

    Args:
        policy: the slider's numbers.
        unit: as for ``may_show``.
        lock_after: seconds that are asked of it instead of the policy's.
        wait: seconds it waits on top.
    """
    age = math.inf if unit.end is None else window_end - unit.end
    if unit.wordy and unit.seen < policy.lock_agree:
        return unit.end is not None and age >= lock_after + policy.patience
    doubt = min(2.0 * _doubt(policy, unit), policy.patience) if unit.wordy else 0.0
    return age >= lock_after + doubt + wait


def _doubt(policy: Policy, unit: Unit) -> float:
    """Extra seconds an unsure word waits."""
    if unit.probability >= policy.unsure:
        return 0.0
    return policy.unsure_wait * (1.0 - unit.probability / policy.unsure)
