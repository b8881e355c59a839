"""``captionglass serve``: the engine without a window, for OBS and other programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import __version__, secrets
from desktop_app.commands.caption import check_language
from desktop_app.commands.install import denoiser, installed, punctuator, recognizer
from desktop_app.console import complain, flush_streams, say
from desktop_app.health import logs
from desktop_app.interrupts import Interrupts
from desktop_app.pick_source import check_source, pick_sources
from desktop_app.settings.store import SettingsStore
from engine.config import EngineConfig, LatencyProfile, Provider
from models.catalogue import load
from models.smaller import SmallerModels
from models.store import ModelStore

if TYPE_CHECKING:
    from desktop_app.serve.server import WebServer
    from desktop_app.settings.declared import Settings
    from desktop_app.settings.presets import Preset
    from engine.session import Session
    from engine.sources.base import Source
    from engine.types import Notice

_POLL_S = 0.2
_CRASHED = "Captionglass crashed last time: to report it, run captionglass doctor --report FILE"


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """What the command line asked for, as it was typed; None leaves it to the settings."""

    source: str | None = None
    port: int | None = None
    allow_network: bool = False
    network_port: int | None = None
    show_token: bool = False
    obs_file: Path | None = None
    model: str | None = None
    profile: str | None = None
    language: str = ""
    provider: Provider = "auto"


def run_serve(request: ServeRequest) -> int:
    """Serve until somebody stops it.

    Returns:
        The exit code.

    Raises:
        UsageError, UnknownModelError: the request is wrong; nothing has been touched.
        CaptionglassError: the work failed.
    """
    kept = SettingsStore()
    settings = kept.load()
    for notice in kept.notices:
        _say_notice(notice)
    with Interrupts() as interrupts:
        profile = LatencyProfile.parse(request.profile or str(settings.profile))
        catalogue = load()
        spec = recognizer(catalogue, request.model or settings.model)
        language = request.language or settings.language
        check_language(spec, request.language)
        source = request.source or settings.source
        check_source(source)
        store = ModelStore()
        config = EngineConfig(
            model=installed(spec, store),
            vad=installed(catalogue.get(catalogue.vad), store),
            profile=profile,
            provider=request.provider if request.provider != "auto" else settings.provider,
            language=language,
            hotwords=settings.phrases,
            blank_penalty=settings.blank_penalty,
            isolated=settings.isolated,
            chinese_script=settings.chinese_script,
            version=__version__,
            smaller=SmallerModels(catalogue, store, language),
            denoiser=denoiser(settings.denoise, catalogue, store),
            punctuator=punctuator(settings.restore_punctuation, catalogue, store),
            auto_gain=settings.auto_gain,
        )
        with logs.kept("serve") as crashed:
            if crashed:
                complain(_CRASHED)
            return _serve(request, config, source, interrupts)


def _serve(request: ServeRequest, config: EngineConfig, source: str, interrupts: Interrupts) -> int:
    from desktop_app.serve.controller import Shelf
    from desktop_app.serve.engine_controller import (
        EngineController,
        appearance_of,
        default_css_file,
    )
    from desktop_app.serve.page import write_obs_file
    from desktop_app.serve.server import WebServer
    from desktop_app.serve.token import the_token
    from engine.session import Session

    token, place = the_token()
    controller = EngineController(
        config,
        source,
        _pick,
        lambda config, sources: Session(config, sources, [server.sink]),
        Shelf(load, ModelStore()),
        lambda: appearance_of(_look(controller.preset), default_css_file()),
    )
    port = SettingsStore().load().web_port if request.port is None else request.port
    server = WebServer(controller, token, port, network_port=_network_port(request, port))
    interrupts.defer()
    try:
        server.start()
        if request.obs_file is not None:
            write_obs_file(request.obs_file, server.address, token)
        _tell(server, token, place, shown=request.show_token or sys.stdout.isatty())
        controller.start()
        told: object = None
        dressed_by = (SettingsStore().path, default_css_file())
        written = _written(dressed_by)
        while interrupts.received is None:
            time.sleep(_POLL_S)
            if (now := _written(dressed_by)) != written:
                written = now
                server.show_look()
            session = controller.session
            if session is not told and (ending := _ending(session)):
                told = session
                complain(ending)
    finally:
        server.stop()
        controller.close()
    return interrupts.exit_code


def _look(preset: Preset | None) -> Settings:
    settings = SettingsStore().load()
    return settings if preset is None else preset.used_on(settings)


def _written(paths: Sequence[Path]) -> list[int]:
    """When each was written last; 0 where it is not there."""
    return [path.stat().st_mtime_ns if path.exists() else 0 for path in paths]


def _network_port(request: ServeRequest, port: int) -> int | None:
    if not request.allow_network:
        return None
    if request.network_port is not None:
        return request.network_port
    return port + 1 if port else 0


def _ending(session: Session | None) -> str:
    """What to say of a session that is over; empty where it is not."""
    if session is None or not session.wait(0.0):
        return ""
    if session.error is not None:
        return str(session.error)
    return "the sound has ended; captionglass ctl start begins again, Ctrl-C ends"


def _pick(source: str) -> list[Source]:
    return pick_sources(
        source,
        realtime=True,
        tell=_say_notice,
    )


def _say_notice(notice: Notice) -> None:
    complain(": ".join(filter(None, (notice.text, notice.remedy))))


def _tell(server: WebServer, token: str, place: secrets.Place, *, shown: bool) -> None:
    from desktop_app.serve.page import page_address

    if shown:
        say(f"page for OBS: {page_address(server.address, token)}")
    else:
        say(f"page for OBS: {server.address}/ (--show-token shows it with the token)")
    for address in server.network_addresses:
        say(f"for the network: {page_address(address, token) if shown else f'{address}/'}")
    if server.fingerprint:
        say(f"certificate, SHA-256: {server.fingerprint}")
    if place == "memory":
        complain(
            "there is no keyring, so the token changes with every start: set CAPTIONGLASS_TOKEN, "
            "or secrets_in_file in the settings"
        )
    flush_streams()
