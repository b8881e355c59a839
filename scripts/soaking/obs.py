"""Speaks as much of obs-websocket 5 as captions need, and can be ended and begun again.

It is no OBS: it takes connections, remembers the text of the text source and counts closed
captions. ``tests/integration/test_obs.py`` has the real one.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import msgpack  # type: ignore[import-untyped]
import websockets


class StandInObs:
    """Runs on a thread of its own until ``close``.

    Attributes:
        port: where it listens.
        text: what the text source shows now.
        connections: so many were made.
        captions: so many closed captions came.
        restarts: how often it was ended and begun again.
    """

    def __init__(self) -> None:
        self.port = 0
        self.text = ""
        self.connections = self.captions = self.restarts = 0
        self._open = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._again: asyncio.Event | None = None
        self._over = False
        self._away_s = 0.0
        self._thread = threading.Thread(target=self._run, name="soak-obs", daemon=True)
        self._thread.start()
        self._ready.wait()

    @property
    def connected(self) -> bool:
        """Somebody is."""
        return self._open > 0

    def restart(self, away_s: float) -> None:
        """Drop every connection, refuse new ones for so many real seconds, and be there again."""
        self._away_s = away_s
        self._ready.clear()
        self._signal()

    def wait(self) -> None:
        """Until it is there again."""
        self._ready.wait()

    def close(self) -> None:
        """End for good."""
        self._over = True
        self._signal()
        self._thread.join()
        self._loop.close()

    def _signal(self) -> None:
        again = self._again
        assert again is not None
        self._loop.call_soon_threadsafe(again.set)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        again = self._again = asyncio.Event()
        protocol = [websockets.Subprotocol("obswebsocket.msgpack")]
        while not self._over:
            async with websockets.serve(
                self._talk, "127.0.0.1", self.port, subprotocols=protocol, close_timeout=0.5
            ) as server:
                self.port = next(iter(server.sockets)).getsockname()[1]
                again.clear()
                self._ready.set()
                await again.wait()
            self.text = ""
            if not self._over:
                self.restarts += 1
                await asyncio.sleep(self._away_s)

    async def _talk(self, connection: Any) -> None:
        self.connections += 1
        self._open += 1
        try:
            with contextlib.suppress(websockets.ConnectionClosed):
                await connection.send(_packed(0, {"obsWebSocketVersion": "5", "rpcVersion": 1}))
                async for message in connection:
                    asked = msgpack.unpackb(message)
                    if asked["op"] == 1:
                        await connection.send(_packed(2, {"negotiatedRpcVersion": 1}))
                    elif asked["op"] == 6:
                        await connection.send(_packed(7, self._answer(asked["d"])))
        finally:
            self._open -= 1

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        kind, data = asked["requestType"], asked.get("requestData") or {}
        answer: dict[str, Any] = {}
        if kind == "SetInputSettings":
            self.text = data["inputSettings"]["text"]
        elif kind == "SendStreamCaption":
            self.captions += 1
        elif kind == "GetStreamStatus":
            answer = {"outputActive": True}
        return {
            "requestType": kind,
            "requestId": asked["requestId"],
            "requestStatus": {"result": True, "code": 100},
            "responseData": answer,
        }


def _packed(operation: int, data: dict[str, Any]) -> bytes:
    return bytes(msgpack.packb({"op": operation, "d": data}))
