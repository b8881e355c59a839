"""The bare ``captionglass`` command: the overlay, or the demo in the terminal with no screen."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Literal

from desktop_app.commands.caption import CaptionRequest, check_language, run_caption
from desktop_app.commands.install import recognizer
from desktop_app.console import complain
from desktop_app.pick_source import check_source
from desktop_app.screen import ScreenError, prepare_screen
from desktop_app.settings.presets import PresetStore
from engine.config import LatencyProfile, Provider
from models.catalogue import load


@dataclass(frozen=True, slots=True)
class OverlayRequest:
    """What the command line asked for, as it was typed."""

    source: str | None = None
    model: str | None = None
    profile: str | None = None
    provider: Provider = "auto"
    language: str = ""
    new: bool = False
    preset: str | None = None
    settings: bool = False
    first_run: bool = False
    debug: bool = False


def screen_missing() -> str:
    """Why no window can be shown here, one clause; empty where one can.

    Asked before Qt is, because Qt ends the process where it finds no screen.
    """
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(map(os.environ.get, variables)):
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    try:
        prepare_screen()
    except ScreenError as error:
        return error.message
    return ""


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
    if request.source is not None:
        check_source(request.source)
    preset = PresetStore().find(request.preset).name if request.preset is not None else None
    if missing := screen_missing():
        return _without_screen(request, missing)
    from desktop_app.application.app import OverlayOptions, run_overlay

    return run_overlay(
        OverlayOptions(
            source=request.source,
            model=request.model,
            profile=request.profile,
            provider=request.provider,
            language=request.language,
            new=request.new,
            preset=preset,
            settings=request.settings,
            first_run=_first_run(request),
            debug=request.debug,
        )
    )


def _first_run(request: OverlayRequest) -> Literal["", "due", "asked"]:
    from desktop_app.settings.store import default_path

    if request.first_run:
        return "asked"
    return (
        "due"
        if request.source is None and request.preset is None and not default_path().exists()
        else ""
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
