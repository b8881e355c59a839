"""Giving up an installation, or holding it for a while, from any thread."""

from __future__ import annotations

import threading
import time

from models.errors import DownloadError
from models.spec import ModelSpec

_WAIT_S = 0.1


class Halt:
    """Whether to stop or to hold on, as whoever wants the model says."""

    def __init__(
        self,
        spec: ModelSpec,
        cancel: threading.Event | None,
        pause: threading.Event | None,
    ) -> None:
        self._spec = spec
        self.cancel = cancel
        self.pause = pause

    def check(self) -> None:
        """Hold on while that is wanted.

        Raises:
            DownloadError: it is given up.
        """
        while True:
            if self.cancel is not None and self.cancel.is_set():
                raise DownloadError(f"installing {self._spec.id} was stopped")
            if self.pause is None or not self.pause.is_set():
                return
            time.sleep(_WAIT_S)
