"""Work that runs beside captions: behind everything else, and telling how fast it goes."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque

_LOOKS = 30  # about three seconds of them
_LOWEST_NICENESS = 15
_WINDOWS_BACKGROUND = 0x00010000


class Speed:
    """Bytes a second over the last moments."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=_LOOKS)

    def rate(self, done: int) -> float:
        """How fast it goes, told how far it is; called again and again."""
        now = time.monotonic()
        self._seen.append((now, done))
        since, before = self._seen[0]
        return max(0, done - before) / (now - since) if now > since else 0.0

    def text(self, done: int) -> str:
        """The same in words."""
        return f"{self.rate(done) / 1e6:.1f} MB/s"


def lower_priority() -> None:
    """This thread goes behind all others, where the system can say that of a thread."""
    if os.name == "nt":
        import ctypes

        with contextlib.suppress(AttributeError, OSError):
            kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
            kernel.SetThreadPriority(kernel.GetCurrentThread(), _WINDOWS_BACKGROUND)
    elif hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_NICENESS)
