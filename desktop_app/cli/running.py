"""Options of the bare command that speak to the Captionglass that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

FirstRun = Annotated[
    bool, typer.Option("--first-run", help="Show the first steps again, here or in one that runs.")
]
New = Annotated[bool, typer.Option("--new", help="Open another window beside one that is open.")]
Toggle = Annotated[
    bool, typer.Option("--toggle", help="Ask the one that runs to show or hide its captions.")
]
Pause = Annotated[bool, typer.Option("--pause", help="Ask it to pause, or to go on.")]
Show = Annotated[bool, typer.Option("--show", help="Ask it to show its captions.")]
Hide = Annotated[bool, typer.Option("--hide", help="Ask it to hide them.")]
Lock = Annotated[
    bool, typer.Option("--lock", help="Ask it to let clicks through its window, or no longer.")
]
UsePreset = Annotated[
    str | None,
    typer.Option(
        "--use-preset",
        metavar="NAME",
        help="Take that preset: the one that runs, or the one that starts.",
    ),
]
OpenSettings = Annotated[
    bool, typer.Option("--settings", help="Open the settings, of the one that runs if there is.")
]
NextPreset = Annotated[bool, typer.Option("--next-preset", help="Ask it to take the next preset.")]
Quit = Annotated[bool, typer.Option("--quit", help="Ask it to end.")]

_COMMANDS = {
    "show": "show",
    "hide": "hide",
    "toggle": "toggle",
    "pause": "pause",
    "lock": "lock",
    "next_preset": "next-preset",
    "quit_running": "quit",
}


def asked_of_the_running(parameters: Mapping[str, Any]) -> list[str]:
    """The commands among the options given, ``quit`` last."""
    return [command for name, command in _COMMANDS.items() if parameters.get(name)]
