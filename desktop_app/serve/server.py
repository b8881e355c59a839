"""The server: a thread of its own with the loop everything about serving lives on."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from aiohttp import web

from desktop_app import __version__
from desktop_app.serve.controller import Appearance, Controller
from desktop_app.serve.guard import Guard, Limits
from desktop_app.serve.hub import CaptionHub
from desktop_app.serve.routes import ControlPort
from desktop_app.serve.tls import Identity, default_folder, identity, own_addresses
from desktop_app.serve.web_sink import WebSink
from engine.errors import CaptionglassError

_LOOPBACK = "127.0.0.1"
_KEEPALIVE_S = 15.0
_STOP_S = 5.0
_READERS_S = 0.5
"""Readers get this long to say goodbye."""
_BACKLOG = 64


class PortError(CaptionglassError):
    """The port cannot be had."""


class WebServer:
    """Serves the page and the control port, on this computer alone unless told otherwise.

    Args:
        controller: owns the session.
        token: what every request has to bring.
        port: on loopback; 0 takes a free one.
        network_port: serve to the network too, with TLS, on this port; None does not. 0 takes a
            free one.
        limits: how much.
        folder: for the certificate.

    Attributes:
        sink: give it to the session.
        hub: the captions; on the server's loop alone.
    """

    sink: WebSink
    hub: CaptionHub

    def __init__(
        self,
        controller: Controller,
        token: str,
        port: int,
        *,
        network_port: int | None = None,
        limits: Limits | None = None,
        folder: Path | None = None,
    ) -> None:
        self._controller = controller
        self._token = token
        self._port = port
        self._network_port = network_port
        self._limits = limits or Limits()
        self._identity: Identity | None = None
        if network_port is not None:
            self._identity = identity(folder or default_folder(), _names())
        self._loop = asyncio.new_event_loop()
        self.hub = CaptionHub()
        self.sink = WebSink(self.hub, self._loop)
        self._look: Appearance | None = None
        self._looking: asyncio.Task[None] | None = None
        self._runners: list[web.AppRunner] = []
        self._servers: list[asyncio.Server] = []
        self._thread = threading.Thread(target=self._run, name="captionglass-web", daemon=True)

    @property
    def address(self) -> str:
        """Of the page and the control port, on this computer."""
        return f"http://{_LOOPBACK}:{self._port}"

    @property
    def network_addresses(self) -> list[str]:
        """The same for others, where it is served to them."""
        if self._network_port is None:
            return []
        hosts = [f"[{host}]" if ":" in host else host for host in own_addresses()]
        return [f"https://{host}:{self._network_port}" for host in hosts]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate that others see; empty where nothing is served to them."""
        return self._identity.fingerprint if self._identity else ""

    def start(self) -> None:
        """Begin to serve; returns once it does.

        Raises:
            PortError: the port is taken, or may not be used.
        """
        self._look = self._controller.appearance()
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        except OSError as error:
            self.stop()
            taken = error.errno == errno.EADDRINUSE
            raise PortError(
                f"port {self._port} {'is taken' if taken else 'cannot be used'}"
                f"{'' if taken else f' ({error.strerror})'}",
                "choose another with --port, or close what uses it (another Captionglass?)",
            ) from error

    def show_look(self) -> None:
        """Pages that are open shall look as the controller says now. Any thread; returns at once,
        and does nothing where it says what it said before."""
        with contextlib.suppress(RuntimeError):  # it has been stopped
            self._loop.call_soon_threadsafe(self._look_again)

    def stop(self) -> None:
        """Let every reader go, and stop. May be called twice."""
        if not self._thread.is_alive():
            return
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_STOP_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            with contextlib.suppress(RuntimeError):
                self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _look_again(self) -> None:
        # What an older question brings would be older news.
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._loop.create_task(self._show_look())

    async def _show_look(self) -> None:
        try:
            look = await asyncio.to_thread(self._controller.appearance)
        except CaptionglassError:
            return
        if look != self._look:
            self._look = look
            self.hub.appearance(asdict(look))

    async def _open(self) -> None:
        self._port = await self._listen(Guard(self._token), _LOOPBACK, self._port, None)
        if self._identity is not None and self._network_port is not None:
            guard = Guard(self._token, _names(), any_address=True)
            self._network_port = await self._listen(guard, None, self._network_port, self._identity)

    async def _listen(
        self, guard: Guard, host: str | None, port: int, proof: Identity | None
    ) -> int:
        control = ControlPort(
            self.hub, self._controller, guard, self._limits, __version__, self.show_look
        )
        runner = web.AppRunner(
            control.app,
            access_log=None,
            keepalive_timeout=_KEEPALIVE_S,
            shutdown_timeout=_READERS_S,
        )
        await runner.setup()
        self._runners.append(runner)
        assert runner.server is not None
        server = await self._loop.create_server(
            self._counted(runner.server),
            sock=_bound(host, port),
            ssl=proof.context if proof else None,
            backlog=_BACKLOG,
        )
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    def _counted(self, make: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        def protocol() -> asyncio.Protocol:
            servers = (runner.server for runner in self._runners)
            count = sum(len(server.connections) for server in servers if server is not None)
            return make() if count < self._limits.connections else _Refusing()

        return protocol

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        self.hub.end()
        for runner in self._runners:
            await runner.cleanup()


def _bound(host: str | None, port: int) -> socket.socket:
    """A listening socket; on every interface, IPv4 and IPv6, where no host is given."""
    if host is None and socket.has_dualstack_ipv6():
        return socket.create_server(
            ("", port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=True
        )
    return socket.create_server((host or "", port), backlog=_BACKLOG)


class _Refusing(asyncio.Protocol):
    """One connection too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it."""
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _names() -> list[str]:
    name = socket.gethostname()
    short = name.partition(".")[0]
    return [*dict.fromkeys((name, short, f"{short}.local")), *own_addresses()]
