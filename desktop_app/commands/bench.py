"""``captionglass bench``: what captions cost and how good they are, on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import __version__
from desktop_app.commands.install import installed, recognizer
from desktop_app.console import EXIT_DONE, complain, say
from desktop_app.interrupts import Interrupts
from engine.config import STOPS, LatencyProfile, Provider
from engine.errors import CaptionglassError, UsageError
from models import own_program
from models.catalogue import load
from models.store import ModelStore

if TYPE_CHECKING:
    from engine.bench.report import Report


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """What the command line asked for, as it was typed."""

    audio: tuple[Path, ...]
    reference: Path
    profiles: str | None = None
    json: Path | None = None
    virtual_time: bool = False
    peers: bool = False
    peer_python: str | None = None
    model: str | None = None
    provider: Provider = "auto"
    limit_seconds: float | None = None


def run_bench(request: BenchRequest) -> int:
    """Measure and print the table.

    Returns:
        The exit code.

    Raises:
        UsageError, UnknownModelError: the request is wrong; nothing has been measured.
        CaptionglassError: the work failed.
    """
    with Interrupts():
        profiles = parse_profiles(request.profiles)
        if request.peers and request.virtual_time:
            raise UsageError(
                "--peers and --virtual-time exclude one another", "peers run in real time only"
            )
        if request.peers and request.peer_python is None and own_program.packaged():
            raise UsageError(
                "the packaged Captionglass has no Python for --peers", "name one with --peer-python"
            )
        _check_output(request.json)
        catalogue = load()
        spec = recognizer(catalogue, request.model)

        from engine.bench import contender, recordings, runner

        found = recordings.find(request.audio, request.reference)
        if request.limit_seconds is not None:
            found = recordings.within(found, request.limit_seconds)
        store = ModelStore()
        plan = runner.Plan(
            recordings=found,
            profiles=profiles,
            model=installed(spec, store),
            vad=installed(catalogue.get(catalogue.vad), store),
            provider=request.provider,
            version=__version__,
            virtual_time=request.virtual_time,
            peers=contender.PEERS if request.peers else (),
            peer_python=request.peer_python or sys.executable,
        )
        report = runner.run(plan, complain)
        say(report.table())
        if request.json is not None:
            _write(report, request.json)
    return EXIT_DONE


def parse_profiles(text: str | None) -> list[LatencyProfile]:
    """Profiles separated by commas; all five stops where none is named.

    Raises:
        UsageError: one of them does not exist.
    """
    names: Sequence[str] = text.split(",") if text else list(STOPS)
    return list(dict.fromkeys(LatencyProfile.parse(name) for name in names))


def _check_output(path: Path | None) -> None:
    if path is None:
        return
    try:
        if path.is_dir():
            raise UsageError(f"--json: {str(path)!r} is a folder", "name a file in it")
        if not path.parent.is_dir():
            raise UsageError(f"--json: the folder of {str(path)!r} does not exist", "make it first")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--json: this is no name for a file ({error})", "choose another"
        ) from error


def _write(report: Report, path: Path) -> None:
    text = json.dumps(report.json(), ensure_ascii=False, indent=2)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise CaptionglassError(
            f"{str(path)!r} cannot be written ({error.strerror})", "name another file"
        ) from error
