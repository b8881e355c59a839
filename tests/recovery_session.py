"""A session on real devices in a process of its own; every event is a line of JSON on stdout.

    python tests/recovery_session.py LANE[=NAME] ...

``LANE`` is ``mic`` or ``system``; with ``NAME`` it is pinned to that device. It ends when its
standard input does. PortAudio reads the environment when it starts, hence the process.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine.config import EngineConfig, LatencyProfile
from engine.session import Session
from engine.sources.base import Source
from engine.sources.inventory import choose_default, find
from engine.sources.platforms import open_device, open_inventory
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary
from models import catalogue
from models.store import ModelStore


def say(**event: Any) -> None:
    """With the time, by the clock that all processes of a machine share."""
    sys.stdout.write(json.dumps({"at": time.monotonic()} | event) + "\n")
    sys.stdout.flush()


class Printer:
    """A sink that prints what a test wants to know."""

    name = "printer"

    def open(self, header: StreamHeader) -> None:
        say(header=header.source)

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        del published_at
        if update.is_final:
            words = [[word.text, word.start, word.end] for word in update.words]
            say(lane=update.lane, words=words)

    def notice(self, notice: Notice) -> None:
        say(notice=notice.code, lane=notice.lane, text=notice.text, span=notice.span)

    def close(self, summary: StreamSummary) -> None:
        say(summary=summary.audio_s)


def source(argument: str) -> Source:
    """What is to be captioned."""
    lane, _, name = argument.partition("=")
    kind = "input" if lane == "mic" else "output"
    devices = open_inventory().devices()
    device = find(devices, name, kind) if name else choose_default(devices, kind)  # type: ignore[arg-type]
    assert device is not None, f"no device for {argument}: {devices}"
    return open_device(device, lane, pinned=bool(name))


def main() -> None:
    """Caption until standard input ends."""
    # As the command line does: what the log says is not for standard error.
    logging.basicConfig(level=logging.CRITICAL)
    known, store = catalogue.load(), ModelStore()
    config = EngineConfig(
        model=store.files(known.get(known.default)),
        vad=store.files(known.get(known.vad)),
        profile=LatencyProfile.parse("fast"),
        provider="cpu",
    )
    session = Session(config, [source(each) for each in sys.argv[1:]], [Printer()])
    session.start()
    sys.stdin.read()
    session.stop()
    say(error=str(session.error) if session.error else "")


if __name__ == "__main__":
    main()
