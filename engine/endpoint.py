"""Where speech begins and pauses, from a voice activity detector's probabilities."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndpointRules:
    """When a run of frames counts as speech.

    Attributes:
        start: probability at which speech begins.
        stop: probability below which it pauses; lower than ``start``, so that the middle of a
            soft syllable does not count as a pause.
    """

    start: float = 0.5
    stop: float = 0.35


class Endpointer:
    """Counts speech and silence in frames. Knows nothing of words."""

    def __init__(self, frame_s: float, rules: EndpointRules | None = None) -> None:
        """Args:
        frame_s: seconds of one frame.
        rules: thresholds; the defaults suit Silero.
        """
        self._frame_s = frame_s
        self._rules = rules or EndpointRules()
        self.speaking = False
        self.silence_s = float("inf")
        self.speech_s = 0.0
        """Seconds of speech since ``restart``."""
        self._probability = 0.0

    def push(self, probability: float) -> bool:
        """Take one frame's speech probability; returns whether it belongs to speech."""
        limit = self._rules.stop if self.speaking else self._rules.start
        self.speaking = probability >= limit
        if self.speaking:
            self.silence_s = 0.0
            self.speech_s += self._frame_s
            self._probability += probability * self._frame_s
        else:
            self.silence_s += self._frame_s
        return self.speaking

    @property
    def conviction(self) -> float:
        """Mean probability of the frames counted as speech since ``restart``; 0 before any."""
        return self._probability / self.speech_s if self.speech_s else 0.0

    def restart(self) -> None:
        """Forget the speech counted so far: a new line begins."""
        self.speech_s = 0.0
        self._probability = 0.0
