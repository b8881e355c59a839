"""``captionglass export``: what ``caption --events`` wrote, as subtitles or a transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from desktop_app.commands.caption import lane_labels
from desktop_app.console import EXIT_DONE
from desktop_app.history.export import format_of, write
from desktop_app.history.lines import Line, Transcript
from engine.errors import UsageError
from engine.types import Word


def export_events(events: Path, file: Path, asked: str = "") -> int:
    """Write the captions of an events file in another format.

    Raises:
        UsageError: it is no events file, or no such format is known.
        SinkError: the file cannot be written.
    """
    kind = format_of(file, asked)
    title, lines = read_events(events)
    if file.exists() and file.samefile(events):
        raise UsageError(f"{file} would be overwritten with itself", "choose another name")
    write(lines, kind, file, title=title, lane_names=lane_labels())
    return EXIT_DONE


def read_events(path: Path) -> tuple[str, list[Line]]:
    """What an events file says was captioned, and its lines in order, each as it was last.

    A last line that a crash tore is left out.

    Raises:
        UsageError: it cannot be read, or is something else.
    """
    transcript, title, number = Transcript(), "", 0
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                if not text.endswith("\n"):
                    break
                found = json.loads(text)
                if number == 1:
                    title = str(found["header"]["source"])
                elif line := _line(found):
                    transcript.take(line)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror})", "name what caption --events wrote"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} holds no captions in line {number or 1}", "name what caption --events wrote"
        ) from error
    return title, transcript.lines


def _line(found: dict[str, Any]) -> Line | None:
    if gap := found.get("gap"):
        return Line("gap", str(gap["lane"]), "", float(gap["start"]), float(gap["end"]))
    if "segment" not in found:
        return None
    words = tuple(Word(str(text), float(start), float(end)) for text, start, end in found["words"])
    return Line(
        "speech",
        str(found["lane"]),
        f"{found['stable']}{found['unstable']}",
        float(found["start"]),
        float(found["end"]),
        int(found["segment"]),
        bool(found["final"]),
        # Words are known of the part that stays alone, until a line is finished.
        words=words if found["final"] else (),
    )
