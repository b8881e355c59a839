"""A transcript as a file: SubRip, WebVTT, plain text, Markdown, JSON and others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.history import foreign
from desktop_app.history.lines import Line
from engine.errors import SinkError, UsageError
from engine.types import GAP, CaptionUpdate, Notice, StreamHeader, StreamSummary

if TYPE_CHECKING:
    from engine.sinks.base import Sink

FORMATS = {
    "srt": "SubRip subtitles",
    "vtt": "WebVTT subtitles",
    "txt": "Plain text",
    "md": "Markdown",
    "json": "JSON",
    **foreign.FORMATS,
}
"""What can be written, by the ending of the file's name."""

_BETWEEN_SESSIONS_S = 1.0


def format_of(path: Path, asked: str = "") -> str:
    """What to write: what was asked for, else what the file's name ends with.

    Raises:
        UsageError: it is none of ``FORMATS``.
    """
    name = (asked or path.suffix).lower().lstrip(".")
    name = {"markdown": "md", "text": "txt"}.get(name, name)
    if name not in FORMATS:
        raise UsageError(
            f"{asked or path.name} names no format", f"end the name in {', '.join(FORMATS)}"
        )
    return name


def write(
    lines: Sequence[Line],
    asked: str,
    path: Path,
    *,
    title: str = "",
    lane_names: Mapping[str, str] | None = None,
) -> None:
    """Write a transcript.

    Args:
        lines: in order. Times of a second session follow those of the first.
        asked: one of ``FORMATS``.
        path: of the file; one that is there is replaced.
        title: what it is of.
        lane_names: printed before the lines, where more than one lane speaks.

    Raises:
        SinkError: the file cannot be written.
    """
    lines = in_one_time(lines)
    lanes = {line.lane for line in lines if line.kind == "speech"}
    labels = lane_names if len(lanes) > 1 else None
    if asked == "json":
        _write_json(lines, path, title, lane_names)
        return
    if asked in foreign.FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            srt = Path(folder, "all.srt")
            write(lines, "srt", srt, lane_names=lane_names)
            foreign.convert(srt, asked, path)
        return
    sink = _sink(asked, path, labels)
    sink.open(StreamHeader("", "", "", "", 16_000, title))
    for number, line in enumerate(lines):
        if line.kind == "gap":
            span = (line.start, line.end)
            sink.notice(Notice(GAP, "info", "", lane=line.lane, span=span))
        else:
            sink.update(_update(line, number), 0.0)
    sink.close(StreamSummary(0.0, 0.0, 0.0, 0.0, 0, 0.0, 0, 0))


def in_one_time(lines: Sequence[Line]) -> list[Line]:
    """``lines`` without the marks between sessions, on one clock that never goes back."""
    from dataclasses import replace

    found: list[Line] = []
    shift = latest = 0.0
    for line in lines:
        if line.kind == "start":
            shift = latest + _BETWEEN_SESSIONS_S
            continue
        words = tuple(
            replace(word, start=word.start + shift, end=word.end + shift) for word in line.words
        )
        found.append(replace(line, start=line.start + shift, end=line.end + shift, words=words))
        latest = max(latest, found[-1].end)
    return found


def _sink(asked: str, path: Path, labels: Mapping[str, str] | None) -> Sink:
    if asked == "srt":
        from engine.sinks.subtitles import SrtSink

        return SrtSink(path, labels)
    if asked == "vtt":
        from engine.sinks.subtitles import VttSink

        return VttSink(path, labels)
    if asked == "md":
        from engine.sinks.markdown import MarkdownSink

        return MarkdownSink(path, labels)
    from engine.sinks.text import TextSink

    return TextSink(path, labels)


def _update(line: Line, number: int) -> CaptionUpdate:
    return CaptionUpdate(
        lane=line.lane,
        segment_id=number,
        revision=0,
        stable=line.text,
        unstable="",
        start=line.start,
        end=line.end,
        heard_at=0.0,
        is_final=True,
        words=line.words,
        language=line.language,
    )


def _write_json(
    lines: Sequence[Line], path: Path, title: str, lane_names: Mapping[str, str] | None
) -> None:
    from engine.sinks._files import explain

    content = {
        "title": title,
        "lanes": dict(lane_names or {}),
        "lines": [
            {
                "kind": line.kind,
                "lane": line.lane,
                "start": round(line.start, 3),
                "end": round(line.end, 3),
                "text": line.text,
                "language": line.language,
                "words": [[w.text, round(w.start, 3), round(w.end, 3)] for w in line.words],
            }
            for line in lines
        ],
    }
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.write("\n")
    except OSError as error:
        raise SinkError(*explain(path, error)) from error
