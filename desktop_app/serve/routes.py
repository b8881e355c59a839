"""What can be asked of the control port, and how it answers."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from desktop_app.serve import openapi
from desktop_app.serve.controller import Controller, NotNowError
from desktop_app.serve.guard import Bucket, Guard, Limits
from desktop_app.serve.hub import CaptionHub
from desktop_app.serve.page import PAGE_FILES, PageFile
from desktop_app.serve.streams import Streams
from engine.config import LatencyProfile
from engine.errors import CaptionglassError, UnknownModelError, UsageError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_OPEN_TO_ALL = frozenset((*PAGE_FILES, "/up"))
"""Paths that hold nothing of the user's: the page itself has to be loaded before it can bring the
token that stands behind the # of its address."""
_STREAMS = ("/captions", "/events")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_BUSY = 8
"""Requests that wait for the owner of the session at once."""


class ControlPort:
    """The web application of one server.

    Args:
        hub: the captions.
        controller: owns the session.
        guard: who may ask.
        limits: how much.
        version: of the program.
        show_look: called when the controller may say of the page that it looks otherwise.
    """

    def __init__(
        self,
        hub: CaptionHub,
        controller: Controller,
        guard: Guard,
        limits: Limits,
        version: str,
        show_look: Callable[[], None],
    ) -> None:
        self._hub = hub
        self._controller = controller
        self._guard = guard
        self._limits = limits
        self._version = version
        self._show_look = show_look
        self._requests = Bucket(limits.requests_per_s, limits.burst)
        self._wrong = Bucket(limits.wrong_per_s, limits.wrong_burst)
        self._busy = 0
        self._description = openapi.description(version)
        streams = Streams(hub, controller, guard, limits, self._wrong, version)
        self.app = web.Application(middlewares=[self._guarded], client_max_size=limits.body)
        self.app.on_response_prepare.append(_add_headers)
        add = self.app.router.add_route
        add("GET", "/up", self._up)
        for path, file in PAGE_FILES.items():
            add("GET", path, _serving(file))
        add("GET", "/openapi.json", self._openapi)
        add("GET", "/state", self._state)
        add("GET", "/stats", self._stats)
        add("POST", "/start", self._start)
        add("POST", "/pause", self._pause)
        add("PUT", "/source", self._source)
        add("PUT", "/slider", self._slider)
        add("PUT", "/profile", self._profile)
        add("GET", "/presets", self._presets)
        add("PUT", "/preset", self._preset)
        add("GET", "/models", self._models)
        add("POST", "/switch_model", self._switch_model)
        add("GET", "/captions", streams.websocket)
        add("GET", "/events", streams.events)

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Everything passes here. The order matters: nothing is told to whoever may not ask."""
        try:
            self._check(request)
            if request.path in _STREAMS:
                return await handler(request)
            async with asyncio.timeout(self._limits.patience_s):
                return await handler(request)
        except TimeoutError:
            return _refusal(408, "the rest of the request did not come", "")
        except web.HTTPException as error:
            refusal = _refusal(error.status, (error.text or error.reason).strip(), "")
            if "Allow" in error.headers:
                refusal.headers["Allow"] = error.headers["Allow"]
            return refusal
        except ConnectionError:
            # Nobody reads this; without an answer the server would log an error.
            return _refusal(408, "the client has gone", "")
        except NotNowError as error:
            return _refusal(409, error.message, error.remedy)
        except UnknownModelError as error:
            return _refusal(404, error.message, error.remedy)
        except UsageError as error:
            return _refusal(400, error.message, error.remedy)
        except CaptionglassError as error:
            return _refusal(409, error.message, error.remedy)

    def _check(self, request: web.Request) -> None:
        own = request.get_extra_info("sockname")
        if not self._guard.host_allowed(request.headers.get("Host", ""), own[1] if own else 0):
            raise web.HTTPForbidden(text="this computer is called otherwise")
        if not self._requests.take():
            raise web.HTTPTooManyRequests(text="too many requests")
        if request.path in _OPEN_TO_ALL:
            return
        if not self._guard.origin_allowed(request.headers, request.scheme):
            raise web.HTTPForbidden(text="another page may not ask")
        if "token" in request.query:
            raise web.HTTPBadRequest(
                text="a token in the address is written into logs: put it into the header "
                "'Authorization: Bearer', or behind the # of the page's address"
            )
        if self._guard.admitted(request.headers):
            return
        offered = "Authorization" in request.headers
        if request.path == "/captions" and not offered:
            # It may bring the token in its first message.
            return
        if self._wrong.empty or not self._wrong.take():
            raise web.HTTPTooManyRequests(text="too many wrong tokens")
        raise web.HTTPUnauthorized(text="bring the token in the header 'Authorization: Bearer'")

    async def _ask(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Ask the session's owner, on a thread that may wait for it."""
        if self._busy >= _BUSY:
            raise web.HTTPTooManyRequests(text="the last requests are still being worked on")
        self._busy += 1
        task = asyncio.ensure_future(asyncio.to_thread(call, *arguments))
        # Counted until it is done, also where nobody waits for it any more.
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._busy -= 1
        if not task.cancelled():
            task.exception()

    async def _up(self, request: web.Request) -> web.Response:
        """Whether Captionglass is there; asked by the file for OBS, which is a page elsewhere."""
        del request
        return web.Response(status=204, headers={"Cross-Origin-Resource-Policy": "cross-origin"})

    async def _openapi(self, request: web.Request) -> web.Response:
        del request
        return _json(self._description)

    async def _state(self, request: web.Request) -> web.Response:
        del request
        return await self._state_now()

    async def _state_now(self) -> web.Response:
        state = await self._ask(self._controller.state)
        return _json(
            dataclasses.asdict(state)
            | {
                "version": self._version,
                "session": self._hub.session,
                "readers": self._hub.readers,
                "dropped_readers": self._hub.dropped,
            }
        )

    async def _stats(self, request: web.Request) -> web.Response:
        del request
        return _json(dataclasses.asdict(await self._ask(self._controller.stats)))

    async def _start(self, request: web.Request) -> web.Response:
        del request
        await self._ask(self._controller.start)
        return await self._state_now()

    async def _pause(self, request: web.Request) -> web.Response:
        del request
        await self._ask(self._controller.pause)
        return await self._state_now()

    async def _source(self, request: web.Request) -> web.Response:
        source = await _text(request, "source", 1000)
        await self._ask(self._controller.set_source, source)
        return await self._state_now()

    async def _slider(self, request: web.Request) -> web.Response:
        position = await _field(request, "position", float)
        if not 0 <= position <= 100:
            raise web.HTTPBadRequest(text="position is a number from 0 to 100")
        await self._ask(self._controller.set_slider, LatencyProfile(float(position)))
        return await self._state_now()

    async def _profile(self, request: web.Request) -> web.Response:
        profile = await _text(request, "profile", 20)
        await self._ask(self._controller.set_slider, LatencyProfile.parse(profile))
        return await self._state_now()

    async def _presets(self, request: web.Request) -> web.Response:
        del request
        rows = await self._ask(self._controller.presets)
        return _json({"presets": [dataclasses.asdict(row) for row in rows]})

    async def _preset(self, request: web.Request) -> web.Response:
        await self._ask(self._controller.use_preset, await _text(request, "preset", 60))
        self._show_look()
        return await self._state_now()

    async def _models(self, request: web.Request) -> web.Response:
        del request
        rows = await self._ask(self._controller.models)
        return _json({"models": [dataclasses.asdict(row) for row in rows]})

    async def _switch_model(self, request: web.Request) -> web.Response:
        model_id, language = request.query.get("id", ""), request.query.get("lang", "")
        if len(model_id) > 200 or len(language) > 40:
            raise web.HTTPBadRequest(text="no model or language has so long a name")
        if bool(model_id) == bool(language):
            raise web.HTTPBadRequest(text="name either id or lang: /switch_model?lang=zh-CN")
        if language:
            model_id = await self._ask(self._controller.best_model, language)
        await self._ask(self._controller.switch_model, model_id)
        return _json({"model": model_id})


async def _text(request: web.Request, name: str, most: int) -> str:
    """The one field of a JSON body: text of 1 to ``most`` characters.

    Raises:
        HTTPException: the body is something else.
    """
    text: str = await _field(request, name, str)
    if not 0 < len(text) <= most:
        raise web.HTTPBadRequest(text=f"{name} holds 1 to {most} characters")
    return text


async def _field(request: web.Request, name: str, kind: type[str] | type[float]) -> Any:
    """The one field of a JSON body.

    Raises:
        HTTPException: the body is something else.
    """
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="send a body of type application/json")
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError):
        raise web.HTTPBadRequest(text="the body is no JSON") from None
    value = body.get(name) if isinstance(body, dict) and set(body) == {name} else None
    allowed = (int, float) if kind is float else (str,)
    if isinstance(value, bool) or not isinstance(value, allowed):
        what = "a number" if kind is float else "text"
        raise web.HTTPBadRequest(text=f'the body is {{"{name}": {what}}}')
    return value


def _serving(file: PageFile) -> Handler:
    async def serve(request: web.Request) -> web.Response:
        headers = {"Content-Type": file.content_type}
        if file.content_type.startswith("text/html"):
            headers["Content-Security-Policy"] = _policy(request)
        return web.Response(body=file.content, headers=headers)

    return serve


def _policy(request: web.Request) -> str:
    """Nothing from elsewhere, nothing inline, nowhere to send anything but here. The host has been
    checked; older browsers take 'self' for no WebSocket."""
    scheme = "wss" if request.scheme == "https" else "ws"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        "img-src 'self'; "
        f"connect-src 'self' {scheme}://{request.headers['Host']}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    del request
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


def _json(content: Any, status: int = 200) -> web.Response:
    text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False)
    return web.Response(text=text, status=status, content_type="application/json")


def _refusal(status: int, error: str, remedy: str) -> web.Response:
    response = _json({"error": error, "remedy": remedy}, status)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _finite(value: Any) -> Any:
    """JSON has no infinity: digital silence is null. Sets become lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(value)
    return value
