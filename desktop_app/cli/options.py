"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.config import Provider

Debug = Annotated[
    bool, typer.Option("--debug", help="Log what happens; show the traceback of an error.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

Model = Annotated[
    str | None,
    typer.Option("--model", metavar="ID", help="The model; see `captionglass models list`."),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME|0..100",
        help="fastest, fast, balanced, steady, accurate, or a slider position.",
    ),
]
ProviderAsked = Annotated[
    Provider,
    typer.Option("--provider", help="What runs the model; auto takes a GPU that really works."),
]
Language = Annotated[
    str, typer.Option("--language", metavar="CODE", help="The language spoken, e.g. en.")
]

ExportFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT", help="Ends in .srt, .vtt, .txt, .md, .json, .ass, .ssa or .ttml."
    ),
]
ExportFormat = Annotated[
    str, typer.Option("--format", metavar="NAME", help="Where the name does not say.")
]
