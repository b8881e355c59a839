"""Captions as they are made: over a WebSocket, and as server-sent events.

Frames and chunks are written to the transport as they are, the same bytes for every reader: no
task and no queue a reader, and its transport says how far behind it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from typing import Any

from aiohttp import HttpVersion11, WSMsgType, web

from desktop_app.serve.controller import Controller
from desktop_app.serve.guard import PROTOCOL, Bucket, Guard, Limits
from desktop_app.serve.hub import CaptionHub

NOT_ADMITTED = 4401
"""WebSocket close code: the first message brought no token, or a wrong one."""

TOO_SLOW = 4408
"""WebSocket close code of a reader that was cut off; it may not arrive there."""

_SOCKET_BUFFER = 65_536
_HEARTBEAT_S = 20.0
_MOST_SEGMENTS = 2**53


class Streams:
    """The readers of one server.

    Args:
        hub: whose captions are read.
        controller: says what runs, and how the page looks.
        guard: knows the token.
        limits: how much is served.
        wrong: attempts with a wrong token, shared with other requests.
        version: of the program.
    """

    def __init__(
        self,
        hub: CaptionHub,
        controller: Controller,
        guard: Guard,
        limits: Limits,
        wrong: Bucket,
        version: str,
    ) -> None:
        self._hub = hub
        self._controller = controller
        self._guard = guard
        self._limits = limits
        self._wrong = wrong
        self._version = version
        self._open = 0

    async def websocket(self, request: web.Request) -> web.StreamResponse:
        """``GET /captions``. One that brought no token in its headers has to in its first message:
        ``{"token": "...", "from": SEGMENT, "session": "..."}``."""
        admitted = self._guard.admitted(request.headers)
        first, session = _from(request), request.query.get("session", "")[:64]
        with self._place():
            socket_ = web.WebSocketResponse(
                heartbeat=_HEARTBEAT_S,
                max_msg_size=self._limits.message,
                compress=False,
                protocols=(PROTOCOL,),
            )
            if not socket_.can_prepare(request):
                raise web.HTTPUpgradeRequired(text="this is a WebSocket\n")
            await socket_.prepare(request)
            # A reader in trouble must not hold more of the system's memory than it needs.
            transport = _transport(request)
            if not admitted:
                greeting = await self._greeting(socket_)
                if greeting is None:
                    self._wrong.take()
                    await socket_.close(code=NOT_ADMITTED, message=b"token")
                    return socket_
                first, session = greeting
            reader = _SocketReader(transport, self._limits.behind)
            look, hello = self._hub.look, await self._hello()
            if reader.send(hello, "") and await self._catch_up(reader, session, first, look):
                try:
                    await self._listen(socket_, reader)
                finally:
                    self._hub.remove(reader)
            return socket_

    async def events(self, request: web.Request) -> web.StreamResponse:
        """``GET /events``: the same, for clients that read lines."""
        first, session = _from(request), request.query.get("session", "")[:64]
        seen_session, dash, seen = request.headers.get("Last-Event-ID", "").rpartition("-")
        if dash and seen.isdecimal() and len(seen) < 16:
            # That line may have gone on since.
            session, first = seen_session, int(seen)
        if request.version < HttpVersion11:
            raise web.HTTPBadRequest(text="events need HTTP/1.1\n")
        with self._place():
            response = web.StreamResponse(
                headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
            )
            response.enable_chunked_encoding()
            await response.prepare(request)
            # Sends the headers, too.
            await response.write(b":\n\n")
            reader = _EventReader(_transport(request), self._limits.behind)
            look, hello = self._hub.look, await self._hello()
            if reader.send(hello, "") and await self._catch_up(reader, session, first, look):
                try:
                    while not reader.over.is_set():
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(reader.over.wait(), _HEARTBEAT_S)
                        if _gone(request) or not reader.beat():
                            break
                finally:
                    self._hub.remove(reader)
            if not _gone(request):
                await response.write_eof()
            return response

    @contextlib.contextmanager
    def _place(self) -> Iterator[None]:
        if self._open >= self._limits.streams:
            raise web.HTTPTooManyRequests(text="too many readers of captions\n")
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    async def _greeting(self, socket_: web.WebSocketResponse) -> tuple[int | None, str] | None:
        """From where to replay and in which session; None without the right token."""
        try:
            message = await asyncio.wait_for(socket_.receive(), self._limits.patience_s)
        except TimeoutError:
            return None
        if message.type != WSMsgType.TEXT or self._wrong.empty:
            return None
        try:
            fields = json.loads(message.data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(fields, dict):
            return None
        token, first, session = (fields.get(key) for key in ("token", "from", "session"))
        if not isinstance(token, str) or not self._guard.token_right(token):
            return None
        known = isinstance(first, int) and not isinstance(first, bool)
        start = min(max(int(first), 0), _MOST_SEGMENTS) if known else None  # type: ignore[arg-type]
        return start, session[:64] if isinstance(session, str) else ""

    async def _hello(self) -> str:
        state = await asyncio.to_thread(self._controller.state)
        appearance = await asyncio.to_thread(self._controller.appearance)
        hello = {
            "type": "hello",
            "session": self._hub.session,
            "version": self._version,
            "state": state.state,
            "source": state.source,
            "appearance": asdict(appearance),
        }
        return json.dumps(hello, ensure_ascii=False, separators=(",", ":"))

    async def _catch_up(
        self, reader: _SocketReader | _EventReader, session: str, first: int | None, look: str
    ) -> bool:
        """Give a reader what it missed, no faster than it takes it, and add it to the hub.

        Args:
            reader: who.
            session: the one that ``first`` counts in; another than the present one has all of the
                present one replayed.
            first: the segment from which on to replay; None for nothing.
            look: the hub's when it was greeted.

        Returns:
            False where the reader has gone, or did not keep up.
        """
        hub, since = self._hub, 0
        if first is not None and session and session != hub.session:
            first = 0
        session = hub.session
        while first is not None:
            if session != hub.session:
                session, first, since = hub.session, 0, 0
            moment = hub.moment
            missed = hub.missed(first, since)
            if not missed:
                break
            # What changes meanwhile is given in the next round.
            since = moment
            for text, event_id in missed:
                if session != hub.session:
                    break
                if not (await self._drained(reader) and reader.send(text, event_id)):
                    hub.dropped += 1
                    return False
        if hub.look != look:
            reader.send(hub.look, "")
        hub.add(reader)
        return True

    async def _drained(self, reader: _SocketReader | _EventReader) -> bool:
        deadline = asyncio.get_running_loop().time() + self._limits.patience_s
        while reader.behind > self._limits.behind // 2:
            await asyncio.sleep(0.02)
            if asyncio.get_running_loop().time() > deadline:
                return False
        return True

    async def _listen(self, socket_: web.WebSocketResponse, reader: _SocketReader) -> None:
        """Until it goes. A reader has nothing more to say; one that talks on is shown out."""
        bucket = Bucket(self._limits.messages_per_s, 4 * self._limits.messages_per_s)
        async for _message in _messages(socket_):
            if not bucket.take():
                await socket_.close(code=1008, message=b"too many messages")
                return
        if reader.over and not socket_.closed:
            with contextlib.suppress(ConnectionError):
                await socket_.close(code=1001, message=b"Captionglass ends")


async def _messages(socket_: web.WebSocketResponse) -> AsyncIterator[Any]:
    while True:
        message = await socket_.receive()
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            return
        yield message


class _SocketReader:
    """Text frames, written as they are."""

    def __init__(self, transport: asyncio.Transport, behind: int) -> None:
        self._transport = transport
        self._most_behind = behind
        self.over = False
        _keep_small(transport)

    @property
    def behind(self) -> int:
        """Bytes that wait for it."""
        return self._transport.get_write_buffer_size()

    def send(self, text: str, event_id: str) -> bool:
        """See ``Reader``."""
        del event_id
        if self._transport.is_closing():
            return False
        if self.behind > self._most_behind:
            # Not a polite end: that would wait behind all that it did not take.
            self._transport.abort()
            return False
        self._transport.write(_frame(text.encode("utf-8", "replace")))
        return True

    def end(self) -> None:
        """See ``Reader``."""
        self.over = True
        if not self._transport.is_closing():
            self._transport.write(_CLOSE)


class _EventReader:
    """Chunks of an event stream."""

    def __init__(self, transport: asyncio.Transport, behind: int) -> None:
        self._transport = transport
        self._most_behind = behind
        self.over = asyncio.Event()
        _keep_small(transport)

    @property
    def behind(self) -> int:
        """Bytes that wait for it."""
        return self._transport.get_write_buffer_size()

    def send(self, text: str, event_id: str) -> bool:
        """See ``Reader``."""
        head = f"id: {event_id}\n" if event_id else ""
        # JSON holds no line break of its own.
        return self._write(f"{head}data: {text}\n\n")

    def beat(self) -> bool:
        """A comment, so that a reader that has gone is noticed."""
        return self._write(":\n\n")

    def end(self) -> None:
        """See ``Reader``."""
        self.over.set()

    def _write(self, text: str) -> bool:
        if self._transport.is_closing():
            self.over.set()
            return False
        if self.behind > self._most_behind:
            self._transport.abort()
            self.over.set()
            return False
        content = text.encode("utf-8", "replace")
        self._transport.write(b"%x\r\n%b\r\n" % (len(content), content))
        return True


_CLOSE = b"\x88\x02" + struct.pack("!H", 1001)

_last: tuple[bytes, bytes] = (b"", b"")


def _frame(content: bytes) -> bytes:
    """A final, unmasked text frame (RFC 6455, 5.2). The same content in turn costs nothing."""
    global _last
    if _last[0] is content or _last[0] == content:
        return _last[1]
    size = len(content)
    if size < 126:
        head = struct.pack("!BB", 0x81, size)
    elif size < 65_536:
        head = struct.pack("!BBH", 0x81, 126, size)
    else:
        head = struct.pack("!BBQ", 0x81, 127, size)
    _last = content, head + content
    return _last[1]


def _transport(request: web.Request) -> asyncio.Transport:
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the reader has gone")
    return transport


def _keep_small(transport: asyncio.Transport) -> None:
    connection = transport.get_extra_info("socket")
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BUFFER)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _from(request: web.Request) -> int | None:
    """The segment from which on to replay.

    Raises:
        HTTPBadRequest: it is no number.
    """
    text = request.query.get("from")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise web.HTTPBadRequest(text="from is the number of a segment\n")
    return int(text)
