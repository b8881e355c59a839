"""What a session writes and sends beside the window, while the settings may change. No Qt."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.outputs.wanted import Outputs, changed, make_sinks
from engine.bus import failed
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

if TYPE_CHECKING:
    from engine.sinks.base import Sink

_JOIN_S = 6.0


class RunningOutputs:
    """A sink that passes captions on to files, OBS and Redis, as the settings ask for them now.

    One that fails is closed and told; the others go on. Opening and closing happen on a thread of
    their own, so that neither captions nor the window wait for them.

    Args:
        outputs: what is asked for at first.
        tell: takes notices, on any thread.
    """

    name = "outputs"

    def __init__(self, outputs: Outputs, tell: Callable[[Notice], None]) -> None:
        self._wanted = outputs
        self._tell = tell
        self._lock = threading.Lock()
        self._live: dict[str, Sink] = {}
        self._header: StreamHeader | None = None
        self._worker: threading.Thread | None = None
        self._closed = False
        self._heard_until = 0.0
        self._words: dict[int, int] = {}

    @property
    def running(self) -> frozenset[str]:
        """Names of those that take captions: kinds of files, ``live_text``, ``obs``, ``redis``."""
        with self._lock:
            return frozenset(self._live)

    def change(self, outputs: Outputs) -> None:
        """The settings ask for something else from now on. Any thread; returns at once."""
        with self._lock:
            before, self._wanted = self._wanted, outputs
            if self._header is None or self._closed or before == outputs:
                return
            last = self._worker
            self._worker = threading.Thread(
                target=self._follow, args=(before, outputs, last), name="outputs", daemon=True
            )
            self._worker.start()

    def open(self, header: StreamHeader) -> None:
        """A session has begun."""
        with self._lock:
            self._header = header
            wanted = self._wanted
        self._begin(wanted, header)

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Pass an update on."""
        self._heard_until = max(self._heard_until, update.end)
        if update.is_final:
            self._words[update.segment_id] = len(update.words)
        self._each(lambda sink: sink.update(update, published_at))

    def notice(self, notice: Notice) -> None:
        """Pass a notice on."""
        self._each(lambda sink: sink.notice(notice))

    def close(self, summary: StreamSummary) -> None:
        """The session is over."""
        with self._lock:
            self._closed = True
            worker = self._worker
        if worker is not None:
            worker.join(_JOIN_S)
        for name in self.running:
            self._end(name, summary)

    def _follow(self, before: Outputs, now: Outputs, last: threading.Thread | None) -> None:
        if last is not None:
            last.join()
        ends, begins = changed(before, now)
        for name in ends:
            self._end(name, self._so_far())
        if self._header is not None:
            self._begin(begins, self._header)

    def _begin(self, outputs: Outputs, header: StreamHeader) -> None:
        for name, sink in make_sinks(outputs, self._tell).items():
            try:
                sink.open(header)
            except Exception as error:  # noqa: BLE001 - one that fails must not stop the rest
                self._tell(failed(sink, error))
                continue
            with self._lock:
                if not self._closed:
                    self._live[name] = sink
                    continue
            with contextlib.suppress(Exception):
                sink.close(self._so_far())

    def _end(self, name: str, summary: StreamSummary) -> None:
        with self._lock:
            sink = self._live.pop(name, None)
        if sink is not None:
            try:
                sink.close(summary)
            except Exception as error:  # noqa: BLE001 - as above
                self._tell(failed(sink, error))

    def _each(self, call: Callable[[Sink], None]) -> None:
        with self._lock:
            live = list(self._live.items())
        for name, sink in live:
            try:
                call(sink)
            except Exception as error:  # noqa: BLE001 - as above
                self._put_away(name, sink, error)

    def _put_away(self, name: str, sink: Sink, error: Exception) -> None:
        with self._lock:
            if self._live.get(name) is not sink:
                return  # it has just been closed because nobody wants it any more
            del self._live[name]
        with contextlib.suppress(Exception):
            sink.close(self._so_far())
        self._tell(failed(sink, error))

    def _so_far(self) -> StreamSummary:
        """What can be told to one that leaves before the end."""
        words = list(self._words.values())
        return StreamSummary(self._heard_until, 0.0, 0.0, 0.0, 0, 0.0, len(words), sum(words))
