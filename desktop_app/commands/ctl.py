"""``captionglass ctl``: asks the Captionglass that runs, over its control port."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from desktop_app import secrets
from desktop_app.console import EXIT_DONE, one_line, say
from desktop_app.serve.guard import TOKEN
from engine.errors import CaptionglassError, UsageError

_GOODBYE_S = 0.1
_TIMEOUT_S = 30.0


class ControlError(CaptionglassError):
    """The running Captionglass cannot be reached, or refuses."""


@dataclass(frozen=True, slots=True)
class Target:
    """Whom to ask.

    Attributes:
        address: ``http://127.0.0.1:8765``; empty for this computer's, on the port of the settings.
        fingerprint: SHA-256 of the certificate of an ``https`` one.
        as_json: print what was answered.
    """

    address: str = ""
    fingerprint: str = ""
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One request.

    Attributes:
        method, path: of HTTP.
        query: what stands behind the ?.
        body: sent as JSON; None for none.
    """

    method: str
    path: str
    query: dict[str, str] | None = None
    body: dict[str, Any] | None = None


def ask(target: Target, call: Call) -> int:
    """Ask, and print the answer.

    Raises:
        ControlError: nobody answers, or what was asked is refused; with the reason.
        UsageError: the address or the fingerprint is none.
    """
    answer = asyncio.run(_ask(target, call))
    if target.as_json:
        say(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        for line in _lines(answer):
            say(line)
    return EXIT_DONE


def follow(target: Target, first: int | None) -> int:
    """Print finished lines as they are spoken, until Ctrl-C or the other end stops.

    Args:
        target: whom to ask; with ``as_json`` every message is printed as it comes.
        first: the segment from which on to begin; None for what is said from now on.

    Raises:
        ControlError: nobody answers, or refuses.
    """
    return asyncio.run(_follow(target, first))


def page(target: Target, file: Path | None) -> int:
    """Print the address of the page with its token, or write the file for OBS.

    Raises:
        ControlError: there is no token yet.
        UsageError: the file cannot be written.
    """
    from desktop_app.serve.page import page_address, write_obs_file

    address = _address(target)
    if file is None:
        say(page_address(address, _token()))
    else:
        write_obs_file(file, address, _token())
        say(f"OBS, browser source: Local file, {file.resolve()}")
    return EXIT_DONE


async def _ask(target: Target, call: Call) -> Any:
    async with _session(target) as (session, tls):
        url = _address(target) + call.path
        async with session.request(
            call.method, url, params=call.query, json=call.body, ssl=tls
        ) as response:
            return _read(response.status, await response.text())


def _read(status: int, text: str) -> Any:
    try:
        answer = json.loads(text)
    except ValueError:
        raise ControlError("what answers there is no Captionglass", "check --address") from None
    if status < 400:
        return answer
    error = answer if isinstance(answer, dict) else {}
    what = one_line(str(error.get("error") or f"refused ({status})"))
    if status == 401:
        raise ControlError(what, "it was started with another token: set CAPTIONGLASS_TOKEN")
    raise ControlError(what, one_line(str(error.get("remedy", ""))))


async def _follow(target: Target, first: int | None) -> int:
    query = {} if first is None else {"from": str(first)}
    async with (
        _session(target) as (session, tls),
        session.ws_connect(
            _address(target) + "/captions", params=query, ssl=tls, heartbeat=20.0
        ) as socket,
    ):
        async for message in socket:
            if message.type != aiohttp.WSMsgType.TEXT:
                break
            fields = json.loads(message.data)
            if target.as_json:
                say(message.data)
            elif fields["type"] == "caption" and fields["final"]:
                say(fields["stable"])
            sys.stdout.flush()
    return EXIT_DONE


@asynccontextmanager
async def _session(
    target: Target,
) -> AsyncIterator[tuple[aiohttp.ClientSession, bool | aiohttp.Fingerprint]]:
    tls = _pin(target.fingerprint)
    headers = {"Authorization": f"Bearer {_token()}"}
    timeout = aiohttp.ClientTimeout(total=None, connect=_TIMEOUT_S, sock_read=_TIMEOUT_S)
    try:
        try:
            async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
                yield session, tls
        finally:
            if target.address.startswith("https://"):
                # A TLS connection says goodbye after its session has been closed.
                await asyncio.sleep(_GOODBYE_S)
    except aiohttp.ServerFingerprintMismatch as error:
        raise ControlError(
            "the certificate has another fingerprint", "compare it with what serve printed"
        ) from error
    except (ssl.SSLError, aiohttp.ClientSSLError) as error:
        raise ControlError("the certificate is not known", "give its --fingerprint") from error
    except aiohttp.WSServerHandshakeError as error:
        raise ControlError(f"refused ({error.status})", "check CAPTIONGLASS_TOKEN") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise ControlError(
            f"no Captionglass answers at {_address(target)}",
            "start captionglass serve, or switch on the setting web_enabled",
        ) from error


def _address(target: Target) -> str:
    if not target.address:
        from desktop_app.settings.store import SettingsStore

        return f"http://127.0.0.1:{SettingsStore().load().web_port}"
    parts = urlsplit(target.address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise UsageError(f"{target.address!r} is no address", "for example http://127.0.0.1:8765")
    if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost"):
        raise UsageError("the token does not travel unencrypted", "use the https address")
    return f"{parts.scheme}://{parts.netloc}"


def _pin(fingerprint: str) -> bool | aiohttp.Fingerprint:
    if not fingerprint:
        return True
    try:
        return aiohttp.Fingerprint(bytes.fromhex(fingerprint.replace(":", "")))
    except ValueError:
        raise UsageError(
            f"{fingerprint!r} is no SHA-256 fingerprint", "64 hexadecimal digits"
        ) from None


def _token() -> str:
    token = secrets.get(TOKEN)
    if not token:
        raise ControlError(
            "there is no token yet, or only in the memory of the Captionglass that runs",
            f"set {secrets.variable(TOKEN)} for both, or secrets_in_file in the settings",
        )
    return token


def _lines(answer: Any) -> list[str]:
    if set(answer) == {"models"}:
        return [
            f"{'*' if row['in_use'] else ' '} {row['id']:<34} "
            f"{'installed' if row['installed'] else '-':<10} {' '.join(row['languages'][:8])}"
            for row in answer["models"]
        ]
    if set(answer) == {"presets"}:
        return [f"{'*' if row['in_use'] else ' '} {row['name']}" for row in answer["presets"]]
    return [f"{name}: {_worded(value)}" for name, value in answer.items() if value not in ("", [])]


def _worded(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
