"""The model in use, and the one that takes its place: because it was asked for, or because the one
in use failed.

The next model is loaded and warmed while captions go on (``engine.successor``). Each lane goes over
at a word gap of its own, or after a while without one at its last settled word
(``LanePipeline.swap``). The old model is given back when no lane uses it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from engine.bus import CaptionBus
from engine.config import EngineConfig, Provider
from engine.errors import CaptionglassError, RecognizerError
from engine.feed import Feed
from engine.loading import Loaded
from engine.recognizers.base import Recognizer, language_for
from engine.recovery import Failures, lost
from engine.successor import Successor, Wish, brought_up, end, let_go
from engine.types import CaptionUpdate, Notice
from models.spec import ModelFiles

log = logging.getLogger(__name__)

Publish = Callable[[Feed, Sequence[CaptionUpdate]], None]

_GAP_WITHIN_S = 1.5
"""Seconds of sound for which a lane waits for a word gap once the next model is ready."""
_RETRY_S = 60.0
_RETRIES = 6
"""Seconds after which an accelerator that was lost is tried again, doubled each time, and how
often: a driver comes back after the machine has slept."""


class RunningModel:
    """``ask``, ``close`` and the attributes are for any thread, the rest for the inference thread.
    Whoever makes a lane gives it ``recover``.

    Attributes:
        id: of the model in use.
        provider: the execution provider that really runs; empty before the first is loaded.
        provider_asked: the one that was asked for.
        provider_reason: why another one runs, with the remedy; empty where none does.
        warm_up_s: seconds that a second of silence took to decode, when it was loaded.
        next_id: of the model that is being loaded to take over; empty where none is.
    """

    def __init__(self, config: EngineConfig, bus: CaptionBus) -> None:
        self.id = config.model.spec.id
        self.provider = ""
        self.provider_asked: Provider = config.provider
        self.provider_reason = ""
        self.warm_up_s = 0.0
        self._unheard = 0  # phrases to be favoured that the model cannot favour
        self._config = config
        self._bus = bus
        self._files = config.model
        self._recognizer: Recognizer | None = None
        self._failures = Failures()
        self._leaving: list[Recognizer] = []
        self._announce: Notice | None = None  # once the last lane has gone over
        self._gap_until: dict[Feed, float] = {}
        self._patience_until = 0.0
        self._retry_at: float | None = None
        self._retries = 0
        self._next = Successor(config)

    @property
    def recognizer(self) -> Recognizer:
        """The one that lanes use, or are about to; ``load`` comes first."""
        assert self._recognizer is not None
        return self._recognizer

    @property
    def advice(self) -> str:
        """What to do where the machine is too slow for the model in use."""
        smaller = self._config.smaller
        other = smaller.named(self._files.spec) if smaller is not None else None
        if other is not None:
            return f"choose a smaller model such as {other.id}, or close what else is working"
        if smaller is not None:
            return "move the slider towards accurate, or close what else is working"
        return "choose a smaller model, or close what else is working"

    @property
    def next_id(self) -> str:
        wish = self._next.wish
        return "" if wish is None or wish.quiet else wish.files.spec.id

    # -- any thread ---------------------------------------------------------------------------

    def ask(self, files: ModelFiles, at: float = 0.0, provider: Provider | None = None) -> None:
        """Load another model beside the running one, to take over. What was asked for before and
        does not run yet is given up.

        Args:
            files: the other model; or the same, to change the provider.
            at: seconds of the stream clock not to swap before.
            provider: the provider to ask for from now on; None for the same as before.
        """
        self._next.want(Wish(files, provider or self.provider_asked, at))

    def close(self) -> None:
        """Load nothing more, and let nobody wait for what is being loaded."""
        self._next.close()

    # -- the inference thread -----------------------------------------------------------------

    def end(self) -> None:
        """Nothing is asked any more: what runs in a process of its own need not wait for the
        garbage collector, nor what was still to be taken over from."""
        for recognizer in (self._recognizer, *self._leaving):
            end(recognizer)

    def load(self) -> None:
        """Load the first model.

        Raises:
            RecognizerError: it would not load.
        """
        self._take(self._files, brought_up(self._files, self.provider_asked, self._config))

    def follow(self, feeds: Sequence[Feed], publish: Publish) -> bool:
        """Go over to the model that was asked for, where it is ready and its time has come.

        Args:
            feeds: all lanes there are.
            publish: given the updates that a lane's change of models makes.

        Returns:
            Whether another model runs from now on, in all lanes.
        """
        self._retry()
        if not self._leaving and not self._take_answer(feeds):
            return False
        for feed in feeds:
            if feed.lane.recognizer is not self.recognizer and self._its_time(feed):
                language = language_for(self.recognizer.spec, self._config.language)
                publish(feed, feed.lane.swap(self.recognizer, language))
        if any(feed.lane.recognizer is not self.recognizer for feed in feeds):
            return False
        self._arrive()
        return True

    def recover(self, broken: Recognizer, error: Exception) -> Recognizer:
        """What to go on with where a model has raised: see ``engine.recovery``.

        Args:
            broken: the model.
            error: what it raised.

        Raises:
            Exception: ``error``, where nothing is left to try.
        """
        if broken is not self.recognizer:
            return self.recognizer  # another lane has seen to it, or its successor is there
        log.warning("%s failed on %s: %s", self.id, self.provider, type(error).__name__)
        asked, ran_on = self.provider_asked, self.provider
        files, provider, notice = self._failures.remedy(
            error, self._files, ran_on, asked, self._config.smaller
        )
        try:
            loaded = brought_up(files, provider, self._config)
        except RecognizerError:
            if files is self._files:
                raise error from None
            files = self._files
            loaded = brought_up(files, "cpu", self._config)
        self._leaving.append(broken)
        self._gap_until = {}
        self._take(files, loaded)
        if ran_on != "cpu" and self.provider == "cpu":
            if notice.code == "model.restarted":  # there was nothing to start it again on
                notice = lost(f"{ran_on} was lost, {self.id} goes on on the processor")
            self.provider_reason = loaded.reason or notice.text
            if notice.code == "provider.lost":
                self._retry_at = time.monotonic() + _RETRY_S
        self.provider_asked = asked
        self._bus.notice(notice)
        return loaded.recognizer

    def tell_provider(self) -> None:
        """Say where another provider runs than was asked for, and what else is not as asked."""
        if self._unheard:
            of = len(self._config.hotwords)
            self._bus.notice(
                Notice(
                    "model.hotwords",
                    "warning",
                    f"{self.id} cannot favour {self._unheard} of the {of} phrases asked for",
                    "choose a streaming transducer, and words that its language has",
                )
            )
        if self.provider_asked in ("auto", self.provider):
            return
        self._bus.notice(
            Notice(
                "provider.fallback",
                "warning",
                f"{self.provider_asked} was asked for, {self.provider} is what runs"
                + (f" ({self.provider_reason})" if self.provider_reason else ""),
                "see: captionglass doctor",
            )
        )

    # -- going over ---------------------------------------------------------------------------

    def _take(self, files: ModelFiles, loaded: Loaded) -> None:
        self._recognizer = loaded.recognizer
        self._files = files
        self.id, self.provider = loaded.recognizer.spec.id, loaded.recognizer.provider
        self.provider_asked, self.provider_reason = loaded.asked, loaded.reason
        self.warm_up_s = loaded.warm_up_s
        self._unheard = loaded.unheard

    def _take_answer(self, feeds: Sequence[Feed]) -> bool:
        """See whether there is a model to go over to, and begin to."""
        heard = max((feed.lane.heard_s for feed in feeds), default=0.0)
        ended = all(feed.ended for feed in feeds)
        # A file can wait for it, so that its captions depend on no loading time.
        live = any(feed.source.live for feed in feeds)
        came = self._next.take(lambda wish: heard >= wish.at and not ended, wait=not live)
        if came is None:
            return False
        wish, answer = came
        if isinstance(answer, CaptionglassError):
            if not wish.quiet:
                self._bus.notice(_failed(wish, answer, self.id))
            return False
        if wish.quiet and answer.recognizer.provider == "cpu":
            self._leaving.append(answer.recognizer)
            self._arrive()
            return False
        self._begin(wish, answer, feeds)
        return True

    def _begin(self, wish: Wish, fresh: Loaded, feeds: Sequence[Feed]) -> None:
        self._leaving.append(self.recognizer)
        now = time.monotonic()
        self._gap_until = {feed: feed.lane.heard_s + _GAP_WITHIN_S for feed in feeds}
        self._patience_until = now + 2 * _GAP_WITHIN_S
        self._take(wish.files, fresh)
        self._failures = Failures()
        self._retry_at, self._retries = None, self._retries if wish.quiet else 0
        where = f" on {self.provider}" if wish.quiet else ""
        self._announce = Notice(
            "provider.recovered" if wish.quiet else "model.swapped",
            "info",
            f"captions now come from {fresh.recognizer.spec.title}{where}",
        )

    def _its_time(self, feed: Feed) -> bool:
        """No word is being said, or there was none to wait for."""
        until = self._gap_until.get(feed, 0.0)
        return (
            feed.lane.at_gap
            or feed.lane.heard_s >= until
            or time.monotonic() >= self._patience_until
        )

    def _arrive(self) -> None:
        """No lane uses the old models any more."""
        self._gap_until = {}
        leaving, self._leaving = self._leaving, []
        let_go(leaving)
        notice, self._announce = self._announce, None
        if notice is not None:
            self._bus.notice(notice)
            self.tell_provider()

    def _retry(self) -> None:
        """Try the lost accelerator again, beside what runs."""
        if self._retry_at is None or time.monotonic() < self._retry_at:
            return
        self._retries += 1
        delay = _RETRY_S * 2**self._retries
        self._retry_at = time.monotonic() + delay if self._retries < _RETRIES else None
        self._next.want(Wish(self._files, self.provider_asked, 0.0, quiet=True))


def _failed(wish: Wish, error: CaptionglassError, running: str) -> Notice:
    return Notice(
        "model.swap_failed",
        "error",
        f"{wish.files.spec.title} did not take over, {running} goes on: {error.message}",
        error.remedy,
    )
