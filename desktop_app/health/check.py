"""One question about the program or the machine, and its answer."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """The answer to one question.

    Attributes:
        name: what was looked at.
        ok: it works.
        detail: what was found.
        remedy: what to do where it does not work; may be empty.
        needed: without it there are no captions at all.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    needed: bool = False


def run_checks(questions: Sequence[tuple[str, Callable[[], Check], bool]]) -> list[Check]:
    """Ask each in turn, and report what breaks under its own name.

    Args:
        questions: name, what answers, and whether there are no captions without it.
    """
    answers = []
    for name, ask, needed in questions:
        try:
            # Libraries that cannot find their server say so on standard error by themselves.
            with contextlib.redirect_stderr(io.StringIO()):
                answers.append(ask())
        except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
            what = f"cannot be examined ({type(error).__name__}: {error})"
            answers.append(Check(name, False, what, needed=needed))
    return answers
