"""The model that shall take over: loaded and warmed on a thread of its own, while another captions.

The newest wish is the one that counts, and one model is loaded at a time: two that nobody will use
would only be in each other's way.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.config import EngineConfig, Provider
from engine.errors import CaptionglassError, RecognizerError
from engine.isolation.proxy import IsolatedRecognizer
from engine.loading import Loaded, bring_up, give_back_memory
from models.spec import ModelFiles

log = logging.getLogger(__name__)

_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Wish:
    """That another model shall caption, or the same one elsewhere.

    Attributes:
        files: the model.
        provider: the one to ask for.
        at: seconds of the stream clock not to go over before.
        quiet: nobody asked for it: nobody is told where it fails.
    """

    files: ModelFiles
    provider: Provider
    at: float
    quiet: bool = False


class Successor:
    """Any thread may call.

    Args:
        config: of the session.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._changed = threading.Condition()
        self._wish: Wish | None = None
        self._answer: Loaded | CaptionglassError | None = None
        self._loading = False
        self._closed = False

    @property
    def wish(self) -> Wish | None:
        """What was wanted last and was not taken yet."""
        return self._wish

    def want(self, wish: Wish) -> None:
        """Load this; what was wanted before and was not taken yet is given up, except for a wish
        that nobody asked for."""
        with self._changed:
            if self._closed or (wish.quiet and self._wish is not None):
                return
            stale = [self._answer]
            self._wish, self._answer = wish, None
            if not self._loading:
                self._loading = True
                threading.Thread(target=self._load, name="captionglass-load", daemon=True).start()
        if stale[0] is not None:
            let_go(stale)

    def take(
        self, may: Callable[[Wish], bool], *, wait: bool
    ) -> tuple[Wish, Loaded | CaptionglassError] | None:
        """What was wanted, and what came of it; None where there is nothing yet.

        Args:
            may: whether its time has come.
            wait: until it is loaded, or given up.
        """
        with self._changed:
            if self._wish is None or not may(self._wish):
                return None
            while wait and self._wish is not None and self._answer is None:
                self._changed.wait(_POLL_S)
            wish, answer = self._wish, self._answer
            if wish is None or answer is None:
                return None
            self._wish = self._answer = None
            return wish, answer

    def close(self) -> None:
        """Load nothing more, and let nobody wait for what is being loaded."""
        with self._changed:
            self._closed = True
            stale = [self._answer]
            self._wish = self._answer = None
            self._changed.notify_all()
        if stale[0] is not None:
            let_go(stale)

    def _load(self) -> None:
        """Until what is wanted has not changed meanwhile."""
        while True:
            with self._changed:
                wish = self._wish
                if wish is None or self._answer is not None:
                    self._loading = False
                    return
            answer = _answer(wish, self._config)
            with self._changed:
                if self._wish is wish:
                    self._answer = answer
                    self._changed.notify_all()
            del answer
            if self._wish is not wish:
                give_back_memory()


def brought_up(files: ModelFiles, provider: Provider, config: EngineConfig) -> Loaded:
    """Load a model as a session is configured.

    Raises:
        RecognizerError: it runs nowhere.
    """
    return bring_up(
        files,
        provider,
        isolated=config.isolated,
        hotwords=config.hotwords,
        blank_penalty=config.blank_penalty,
    )


def _answer(wish: Wish, config: EngineConfig) -> Loaded | CaptionglassError:
    try:
        return brought_up(wish.files, wish.provider, config)
    except CaptionglassError as error:
        # What a traceback remembers is the model that would not load.
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    except Exception as error:
        # Without an answer a file would wait for one for ever.
        log.exception("loading %s failed", wish.files.spec.id)
        return RecognizerError(f"{wish.files.spec.id} would not load: {type(error).__name__}")


def let_go(models: list[Any]) -> None:
    """Drop the last references to models, on a thread of its own: freeing takes a while.

    Args:
        models: emptied; nobody else may hold one.
    """

    def drop() -> None:
        for model in models:
            end(model.recognizer if isinstance(model, Loaded) else model)
        models.clear()
        give_back_memory()

    threading.Thread(target=drop, name="captionglass-release", daemon=True).start()


def end(recognizer: object) -> None:
    """End the process of a recogniser that nobody asks any more, where it has one."""
    if isinstance(recognizer, IsolatedRecognizer):
        recognizer.child.close()
