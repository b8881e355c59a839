"""What the sound server really records for this process: it moves streams without a word."""

from __future__ import annotations

import os
import sys

from engine.sources._pulse import PREFIX, connect, gone, pulse_installed


def recorded() -> list[str] | None:
    """Ids (as in an inventory) of what this process records, one for each stream.

    Returns:
        None where no PulseAudio server can be asked.
    """
    if not sys.platform.startswith("linux") or not pulse_installed():
        return None
    try:
        with connect() as pulse:
            names = {source.index: source.name for source in pulse.source_list()}
            return [
                PREFIX + names[stream.source]
                for stream in pulse.source_output_list()
                if stream.proplist.get("application.process.id") == str(os.getpid())
                and stream.source in names
            ]
    except gone():
        return None
