"""The ``captionglass`` command: what can be asked, in words. The work is in ``commands``.

Nothing heavy is imported here: ``captionglass --help`` answers before a model could load. Exit
codes: 0 done, 1 the work failed, 2 wrong usage, 130 stopped by Ctrl-C (128 + the signal's number).
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from desktop_app import __version__
from desktop_app.cli.caption import caption
from desktop_app.cli.history import history_app
from desktop_app.cli.models import models_app
from desktop_app.cli.options import (
    AsJson,
    Debug,
    ExportFile,
    ExportFormat,
    Language,
    Model,
    Profile,
    ProviderAsked,
)
from desktop_app.cli.presets import presets_app
from desktop_app.cli.running import (
    FirstRun,
    Hide,
    Lock,
    New,
    NextPreset,
    OpenSettings,
    Pause,
    Quit,
    Show,
    Toggle,
    UsePreset,
    asked_of_the_running,
)
from desktop_app.cli.serve import ctl_app, serve
from desktop_app.console import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_USAGE,
    complain,
    flush_streams,
    prepare_streams,
    say,
)
from engine.errors import CaptionglassError, UnknownModelError, UsageError

app = typer.Typer(
    name="captionglass",
    help="Live captions of whatever you hear or say, on your own machine.",
    add_completion=False,
    pretty_exceptions_enable=False,
    # Rich would cost every start more than the rest of the command line together.
    rich_markup_mode=None,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(models_app, name="models")
app.add_typer(ctl_app, name="ctl")
app.add_typer(history_app, name="history")
app.add_typer(presets_app, name="presets")


def _print_version(asked: bool) -> None:
    if asked:
        say(f"captionglass {__version__}")
        raise typer.Exit


@app.callback()
def overlay(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="What the overlay hears: mic, system, both, mic:NAME, system:NAME, app:NAME.",
        ),
    ] = None,
    model: Model = None,
    profile: Profile = None,
    provider: ProviderAsked = "auto",
    language: Language = "",
    new: New = False,
    first_run: FirstRun = False,
    toggle: Toggle = False,
    pause: Pause = False,
    show: Show = False,
    hide: Hide = False,
    lock: Lock = False,
    next_preset: NextPreset = False,
    use_preset: UsePreset = None,
    settings: OpenSettings = False,
    quit_running: Quit = False,
    self_test: Annotated[
        bool, typer.Option("--self-test", hidden=True, help="Try every part of this copy.")
    ] = False,
    debug: Debug = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> int:
    """Live captions of whatever you hear or say, on your own machine.

    Without a command, the overlay opens: a translucent window with the captions. Where it is open
    already, it comes to the front.
    """
    del version, toggle, pause, show, hide, lock, next_preset, quit_running
    if context.invoked_subcommand is not None:
        return EXIT_DONE
    if self_test:
        from desktop_app.commands.self_test import run_self_test

        return run_self_test()
    if asked := asked_of_the_running(context.params):
        from desktop_app.single_instance import send

        for command in asked:
            send(command)
        return EXIT_DONE
    from desktop_app.commands.overlay import OverlayRequest, open_overlay

    return open_overlay(
        OverlayRequest(
            source=source,
            model=model,
            profile=profile,
            provider=provider,
            language=language,
            new=new,
            preset=use_preset,
            settings=settings,
            first_run=first_run,
            debug=debug,
        )
    )


app.command()(caption)


@app.command()
def bench(
    audio: Annotated[
        list[Path], typer.Argument(metavar="AUDIO...", help="Sound files, or folders of them.")
    ],
    reference: Annotated[
        Path,
        typer.Option(
            "--reference",
            metavar="MANIFEST.tsv",
            help="A table with the columns path, seconds, language, transcript; tabs between. "
            "NAME.words.json beside a recording holds [[word, end in seconds], ...].",
        ),
    ],
    profiles: Annotated[
        str | None,
        typer.Option("--profiles", metavar="NAME,...", help="The five named stops if none."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON too.")
    ] = None,
    virtual_time: Annotated[
        bool,
        typer.Option(
            "--virtual-time",
            help="Feed as fast as it goes and charge the work to a clock, instead of waiting.",
        ),
    ] = False,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Measure moonshine-voice and faster-whisper beside it, where they are installed.",
        ),
    ] = False,
    peer_python: Annotated[
        str | None,
        typer.Option(
            "--peer-python", metavar="PATH", help="The Python that the peers are installed for."
        ),
    ] = None,
    model: Model = None,
    provider: ProviderAsked = "auto",
    limit_seconds: Annotated[
        float | None,
        typer.Option(
            "--limit-seconds",
            metavar="N",
            help="Take only recordings that fit into N seconds together, the first first.",
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Measure latency, flicker, word errors and cost of the captions of recordings.

    Each profile and peer hears each recording in real time, in a process of its own, turn about.
    """
    del debug
    from desktop_app.commands.bench import BenchRequest, run_bench

    return run_bench(
        BenchRequest(
            audio=tuple(audio),
            reference=reference,
            profiles=profiles,
            json=json_file,
            virtual_time=virtual_time,
            peers=peers,
            peer_python=peer_python,
            model=model,
            provider=provider,
            limit_seconds=limit_seconds,
        )
    )


@app.command()
def devices(
    as_json: AsJson = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and tell of every change until Ctrl-C.")
    ] = False,
    debug: Debug = False,
) -> int:
    """List the sound devices, and what to type to caption each."""
    del debug
    from desktop_app.commands.devices import print_devices

    return print_devices(as_json=as_json, watch=watch)


@app.command()
def doctor(
    as_json: AsJson = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write a text for a bug report instead, with nothing private in it.",
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Say what works here and what does not, each with its remedy."""
    del debug
    from desktop_app.commands.doctor import print_report, write_report

    return write_report(report) if report is not None else print_report(as_json=as_json)


app.command()(serve)


@app.command()
def export(
    events: Annotated[
        Path, typer.Argument(metavar="IN.jsonl", help="What `caption --events` wrote.")
    ],
    file: ExportFile,
    asked: ExportFormat = "",
    debug: Debug = False,
) -> int:
    """Write captions that were kept with --events in another format."""
    del debug
    from desktop_app.commands.export import export_events

    return export_events(events, file, asked)


@app.command("obs-password")
def obs_password(debug: Debug = False) -> int:
    """Keep the password of OBS in the keyring: typed unseen, or a line on standard input."""
    del debug
    from desktop_app.commands.obs_password import keep_obs_password

    return keep_obs_password()


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    Args:
        arguments: what follows the program's name.

    Returns:
        The exit code. Every error has been printed as one line on standard error.
    """
    debug = "--debug" in arguments
    prepare_streams()
    logging.basicConfig(
        level=logging.DEBUG if debug else logging.CRITICAL,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return 130
    except SystemExit:
        # Typer leaves this way in one case: whoever read the output has gone (``| head``).
        return EXIT_DONE
    except Exception as error:  # noqa: BLE001 - a person gets one line, whatever broke
        if debug:
            traceback.print_exception(error)
        return _explain(error, arguments)
    finally:
        flush_streams()


def _run(arguments: Sequence[str]) -> int:
    code = app(args=list(arguments), prog_name="captionglass", standalone_mode=False)
    return code if isinstance(code, int) else EXIT_DONE


def _explain(error: Exception, arguments: Sequence[str]) -> int:
    if isinstance(error, CaptionglassError):
        complain(str(error))
        return EXIT_USAGE if isinstance(error, (UsageError, UnknownModelError)) else EXIT_FAILED
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "captionglass"
        message = error.format_message().replace("Value error, ", "").rstrip(".")
        complain(f"{message}: {_meant(arguments) or f'see {command} --help'}")
        return error.exit_code
    complain(f"unexpected {type(error).__name__}: run again with --debug to see where")
    return EXIT_FAILED


def _meant(arguments: Sequence[str]) -> str:
    """What somebody meant who named a recording and no command."""
    first = arguments[0] if arguments else ""
    if first in ("mic", "system", "both", "-") or (first and Path(first).is_file()):
        return f"did you mean captionglass caption {first}?"
    return ""
