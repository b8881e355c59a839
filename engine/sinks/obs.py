"""Captions in OBS through obs-websocket 5: a text source, and closed captions while it streams.

Closed captions follow CEA-608 as broadcasters use it: rows of at most 32 characters, plain text, no
faster than they can be read. Only finished lines become closed captions: they cannot be taken back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from engine.errors import SinkError
from engine.sinks.live_text import NewestRows, wrapped
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

log = logging.getLogger(__name__)

CAPTION_WIDTH = 32
"""Characters in a row of CEA-608."""
_READ_S = 1.0 / 20.0
_LEAST_S = 1.0
"""How long a row stands: by its characters, and at least."""
_MOST_ROWS = 12
"""Rows waiting from which the pace quickens; twice that, and the oldest are left out."""
_TEXT_EVERY_S = 0.1
_TIMEOUT_S = 3.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 15.0
_CLOSE_S = 3.0

State = Literal["away", "refused", "no source", "connected"]


class ObsSink:
    """Keeps OBS supplied. Has a thread of its own; captions never wait for it.

    Where OBS is not there, refuses the password or ends, one notice says so, and it is tried again
    by itself.

    Args:
        host, port: of obs-websocket.
        password: of obs-websocket; never logged or shown. Where it has to be looked up, what does
            that, on the sink's own thread, and again after it was refused.
        text_source: name of a text source to keep up to date; none where empty.
        closed_captions: send closed captions while OBS streams.
        tell: takes notices; called on the sink's own thread.
        streaming: told when OBS begins and ends a stream; called on the sink's own thread.
    """

    name = "obs"

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 4455,
        password: str | Callable[[], str] = "",
        *,
        text_source: str = "",
        closed_captions: bool = True,
        tell: Callable[[Notice], None] | None = None,
        streaming: Callable[[bool], None] | None = None,
    ) -> None:
        self._where = f"{host}:{port}"
        self._password = password
        self._known: str | None = None
        self._text_source = text_source
        self._closed_captions = closed_captions
        self._tell = tell
        self._told_streaming = streaming
        self._rows = NewestRows()
        self._text = ""
        self._captions: deque[str] = deque()
        self._state: State | None = None
        self._streaming: bool | None = None
        self._over = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002
        """Begin; OBS may come later."""
        self._thread = threading.Thread(target=self._run, name="sink-obs", daemon=True)
        self._thread.start()

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Hand over a line; returns at once."""
        self._text = "\n".join(self._rows.take(update))
        if update.is_final and not update.correction and self._streaming:
            self._captions.extend(caption_rows(update.text))
            while len(self._captions) > 2 * _MOST_ROWS:
                self._captions.popleft()
        self._wake()

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is sent."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Empty the text source and end.

        Raises:
            SinkError: OBS does not let go.
        """
        if self._thread is None:
            return
        self._text = ""
        self._over.set()
        self._wake()
        self._thread.join(_CLOSE_S)
        alive, self._thread = self._thread.is_alive(), None
        if alive:
            raise SinkError(f"OBS at {self._where} does not answer", "see whether OBS hangs")

    def _wake(self) -> None:
        loop, changed = self._loop, self._changed
        if loop is not None and changed is not None:
            with contextlib.suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(changed.set)

    # -- the sink's thread --------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._stay_connected())
        except Exception:
            log.exception("captions for OBS ended")

    async def _stay_connected(self) -> None:
        # Its debug lines hold what is sent, and no caption belongs in a log.
        logging.getLogger("simpleobsws").setLevel(logging.CRITICAL)
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        pause = _FIRST_PAUSE_S
        while not self._over.is_set():
            began = time.monotonic()
            await self._one_connection()
            self._set_streaming(False)
            pause = _FIRST_PAUSE_S if time.monotonic() - began > _LONGEST_PAUSE_S else pause
            await self._rest(pause)
            pause = min(_LONGEST_PAUSE_S, 2.0 * pause)

    async def _rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._over.is_set() and (left := until - time.monotonic()) > 0:
            await self._wait(left)

    async def _one_connection(self) -> None:
        import simpleobsws

        if self._known is None or self._state == "refused":
            given = self._password
            self._known = given if isinstance(given, str) else given()
        client = simpleobsws.WebSocketClient(f"ws://{self._where}", self._known)
        client.register_event_callback(self._on_stream, "StreamStateChanged")
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await client.connect()
            if not await client.wait_until_identified(_TIMEOUT_S):
                self._become("refused")
                return
            self._become("connected")
            status = await self._call(client, "GetStreamStatus", {})
            self._set_streaming(bool((status.responseData or {}).get("outputActive")))
            await self._supply(client)
        except Exception as error:  # noqa: BLE001 - whatever OBS does, captions go on
            log.info("OBS at %s: %s", self._where, type(error).__name__)
            self._become("away")
        finally:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_TIMEOUT_S):
                    await client.disconnect()

    async def _supply(self, client: Any) -> None:
        shown, captions_at = None, 0.0
        while True:
            over = self._over.is_set()
            if self._text_source and self._text != shown:
                shown = self._text
                await self._show(client, shown)
            now = time.monotonic()
            if self._captions and now >= captions_at:
                row = self._captions.popleft()
                if self._closed_captions and self._streaming:
                    await self._call(client, "SendStreamCaption", {"captionText": row})
                hurry = 2.0 if len(self._captions) > _MOST_ROWS else 1.0
                captions_at = now + max(_LEAST_S, len(row) * _READ_S) / hurry
            if over:
                return
            await asyncio.sleep(_TEXT_EVERY_S)
            await self._wait(captions_at - now if self._captions else _TIMEOUT_S)
            if not client.is_identified():
                raise ConnectionError

    async def _show(self, client: Any, text: str) -> None:
        answer = await self._call(
            client,
            "SetInputSettings",
            {"inputName": self._text_source, "inputSettings": {"text": text}},
        )
        self._become("connected" if answer.ok() else "no source")

    async def _call(self, client: Any, request: str, data: dict[str, Any]) -> Any:
        import simpleobsws

        return await client.call(simpleobsws.Request(request, data), _TIMEOUT_S)

    async def _wait(self, seconds: float) -> None:
        """Until there is news, but no longer than this."""
        changed = self._changed
        if changed is None or seconds <= 0:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await changed.wait()
        changed.clear()

    async def _on_stream(self, data: dict[str, Any]) -> None:
        self._set_streaming(bool(data.get("outputActive")))

    def _set_streaming(self, streaming: bool) -> None:
        if streaming == self._streaming:
            return
        self._streaming = streaming
        self._captions.clear()
        if self._told_streaming is not None:
            self._told_streaming(streaming)

    def _become(self, state: State) -> None:
        if state == self._state:
            return
        before, self._state = self._state, state
        if self._tell is None or (state == "connected" and before is None):
            return
        self._tell(_notice(state, self._where, self._text_source))


def _notice(state: State, where: str, source: str) -> Notice:
    texts = {
        "connected": (f"Captions reach OBS at {where}", ""),
        "away": (
            f"OBS is not there ({where}): trying again",
            "start OBS, and switch on its WebSocket server under Tools",
        ),
        "refused": (
            f"OBS at {where} refuses the password: trying again",
            "copy it from Tools, WebSocket Server Settings, Show Connect Info in OBS",
        ),
        "no source": (
            f"OBS has no text source called {source!r}",
            "add a source Text (FreeType 2) or Text (GDI+) with that name",
        ),
    }
    text, remedy = texts[state]
    severity: Literal["info", "warning"] = "info" if state == "connected" else "warning"
    return Notice(f"obs.{state.replace(' ', '_')}", severity, text, remedy)


def caption_rows(text: str) -> list[str]:
    """A line as rows of CEA-608: at most 32 characters of Latin text each. What that alphabet does
    not have is written with its base letter, or left out."""
    text = unicodedata.normalize("NFC", text.replace("’", "'").replace("…", "..."))
    return wrapped("".join(map(_plainly, text)), CAPTION_WIDTH)


def _plainly(character: str) -> str:
    if character.isprintable() and character <= "\u00ff":
        return character
    bare = unicodedata.normalize("NFKD", character)
    return "".join(each for each in bare if each.isascii() and each.isprintable())
