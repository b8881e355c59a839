"""The thread of a source that has to fetch its sound itself (a file, a pipe)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from engine.errors import SourceError
from engine.ring import SampleRing

_log = logging.getLogger(__name__)

_JOIN_S = 5.0


class ReaderThread:
    """Runs ``produce`` on a thread of its own and closes the ring after it, whatever happened.

    Args:
        name: of the thread.
        produce: writes into the ring until the sound ends or the event is set; raises SourceError
            where the sound breaks off.
    """

    def __init__(self, name: str, produce: Callable[[SampleRing, threading.Event], None]) -> None:
        self._name = name
        self._produce = produce
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._ring: SampleRing | None = None

    @property
    def started(self) -> bool:
        """True from the first ``start`` on."""
        return self._ring is not None

    def start(self, ring: SampleRing) -> None:
        """Begin; a second call changes nothing. What was stopped before gives a closed ring."""
        if self._ring is not None:
            return
        if self._stop.is_set():
            ring.close()
            return
        self._ring = ring
        self._thread = threading.Thread(
            target=self._run, args=(ring,), name=self._name, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End it, wait for the thread, close the ring. May be called twice, or before ``start``."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_S)
        if self._ring is not None:
            self._ring.close()

    def _run(self, ring: SampleRing) -> None:
        try:
            self._produce(ring, self._stop)
        except SourceError as error:
            ring.close(error)
        except Exception as error:  # noqa: BLE001 - see below
            # A reader that died in silence would look like a quiet room for ever.
            _log.exception("%s failed", self._name)
            ring.close(SourceError(f"{self._name} failed ({type(error).__name__}: {error})"))
        else:
            ring.close()
