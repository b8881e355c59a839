"""From the settings to the sinks that a session of the window writes to. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.outputs.obs import ObsTarget, complaint
from desktop_app.outputs.paths import OutputPaths

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from engine.sinks.base import Sink
    from engine.types import Notice

_KINDS = ("srt", "vtt", "txt", "md", "jsonl")
_OPTIONS = {"jsonl": "events"}
_PARTS = {"live_text": ("live_text",), "obs": ("obs",), "redis": ("redis", "redis_partials")}
"""What is not a file of its own for each session, and what it follows from."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where captions go beside the window.

    Attributes:
        folder: for the files; None for that of the user's documents.
        kinds: of files, by their endings.
        live_text: a file that holds the newest rows.
        obs: None for none.
        redis: address of a server; ``redis_partials`` sends it unfinished lines too.
        labels: names of the lanes, where there are two.
    """

    folder: Path | None = None
    kinds: tuple[str, ...] = ()
    live_text: Path | None = None
    obs: ObsTarget | None = None
    redis: str | None = None
    redis_partials: bool = False
    labels: dict[str, str] = field(default_factory=dict)


def outputs_of(settings: Settings, *, two_lanes: bool = False) -> Outputs:
    """What the settings ask for."""
    obs = ObsTarget(
        settings.obs_host,
        settings.obs_port,
        settings.obs_text_source,
        settings.obs_closed_captions,
        settings.obs_follow_stream,
    )
    return Outputs(
        folder=_path(settings.outputs_folder),
        kinds=tuple(kind for kind in _KINDS if getattr(settings, f"outputs_{kind}")),
        live_text=_path(settings.live_text_file),
        obs=obs if settings.obs_enabled else None,
        redis=settings.redis_url or None,
        redis_partials=settings.redis_partials,
        labels=settings.lane_names if two_lanes else {},
    )


def make_sinks(
    outputs: Outputs, tell: Callable[[Notice], None], now: datetime | None = None
) -> dict[str, Sink]:
    """The sinks for what begins now, by name: a kind of file, ``live_text``, ``obs``, ``redis``.
    What cannot be written is told; captions go on.

    Args:
        outputs: what is asked for.
        tell: takes notices, on any thread.
        now: names the files; the present by default.
    """
    files: dict[str, Path] = {}
    if outputs.kinds:
        folder = outputs.folder or default_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stem = _free_stem(folder, outputs.kinds, now or datetime.now().astimezone())
            files = {kind: folder / f"{stem}.{kind}" for kind in outputs.kinds}
        except OSError as error:
            tell(
                complaint(
                    "outputs.folder",
                    f"No caption files are written: {folder} cannot be used ({error.strerror})",
                    "choose another folder in the settings",
                )
            )
    asked = {
        kind: OutputPaths(**{_OPTIONS.get(kind, kind): file})  # type: ignore[arg-type]
        for kind, file in files.items()
    }
    if outputs.live_text is not None:
        asked["live_text"] = OutputPaths(live_text=outputs.live_text)
    if outputs.obs is not None:
        asked["obs"] = OutputPaths(obs=outputs.obs)
    if outputs.redis is not None:
        asked["redis"] = OutputPaths(redis=outputs.redis, redis_partials=outputs.redis_partials)
    labels = outputs.labels or None
    return {name: sink for name, one in asked.items() for sink in one.sinks(labels, tell)}


def changed(before: Outputs, now: Outputs) -> tuple[frozenset[str], Outputs]:
    """What follows from other settings while captions run.

    Returns:
        The names (``make_sinks``) of those that end, and what begins. A file that goes on keeps
        the names of the lanes it began with.
    """
    ends = {kind for kind in before.kinds if kind not in now.kinds or before.folder != now.folder}
    begins = Outputs(
        folder=now.folder,
        kinds=tuple(kind for kind in now.kinds if kind in ends or kind not in before.kinds),
        labels=now.labels,
    )
    for name, fields in _PARTS.items():
        if any(getattr(before, field) != getattr(now, field) for field in fields):
            ends |= {name} if getattr(before, fields[0]) is not None else set()
            begins = replace(begins, **{each: getattr(now, each) for each in fields})
    return frozenset(ends), begins


def default_folder() -> Path:
    """Where files go that the settings name no folder for."""
    from platformdirs import user_documents_path

    return user_documents_path() / "Captionglass"


def _path(text: str) -> Path | None:
    # Where a desktop starts a program from means nothing to the person who wrote the setting.
    return Path.home() / Path(text).expanduser() if text.strip() else None


def _free_stem(folder: Path, kinds: tuple[str, ...], now: datetime) -> str:
    """A name by date and time that none of the files has yet."""
    stem = first = f"{now:%Y-%m-%d %H-%M-%S}"
    number = 1
    while any((folder / f"{stem}.{kind}").exists() for kind in kinds):
        number += 1
        stem = f"{first} {number}"
    return stem
