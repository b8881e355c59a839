"""Runs the whole overlay with an engine that says what the command line tells it to.

python overlay_window.py JSON        JSON: a list of [segment, stable, unstable]
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

from fixtures_session import FakeSession, caption

from desktop_app.application import app, starting
from desktop_app.application.startup import Started, Wish


def main() -> int:
    """Stay until a signal comes; says ``stopped`` where the session was stopped properly."""
    updates = [
        caption(stable, unstable, segment=segment)
        for segment, stable, unstable in json.loads(sys.argv[1])
    ]
    sessions: list[FakeSession] = []

    def start(
        wish: Wish,
        sink: Any,
        say: Callable[[str], None],
        cancel: threading.Event,
        make_session: Any = None,
    ) -> Started:
        del wish, say, cancel, make_session
        session = FakeSession(sinks=[sink])
        sessions.append(session)
        session.start()
        session.run()
        session.say(*updates)
        return Started(session, "a test", ())

    starting.start_session = start
    code = app.run_overlay(app.OverlayOptions())
    if all("stop" in session.calls for session in sessions):
        sys.stdout.write("stopped\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
