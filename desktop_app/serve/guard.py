"""Who may ask, and how much. Pure: no sockets.

A request has to name this computer as its host (a page that had its own name pointed here does
not), to come from no other page (``Origin``, ``Sec-Fetch-Site``), and to bring the token in a
header. What a browser sends along by itself (addresses, cookies) never counts.
"""

from __future__ import annotations

import base64
import hmac
import ipaddress
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

TOKEN = "token"
"""The name under which ``desktop_app.secrets`` keeps it: ``CAPTIONGLASS_TOKEN`` overrides it."""

PROTOCOL = "captionglass.v1"
_TOKEN_PROTOCOL = "captionglass.token."


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is served at most.

    Attributes:
        body: bytes of a request's body.
        connections: open ones, all together.
        streams: readers of captions among them.
        requests_per_s, burst: of all clients together.
        wrong_per_s, wrong_burst: with a wrong token or none.
        messages_per_s: from one reader over its WebSocket.
        message: bytes of one of them.
        behind: bytes waiting for a reader before it is cut off.
        patience_s: for the rest of a request, or the first message of a reader.
    """

    body: int = 16_384
    connections: int = 128
    streams: int = 64
    requests_per_s: float = 100.0
    burst: int = 200
    wrong_per_s: float = 5.0
    wrong_burst: int = 20
    messages_per_s: float = 5.0
    message: int = 4096
    behind: int = 65_536
    patience_s: float = 10.0


class Bucket:
    """So many a second, and a burst of them.

    Args:
        per_s: how fast it fills.
        burst: how many it holds.
        now: seconds, monotonic.
    """

    def __init__(
        self, per_s: float, burst: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now = now
        self._left = burst
        self._at = now()

    def take(self) -> bool:
        """Whether one more may pass."""
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    @property
    def empty(self) -> bool:
        """Nothing may pass now."""
        return self._left + (self._now() - self._at) * self._per_s < 1.0


class Guard:
    """Checks hosts, origins and the token.

    Args:
        token: what every request has to bring.
        names: host names by which this computer may be called, beside addresses.
        any_address: addresses that are not loopback are fine too (served to the network).
    """

    def __init__(self, token: str, names: Iterable[str] = (), *, any_address: bool = False) -> None:
        if not token:
            raise ValueError("a token is needed")
        self._token = token.encode()
        self._names = {"localhost", *(name.lower() for name in names)}
        self._any_address = any_address

    def host_allowed(self, host: str, port: int) -> bool:
        """Whether a ``Host`` header names this computer and this port."""
        name, _, given = host.rpartition(":") if _has_port(host) else (host, "", "")
        if given != str(port):
            return False
        if name.lower() in self._names:
            return True
        try:
            address = ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        if (address.version == 6) != name.startswith("["):
            return False
        # A name can be pointed at this computer by anybody; an address cannot.
        return address.is_loopback or self._any_address

    def origin_allowed(self, headers: Mapping[str, str], scheme: str) -> bool:
        """Whether a request comes from no page, or from our own."""
        origin = headers.get("Origin")
        if origin is not None and origin != f"{scheme}://{headers.get('Host', '')}":
            return False
        return headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")

    def token_right(self, token: str) -> bool:
        """Whether it is the one; takes as long for any other."""
        return hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._token)

    def admitted(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers bring the token."""
        return any(self.token_right(token) for token in offered(headers))


def offered(headers: Mapping[str, str]) -> list[str]:
    """The tokens in a request's headers: ``Authorization: Bearer TOKEN``, or for those who cannot
    set that header a WebSocket subprotocol ``captionglass.token.`` and the token in base64url."""
    tokens = []
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        tokens.append(token.strip())
    for name in headers.get("Sec-WebSocket-Protocol", "").split(","):
        text = name.strip()
        if text.startswith(_TOKEN_PROTOCOL):
            coded = text.removeprefix(_TOKEN_PROTOCOL)
            try:
                tokens.append(base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode())
            except ValueError:
                continue
    return tokens


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")
