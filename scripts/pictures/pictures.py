"""What the scripts that make pictures of windows share: each is run again at 100 and 200 %."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SCALED = "CAPTIONGLASS_SCALED"


def scale() -> str | None:
    """The scale at which this process draws; None where it is the one that starts the others."""
    return os.environ["QT_SCALE_FACTOR"] if _SCALED in os.environ else None


def at_each_scale(
    script: str,
    folder: Path,
    *more: str,
    variables: Callable[[str], Mapping[str, str]] = lambda _: {},
) -> int:
    """Run the script at each scale, where nothing is shown on any screen.

    Args:
        script: its file.
        folder: its first argument, which is made.
        more: its others.
        variables: of the environment, by the scale, beside those that all have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in ("1", "2"):
        env = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "QT_SCALE_FACTOR": number,
            _SCALED: "1",
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, script, str(folder), *more]
        subprocess.run(command, env=env | dict(variables(number)), check=True)
    return 0
