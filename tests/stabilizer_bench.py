"""A stabilizer whose next hypotheses a test writes down, under a policy of round numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fake_recognizer import Ask, ScriptedRecognizer, seconds

from engine.config import LatencyProfile
from engine.findings import Shown
from engine.lines import SpacedWord
from engine.policy import Policy
from engine.recognizers.base import Token
from engine.stabilizer import Stabilizer
from engine.types import SAMPLE_RATE

_NUMBERS = {
    "step": 0.1,
    "show_after": 0.2,
    "show_agree": 1,
    "sure": 1.1,  # nothing is shown or locked before it was agreed on
    "unsure": 0.8,
    "unsure_wait": 0.5,
    "patience": 60.0,  # nothing is shown or locked only because time has passed
    "lock_after": 1.0,
    "lock_agree": 2,
    "stickiness": 1.5,
    "endpoint": 0.5,
    "window": 8.0,
    "keep": 4.0,
    "context": 2.0,
    "show_unlocked": True,
}
PLAIN = replace(
    Policy.at(LatencyProfile.parse("balanced")),
    **{name: value for name, value in _NUMBERS.items() if name in Policy.__slots__},  # type: ignore[arg-type]
)
"""Round numbers, whatever the stops are set to; every rule by itself."""

PIECES = [" the", " cat", " sat", " on", " mat", "s", ".", ",", "!", " dog", " ran"]
THE, CAT, SAT, ON, MAT, S, STOP, COMMA, CALL, DOG, RAN = range(len(PIECES))
BLANK = len(PIECES)

LIKELY = 0.85
"""Not to be doubted, and yet not so sure that one look is enough."""


class Bench:
    """A stabilizer whose next hypotheses are written down, and what it made of them.

    A hypothesis is the whole text of the window: the recogniser gives what stands behind the
    prefix, whatever the prefix says.
    """

    def __init__(self, policy: Policy = PLAIN) -> None:
        self.model = ScriptedRecognizer(PIECES, lambda ask: self.says[len(ask.prefix) :])
        self.says: list[Token] = []
        self.stabilizer = Stabilizer(self.model, policy)
        self.settled: list[str] = []
        self.now = 0.0

    def hear(self, until: float, *, speech: bool = True) -> None:
        """The window grows to ``until``."""
        self.stabilizer.extend(
            seconds(self.now, until), round(self.now * SAMPLE_RATE), speech=speech
        )
        self.now = until

    def decode(
        self, until: float, *said: tuple[int, float | None, float] | tuple[int, float]
    ) -> str:
        """The tail shown after a decode at ``until`` that gives (token, time[, probability])."""
        if until > self.now:
            self.hear(until)
        self.says = [self.model.token(*token) for token in said]
        return self._take(self.stabilizer.decode())

    def finish(self, *said: tuple[int, float | None]) -> list[str]:
        """All that is settled once the line has ended."""
        self.says = [self.model.token(*token) for token in said]
        assert self._take(self.stabilizer.finish()) == ""
        return self.settled

    def _take(self, shown: Shown) -> str:
        self.settled += texts(shown.settled)
        return " ".join(texts(shown.tail))

    @property
    def last(self) -> Ask:
        return self.model.asks[-1]


def texts(words: Sequence[SpacedWord]) -> list[str]:
    return [item.word.text for item in words]
