"""The sinks for each kind of output that was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import SinkError, UsageError
from engine.sinks._files import OutputFile, Tell, tell_nobody

if TYPE_CHECKING:
    from desktop_app.outputs.obs import ObsTarget
    from engine.sinks._order import Labels
    from engine.sinks.base import Sink


@dataclass(frozen=True, slots=True)
class OutputPaths:
    """Where each kind of output goes; None where it was not asked for.

    Attributes:
        obs: which OBS gets captions.
        redis: address of a Redis server; ``redis_partials`` sends it unfinished lines too.
    """

    events: Path | None = None
    srt: Path | None = None
    vtt: Path | None = None
    txt: Path | None = None
    md: Path | None = None
    live_text: Path | None = None
    obs: ObsTarget | None = None
    redis: str | None = None
    redis_partials: bool = False

    def given(self) -> Iterator[tuple[str, Path]]:
        """Option and path of every file asked for."""
        for option in ("events", "srt", "vtt", "txt", "md", "live_text"):
            path = getattr(self, option)
            if path is not None:
                yield f"--{option.replace('_', '-')}", path

    def check(self, source: str) -> None:
        """Notice before any work what would fail after it.

        Raises:
            UsageError: a file cannot be written there, two are the same, or one is the source.
        """
        seen: dict[str, str] = {}
        for option, path in self.given():
            key = os.path.realpath(path)
            if key in seen:
                raise UsageError(
                    f"{seen[key]} and {option} name the same file", "give each its own"
                )
            seen[key] = option
            if _same(path, source):
                raise UsageError(
                    f"{option} would overwrite the recording {source}", "choose another name"
                )
        for option, path in self.given():
            try:
                OutputFile(path).probe()
            except SinkError as error:
                raise UsageError(f"{option}: {error.message}", error.remedy) from error

    def sinks(self, labels: Labels | None = None, tell: Tell = tell_nobody) -> list[Sink]:
        """A sink for each file, on a thread of its own.

        Args:
            labels: names to print for the lanes, where there are two.
            tell: takes what OBS has to say, and files on a full disk, on any thread.
        """
        from engine.sinks.jsonl import JsonlSink
        from engine.sinks.live_text import LiveTextSink
        from engine.sinks.markdown import MarkdownSink
        from engine.sinks.queued import QueuedSink
        from engine.sinks.subtitles import SrtSink, VttSink
        from engine.sinks.text import TextSink

        found: list[Sink] = []
        if self.events:
            found.append(QueuedSink(JsonlSink(self.events, tell)))
        if self.srt:
            found.append(QueuedSink(SrtSink(self.srt, labels, tell)))
        if self.vtt:
            found.append(QueuedSink(VttSink(self.vtt, labels, tell)))
        if self.txt:
            found.append(QueuedSink(TextSink(self.txt, labels, tell)))
        if self.md:
            found.append(QueuedSink(MarkdownSink(self.md, labels, tell)))
        if self.live_text:
            found.append(QueuedSink(LiveTextSink(self.live_text, tell=tell)))
        if self.obs:
            # It has a thread of its own, and so has the next.
            found.append(self.obs.sink(tell))
        if self.redis:
            from engine.sinks.redis_stream import RedisSink

            found.append(RedisSink(self.redis, partials=self.redis_partials))
        return found


def _same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False
