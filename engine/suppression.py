"""Which denoiser the lanes have, and how it is changed while they run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from engine import denoise
from engine.denoise import Denoiser
from engine.errors import CaptionglassError, RecognizerError
from engine.feed import Feed
from engine.frontend import FrontEnd
from engine.types import Notice
from models.spec import ModelFiles

log = logging.getLogger(__name__)


class Suppression:
    """Loads denoisers beside the running lanes. Where one will not load, captions go on without.

    Attributes:
        id: of the one in use; empty for none.
    """

    def __init__(self, files: ModelFiles | None, lanes: int) -> None:
        """Args:
        files: the denoiser to begin with, or None.
        lanes: how many need one.
        """
        self.id = ""
        self._first = files
        self._lanes = lanes
        self._lock = threading.Lock()
        self._wish = 0
        self._ready: _Loaded | None = None

    def ask(self, files: ModelFiles | None) -> None:
        """Any thread: take this one, or none; what was asked for before is given up."""
        with self._lock:
            self._wish += 1
            wish = self._wish
            self._ready = _Loaded() if files is None else None
        if files is not None:
            threading.Thread(
                target=self._load, args=(wish, files), name="captionglass-denoiser", daemon=True
            ).start()

    def fronts(self, *, auto_gain: bool) -> tuple[list[FrontEnd], list[Notice]]:
        """The inference thread, at the start: what the lanes begin with, and what is to be told."""
        loaded = _Loaded() if self._first is None else _load(self._first, self._lanes)
        self.id = loaded.id
        denoisers = loaded.denoisers or (None,) * self._lanes
        fronts = [FrontEnd(denoiser, auto_gain=auto_gain) for denoiser in denoisers]
        return fronts, [_failed(loaded.error)] if loaded.error else []

    def follow(self, feeds: Sequence[Feed]) -> list[Notice]:
        """The inference thread, between two turns: put in what has been loaded."""
        with self._lock:
            loaded, self._ready = self._ready, None
        if loaded is None:
            return []
        if loaded.error is not None:
            return [_failed(loaded.error)]
        self.id = loaded.id
        for number, feed in enumerate(feeds):
            feed.front.change(loaded.denoisers[number] if loaded.denoisers else None)
        return []

    def _load(self, wish: int, files: ModelFiles) -> None:
        loaded = _load(files, self._lanes)
        with self._lock:
            if wish == self._wish:
                self._ready = loaded


@dataclass(frozen=True, slots=True)
class _Loaded:
    id: str = ""
    denoisers: tuple[Denoiser, ...] = ()
    error: CaptionglassError | None = None


def _load(files: ModelFiles, lanes: int) -> _Loaded:
    try:
        return _Loaded(files.spec.id, tuple(denoise.load(files) for _ in range(lanes)))
    except CaptionglassError as error:
        return _Loaded(error=error)
    except Exception as error:
        log.exception("loading %s failed", files.spec.id)
        what = f"{files.spec.title} would not load: {type(error).__name__}"
        return _Loaded(error=RecognizerError(what))


def _failed(error: CaptionglassError) -> Notice:
    remedy = error.remedy or "captions go on as before"
    return Notice("denoise.failed", "warning", error.message, remedy)
