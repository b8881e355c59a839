"""A machine as slow as a test wants it, without a test that waits for it.

Its clock goes on only while somebody works (``spend``) or sleeps, and the microphones hung on it
deliver what was spoken meanwhile. Put it in the place of the engine's ``time`` and what happens,
and when, is the same on every computer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from fake_recognizer import Ask, Indices, Listener, Said, ScriptedDetector

from engine.recognizers.base import Token
from engine.ring import SampleRing
from engine.types import SAMPLE_RATE, Samples

_BLOCK_S = 0.02


class SlowMachine:
    """Stands in for the module ``time`` where the engine asks for it.

    Attributes:
        now: seconds.
        worst_backlog_s: most seconds of sound that ever waited in a ring.
    """

    def __init__(self) -> None:
        self.now = 1_000.0
        self.worst_backlog_s = 0.0
        self._microphones: list[Microphone] = []

    def monotonic(self) -> float:
        """As ``time.monotonic``."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """As ``time.sleep``."""
        self.spend(seconds)

    def spend(self, seconds: float) -> None:
        """Work for so long."""
        self.now += seconds
        for microphone in self._microphones:
            self.worst_backlog_s = max(self.worst_backlog_s, microphone.deliver(self.now))

    def microphone(
        self, samples: Samples, lane: str = "mic", rate: int = SAMPLE_RATE
    ) -> Microphone:
        """A live source that plays ``samples`` by this clock from its start on."""
        self._microphones.append(Microphone(self, samples, lane, rate))
        return self._microphones[-1]


class Microphone:
    """See ``SlowMachine.microphone``."""

    def __init__(self, machine: SlowMachine, samples: Samples, lane: str, rate: int) -> None:
        self.lane = lane
        self.description = "a microphone on a slow machine"
        self.sample_rate = rate
        self.channels = 1
        self.live = True
        self._machine = machine
        self._samples = samples
        self._ring: SampleRing | None = None
        self._started_at = 0.0
        self._place = 0

    def start(self, ring: SampleRing) -> None:
        """Begin to listen."""
        self._started_at = self._machine.now
        self._ring = ring

    def stop(self) -> None:
        """Stop listening."""
        if self._ring is not None:
            self._ring.close()

    def deliver(self, now: float) -> float:
        """Hand over the blocks that are due; returns how many seconds wait in the ring."""
        ring = self._ring
        if ring is None or ring.closed:
            return 0.0
        size = round(_BLOCK_S * self.sample_rate)
        while self._place < self._samples.size:
            end = min(self._place + size, self._samples.size)
            captured_at = self._started_at + end / self.sample_rate
            if captured_at > now:
                break
            ring.write(self._samples[self._place : end, np.newaxis], captured_at)
            self._place = end
        if self._place == self._samples.size:
            ring.close()
        return ring.pending / self.sample_rate


class SlowListener(Listener):
    """A listener that takes its time.

    Args:
        machine: whose time.
        words: its script.
        cost: seconds that a decode takes.
    """

    def __init__(
        self, machine: SlowMachine, words: Sequence[Said], cost: Callable[[Ask], float]
    ) -> None:
        super().__init__(words)
        self._machine = machine
        self._cost = cost

    def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
        """As a listener, later."""
        self._machine.spend(self._cost(ask))
        return super().heard(ask, samples)


class SlowDetector(ScriptedDetector):
    """A detector that takes ``cost`` seconds a frame."""

    def __init__(
        self, machine: SlowMachine, stretches: Sequence[tuple[float, float]], cost: float
    ) -> None:
        super().__init__(stretches)
        self._machine = machine
        self._cost = cost

    def probability(self, frame: Samples) -> float:
        """As a scripted detector, later."""
        self._machine.spend(self._cost)
        return super().probability(frame)
