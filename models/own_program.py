"""Parts of this program in a process of their own: from a checkout and from the packaged
application alike, where there is no Python to be asked for a module."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

SWITCH = "--run-module"
"""First argument of the packaged application that makes it run a module instead of itself."""

_OURS = ("desktop_app.", "engine.", "models.")
_ROOT = Path(__file__).resolve().parents[1]


def packaged() -> bool:
    """Whether this is the packaged application."""
    return bool(getattr(sys, "frozen", False))


def command(module: str) -> list[str]:
    """The command line that runs a module of this program; its arguments come behind.

    Args:
        module: its full name, ``engine.bench.measure``.
    """
    if packaged():
        return [sys.executable, SWITCH, module]
    # Without -P a folder called "models" where the user stands would be taken for ours.
    return [sys.executable, "-P", "-m", module]


def environment() -> dict[str, str]:
    """The variables that ``command`` needs: our own, and where the program lies."""
    variables = dict(os.environ)
    if not packaged():
        paths = (str(_ROOT), variables.get("PYTHONPATH", ""))
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return variables


def run_if_asked(arguments: Sequence[str]) -> bool:
    """Run the module that the command line names, if it names one.

    Args:
        arguments: what follows the program's name.

    Returns:
        False where nothing of the kind was asked.

    Raises:
        SystemExit: what is asked for is no module of this program; or as the module says.
    """
    if list(arguments[:1]) != [SWITCH]:
        return False
    name = arguments[1] if len(arguments) > 1 else ""
    if not name.startswith(_OURS):
        raise SystemExit(f"captionglass: {name or 'nothing'} is no part of this program")
    sys.argv = list(arguments[1:])
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return True
