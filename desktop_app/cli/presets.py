"""``captionglass presets ...``: what can be asked, in words. The work is in ``commands``."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_app.cli.options import AsJson, Debug

presets_app = typer.Typer(
    help="List, show, save, name and delete presets; captionglass --use-preset takes one.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Of a preset; case does not matter.")]


@presets_app.command("list")
def presets_list(as_json: AsJson = False, debug: Debug = False) -> int:
    """List the presets; a star marks the one that is set now."""
    del debug
    from desktop_app.commands.presets import list_presets

    return list_presets(as_json=as_json)


@presets_app.command("show")
def presets_show(name: Name, as_json: AsJson = False, debug: Debug = False) -> int:
    """Print what a preset sets."""
    del debug
    from desktop_app.commands.presets import show_preset

    return show_preset(name, as_json=as_json)


@presets_app.command("save")
def presets_save(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Replaces one of that name.")],
    debug: Debug = False,
) -> int:
    """Keep what the settings file says now: source, model, slider and look."""
    del debug
    from desktop_app.commands.presets import save_preset

    return save_preset(name)


@presets_app.command("rename")
def presets_rename(
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its name from now on.")],
    debug: Debug = False,
) -> int:
    """Give one of your own another name."""
    del debug
    from desktop_app.commands.presets import rename_preset

    return rename_preset(name, new)


@presets_app.command("delete")
def presets_delete(name: Name, debug: Debug = False) -> int:
    """Delete one of your own; a shipped one that you have changed comes back."""
    del debug
    from desktop_app.commands.presets import delete_preset

    return delete_preset(name)
