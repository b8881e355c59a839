"""A recording that gives what a test puts into it, and nothing else."""

from __future__ import annotations

import threading
from typing import ClassVar

import numpy as np

from engine.types import Samples


class FakeTap:
    """Looks like ``engine.sources._paced.Tap``, two channels.

    Attributes:
        waiting: blocks to give, one a read; shared by all, for who does not know which is open.
        reads: how often it was asked.
        closed: it was closed.
    """

    waiting: ClassVar[list[Samples]] = []

    def __init__(self) -> None:
        self.reads = 0
        self.closed = False
        self._asked = threading.Event()
        self.waiting.clear()

    def read(self, wait_s: float) -> Samples:
        self.reads += 1
        if self.waiting:
            return self.waiting.pop(0)
        self._asked.wait(min(wait_s, 0.002))
        return np.zeros((0, 2), np.float32)

    def close(self) -> None:
        self.closed = True
