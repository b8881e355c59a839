"""Ctrl-C and its kin, turned into a request to finish properly."""

from __future__ import annotations

import os
import signal
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupts:
    """Catches SIGINT, SIGTERM and SIGHUP while it is entered; main thread only.

    Until ``defer`` a signal raises KeyboardInterrupt, so that a download or an import ends at
    once. After it the first signal is only remembered, for the caller to finish its work; the
    second ends the process there and then.

    Attributes:
        received: the first signal's number, or None.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferred = False
        self._before: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """What shells expect of a process that a signal stopped: 128 + its number."""
        return 128 + (self.received or signal.SIGINT)

    def defer(self) -> None:
        """From now on the first signal is only remembered."""
        self._deferred = True

    def __enter__(self) -> Interrupts:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None:
                continue
            # nohup means what it says. A shell that starts a job in the background, however,
            # ignores SIGINT for it, and whoever then sends one wants the job to end.
            if name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._deferred and self.received is not None:
            os._exit(128 + number)
        self.received = number
        if not self._deferred:
            raise KeyboardInterrupt
