"""``captionglass devices``: the sound inputs of this machine."""

from __future__ import annotations

import dataclasses
import json

from desktop_app.console import EXIT_DONE, complain, say


def print_devices(*, as_json: bool = False) -> int:
    """Print the sound inputs, one a line.

    Raises:
        DeviceError: the sound system cannot be asked.
    """
    from engine.sources.device import list_devices

    found = list_devices()
    if as_json:
        rows = [dataclasses.asdict(device) for device in found]
        say(json.dumps(rows, ensure_ascii=False, indent=2))
        return EXIT_DONE
    if not found:
        complain("there is no sound input: plug in a microphone, or start the sound server")
    for device in found:
        say(device.name)
    return EXIT_DONE
