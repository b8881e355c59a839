"""``captionglass history``: what was said, on the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from desktop_app.console import EXIT_DONE, complain, say
from desktop_app.history.export import format_of, write
from desktop_app.history.lines import Line
from desktop_app.history.store import HistoryStore
from engine.errors import UsageError
from engine.sinks.text import labelled, not_heard, plain, stamp

_TITLE_WIDTH = 60


def list_sessions(*, as_json: bool = False) -> int:
    """Print a line for each session."""
    store = HistoryStore()
    sessions = store.sessions()
    _tell(store)
    if as_json:
        content = [
            {
                "id": session.id,
                "began": session.head.began,
                "title": session.title,
                "source": session.head.source,
                "model": session.head.model,
                "lines": session.lines,
                "seconds": round(session.end, 3),
            }
            for session in sessions
        ]
        say(json.dumps(content, ensure_ascii=False, indent=1))
        return EXIT_DONE
    for session in sessions:
        what = plain(session.title) or session.first_words
        what = what if len(what) <= _TITLE_WIDTH else what[: _TITLE_WIDTH - 1] + "…"
        length = stamp(int(session.end))
        say(f"{session.id}  {session.when}  {length:>7}  {session.lines:>5} lines  {what}")
    if not sessions:
        say("nothing is kept")
    return EXIT_DONE


def show_session(which: str, *, times: bool = False) -> int:
    """Print what was said.

    Raises:
        CaptionglassError: there is no such session, or it cannot be read.
    """
    store = HistoryStore()
    record = store.read(store.find(which))
    _tell(store)
    lanes = {line.lane for line in record.lines if line.kind == "speech"}
    names = record.head.lane_names if len(lanes) > 1 else None
    for line in record.lines:
        say(printed(line, dict(names) if names else None, times=times))
    return EXIT_DONE


def printed(line: Line, names: dict[str, str] | None, *, times: bool) -> str:
    """A line of a transcript, for people."""
    text = not_heard((line.start, line.end)) if line.kind == "gap" else line.text
    head = f"[{stamp(int(line.start))}] " if times else ""
    return head + labelled(text, line.lane, names)


def export_session(which: str, file: Path, asked: str = "") -> int:
    """Write a session to a file.

    Raises:
        CaptionglassError: there is no such session or format, or the file cannot be written.
    """
    kind = format_of(file, asked)
    store = HistoryStore()
    record = store.read(store.find(which))
    _tell(store)
    write(
        record.lines,
        kind,
        file,
        title=record.title or record.head.source,
        lane_names=record.head.lane_names,
    )
    return EXIT_DONE


def rename_session(which: str, title: str) -> int:
    """Give a session a name.

    Raises:
        CaptionglassError: there is no such session, or it cannot be written.
    """
    store = HistoryStore()
    store.rename(store.find(which), title)
    return EXIT_DONE


def delete_sessions(which: Sequence[str], *, everything: bool = False) -> int:
    """Delete sessions for good.

    Raises:
        CaptionglassError: there is no such session, or it cannot be deleted.
    """
    if bool(which) == everything:
        raise UsageError("nothing says what to delete", "name sessions, or give --all")
    store = HistoryStore()
    if everything:
        store.delete_all()
        return EXIT_DONE
    # All are looked up before the first goes.
    for session_id in [store.find(each) for each in which]:
        store.delete(session_id)
    return EXIT_DONE


def _tell(store: HistoryStore) -> None:
    for notice in store.notices:
        complain(f"{notice.text}: {notice.remedy}" if notice.remedy else notice.text)
