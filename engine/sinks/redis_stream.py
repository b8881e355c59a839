"""Captions as entries of a Redis stream (``--redis``, extra ``redis``), for other programs."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from typing import Any
from urllib.parse import urlsplit

from engine.errors import SinkError
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

log = logging.getLogger(__name__)

MOST_ENTRIES = 10_000
"""About how many entries the stream keeps; Redis drops the oldest."""
_MOST_WAITING = 2_000
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 15.0
_TIMEOUT_S = 3.0
_CLOSE_S = 3.0


class RedisSink:
    """Adds each finished line to a stream, and partial ones if asked, with ``XADD``.

    An entry holds ``kind`` (``line`` or ``partial``), ``lane``, ``segment``, ``revision``,
    ``text``, ``start`` and ``end`` (seconds on the stream clock), ``language``, ``at`` (seconds
    since 1970) and ``words`` (JSON: ``[[text, start, end], ...]``).

    Has a thread of its own: captions never wait for it. While the server is away lines are kept,
    up to a limit, and sent when it is back; partial ones are not kept.

    Args:
        url: ``redis://HOST:PORT/DB``; its password is never logged or shown.
        key: of the stream.
        partials: send lines that are still being spoken too.

    Attributes:
        dropped: finished lines that were lost because the server was away for too long.
    """

    name = "redis"

    def __init__(self, url: str, key: str = "captionglass", *, partials: bool = False) -> None:
        self._url = url
        self._key = key
        self._partials = partials
        self._waiting: deque[dict[str, str]] = deque()
        self._partial: dict[str, str] | None = None
        self._changed = threading.Condition()
        self._over = False
        self._thread: threading.Thread | None = None
        self.dropped = 0

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002
        """Begin; the server may still be away.

        Raises:
            SinkError: the library is not installed, or the address is none.
        """
        client = self._client()
        self._thread = threading.Thread(
            target=self._run, args=(client,), name="sink-redis", daemon=True
        )
        self._thread.start()

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Hand over a line; returns at once."""
        if not update.text.strip() or not (update.is_final or self._partials):
            return
        entry = _entry(update)
        with self._changed:
            if not update.is_final:
                self._partial = entry
            else:
                self._partial = None
                self._waiting.append(entry)
                if len(self._waiting) > _MOST_WAITING:
                    self._waiting.popleft()
                    self.dropped += 1
            self._changed.notify()

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is sent."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Send what waits, if the server answers soon, and end.

        Raises:
            SinkError: lines could not be delivered.
        """
        if self._thread is None:
            return
        with self._changed:
            self._over = True
            self._changed.notify()
        self._thread.join(_CLOSE_S)
        self._thread = None
        lost = self.dropped + len(self._waiting)
        if lost:
            raise SinkError(
                f"{lost} lines did not reach Redis at {self._where()}", "see whether it runs there"
            )

    def _client(self) -> Any:
        try:
            import redis
        except ImportError:
            raise SinkError(
                "the Redis library is not installed", "pip install 'captionglass[redis]'"
            ) from None
        try:
            return redis.Redis.from_url(
                self._url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
            )
        except ValueError:
            raise SinkError(
                "the Redis address cannot be understood", "write it as redis://HOST:PORT/0"
            ) from None

    def _where(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.hostname or 'this computer'}:{parts.port or 6379}"

    def _run(self, client: Any) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._partial or self._over)
                entry = self._waiting[0] if self._waiting else self._partial
                if entry is None:
                    break
            try:
                client.xadd(self._key, entry, maxlen=MOST_ENTRIES, approximate=True)
            except Exception as error:  # noqa: BLE001 - whatever the server does, captions go on
                log.warning("Redis at %s: %s", self._where(), type(error).__name__)
                with self._changed:
                    self._partial = None
                    if self._over:
                        break
                    self._changed.wait_for(lambda: self._over, pause)
                pause = min(_LONGEST_PAUSE_S, 2.0 * pause)
                continue
            pause = _FIRST_PAUSE_S
            with self._changed:
                if self._waiting and self._waiting[0] is entry:
                    self._waiting.popleft()
                elif self._partial is entry:
                    self._partial = None
        client.close()


def _entry(update: CaptionUpdate) -> dict[str, str]:
    words = [[word.text, round(word.start, 3), round(word.end, 3)] for word in update.words]
    return {
        "kind": "line" if update.is_final else "partial",
        "lane": update.lane,
        "segment": str(update.segment_id),
        "revision": str(update.revision),
        "text": update.text,
        "start": f"{update.start:.3f}",
        "end": f"{update.end:.3f}",
        "language": update.language,
        "at": f"{time.time():.3f}",
        "words": json.dumps(words, ensure_ascii=False),
    }
