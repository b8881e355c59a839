"""``captionglass history ...``: what can be asked, in words. The work is in ``commands``."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_app.cli.options import AsJson, Debug, ExportFile, ExportFormat

history_app = typer.Typer(
    help="List, show, export, name and delete what was captioned in the window.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

Which = Annotated[
    str, typer.Argument(metavar="ID", help="As listed, its beginning is enough; or `last`.")
]


@history_app.command("list")
def history_list(as_json: AsJson = False, debug: Debug = False) -> int:
    """List the sessions, the newest first."""
    del debug
    from desktop_app.commands.history import list_sessions

    return list_sessions(as_json=as_json)


@history_app.command("show")
def history_show(
    which: Which,
    times: Annotated[bool, typer.Option("--times", help="With the time of each line.")] = False,
    debug: Debug = False,
) -> int:
    """Print what was said."""
    del debug
    from desktop_app.commands.history import show_session

    return show_session(which, times=times)


@history_app.command("export")
def history_export(
    which: Which,
    file: ExportFile,
    asked: ExportFormat = "",
    debug: Debug = False,
) -> int:
    """Write a session to a file."""
    del debug
    from desktop_app.commands.history import export_session

    return export_session(which, file, asked)


@history_app.command("rename")
def history_rename(
    which: Which,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Empty takes the name away.")],
    debug: Debug = False,
) -> int:
    """Give a session a name."""
    del debug
    from desktop_app.commands.history import rename_session

    return rename_session(which, title)


@history_app.command("delete")
def history_delete(
    which: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Sessions to delete.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    debug: Debug = False,
) -> int:
    """Delete sessions. Nothing brings them back."""
    del debug
    from desktop_app.commands.history import delete_sessions

    return delete_sessions(which or [], everything=everything)
