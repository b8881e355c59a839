"""Hands every caption to every sink, and lets no sink stop the others."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import ParamSpec

from engine.errors import CaptionglassError
from engine.sinks.base import Sink
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

log = logging.getLogger(__name__)
P = ParamSpec("P")

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class CaptionBus:
    """The one way from the inference thread to whoever shows, writes or sends captions.

    All methods but ``add`` run on the inference thread. A sink that raises is put away: closed,
    never called again, and reported to the others by a Notice of code ``sink.failed``.
    """

    def __init__(self, sinks: Sequence[Sink] = ()) -> None:
        self._waiting: list[Sink] = list(sinks)
        self._open: list[Sink] = []
        self._header: StreamHeader | None = None
        self._closed = False
        self._first_sample_at: float | None = None
        self._lines: dict[int, int] = {}
        self._heard_until = 0.0

    def add(self, sink: Sink) -> None:
        """One sink more; any thread. It is opened before the next update it is given."""
        self._waiting.append(sink)

    def mark_first_sample(self, at: float) -> None:
        """Where ``published_at`` counts from: ``time.monotonic()`` when sound first came in.

        The first call counts; later ones change nothing.
        """
        if self._first_sample_at is None:
            self._first_sample_at = at

    def open(self, header: StreamHeader) -> None:
        """Open every sink. Those that fail are reported to those that did not."""
        log.info("%s on %s at %s", header.model_id, header.provider, header.profile)
        self._header = header
        self._take_in()

    def publish(self, update: CaptionUpdate) -> None:
        """Give one update to every sink, stamped with the seconds since the first sample."""
        self._take_in()
        published_at = self._now()
        self._heard_until = max(self._heard_until, update.end)
        if update.is_final:
            self._lines[update.segment_id] = len(update.words)
        self._each(lambda sink: sink.update(update, published_at))

    def notice(self, notice: Notice) -> None:
        """Give a notice to every sink."""
        # Its code alone: what it says may name a device.
        log.log(_LEVELS[notice.severity], "notice %s", notice.code)
        self._take_in()
        self._tell(notice)

    def close(self, summary: StreamSummary) -> None:
        """Close every sink. A second call does nothing."""
        if self._closed:
            return
        self._take_in()
        self._closed = True
        # One at a time and first to last, so that a sink still open hears that another failed.
        while self._open:
            sink = self._open.pop(0)
            if error := _attempt(sink.close, summary):
                self._tell(failed(sink, error))

    def _tell(self, notice: Notice) -> None:
        self._each(lambda sink: sink.notice(notice))

    def _now(self) -> float:
        if self._first_sample_at is None:
            return 0.0
        return max(0.0, time.monotonic() - self._first_sample_at)

    def _take_in(self) -> None:
        header = self._header
        if header is None or self._closed:
            return
        failures: list[Notice] = []
        while self._waiting:
            sink = self._waiting.pop(0)
            # An open that raises leaves nothing to close.
            if error := _attempt(sink.open, header):
                failures.append(failed(sink, error))
            else:
                self._open.append(sink)
        for failure in failures:
            self._tell(failure)

    def _each(self, call: Callable[[Sink], None]) -> None:
        failures = [(sink, error) for sink in self._open if (error := _attempt(call, sink))]
        for sink, error in failures:
            self._put_away(sink, error)

    def _put_away(self, sink: Sink, error: Exception) -> None:
        if sink not in self._open:
            return
        self._open.remove(sink)
        if again := _attempt(sink.close, self._so_far()):
            log.debug("closing %s failed too: %s", sink.name, type(again).__name__)
        self._tell(failed(sink, error))

    def _so_far(self) -> StreamSummary:
        """What the bus itself can tell a sink that leaves before the end."""
        return StreamSummary(
            audio_s=self._heard_until,
            compute_s=0.0,
            rtf=0.0,
            cores=0.0,
            lost_samples=0,
            peak_rss_mb=0.0,
            segments=len(self._lines),
            words=sum(self._lines.values()),
        )


def _attempt(call: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> Exception | None:
    try:
        call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - one failing sink must not stop the rest
        return error
    return None


def failed(sink: Sink, error: Exception) -> Notice:
    """That a sink was put away, and why."""
    if isinstance(error, CaptionglassError):
        text, remedy = error.message, error.remedy
    else:
        # Only the class is safe to log: the message of a stray exception may hold caption text.
        log.error("sink %s raised %s", sink.name, type(error).__name__)
        text, remedy = f"{sink.name} stopped: {type(error).__name__}", ""
    return Notice(code="sink.failed", severity="error", text=text, remedy=remedy)
