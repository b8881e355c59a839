"""``captionglass models ...``: what can be asked, in words. The work is in ``commands``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from desktop_app.cli.options import AsJson, Debug

models_app = typer.Typer(
    help="List, fetch, check, add, shrink, compare and remove models.",
    rich_markup_mode=None,
    no_args_is_help=False,
)


@models_app.command("list")
def models_list(
    as_json: AsJson = False,
    language: Annotated[
        str,
        typer.Option(
            "--language", metavar="CODE", help="Only models that caption it; * marks the best."
        ),
    ] = "",
    installed: Annotated[
        bool, typer.Option("--installed", help="Only models that are installed.")
    ] = False,
    debug: Debug = False,
) -> int:
    """List the models: size, whether they are installed, languages, licence, what they are for."""
    del debug
    from desktop_app.commands.models import list_models

    return list_models(as_json=as_json, language=language, installed_only=installed)


@models_app.command("get")
def models_get(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Models to fetch.")],
    debug: Debug = False,
) -> int:
    """Fetch models, with a progress bar. What breaks off goes on at the next try."""
    del debug
    from desktop_app.commands.models import get_models

    return get_models(ids)


@models_app.command("add")
def models_add(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the model lies.")],
    model_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="What it is called; else as the folder.")
    ] = "",
    language: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="CODE", help="A language it captions; repeatable."),
    ] = None,
    copy: Annotated[
        bool, typer.Option("--copy", help="Copy the files; else they are used where they lie.")
    ] = False,
    debug: Debug = False,
) -> int:
    """Make a folder of your own a model; its family is told by its files."""
    del debug
    from desktop_app.commands.models import add_model

    return add_model(folder, model_id=model_id, languages=language or [], copy=copy)


@models_app.command("verify")
def models_verify(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="All installed ones if none.")
    ] = None,
    debug: Debug = False,
) -> int:
    """Check every byte of installed models."""
    del debug
    from desktop_app.commands.models import verify_models

    return verify_models(ids or [])


@models_app.command("remove")
def models_remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Models to remove.")],
    debug: Debug = False,
) -> int:
    """Remove models from this machine. A folder of your own that was added stays."""
    del debug
    from desktop_app.commands.models import remove_models

    return remove_models(ids)


@models_app.command("quantize")
def models_quantize(
    model_id: Annotated[str, typer.Argument(metavar="ID", help="An installed model.")],
    to: Annotated[
        Literal["int8", "int4", "fp16", "float"],
        typer.Option("--to", help="What the weights shall be."),
    ],
    new_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="What the new model is called.")
    ] = "",
    debug: Debug = False,
) -> int:
    """Make a smaller model of an installed one, beside it."""
    del debug
    from desktop_app.commands.models_made import quantize_model

    return quantize_model(model_id, to, new_id=new_id)


@models_app.command("compare")
def models_compare(
    ids_and_audio: Annotated[
        list[str],
        typer.Argument(
            metavar="ID... AUDIO...", help="Installed models, and sound files or folders of them."
        ),
    ],
    reference: Annotated[
        Path, typer.Option("--reference", metavar="MANIFEST", help="What is said in each file.")
    ],
    seconds: Annotated[
        float, typer.Option("--seconds", min=1.0, help="Take no more sound than this.")
    ] = 120.0,
    as_json: AsJson = False,
    debug: Debug = False,
) -> int:
    """Compare models: size, memory, speed and word errors, each in a process of its own."""
    del debug
    from desktop_app.commands.models_made import compare_models

    return compare_models(ids_and_audio, reference, seconds=seconds, as_json=as_json)
