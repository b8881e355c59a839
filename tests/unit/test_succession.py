"""From one model to the next in mid-sentence: what the next one is told and what it hears again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fake_models import named
from fake_recognizer import Ask, Indices, Listener, script, seconds

from engine.config import LatencyProfile
from engine.policy import Policy
from engine.recognizers.base import Token
from engine.stabilizer import Stabilizer
from engine.types import SAMPLE_RATE

TALK = script("one two three four five six seven eight nine", start=0.4)
POLICY = Policy.at(LatencyProfile.parse("balanced"))


def play(stabilizer: Stabilizer, start: float, stop: float) -> list[str]:
    """Hear a stretch of the talk; returns what is settled."""
    settled: list[str] = []
    at = start
    while at < stop - 1e-9:
        until = min(stop, at + 0.2)
        stabilizer.extend(seconds(at, until), round(at * SAMPLE_RATE), speech=True)
        settled += [item.word.text for item in stabilizer.decode().settled]
        at = until
    return settled


def swapped(fresh: Listener, moment: float) -> tuple[list[str], Stabilizer]:
    old = Stabilizer(Listener(TALK), POLICY)
    settled = play(old, 0.0, moment)
    new = Stabilizer(fresh, POLICY)
    new.take_up(old.release())
    return settled, new


def test_what_was_settled_is_context_and_not_said_again() -> None:
    fresh = Listener(named(TALK, "b"))
    settled, new = swapped(fresh, 2.4)
    assert len(settled) >= 2
    settled += play(new, 2.4, 4.4)
    settled += [item.word.text for item in new.finish().settled]
    assert [text.partition("/")[0] for text in settled] == [word.text for word in TALK]
    first, second = fresh.asks[:2]
    assert first.prefix == ()
    assert first.starts_at < TALK[0].end, "it hears what was before"
    assert second.prefix, "and takes it as said from then on"
    assert fresh.breaches == []


class Deaf(Listener):
    """Hears nothing at all before a moment of the stream."""

    def __init__(self, until: float) -> None:
        super().__init__(named(TALK, "b"))
        self._until = until

    def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
        """Only what comes later."""
        tokens = super().heard(ask, samples)
        return [token for token in tokens if self.words[token.id].end > self._until]


def test_a_model_that_hears_something_else_there_starts_behind_it() -> None:
    moment = 2.4
    count = len(swapped(Listener(TALK), moment)[0])
    fresh = Deaf(TALK[count - 1].end + 0.01)
    settled, new = swapped(fresh, moment)
    settled += play(new, moment, 4.4)
    settled += [item.word.text for item in new.finish().settled]
    assert [text.partition("/")[0] for text in settled] == [word.text for word in TALK]
    first, second = fresh.asks[:2]
    assert second.starts_at > first.starts_at
    assert fresh.breaches == []


def test_a_model_without_times_starts_behind_what_is_settled() -> None:
    fresh = Listener(named(TALK, "b"), timed=False)
    settled, new = swapped(fresh, 2.4)
    new.extend(seconds(2.4, 2.6), round(2.4 * SAMPLE_RATE), speech=True)
    new.decode()
    assert abs(fresh.asks[0].starts_at - TALK[len(settled) - 1].end) < 0.01


def test_a_model_that_never_decoded_passes_on_what_it_was_given() -> None:
    between = Listener(named(TALK, "b"))
    settled, second = swapped(between, 2.4)
    fresh = Listener(named(TALK, "c"))
    third = Stabilizer(fresh, POLICY)
    third.take_up(second.release())
    settled += play(third, 2.4, 4.4)
    settled += [item.word.text for item in third.finish().settled]
    assert [text.partition("/")[0] for text in settled] == [word.text for word in TALK]
    assert between.asks == []


def test_no_second_full_stop_is_written_behind_the_first() -> None:
    class Stopping(Listener):
        """Writes a full stop behind "three"."""

        def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
            tokens: list[Token] = []
            words = tuple(token for token in ask.prefix if token < len(TALK))
            ask = replace(ask, prefix=words)
            for token in super().heard(ask, samples):
                tokens.append(token)
                if token.id == 2:
                    tokens.append(self.token(len(TALK), token.time))
            return tokens

    old = Stabilizer(Listener(script("one two three.", start=0.4)), POLICY)
    settled = play(old, 0.0, 1.6)
    settled += [item.word.text for item in old.finish().settled]
    fresh = Stopping(TALK)
    fresh.pieces = [*fresh.pieces, "."]
    new = Stabilizer(fresh, POLICY)
    new.take_up(old.release())
    settled += play(new, 1.6, 4.4)
    assert settled[:4] == ["one", "two", "three.", "four"]
