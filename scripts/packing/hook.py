"""Run inside the packaged application before anything else: a library that is asked for by its name
is the one that was brought, on computers that have another or none."""

from __future__ import annotations

import ctypes.util
import sys
from collections.abc import Callable
from pathlib import Path


def brought_first(
    inside: Path, elsewhere: Callable[[str], str | None]
) -> Callable[[str], str | None]:
    """A ``ctypes.util.find_library`` that looks into a folder first.

    Args:
        inside: the folder.
        elsewhere: asked for what is not in it.
    """

    def find(name: str) -> str | None:
        # What is no name of a file is left to whoever can make something of it.
        if name and name.replace("-", "").replace("_", "").isalnum():
            for path in sorted(inside.glob(f"lib{name}.so*")):
                return str(path)
        return elsewhere(name)

    return find


if sys.platform == "linux" and hasattr(sys, "_MEIPASS"):
    ctypes.util.find_library = brought_first(  # type: ignore[assignment]
        Path(sys._MEIPASS), ctypes.util.find_library
    )
