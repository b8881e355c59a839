"""The streaming policy for models that hear every sound once, and the choice between the two.

Such a model decides word by word and keeps its own left context, so there is no window to look at
again and no prefix to force. What is left to decide is when a word is over, and what to do while
the model itself wavers between several readings (beam search): words that all of them share are
settled at once, words that they do not share are shown as changeable, and once they are
``lock_after`` old the most probable reading is taken and the others are given up. So a word never
waits longer than that, and what is settled is never contradicted.

How hard the model thinks (chunk size, width of the search) follows the slider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from engine.belief import seen_before
from engine.config import LatencyProfile
from engine.findings import Shown, Understanding, Unsettled
from engine.lines import SpacedWord
from engine.policy import Policy
from engine.recognizers.base import (
    IncrementalRecognizer,
    Recognizer,
    Running,
    WindowRecognizer,
    is_incremental,
)
from engine.stabilizer import Stabilizer
from engine.types import Samples, Word
from engine.units import Unit, units_of
from engine.window import Window

_LAST_WORD_WAITS = 0.8
"""Seconds of sound without a further token from which the last word cannot grow any more."""

_PAUSED_WORD_WAITS = 0.24
"""The same where the detector hears a pause."""


class Follower:
    """The policy for one lane, around one incremental stream. What ``Stabilizer`` is for models
    that are asked about windows; a lane uses either."""

    def __init__(self, recognizer: IncrementalRecognizer, policy: Policy) -> None:
        self._recognizer = recognizer
        self._stream = recognizer.stream()
        self._window = Window()  # the sound behind the last settled word: another model's start
        self._dropped = 0.0  # seconds of accepted sound in front of the window
        self._units: list[Unit] = []
        self._shown = 0
        self._heard_s = 0.0
        self._last_end = 0.0  # stream clock, of the last settled word
        self._speech_end = 0.0  # window time
        self.policy = policy

    @property
    def policy(self) -> Policy:
        """In force from the next decode on."""
        return self._policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._policy = policy
        self._stream.tune(effort(policy))

    @property
    def has_unsettled(self) -> bool:
        """Words are still waiting."""
        return bool(self._units)

    @property
    def window_s(self) -> float:
        """Seconds of sound that are kept."""
        return self._window.seconds

    def release(self) -> Unsettled:
        """Give away what is not settled, to another model's policy. This one ends here."""
        return Unsettled(self._window, self._speech_end, self._last_end)

    def take_up(self, left: Unsettled) -> None:
        """Go on, before anything else, where another model's policy ended."""
        left = left.bare()
        self._window, self._speech_end, self._last_end = (
            left.window,
            left.speech_end,
            left.last_end,
        )
        self._stream.accept(self._window.audio)

    def extend(self, samples: Samples, first_sample: int, *, speech: bool) -> None:
        """Append sound.

        Args:
            samples: float32 mono at 16 kHz, shape (n,).
            first_sample: stream index of the first.
            speech: the voice activity detector takes it for speech.
        """
        self._window.extend(samples, first_sample)
        self._stream.accept(samples)
        if speech:
            self._speech_end = self._window.seconds

    def understanding(self) -> Understanding:
        """How well the model understands what is not settled."""
        return Understanding.of(self._units)

    def decode(self, *, paused: bool = False, hold: bool = False) -> Shown:
        """Hear what has come in.

        Args:
            paused: nobody is speaking, so the last word is over.
            hold: it is not certain yet that anybody is speaking at all: show and settle nothing.

        Raises:
            RecognizerError: the model failed.
        """
        running = self._stream.hypothesis()
        self._follow(running)
        if hold:
            self._trim()
            return Shown((), ())
        settled = self._settle(self._over(running, paused=paused))
        ready = 0
        for place, unit in enumerate(self._units):
            if not self._may_show(unit, was_shown=place < self._shown):
                break
            ready += 1
        self._shown = ready
        tail = self._units[:ready] if self._policy.show_unlocked else []
        self._trim()
        return Shown(settled, tuple(self._worded(tail, last_bare=len(tail))))

    def finish(self, is_speech: Callable[[], bool] = lambda: True) -> Shown:
        """A pause: settle all that was said; the model goes on with it as its left context.

        Args:
            is_speech: asked once all was heard; where it says no, nothing was said, and the model
                forgets it, so that noise is nobody's context.

        Raises:
            RecognizerError: the model failed.
        """
        self._follow(self._stream.finish())
        if not is_speech():
            self.forget()
            return Shown((), ())
        settled = self._settle(len(self._units))
        self._cut(self._window.seconds)
        return Shown(settled, ())

    def forget(self) -> None:
        """Drop all that is not settled: what follows is another sound."""
        self._stream.reset()
        self._window.cut(self._window.seconds)
        self._dropped, self._heard_s, self._speech_end = 0.0, 0.0, 0.0
        self._units, self._shown = [], 0

    # -- when -------------------------------------------------------------------------------

    def _follow(self, running: Running) -> None:
        """Take an answer, counting how often in a row each word was given."""
        units = units_of(running.tokens, self._recognizer.text)
        if running.heard_s > self._heard_s:
            for place, unit in enumerate(units):
                old = seen_before(self._units, unit, place)
                units[place] = replace(unit, seen=old.seen + 1 if old else 1)
        elif len(units) == len(self._units):
            units = [
                replace(unit, seen=old.seen) for unit, old in zip(units, self._units, strict=True)
            ]
        self._units = units
        self._heard_s = running.heard_s

    def _over(self, running: Running, *, paused: bool) -> int:
        """How many words, from the first, will not change any more, or may not."""
        over = 0
        tokens = 0
        for unit in self._units:
            tokens += len(unit.tokens)
            age = self._heard_s - _end(unit)
            if tokens < running.stable:
                decided = True  # all readings begin another word behind it
            elif unit is self._units[-1]:
                wait = _PAUSED_WORD_WAITS if paused else _LAST_WORD_WAITS
                same = tokens == running.stable or age >= self._policy.lock_after
                decided = same and age >= wait
            else:
                decided = age >= self._policy.lock_after
            if not decided:
                break
            over += 1
        return over

    def _may_show(self, unit: Unit, *, was_shown: bool) -> bool:
        policy = self._policy
        if was_shown or not unit.wordy or unit.seen >= policy.show_agree:
            return True
        return unit.probability >= policy.sure or self._heard_s - _end(unit) >= policy.patience

    # -- settling ---------------------------------------------------------------------------

    def _settle(self, count: int) -> tuple[SpacedWord, ...]:
        taken, self._units = self._units[:count], self._units[count:]
        self._shown = max(0, self._shown - count)
        if not taken:
            return ()
        words = self._worded(taken, last_bare=-1)
        self._stream.settle(sum(len(unit.tokens) for unit in taken))
        if words:
            self._last_end = words[-1].word.end
        self._cut(_end(taken[-1]) - self._dropped)
        return tuple(words)

    def _worded(self, units: Sequence[Unit], last_bare: int) -> list[SpacedWord]:
        """Units as words on the stream clock; the one numbered ``last_bare`` (from 1) without the
        punctuation behind it."""
        words = []
        previous = self._last_end
        for number, unit in enumerate(units, 1):
            end = max(previous, self._clock(_end(unit)))
            began = min(self._clock(unit.tokens[0].time or 0.0), end - unit.spoken_s)
            start = min(end, max(previous, began))
            text = unit.bare if number == last_bare else unit.text
            if not text:
                continue
            words.append(SpacedWord(Word(text, start, end, unit.probability), unit.spaced))
            previous = end
        return words

    def _clock(self, accepted_s: float) -> float:
        """The stream clock at some second of the accepted sound."""
        at = min(max(0.0, accepted_s - self._dropped), self._window.seconds)
        return self._window.stream_time(at)

    def _trim(self) -> None:
        """Where nothing has been settled for long, keep no more than a window's worth of sound."""
        if self._window.seconds > self._policy.window:
            self._cut(self._window.seconds - self._policy.keep)

    def _cut(self, seconds: float) -> None:
        dropped = self._window.cut(max(0.0, seconds))
        self._dropped += dropped
        self._speech_end = max(0.0, self._speech_end - dropped)


def effort(policy: Policy) -> float:
    """Where on the slider a policy stands, 0 to 1, by how often it wants to look."""
    first, last = (Policy.at(LatencyProfile(position)).step for position in (0.0, 100.0))
    return min(1.0, max(0.0, (policy.step - first) / (last - first)))


def policy_for(recognizer: Recognizer, policy: Policy, language: str = "") -> Stabilizer | Follower:
    """The streaming policy that a recogniser of either kind wants, told the language spoken."""
    if is_incremental(recognizer):
        return Follower(recognizer, policy)
    return Stabilizer(cast(WindowRecognizer, recognizer), policy, language)


def succeed(
    old: Stabilizer | Follower, recognizer: Recognizer, language: str = ""
) -> Stabilizer | Follower:
    """Go on with another model, of whichever kind: what is settled stays said, and the sound
    behind it is heard anew, so that a word being said at this moment is cut by nobody."""
    fresh = policy_for(recognizer, old.policy, language)
    fresh.take_up(old.release())
    return fresh


def _end(unit: Unit) -> float:
    return 0.0 if unit.end is None else unit.end
