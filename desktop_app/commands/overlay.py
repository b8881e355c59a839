"""The bare ``captionglass`` command: the overlay, or the demo in the terminal with no screen."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sys
from dataclasses import dataclass

from desktop_app.commands.caption import CaptionRequest, check_language, run_caption
from desktop_app.commands.install import recognizer
from desktop_app.console import complain
from engine.config import LatencyProfile, Provider
from models.catalogue import load

_LOCAL_DISPLAY = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")
_CONNECT_S = 2.0


@dataclass(frozen=True, slots=True)
class OverlayRequest:
    """What the command line asked for, as it was typed."""

    source: str | None = None
    model: str | None = None
    profile: str | None = None
    provider: Provider = "auto"
    language: str = ""


def screen_missing() -> str:
    """Why no window can be shown here, one clause; empty where one can.

    Asked before Qt is, because Qt ends the process where it finds no screen.
    """
    if sys.platform in ("win32", "darwin") or os.environ.get("WAYLAND_DISPLAY"):
        return ""
    if os.environ.get("QT_QPA_PLATFORM", "xcb").partition(":")[0] != "xcb":
        return ""
    display = os.environ.get("DISPLAY", "")
    if not display:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    local = _LOCAL_DISPLAY.fullmatch(display)
    if local and not _listens(f"/tmp/.X11-unix/X{local[1]}"):
        return f"DISPLAY is {display}, and nothing answers there"
    return ""


def _listens(path: str) -> bool:
    for address in (path, f"\0{path}"):
        with socket.socket(socket.AF_UNIX) as link, contextlib.suppress(OSError):
            link.settimeout(_CONNECT_S)
            link.connect(address)
            return True
    return False


def open_overlay(request: OverlayRequest) -> int:
    """Open the overlay; with no screen, caption the demo recording in the terminal.

    Raises:
        UsageError, UnknownModelError: the request is wrong; no window has been opened.
        CaptionglassError: as ``run_caption`` and ``run_overlay``.
    """
    if request.profile is not None:
        LatencyProfile.parse(request.profile)
    if request.model is not None or request.language:
        check_language(recognizer(load(), request.model), request.language)
    if missing := screen_missing():
        return _without_screen(request, missing)
    from desktop_app.app import OverlayOptions, run_overlay

    return run_overlay(
        OverlayOptions(
            source=request.source,
            model=request.model,
            profile=request.profile,
            provider=request.provider,
        )
    )


def _without_screen(request: OverlayRequest, missing: str) -> int:
    from assets import ASSETS

    what = "the captions go" if request.source else "the demo recording is captioned"
    where = "to the terminal" if request.source else "in the terminal"
    complain(f"there is no screen here ({missing}), so {what} {where}")
    return run_caption(
        CaptionRequest(
            source=request.source or str(ASSETS / "demo.wav"),
            realtime=True,
            model=request.model,
            profile=request.profile,
            provider=request.provider,
            language=request.language,
        )
    )
