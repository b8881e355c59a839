"""One lane from resampled sound to caption updates: detector, endpoint, policy, lines.

No thread, no clock: it takes sound and gives updates, so that a file read at any speed gives the
same captions. The worker decides when there is time to decode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from engine.endpoint import Endpointer
from engine.findings import Shown
from engine.incremental import policy_for, succeed
from engine.lines import LineBuilder
from engine.policy import Policy
from engine.punctuation import Punctuation, wants_marks
from engine.recognizers.base import Recognizer
from engine.text import TextStage
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples

FRAME = 512
"""Samples the detector takes at a time."""

_PRE_ROLL = 0.5
"""Seconds of sound from before the detector noticed speech."""
_TRAIL = 0.5
"""Seconds of silence taken into the window behind speech; more is left out."""
_SETTLE = 0.4
"""Seconds of silence during which decodes go on; then all that was said has been looked at."""
_CONVINCED = 0.85
_CONVINCED_S = 0.16
"""Mean probability of speech, over at least so long, that proves somebody is speaking. Measured on
the recordings in the tests and others: lines of speech lie above 0.9, music and noise that the
detector lets through below 0.77."""
_UNDERSTOOD = 0.75
_UNDERSTOOD_WORDS = 2
"""Geometric mean probability of at least so many words that proves it where the detector doubts:
whispered or distant speech that the recogniser understands."""
_ONE_WORD = 0.4
"""Probability of the surest word, without which a line is not proven either way."""
_PAUSE = 0.2
"""Seconds of silence from which the word before it is over."""


class SpeechDetector(Protocol):
    """What a lane needs of a voice activity detector."""

    def probability(self, frame: Samples) -> float:
        """Of speech in 512 samples at 16 kHz."""

    def reset(self) -> None:
        """Forget what was heard."""


class LanePipeline:
    """Sound of one lane in, caption updates out.

    Attributes:
        text: how words are written; its script may be changed at any time.
        punctuation: sets marks where the recogniser gives none; None for nobody.
        recognizer: in use; ``swap`` changes it, and so does ``recover``.
        recover: asked for another recogniser where this one has raised; raises what the lane then
            raises. Where None, the lane raises at once.
    """

    recover: Callable[[Recognizer, Exception], Recognizer] | None = None

    def __init__(
        self,
        lane: str,
        recognizer: Recognizer,
        detector: SpeechDetector,
        policy: Policy,
        new_id: Callable[[], int],
        language: str = "",
    ) -> None:
        self.lines = LineBuilder(lane, new_id, language)
        self.text = TextStage()
        self.punctuation: Punctuation | None = None
        self.recognizer = recognizer
        self.stabilizer = policy_for(recognizer, policy, language)
        self.endpointer = Endpointer(FRAME / SAMPLE_RATE)
        self._detector = detector
        self._waiting = np.zeros(0, np.float32)  # less than a frame
        self._next_sample = 0  # stream index of what follows ``_waiting``
        self._roll: list[tuple[Samples, int]] = []
        self._engaged = False  # the window is taking sound in
        self._proven = False  # this line is speech
        self._undecoded = 0.0  # seconds taken in since the last decode
        self._heard_at = 0.0

    @property
    def policy(self) -> Policy:
        """In force from the next decode on."""
        return self.stabilizer.policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self.stabilizer.policy = policy

    @property
    def engaged(self) -> bool:
        """Somebody is speaking, or has only just stopped."""
        return self._engaged

    @property
    def at_gap(self) -> bool:
        """No word is being said at this moment."""
        return not self._engaged or self.endpointer.silence_s >= _PAUSE

    @property
    def heard_s(self) -> float:
        """The stream clock, seconds."""
        return self._next_sample / SAMPLE_RATE

    def swap(self, recognizer: Recognizer, language: str | None = None) -> list[CaptionUpdate]:
        """Go on with another model.

        What is settled stays said, and in a pause the old model settles first what it can, in a
        long one all; the sound behind the last settled word is heard anew, so that a word being
        said at this moment is cut by nobody.

        Args:
            recognizer: the other model.
            language: of the lines from the next update on; None for the same as before.
        """
        updates: list[CaptionUpdate] = []
        if self._engaged and self.at_gap and self._is_speech():
            over = self.endpointer.silence_s >= _SETTLE
            updates = self._show(
                self._ask(
                    lambda: (
                        self.stabilizer.finish() if over else self.stabilizer.decode(paused=True)
                    )
                )
            )
        if language is not None:
            self.lines.language = language
        self._go_over(recognizer)
        # Words that were shown and not settled wait for the other model's word.
        self._undecoded = max(self._undecoded, self.policy.step)
        return updates

    def push(
        self, samples: Samples, heard_at: float = 0.0, *, decode: bool = True, stride: float = 1.0
    ) -> list[CaptionUpdate]:
        """Take sound in.

        Args:
            samples: float32 mono at 16 kHz, shape (n,), following the last ones.
            heard_at: monotonic time at which the last of them was captured.
            decode: False while more sound is already waiting: partial captions are then skipped,
                ends of lines are not.
            stride: how many times wider than the policy's the step is (a machine that is behind).
        """
        self._heard_at = heard_at
        sound = np.concatenate((self._waiting, samples)) if self._waiting.size else samples
        first = self._next_sample - self._waiting.size
        self._next_sample += samples.size
        whole = sound.size // FRAME * FRAME
        self._waiting = sound[whole:].copy()
        updates: list[CaptionUpdate] = []
        for at in range(0, whole, FRAME):
            frame = sound[at : at + FRAME]
            updates += self._frame(frame, first + at)
            if decode and self._due(stride):
                updates += self._decode()
        return updates

    def skip(self, count: int) -> list[CaptionUpdate]:
        """Sound was lost: finish what was heard before it, go on behind it.

        Args:
            count: samples at 16 kHz that are missing.
        """
        updates = self.end()
        self._next_sample += count
        return updates

    def end(self) -> list[CaptionUpdate]:
        """The sound ends (for now): settle everything, the last word included."""
        updates: list[CaptionUpdate] = []
        rest, self._waiting = self._waiting, np.zeros(0, np.float32)
        if rest.size:
            padded = np.zeros(FRAME, np.float32)
            padded[: rest.size] = rest
            updates += self._frame(padded, self._next_sample - rest.size)
        if self._engaged:
            updates += self._finish()
        self.stabilizer.forget()
        self._detector.reset()
        self._roll = []
        return updates

    def _frame(self, frame: Samples, first: int) -> list[CaptionUpdate]:
        speech = self.endpointer.push(self._detector.probability(frame))
        silence = self.endpointer.silence_s
        if not self._engaged:
            self._roll.append((frame.copy(), first))
            if len(self._roll) > _PRE_ROLL * SAMPLE_RATE / FRAME:
                self._roll.pop(0)
            if not speech:
                return []
            self._engaged = True
            for old, at in self._roll:
                self._take(old, at, speech=at == first)
            self._roll = []
            return []
        if silence <= _TRAIL:
            self._take(frame, first, speech=speech)
        else:
            self._undecoded += FRAME / SAMPLE_RATE
        if silence >= self.policy.endpoint:
            return self._finish()
        return []

    def _take(self, frame: Samples, first: int, *, speech: bool) -> None:
        self.stabilizer.extend(frame, first, speech=speech)
        self._undecoded += FRAME / SAMPLE_RATE

    def _due(self, stride: float) -> bool:
        if not self._engaged:
            return False
        if self.endpointer.silence_s > _SETTLE:
            return False
        return self._undecoded >= self.policy.step * stride

    def _decode(self) -> list[CaptionUpdate]:
        self._undecoded = 0.0
        paused = self.endpointer.silence_s >= _PAUSE
        hold = not self._is_speech()
        return self._show(self._ask(lambda: self.stabilizer.decode(paused=paused, hold=hold)))

    def _is_speech(self) -> bool:
        """Whether this line is proven to be speech: now, or when its first word was shown."""
        self._proven = (self._proven and self.lines.is_open) or self._seems_speech()
        return self._proven

    def _seems_speech(self) -> bool:
        """The detector is certain of it and the recogniser at least of one word, or the recogniser
        is of all of them."""
        ears, mind = self.endpointer, self.stabilizer.understanding()
        heard = ears.speech_s >= _CONVINCED_S and ears.conviction >= _CONVINCED
        understood = mind.words >= _UNDERSTOOD_WORDS and mind.mean >= _UNDERSTOOD
        return understood or (heard and mind.best >= _ONE_WORD)

    def _was_speech(self) -> bool:
        """The same at the end of a line, where what seemed a word at first may be none."""
        return self.lines.has_settled or self._seems_speech()

    def _finish(self) -> list[CaptionUpdate]:
        self._engaged = False
        self._undecoded = 0.0
        shown = self._ask(lambda: self.stabilizer.finish(self._was_speech))
        self._proven = False
        self.endpointer.restart()
        updates = self._show(shown, ending=True)
        self.text.restart()
        return [*updates, *self.lines.finish(self._heard_at)]

    def _show(self, shown: Shown, *, ending: bool = False) -> list[CaptionUpdate]:
        settled, tail = list(shown.settled), list(shown.tail)
        if self.punctuation is not None:
            wanted = wants_marks(self.recognizer)
            settled, tail = self.punctuation(settled, tail, wanted=wanted, ending=ending)
        settled, tail = self.text(settled, tail, self.lines.language)
        return self.lines.show(settled, tail, self._heard_at)

    def _ask(self, ask: Callable[[], Shown]) -> Shown:
        """Ask the model; where it fails, the one that takes its place hears the same sound."""
        while True:
            try:
                return ask()
            except Exception as error:
                if self.recover is None:
                    raise
                self._go_over(self.recover(self.recognizer, error))

    def _go_over(self, recognizer: Recognizer) -> None:
        if recognizer is not self.recognizer:
            self.stabilizer = succeed(self.stabilizer, recognizer, self.lines.language)
            self.recognizer = recognizer
