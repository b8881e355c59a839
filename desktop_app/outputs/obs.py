"""Which OBS gets captions, and its password."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import CaptionglassError, UsageError

if TYPE_CHECKING:
    from engine.sinks.base import Sink
    from engine.types import Notice

OBS_PASSWORD = "obs_password"
STREAMING, NOT_STREAMING = "obs.streaming", "obs.not_streaming"
"""Codes of the notices that pause captions and let them go on with a stream."""


@dataclass(frozen=True, slots=True)
class ObsTarget:
    """Which OBS gets captions, and as what.

    Attributes:
        host, port: of its WebSocket server.
        text_source: name of a text source; empty for none.
        closed_captions: send them while it streams.
        follow_stream: tell when it begins and ends a stream, as notices of the codes ``STREAMING``
            and ``NOT_STREAMING``.
    """

    host: str = "127.0.0.1"
    port: int = 4455
    text_source: str = ""
    closed_captions: bool = True
    follow_stream: bool = False

    def sink(self, tell: Callable[[Notice], None]) -> Sink:
        """What keeps it supplied.

        Args:
            tell: takes notices, on any thread.
        """
        from engine.sinks.obs import ObsSink

        return ObsSink(
            self.host,
            self.port,
            lambda: obs_password(tell),
            text_source=self.text_source,
            closed_captions=self.closed_captions,
            tell=tell,
            streaming=(lambda on: tell(_streams(on))) if self.follow_stream else None,
        )


def obs_target(text_source: str | None, where: str) -> ObsTarget | None:
    """What the command line asks for; None where it names no text source.

    Args:
        text_source: its name in OBS.
        where: HOST or HOST:PORT; an IPv6 address with a port stands in brackets.

    Raises:
        UsageError: that is no address.
    """
    if text_source is None:
        return None
    host, port = where, "4455"
    if found := re.fullmatch(r"(\[[^\]\s]+\]|[^:\s]+):(\d+)", where):
        host, port = found.groups()
    is_host = re.fullmatch(r"\[[0-9a-fA-F:.]+\]|[^:/\s]+", host)
    if not text_source.strip() or not is_host or not 0 < int(port) < 65536:
        raise UsageError(
            f"captions cannot go to the text source {text_source!r} of OBS at {where!r}",
            "write --obs-text NAME --obs-host 127.0.0.1:4455",
        )
    return ObsTarget(host, int(port), text_source)


def obs_password(tell: Callable[[Notice], None]) -> str:
    """The password of OBS; empty where none is kept. May wait for a keyring's owner."""
    from desktop_app import secrets

    try:
        return secrets.get(OBS_PASSWORD) or ""
    except CaptionglassError as error:
        tell(complaint("obs.password", error.message, error.remedy))
        return ""


def complaint(code: str, text: str, remedy: str) -> Notice:
    """What cannot be written or sent, while captions go on."""
    from engine.types import Notice

    return Notice(code, "warning", text, remedy)


def _streams(on: bool) -> Notice:
    from engine.types import Notice

    if on:
        return Notice(STREAMING, "info", "OBS streams: captions run")
    return Notice(NOT_STREAMING, "info", "OBS does not stream: captions wait for it")
