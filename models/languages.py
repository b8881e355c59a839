"""Which of the languages a model captions is the one somebody speaks (BCP 47 codes)."""

from __future__ import annotations

from collections.abc import Sequence

MANY = "mul"
"""Many languages, and nobody has written down which."""

UNKNOWN = "und"
"""A model somebody added without saying what it captions."""


def fit(wanted: str, offered: Sequence[str]) -> int:
    """How well a model's languages suit a speaker.

    Args:
        wanted: what is spoken, ``zh-CN``.
        offered: what the model captions.

    Returns:
        3 where that very code is offered, 2 where the language is (``zh`` for ``zh-CN``, or the
        other way round), 1 where many unnamed ones are, 0 where it is not.
    """
    code = wanted.replace("_", "-").lower()
    codes = [each.lower() for each in offered]
    if code in codes:
        return 3
    primary = code.partition("-")[0]
    if primary in {each.partition("-")[0] for each in codes}:
        return 2
    return 1 if MANY in codes else 0
