"""Hands captions to every reader on the server's loop, and drops those that do not keep up.

A message is encoded once, whoever reads it. Nothing is queued for a reader: what its connection
does not take at once waits in the transport, and a reader with too much waiting there is cut off.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from typing import Any, Protocol

KEPT_SEGMENTS = 1000
"""Lines remembered for readers that ask for what was said before."""


class Reader(Protocol):
    """One connection. All on the server's loop."""

    def send(self, text: str, event_id: str) -> bool:
        """Pass one message on; False where the reader is too slow, and was cut off."""

    def end(self) -> None:
        """The server stops."""


class CaptionHub:
    """The captions of the running session, and who reads them. All on the server's loop.

    Attributes:
        session: changes whenever segments are numbered from 0 again.
        dropped: readers cut off so far because they were too slow.
        moment: rises with every caption.
        look: the newest message that pages shall look otherwise; empty for none so far.
    """

    def __init__(self) -> None:
        self.session = secrets.token_hex(4)
        self.dropped = 0
        self.moment = 0
        self.look = ""
        self._readers: dict[Reader, None] = {}
        self._lines: dict[int, tuple[int, dict[str, Any]]] = {}

    @property
    def readers(self) -> int:
        """How many there are."""
        return len(self._readers)

    def begin(self) -> None:
        """A session opened: what was said before it is not replayed."""
        self.session = secrets.token_hex(4)
        self._lines.clear()
        self._send({"type": "session", "session": self.session}, "")

    def caption(self, event: dict[str, Any]) -> None:
        """A line changed.

        Args:
            event: as ``engine.sinks.jsonl.event`` makes it.
        """
        number: int = event["segment"]
        self._lines.pop(number, None)
        self.moment += 1
        self._lines[number] = self.moment, event
        while len(self._lines) > KEPT_SEGMENTS:
            del self._lines[next(iter(self._lines))]
        self._send(self._caption(event), self._event_id(number))

    def notice(self, fields: dict[str, Any]) -> None:
        """Something to say that nobody said aloud."""
        self._send({"type": "notice", "session": self.session, **fields}, "")

    def appearance(self, fields: dict[str, Any]) -> None:
        """Pages shall look otherwise from now on."""
        message = {"type": "appearance", "session": self.session, "appearance": fields}
        self.look = _encoded(message)
        self._send(message, "")

    def missed(self, first: int, since: int) -> list[tuple[str, str]]:
        """What a reader has to be given before it is added: messages and their event ids, one for
        each line from a segment on that changed after a certain moment (``moment``)."""
        return [
            (_encoded(self._caption(event)), self._event_id(number))
            for number, (moment, event) in sorted(self._lines.items(), key=lambda item: item[0])
            if number >= first and moment > since
        ]

    def add(self, reader: Reader) -> None:
        """One reader more; it gets what is said from now on."""
        self._readers[reader] = None

    def remove(self, reader: Reader) -> None:
        """A reader has gone. May be called twice."""
        self._readers.pop(reader, None)

    def end(self) -> None:
        """Let every reader go."""
        for reader in self._drained():
            reader.end()

    def _drained(self) -> Iterator[Reader]:
        while self._readers:
            yield self._readers.popitem()[0]

    def _send(self, message: dict[str, Any], event_id: str) -> None:
        if not self._readers:
            return
        text = _encoded(message)
        for reader in [reader for reader in self._readers if not reader.send(text, event_id)]:
            self.remove(reader)
            self.dropped += 1

    def _caption(self, event: dict[str, Any]) -> dict[str, Any]:
        return {"type": "caption", "session": self.session, **event}

    def _event_id(self, number: int) -> str:
        return f"{self.session}-{number}"


def _encoded(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
