"""The streaming policy: what to show, what to lock, and what the recogniser looks at.

One window of sound grows at its end, across pauses, so that every word has left context. A decode
takes the *locked* words inside the window as said (they are the forced prefix) and gives the tail
behind them. Where a token attends tells when its sound ended: a word is shown once that lies
``show_after`` before the end of the window, later where the model is unsure of it, and locked once
it lies ``lock_after`` before it and several decodes agree. Shown words that are not locked are
*sticky*: another token must be clearly more probable before one is taken back.

Sources: taking a word by where it attends is AlignAtt (Papi, Turchi, Negri 2023, arXiv 2305.11408);
agreement between decodes is LocalAgreement (Liu, Spanakis, Niehues 2020, arXiv 2005.11185);
preferring what is already shown is biased search in re-translation (Arivazhagan et al. 2020, arXiv
1912.03393); checking the last hypothesis in one pass is blockwise verification (Stern et al. 2018,
arXiv 1811.03115).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.belief import (
    BACKWARDS,
    BACKWARDS_AT_END,
    following,
    may_lock,
    may_show,
    seen_before,
)
from engine.findings import Shown, Understanding, Unsettled
from engine.lines import SpacedWord
from engine.matching import Said, heard_again, unsaid
from engine.policy import Policy
from engine.recognizers.base import (
    Hypothesis,
    WindowRecognizer,
    hindsight,
    is_multilingual,
    is_prefixed,
)
from engine.types import Samples, Word
from engine.units import Unit, is_wordy, units_of
from engine.window import Window

_CUT_MARGIN = 0.35
"""Seconds kept before the end of the sound of the first word that stays in the window."""

_LAST_WORD_WAITS = 0.15
"""Seconds the last word waits longer than others to be locked while somebody is speaking."""

_DEAF_S = 1.2
"""Seconds of speech behind the last word, in two decodes in a row, from which the model is taken to
have ended its text too early or to go round in circles: what was said before leads it astray."""

_ECHO_AFTER = 0.35
"""Seconds behind the last speech from which a word attends to nothing: it was not said."""


@dataclass(frozen=True, slots=True)
class _Locked:
    ids: tuple[int, ...]
    end: float  # window time


class Stabilizer:
    """The policy for one lane, around one recogniser stream."""

    def __init__(self, recognizer: WindowRecognizer, policy: Policy, language: str = "") -> None:
        """Args:
        recognizer: asked about the window.
        policy: what to show and to lock.
        language: BCP 47 code of what is spoken; empty to listen for it where the model can.
        """
        self.policy = policy
        self._recognizer = recognizer
        self._stream = (
            recognizer.stream(language) if is_multilingual(recognizer) else recognizer.stream()
        )
        self._language = ""  # of the last hypothesis
        self._window = Window()
        self._said: tuple[Said, ...] = ()  # by another model, in the window; until heard again
        self._locked: list[_Locked] = []
        self._tail: list[Unit] = []
        self._shown = 0
        self._doubted = False  # shown words were not given by the last look
        self._deaf = 0  # decodes in a row that ended too early
        self._last_end = 0.0  # stream time of the last settled word's end
        self._speech_end = 0.0  # window time of the last speech

    @property
    def has_unsettled(self) -> bool:
        """Words are still waiting."""
        return bool(self._tail)

    @property
    def window_s(self) -> float:
        """Seconds in the window."""
        return self._window.seconds

    def release(self) -> Unsettled:
        """Give away what is not settled, to another model's policy. This one ends here."""
        self._tail = []
        settled = self._locked[-1].end if self._locked else 0.0
        self._cut_to(self._window.seconds - settled + self.policy.keep)
        text = self._recognizer.text
        said = tuple(Said(text(word.ids), word.end) for word in self._locked)
        return Unsettled(self._window, self._speech_end, self._last_end, said or self._said)

    def take_up(self, left: Unsettled) -> None:
        """Go on, before anything else, where another model's policy ended."""
        if not self._recognizer.aligned:
            left = left.bare()  # it could not tell where what is settled ends
        self._window, self._speech_end = left.window, left.speech_end
        self._last_end, self._said = left.last_end, left.said

    def extend(self, samples: Samples, first_sample: int, *, speech: bool) -> None:
        """Append sound to the window.

        Args:
            samples: float32 mono at 16 kHz, shape (n,).
            first_sample: stream index of the first.
            speech: the voice activity detector takes it for speech.
        """
        self._window.extend(samples, first_sample)
        if speech:
            self._speech_end = self._window.seconds

    def understanding(self) -> Understanding:
        """How well the model understands the tail."""
        return Understanding.of(self._tail)

    def decode(self, *, paused: bool = False, hold: bool = False) -> Shown:
        """Ask the recogniser about the window as it stands.

        Args:
            paused: nobody is speaking, so the last word is over and may be locked too.
            hold: it is not certain yet that anybody is speaking at all: show and lock nothing.

        Raises:
            RecognizerError: the model failed.
        """
        self._trim()
        shown = self._tail[: self._shown]
        self._look(BACKWARDS, deaf_before=1)
        self._hold_to(shown)
        if hold:
            return Shown((), ())
        policy, end = self.policy, self._window.seconds
        lock_after = policy.lock_after
        if policy.show_unlocked:
            lock_after = max(lock_after, hindsight(self._recognizer))
        ready = 0
        for place, unit in enumerate(self._tail):
            if not (place < self._shown or may_show(policy, unit, end)):
                break
            ready += 1
        lockable = 0
        for unit in self._tail[:ready]:
            if not may_lock(policy, unit, end, lock_after):
                break
            lockable += 1
        if lockable and lockable == len(self._tail):
            # What follows the last word decides its punctuation, and often its ending.
            lockable -= 1
            if paused or may_lock(policy, self._tail[-1], end, lock_after, _LAST_WORD_WAITS):
                self._split_last()
                lockable += 1
        settled = self._lock(lockable)
        self._shown = ready - lockable
        tail = self._tail[: self._shown] if policy.show_unlocked else []
        return Shown(settled, tuple(self._worded(tail, last_bare=len(tail))))

    def finish(self, is_speech: Callable[[], bool] = lambda: True) -> Shown:
        """A pause: settle all that was said, and keep a little of the window as context.

        Args:
            is_speech: asked once the tail is up to date; where it says no, nothing was said, and
                the window is dropped, so that noise is nobody's context.

        Raises:
            RecognizerError: the model failed.
        """
        if hindsight(self._recognizer):
            self._shown = 0  # with the whole line heard, such a model is held to none of it
        self._look(BACKWARDS_AT_END, deaf_before=0)
        if not is_speech():
            self.forget()
            return Shown((), ())
        limit = self._speech_end + _ECHO_AFTER
        said = 0
        for unit in self._tail:
            if unit.end is not None and unit.end > limit:
                break
            said += 1
        settled = self._lock(said)
        self._tail, self._shown = [], 0
        self._cut_to(self.policy.context)
        return Shown(settled, ())

    def forget(self) -> None:
        """Drop the window and everything in it that is not settled."""
        self._start_behind(self._window.seconds)

    # -- the hypothesis ---------------------------------------------------------------------

    def _look(self, backwards: float, deaf_before: int) -> None:
        """Bring the tail up to date.

        Args:
            backwards: seconds the last word may attend before the one in front of it.
            deaf_before: looks in a row that may stay behind the speech before it is looked at
                without what was said before it.
        """
        self._tail = self._reconciled(self._heard(), backwards)
        self._deaf = self._deaf + 1 if self._is_deaf() else 0
        if self._deaf > deaf_before:
            self._listen_anew()
            self._tail = self._reconciled(self._heard(), backwards)

    def _hold_to(self, shown: list[Unit]) -> None:
        """Keep what is shown against another word that is heard for the first time. Recognisers
        that are told a draft do so themselves, and better."""
        if is_prefixed(self._recognizer) or not self.policy.stickiness or not self._shown:
            return
        pairs = enumerate(zip(shown, self._tail, strict=False))
        same = next((n for n, (a, b) in pairs if a.core_ids != b.core_ids), len(self._tail))
        self._doubted = same < len(shown) and not self._doubted
        if self._doubted:
            # What was not given this time is as new as if it were heard now for the first time.
            late = self._speech_end or self._window.seconds
            ends = [unit.end if self._recognizer.aligned else late for unit in shown[same:]]
            doubted = [
                replace(unit, seen=0, end=end) for unit, end in zip(shown[same:], ends, strict=True)
            ]
            self._tail = [*self._tail[:same], *doubted]

    def _heard(self) -> Hypothesis:
        """The same as ``_hypothesis``, but that what was said in another language is no prefix."""
        before, hypothesis = self._language, self._hypothesis()
        self._language = hypothesis.language
        if self._locked and before and hypothesis.language != before:
            self._listen_anew()
            hypothesis = self._hypothesis()
            self._language = hypothesis.language
        return hypothesis

    def _hypothesis(self) -> Hypothesis:
        """What the recogniser hears behind what is locked."""
        if self._said:
            return self._heard_again()
        text = self._recognizer.text
        if not is_prefixed(self._recognizer):
            said = [Said(text(word.ids), word.end) for word in self._locked]
            whole = self._stream.decode(self._window.audio)
            return replace(whole, tokens=unsaid(whole.tokens, said, text))
        prefix = [token for word in self._locked for token in word.ids]
        draft: list[int] = []
        tolerance: list[float] = []
        for place, unit in enumerate(self._tail):
            draft += unit.ids
            sticky = self.policy.stickiness if place < self._shown else 0.0
            tolerance += [sticky] * len(unit.ids)
        return self._stream.decode(self._window.audio, prefix, draft, tolerance)

    def _heard_again(self) -> Hypothesis:
        """Hear also what another model has settled: it is the left context of what follows, and
        locked from here on as this model writes it."""
        whole = self._stream.decode(self._window.audio)
        said, self._said = self._said, ()  # not before: the model may fail, and another follow
        known = heard_again(whole.tokens, said, self._recognizer.text)
        if known is None:  # it hears something else there
            self._start_behind(said[-1].end)
            return self._hypothesis()
        units, rest = known
        ends = accumulate((unit.end or 0.0 for unit in units), max)
        self._locked = [_Locked(unit.ids, end) for unit, end in zip(units, ends, strict=True)]
        return replace(whole, tokens=rest)

    def _reconciled(self, hypothesis: Hypothesis, backwards: float) -> list[Unit]:
        """The hypothesis as words, as far as they follow the sound, each with how many decodes in
        a row have given it here."""
        units = units_of(hypothesis.tokens, self._recognizer.text)
        units = following(
            self._after_mark(units), self._locked[-1].end if self._locked else 0.0, backwards
        )
        for place, unit in enumerate(units):
            old = seen_before(self._tail, unit, place)
            units[place] = replace(unit, seen=old.seen + 1 if old else 1)
            if unit.end is None:
                # It ended before it was first heard: that is how late it can have been said.
                latest = old.end if old else self._speech_end or self._window.seconds
                units[place] = replace(units[place], end=latest)
        return units

    def _after_mark(self, units: list[Unit]) -> list[Unit]:
        """Without a second full stop."""
        if units and self._locked and not units[0].wordy:
            ending = self._recognizer.text(self._locked[-1].ids[-1:])
            if not is_wordy(ending):
                return units[1:]
        return units

    def _is_deaf(self) -> bool:
        """Speech went on well behind the last word of the hypothesis: what was said before leads
        the model astray."""
        recognizer = self._recognizer
        if not self._locked or not recognizer.aligned or not is_prefixed(recognizer):
            return False
        ends = [unit.end for unit in self._tail if unit.end is not None]
        return self._speech_end - max([self._locked[-1].end, *ends]) > _DEAF_S

    def _listen_anew(self) -> None:
        """Look at what is not locked without what was said before it."""
        self._start_behind(self._locked[-1].end)

    def _start_behind(self, seconds: float) -> None:
        """Drop the window up to a time, everything that was locked in it, and the tail."""
        dropped = self._window.cut(seconds)
        self._locked, self._tail, self._shown, self._deaf = [], [], 0, 0
        self._speech_end = max(0.0, self._speech_end - dropped)

    # -- settling ---------------------------------------------------------------------------

    def _split_last(self) -> None:
        """Part the last word from the punctuation behind it, which silence does not settle."""
        last = self._tail.pop()
        self._tail.append(Unit.of(last.tokens[: last.core], self._recognizer.text))
        if last.core < len(last.tokens):
            self._tail.append(Unit.of(last.tokens[last.core :], self._recognizer.text))

    def _lock(self, count: int) -> tuple[SpacedWord, ...]:
        taken, self._tail = self._tail[:count], self._tail[count:]
        words = self._worded(taken, last_bare=-1)
        for unit in taken:
            before = self._locked[-1].end if self._locked else 0.0
            end = max(before, self._window.seconds if unit.end is None else unit.end)
            self._locked.append(_Locked(unit.ids, end))
        if words:
            self._last_end = words[-1].word.end
        return tuple(words)

    def _worded(self, units: Sequence[Unit], last_bare: int) -> list[SpacedWord]:
        """Units as words on the stream clock; the one numbered ``last_bare`` (from 1) without the
        punctuation behind it, which the next word may yet change."""
        words = []
        previous = self._last_end
        for number, unit in enumerate(units, 1):
            at = self._window.seconds if unit.end is None else unit.end
            end = max(previous, self._window.stream_time(at))
            start = min(end, max(previous, end - unit.spoken_s))
            text = unit.bare if number == last_bare else unit.text
            if not text:
                continue
            word = Word(text, start, end, unit.probability)
            words.append(SpacedWord(word, unit.spaced, self._language))
            previous = end
        return words

    # -- the window -------------------------------------------------------------------------

    def _trim(self) -> None:
        if self._window.seconds > self.policy.window and not self._said:
            self._cut_to(self.policy.keep)

    def _cut_to(self, seconds: float) -> None:
        """Cut the front to about the last ``seconds``, at the start of a locked word."""
        target = self._window.seconds - seconds
        if target <= 0:
            return
        first = next((i for i, word in enumerate(self._locked) if word.end > target), None)
        if first is None:
            # Nothing locked lies that late: keep all that is not settled yet.
            edge = self._locked[-1].end if self._locked else 0.0
            if self._tail:
                target = min(target, edge)
            dropped = self._window.cut(target)
            self._locked = []
        else:
            edge = self._locked[first - 1].end if first else 0.0
            dropped = self._window.cut(max(edge, self._locked[first].end - _CUT_MARGIN))
            self._locked = self._locked[first:]
        self._locked = [replace(word, end=max(0.0, word.end - dropped)) for word in self._locked]
        self._tail = [
            replace(unit, end=None if unit.end is None else max(0.0, unit.end - dropped))
            for unit in self._tail
        ]
        self._speech_end = max(0.0, self._speech_end - dropped)
