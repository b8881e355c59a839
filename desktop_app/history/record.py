"""How a session stands in its file: one JSON object a line, the newest of each caption line last.

Append-only: a write that a crash or power cut tears spoils its own line and none before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop_app.history.lines import Line, Transcript
from engine.types import Word

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Head:
    """What the first line of a file says.

    Attributes:
        began: seconds since 1970 at the session's start.
        source: what was listened to, for people.
        model: id of the recogniser.
        version: of the program.
        lane_names: to print for the lanes.
    """

    began: float
    source: str = ""
    model: str = ""
    version: str = ""
    lane_names: Mapping[str, str] | None = None


def encode(content: Mapping[str, Any]) -> bytes:
    """One line of a file."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def encode_head(head: Head) -> bytes:
    """The first line."""
    return encode(
        {
            "session": {
                "format": FORMAT,
                "began": round(head.began, 3),
                "source": head.source,
                "model": head.model,
                "version": head.version,
                "lanes": dict(head.lane_names or {}),
            }
        }
    )


def encode_line(line: Line) -> bytes:
    """A caption line or a gap."""
    times = {"lane": line.lane, "start": round(line.start, 3), "end": round(line.end, 3)}
    if line.kind == "gap":
        return encode({"gap": times})
    content: dict[str, Any] = {"id": line.id, **times, "text": line.text}
    if not line.is_final:
        content["draft"] = True
    if line.language:
        content["language"] = line.language
    if line.words:
        content["words"] = [[w.text, round(w.start, 3), round(w.end, 3)] for w in line.words]
    return encode({"line": content})


class NotARecordError(ValueError):
    """The file does not begin as one of ours does."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a file holds.

    Attributes:
        head: its first line.
        title: the name that a person gave it; empty for none.
        lines: in order, each in its newest state.
        damaged: how many lines of the file cannot be read.
    """

    head: Head
    title: str
    lines: tuple[Line, ...]
    damaged: int


def decode(data: bytes, *, words: bool = True) -> Record:
    """Read a file's contents, passing over what is damaged.

    Args:
        data: all of the file.
        words: with the times of each word, which takes four times as long.

    Raises:
        NotARecordError: the first line is not one of ours.
    """
    first, _, rest = data.partition(b"\n")
    head = decode_head(first)
    transcript = Transcript()
    title, damaged = "", 0
    rows = rest.split(b"\n")
    for number, raw in enumerate(rows):
        try:
            content = dict(json.loads(raw))
            if "line" in content:
                transcript.take(_line(content["line"], words))
            elif "gap" in content:
                gap = content["gap"]
                transcript.take(
                    Line("gap", str(gap["lane"]), "", float(gap["start"]), float(gap["end"]))
                )
            elif "title" in content:
                title = str(content["title"])
        except (ValueError, TypeError, KeyError, AttributeError):
            # What has no line's end was cut off in its middle, as a crash does: no damage.
            damaged += bool(raw) and number < len(rows) - 1
    return Record(head, title, tuple(transcript.lines), damaged)


def decode_head(raw: bytes) -> Head:
    """Read the first line.

    Raises:
        NotARecordError: it is not one of ours.
    """
    try:
        session = json.loads(raw)["session"]
        names = {str(key): str(name) for key, name in dict(session.get("lanes", {})).items()}
        return Head(
            float(session["began"]),
            str(session.get("source", "")),
            str(session.get("model", "")),
            str(session.get("version", "")),
            names,
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise NotARecordError("no record of a session") from error


def _line(content: Any, with_words: bool) -> Line:
    said = content.get("words", ()) if with_words else ()
    words = tuple(Word(str(text), float(start), float(end)) for text, start, end in said)
    return Line(
        "speech",
        str(content["lane"]),
        str(content["text"]),
        float(content["start"]),
        float(content["end"]),
        int(content["id"]),
        not content.get("draft", False),
        str(content.get("language", "")),
        words,
    )
