"""The bare ``captionglass`` command: the overlay, or the demo in the terminal with no screen."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from desktop_app.console import complain
from engine.config import LatencyProfile, Provider


@dataclass(frozen=True, slots=True)
class OverlayRequest:
    """What the command line asked for, as it was typed."""

    source: str | None = None
    model: str | None = None
    profile: str | None = None
    provider: Provider = "auto"
    language: str = ""


def has_screen() -> bool:
    """A window could be shown here."""
    if sys.platform in ("win32", "darwin"):
        return True
    if os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_overlay(request: OverlayRequest) -> int:
    """Open the overlay; with no screen, caption the demo recording in the terminal.

    Raises:
        CaptionglassError: as ``run_caption`` and ``run_overlay``.
    """
    if request.profile is not None:
        LatencyProfile.parse(request.profile)
    if not has_screen():
        return _demo_in_terminal(request)
    from desktop_app.app import OverlayOptions, run_overlay

    return run_overlay(
        OverlayOptions(
            source=request.source,
            model=request.model,
            profile=request.profile,
            provider=request.provider,
        )
    )


def _demo_in_terminal(request: OverlayRequest) -> int:
    from assets import ASSETS
    from desktop_app.commands.caption import CaptionRequest, run_caption

    if request.source is None:
        complain(
            "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set), "
            "so the demo recording is captioned in the terminal"
        )
    else:
        complain(
            "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set), "
            "so the captions go to the terminal"
        )
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
