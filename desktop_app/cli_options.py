"""Options that commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Debug = Annotated[
    bool, typer.Option("--debug", help="Log what happens; show the traceback of an error.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
