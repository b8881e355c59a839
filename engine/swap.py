"""The recogniser in use and the one that shall follow it: loading, handing over, telling of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from engine.bus import CaptionBus
from engine.config import EngineConfig, Provider
from engine.errors import CaptionglassError, RecognizerError
from engine.feed import Feed
from engine.recognizers.base import Recognizer, load
from engine.types import CaptionUpdate, Notice
from models.spec import ModelFiles

log = logging.getLogger(__name__)

Publish = Callable[[Feed, Sequence[CaptionUpdate]], None]


class RunningModel:
    """Everything but ``ask`` belongs to the inference thread; ``id`` and the providers may be read
    by any.

    Attributes:
        id: of the model in use.
        provider: the execution provider that really runs; empty before the first is loaded.
        provider_asked: the one that was asked for.
    """

    def __init__(self, config: EngineConfig, bus: CaptionBus) -> None:
        self.id = config.model.spec.id
        self.provider = ""
        self.provider_asked: Provider = config.provider
        self._config = config
        self._bus = bus
        self._recognizer: Recognizer | None = None
        self._asked: tuple[Future[Recognizer], float] | None = None

    @property
    def recognizer(self) -> Recognizer:
        """The one in use; ``load`` comes first."""
        assert self._recognizer is not None
        return self._recognizer

    # -- any thread ---------------------------------------------------------------------------

    def ask(self, files: ModelFiles, at: float = 0.0) -> None:
        """Load another model beside the running one, to take over.

        Args:
            files: the other model.
            at: seconds of the stream clock not to swap before.
        """
        ready: Future[Recognizer] = Future()

        def build() -> None:
            try:
                ready.set_result(load(files, self.provider_asked))
            except CaptionglassError as error:
                ready.set_exception(error)
            except Exception as error:
                # Without an answer the inference thread would wait for one for ever.
                log.exception("loading %s failed", files.spec.id)
                ready.set_exception(
                    RecognizerError(f"{files.spec.id} would not load: {type(error).__name__}")
                )

        threading.Thread(target=build, name="captionglass-load", daemon=True).start()
        self._asked = (ready, at)

    # -- the inference thread -----------------------------------------------------------------

    def load(self) -> None:
        """Load the first model.

        Raises:
            RecognizerError: it would not load.
        """
        self._recognizer = load(self._config.model, self.provider_asked)
        self.provider = self._recognizer.provider

    def follow(self, feeds: Sequence[Feed], publish: Publish) -> bool:
        """Go over to the model that was asked for, where it is ready and its time has come.

        Args:
            feeds: all lanes there are.
            publish: given the updates that a lane's change of models makes.

        Returns:
            Whether another model runs from now on.
        """
        if self._asked is None:
            return False
        future, at = self._asked
        heard = max((feed.lane.heard_s for feed in feeds), default=0.0)
        if heard < at and not all(feed.ended for feed in feeds):
            return False
        waiting_costs_nothing = not any(feed.source.live for feed in feeds)
        if not future.done() and not waiting_costs_nothing:
            return False
        self._asked = None
        try:
            fresh = future.result()
        except CaptionglassError as error:
            self._bus.notice(
                Notice(
                    "model.swap_failed", "error", error.message, error.remedy or "the old goes on"
                )
            )
            return False
        for feed in feeds:
            publish(feed, feed.lane.swap(fresh))
        self._recognizer = fresh
        self.id, self.provider = fresh.spec.id, fresh.provider
        self._bus.notice(
            Notice("model.swapped", "info", f"captions now come from {fresh.spec.title}")
        )
        self.tell_provider()
        return True

    def tell_provider(self) -> None:
        """Say where another provider runs than was asked for."""
        if self.provider_asked in ("auto", self.provider):
            return
        self._bus.notice(
            Notice(
                "provider.fallback",
                "warning",
                f"{self.provider_asked} was asked for, {self.provider} is what runs",
                "see: captionglass doctor",
            )
        )
