"""What is done to the sound between the resampler and the recogniser: noise out, quiet voices up.

With nothing switched on, and nobody speaking too quietly, the sound passes bit for bit.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from engine.denoise import FRAME, Denoiser
from engine.gain import MOST_DB, AutoGain
from engine.types import SAMPLE_RATE, Samples

_HOLD = 30
"""Frames for which the detector is still asked after RNNoise last suspected speech: 0.3 s."""
_SUSPICION = 0.05
"""Probability from which it does. Low: the detector is only spared what is plainly no speech."""


class Detector(Protocol):
    """What a lane needs of a voice activity detector."""

    def probability(self, frame: Samples) -> float:
        """Of speech in some samples at 16 kHz."""

    def reset(self) -> None:
        """Forget what was heard."""


class FrontEnd:
    """Of one lane; belongs to the inference thread.

    As many samples come out as go in, each at its place: what is held back comes with ``flush``.
    """

    def __init__(self, denoiser: Denoiser | None = None, *, auto_gain: bool = False) -> None:
        """Args:
        denoiser: fresh, or None for none.
        auto_gain: make quiet voices louder.
        """
        self._denoiser = denoiser
        self._next: tuple[Denoiser | None] | None = None
        self._gain = AutoGain() if auto_gain else None
        self.speech: deque[float] = deque(maxlen=1000)
        """Probability of speech in each 10 ms given out, which ``Gate`` takes from here."""

    @property
    def latency(self) -> float:
        """Seconds by which what comes out is later than what went in."""
        return self._denoiser.latency / SAMPLE_RATE if self._denoiser else 0.0

    @property
    def suppresses(self) -> bool:
        """Whether noise is taken out."""
        return (self._next[0] if self._next else self._denoiser) is not None

    @property
    def gain_db(self) -> float:
        """By how much the voice is made louder now."""
        return self._gain.db if self._gain else 0.0

    @property
    def most_gain_db(self) -> float:
        """By how much it may be."""
        return MOST_DB if self._gain else 0.0

    @property
    def auto_gain(self) -> bool:
        """Whether quiet voices are made louder."""
        return self._gain is not None

    @auto_gain.setter
    def auto_gain(self, on: bool) -> None:
        if on != self.auto_gain:
            self._gain = AutoGain() if on else None

    def change(self, denoiser: Denoiser | None) -> None:
        """Go on with another denoiser, or with none, from the next sample on."""
        self._next = (denoiser,)

    def restart(self) -> None:
        """Another source follows: forget how loud the voices of the last one were."""
        self._gain = AutoGain() if self._gain else None

    def push(self, samples: Samples) -> Samples:
        """Take sound in.

        Args:
            samples: float32 mono at 16 kHz, shape (n,), any n.

        Returns:
            float32 mono at 16 kHz, shape (m,): what is ready; m may be 0.
        """
        if self._next is None:
            return self._work(samples)
        held_back = self.flush()
        (self._denoiser,), self._next = self._next, None
        return np.concatenate((held_back, self._work(samples)))

    def flush(self) -> Samples:
        """End the signal and begin a new one: what was held back, shape (m,)."""
        if self._denoiser is None:
            return np.zeros(0, np.float32)
        return self._louder(self._denoiser.flush())

    def _work(self, samples: Samples) -> Samples:
        return self._louder(self._denoiser.push(samples) if self._denoiser else samples)

    def _louder(self, samples: Samples) -> Samples:
        if self._denoiser is not None:
            self.speech.extend(self._denoiser.speech)
            self._denoiser.speech.clear()
        return self._gain.push(samples) if self._gain else samples


class Gate:
    """A lane's detector behind the denoiser: where RNNoise runs, and hears nothing like speech, the
    detector is spared and the answer is no.

    Attributes:
        asked, spared: frames the detector looked at, and did not have to.
    """

    def __init__(self, detector: Detector, front: FrontEnd) -> None:
        self._detector = detector
        self._front = front
        self._owed = 0
        self._since = 0
        self.asked = self.spared = 0

    def probability(self, frame: Samples) -> float:
        """Of speech in some samples at 16 kHz that the front end gave out."""
        told = self._front.speech
        if not told:
            self._owed = self._since = 0
        else:
            self._owed += frame.size
            while told and self._owed >= FRAME:
                self._owed -= FRAME
                self._since = 0 if told.popleft() >= _SUSPICION else self._since + 1
        if self._since > _HOLD:
            self.spared += 1
            return 0.0
        self.asked += 1
        return self._detector.probability(frame)

    def reset(self) -> None:
        """Forget what was heard."""
        self._owed = self._since = 0
        self._front.speech.clear()
        self._detector.reset()
