"""``captionglass serve`` and ``captionglass ctl ...``: what can be asked, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from desktop_app.cli.options import AsJson, Debug
from engine.config import Provider

ctl_app = typer.Typer(
    help="Ask the Captionglass that runs: `captionglass serve`, or the overlay with web_enabled.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

Address = Annotated[
    str,
    typer.Option("--address", metavar="URL", help="Another one than this computer's own."),
]
Fingerprint = Annotated[
    str,
    typer.Option("--fingerprint", metavar="HEX", help="SHA-256 of an https URL's certificate."),
]


def serve(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[SOURCE]",
            help="mic, system, both, mic:NAME, system:NAME, app:NAME or a sound file; that of the "
            "settings if none.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65534, help="On this computer; 0 for any that is free."),
    ] = None,
    allow_network: Annotated[
        bool,
        typer.Option(
            "--allow-network", help="Serve to the network too: TLS 1.3, own certificate, token."
        ),
    ] = False,
    network_port: Annotated[
        int | None,
        typer.Option("--network-port", min=0, max=65535, help="For it; the next one if none."),
    ] = None,
    show_token: Annotated[
        bool,
        typer.Option("--show-token", help="Print the address with the token, also into a pipe."),
    ] = False,
    obs_file: Annotated[
        Path | None,
        typer.Option("--obs-file", metavar="FILE.html", help="Write the local file for OBS."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="ID", help="The model.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME|0..100", help="Where on the slider.")
    ] = None,
    language: Annotated[
        str, typer.Option("--language", metavar="CODE", help="The language spoken, e.g. en.")
    ] = "",
    provider: Annotated[Provider, typer.Option("--provider", help="What runs the model.")] = "auto",
    debug: Debug = False,
) -> int:
    """Caption with no window, for OBS and other programs: a page, and a control port.

    Both answer on this computer alone unless --allow-network is given, and only to whoever has the
    token.
    """
    del debug
    from desktop_app.commands.serve import ServeRequest, run_serve

    return run_serve(
        ServeRequest(
            source=source,
            port=port,
            allow_network=allow_network,
            network_port=network_port,
            show_token=show_token,
            obs_file=obs_file,
            model=model,
            profile=profile,
            language=language,
            provider=provider,
        )
    )


def _ask(
    method: str,
    path: str,
    address: str,
    fingerprint: str,
    as_json: bool,
    query: dict[str, str] | None = None,
    body: dict[str, object] | None = None,
) -> int:
    from desktop_app.commands.ctl import Call, Target, ask

    return ask(Target(address, fingerprint, as_json), Call(method, path, query, body))


@ctl_app.command("state")
def ctl_state(address: Address = "", fingerprint: Fingerprint = "", as_json: AsJson = False) -> int:
    """What runs."""
    return _ask("GET", "/state", address, fingerprint, as_json)


@ctl_app.command("stats")
def ctl_stats(address: Address = "", fingerprint: Fingerprint = "", as_json: AsJson = False) -> int:
    """The engine's figures."""
    return _ask("GET", "/stats", address, fingerprint, as_json)


@ctl_app.command("start")
def ctl_start(address: Address = "", fingerprint: Fingerprint = "", as_json: AsJson = False) -> int:
    """Caption, or go on after a pause."""
    return _ask("POST", "/start", address, fingerprint, as_json)


@ctl_app.command("pause")
def ctl_pause(address: Address = "", fingerprint: Fingerprint = "", as_json: AsJson = False) -> int:
    """Pause."""
    return _ask("POST", "/pause", address, fingerprint, as_json)


@ctl_app.command("source")
def ctl_source(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A device, not a file.")],
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Caption something else."""
    body: dict[str, object] = {"source": source}
    return _ask("PUT", "/source", address, fingerprint, as_json, body=body)


@ctl_app.command("slider")
def ctl_slider(
    position: Annotated[float, typer.Argument(metavar="0..100", min=0, max=100)],
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Move the slider: 0 shows words earliest, 100 errs least."""
    body: dict[str, object] = {"position": position}
    return _ask("PUT", "/slider", address, fingerprint, as_json, body=body)


@ctl_app.command("profile")
def ctl_profile(
    profile: Annotated[str, typer.Argument(metavar="NAME")],
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Go to a named stop of the slider."""
    body: dict[str, object] = {"profile": profile}
    return _ask("PUT", "/profile", address, fingerprint, as_json, body=body)


@ctl_app.command("preset")
def ctl_preset(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Lists them where none is given.")
    ] = "",
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Take a preset: its source, model, slider and look; * marks the one in use."""
    if not name:
        return _ask("GET", "/presets", address, fingerprint, as_json)
    body: dict[str, object] = {"preset": name}
    return _ask("PUT", "/preset", address, fingerprint, as_json, body=body)


@ctl_app.command("models")
def ctl_models(
    address: Address = "", fingerprint: Fingerprint = "", as_json: AsJson = False
) -> int:
    """What could be switched to; * marks what runs."""
    return _ask("GET", "/models", address, fingerprint, as_json)


@ctl_app.command("switch-model")
def ctl_switch_model(
    model_id: Annotated[str, typer.Argument(metavar="[ID]")] = "",
    language: Annotated[
        str,
        typer.Option("--language", metavar="CODE", help="The best installed one for a language."),
    ] = "",
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Go over to another installed model without losing a word."""
    query = {name: value for name, value in (("id", model_id), ("lang", language)) if value}
    return _ask("POST", "/switch_model", address, fingerprint, as_json, query=query)


@ctl_app.command("captions")
def ctl_captions(
    first: Annotated[
        int | None, typer.Option("--from", min=0, metavar="SEGMENT", help="Replay from there on.")
    ] = None,
    address: Address = "",
    fingerprint: Fingerprint = "",
    as_json: AsJson = False,
) -> int:
    """Print finished lines as they are spoken; with --json every message."""
    from desktop_app.commands.ctl import Target, follow

    return follow(Target(address, fingerprint, as_json), first)


@ctl_app.command("page")
def ctl_page(
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE.html", help="Write the file for OBS.")
    ] = None,
    address: Address = "",
) -> int:
    """Print the page's address with the token, for OBS."""
    from desktop_app.commands.ctl import Target, page

    return page(Target(address), file)
