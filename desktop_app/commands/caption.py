"""``captionglass caption``: captions in the terminal and in files, with no window."""

from __future__ import annotations

import contextlib
import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from desktop_app import __version__
from desktop_app.commands.install import denoiser, installed, punctuator, recognizer
from desktop_app.console import EXIT_DONE, EXIT_FAILED, complain
from desktop_app.interrupts import Interrupts
from desktop_app.outputs.paths import OutputPaths
from desktop_app.pick_source import pick_sources
from engine.config import ChineseScript, Denoise, EngineConfig, LatencyProfile, Provider
from engine.errors import SinkError, UsageError
from models.catalogue import Catalogue, load
from models.smaller import SmallerModels
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

if TYPE_CHECKING:
    from engine.sinks.memory import NoticeSink
    from engine.sources.base import Source
    from engine.types import Notice

_DEFAULT_PROFILE = "balanced"

_POLL_S = 0.05
_SWAP_ANSWERS = ("model.swapped", "model.swap_failed")


@dataclass(frozen=True, slots=True)
class CaptionRequest:
    """What the command line asked for, as it was typed."""

    source: str
    realtime: bool = False
    profile: str | None = None
    model: str | None = None
    language: str = ""
    hotwords: Path | None = None
    chinese_script: ChineseScript = "as-is"
    switch_at: tuple[str, ...] = ()
    outputs: OutputPaths = field(default_factory=OutputPaths)
    blank_penalty: float = 0.0
    denoise: Denoise = "off"
    punctuate: bool = False
    auto_gain: bool = True
    provider: Provider = "auto"


def run_caption(request: CaptionRequest) -> int:
    """Caption until the sound ends or somebody stops it.

    Returns:
        The exit code; 1 also where captions were made but a file could not be written to its end.

    Raises:
        UsageError, UnknownModelError: the request is wrong; nothing has been touched.
        CaptionglassError: the work failed.
    """
    with Interrupts() as interrupts:
        # The cheap questions come first: no download before a misspelt profile is noticed.
        profile = LatencyProfile.parse(request.profile or _DEFAULT_PROFILE)
        catalogue = load()
        spec = recognizer(catalogue, request.model)
        check_language(spec, request.language)
        switches = parse_switches(request.switch_at, catalogue)
        hotwords = read_hotwords(request.hotwords)
        request.outputs.check(request.source)
        sources = pick_sources(request.source, realtime=request.realtime, tell=_tell)
        store = ModelStore()
        config = EngineConfig(
            model=installed(spec, store),
            vad=installed(catalogue.get(catalogue.vad), store),
            profile=profile,
            provider=request.provider,
            language=request.language,
            hotwords=hotwords,
            blank_penalty=request.blank_penalty,
            chinese_script=request.chinese_script,
            version=__version__,
            smaller=SmallerModels(catalogue, store, request.language),
            denoiser=denoiser(request.denoise, catalogue, store),
            punctuator=punctuator(request.punctuate, catalogue, store),
            auto_gain=request.auto_gain,
            # A file can be read again; what is said now cannot.
            isolated=any(source.live for source in sources),
        )
        later = [(at, installed(spec, store), provider) for at, spec, provider in switches]
        return _run(config, sources, request.outputs, later, interrupts)


def read_hotwords(path: Path | None) -> tuple[str, ...]:
    """The phrases of a file, one a line.

    Raises:
        UsageError: it cannot be read.
    """
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the phrases in {path} cannot be read", "name a text file in UTF-8, one phrase a line"
        ) from error
    return tuple(line.strip() for line in lines if line.strip())


def check_language(spec: ModelSpec, code: str) -> None:
    """See that the model knows a language.

    Raises:
        UsageError: it does not.
    """
    if not code:
        return
    known = {language.casefold() for language in spec.languages}
    wanted = code.casefold()
    if wanted in known or wanted.partition("-")[0] in known:
        return
    near = difflib.get_close_matches(wanted, sorted(known), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"{spec.id} does not caption the language {code!r}",
        f"{hint}It knows {', '.join(spec.languages)}",
    )


def parse_switches(
    texts: Sequence[str], catalogue: Catalogue
) -> list[tuple[float, ModelSpec, Provider | None]]:
    """``--switch-at`` values, the earliest first: when, to which model, and on which provider from
    then on, where that changes.

    Raises:
        UsageError: one does not read SECONDS=ID or SECONDS=ID@PROVIDER.
        UnknownModelError: it names no model.
    """
    found = []
    for text in texts:
        seconds, equals, rest = text.partition("=")
        model_id, asks, named = rest.partition("@")
        provider = next((known for known in get_args(Provider) if known == named), None)
        try:
            at = float(seconds)
        except ValueError:
            at = -1.0
        if not equals or not 0.0 <= at < float("inf"):
            raise UsageError(
                f"--switch-at {text!r} does not read SECONDS=ID",
                f"for example --switch-at 30={catalogue.default}",
            )
        if asks and provider is None:
            raise UsageError(
                f"--switch-at {text!r} names no provider behind @",
                f"use one of {', '.join(get_args(Provider))}",
            )
        found.append((at, recognizer(catalogue, model_id), provider))
    return sorted(found, key=lambda switch: switch[0])


def _run(
    config: EngineConfig,
    sources: Sequence[Source],
    outputs: OutputPaths,
    switches: list[tuple[float, ModelFiles, Provider | None]],
    interrupts: Interrupts,
) -> int:
    from engine.session import Session
    from engine.sinks.memory import NoticeSink
    from engine.sinks.queued import QueuedSink
    from engine.sinks.terminal import TerminalSink

    labels = lane_labels() if len(sources) > 1 else None
    terminal = TerminalSink(sys.stdout, sys.stderr, labels=labels)
    notices = NoticeSink()
    shown = QueuedSink(terminal)

    def tell(notice: Notice) -> None:
        # A terminal that has gone is no reason for OBS to be left alone.
        with contextlib.suppress(SinkError):
            shown.notice(notice)

    # The terminal closes after the files, to tell of those that fail at the very end.
    sinks = [*outputs.sinks(labels, tell), shown, notices]
    session = Session(config, sources, sinks)
    interrupts.defer()
    offered = 0
    try:
        session.start()
        while not session.wait(_POLL_S):
            if interrupts.received is not None or terminal.broken:
                break
            # The session holds one swap at a time: the next waits until the last is answered.
            if switches and _answered(notices) == offered:
                seconds, files, provider = switches.pop(0)
                session.swap_model(files, seconds, provider)
                offered += 1
    finally:
        session.stop()
    if session.error is not None:
        raise session.error
    if terminal.failure is not None:
        raise terminal.failure
    if interrupts.received is not None:
        return interrupts.exit_code
    if terminal.broken:
        return EXIT_DONE
    return EXIT_FAILED if "sink.failed" in notices.codes else EXIT_DONE


def lane_labels() -> dict[str, str]:
    """What the user calls the two lanes."""
    from desktop_app.settings.store import SettingsStore

    return SettingsStore().load().lane_names


def _tell(notice: Notice) -> None:
    complain(f"{notice.text}: {notice.remedy}" if notice.remedy else notice.text)


def _answered(notices: NoticeSink) -> int:
    return sum(notices.codes.count(code) for code in _SWAP_ANSWERS)
