"""``captionglass caption``: what can be asked, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from desktop_app.cli.options import Debug, Language, Model, Profile, ProviderAsked
from engine.config import ChineseScript, Denoise


def caption(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A sound file; `mic`; `system`, what the computer plays; `both` as two lanes; "
            "`mic:NAME` or `system:NAME` (see `captionglass devices`); `app:NAME`, one "
            "application (Linux); or `-` for raw signed 16-bit little-endian mono sound at 16 kHz "
            "on standard input.",
        ),
    ],
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Feed a file at the pace it was spoken.")
    ] = False,
    profile: Profile = None,
    model: Model = None,
    language: Language = "",
    hotwords: Annotated[
        Path | None,
        typer.Option(
            "--hotwords",
            metavar="FILE",
            help="Names and words to be heard more readily, one a line (streaming transducers, "
            "Whisper).",
        ),
    ] = None,
    chinese: Annotated[
        ChineseScript,
        typer.Option("--chinese", help="The characters that Chinese is written in."),
    ] = "as-is",
    switch_at: Annotated[
        list[str] | None,
        typer.Option(
            "--switch-at",
            metavar="SECONDS=ID",
            help="Change the model there, and with ID@PROVIDER the provider; may be repeated.",
        ),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option("--events", metavar="FILE.jsonl", help="Write every update, one JSON a line."),
    ] = None,
    srt: Annotated[
        Path | None, typer.Option("--srt", metavar="FILE", help="Write SubRip subtitles.")
    ] = None,
    vtt: Annotated[
        Path | None, typer.Option("--vtt", metavar="FILE", help="Write WebVTT subtitles.")
    ] = None,
    txt: Annotated[
        Path | None, typer.Option("--txt", metavar="FILE", help="Write the finished lines.")
    ] = None,
    md: Annotated[
        Path | None, typer.Option("--md", metavar="FILE", help="Write Markdown with times.")
    ] = None,
    live_text: Annotated[
        Path | None,
        typer.Option(
            "--live-text", metavar="FILE", help="Keep the newest two rows in a file, always whole."
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(
            "--redis", metavar="URL", help="Add finished lines to the Redis stream `captionglass`."
        ),
    ] = None,
    redis_partials: Annotated[
        bool, typer.Option("--redis-partials", help="Send unfinished lines to Redis too.")
    ] = False,
    obs_text: Annotated[
        str | None,
        typer.Option(
            "--obs-text",
            metavar="SOURCE",
            help="Keep that text source of OBS up to date; closed captions too while it streams. "
            "The password: `captionglass obs-password`, or CAPTIONGLASS_OBS_PASSWORD.",
        ),
    ] = None,
    obs_host: Annotated[
        str,
        typer.Option("--obs-host", metavar="HOST:PORT", help="Where OBS listens."),
    ] = "127.0.0.1:4455",
    denoise: Annotated[
        Denoise,
        typer.Option("--denoise", help="Take noise out before anything is recognised."),
    ] = "off",
    blank_penalty: Annotated[
        float,
        typer.Option(
            "--blank-penalty",
            min=0.0,
            max=5.0,
            help="Make a streaming model that leaves words out say more; try 0.5, then more.",
        ),
    ] = 0.0,
    punctuate: Annotated[
        bool,
        typer.Option(
            "--punctuate", help="Set full stops and commas for models that give none (zh, en)."
        ),
    ] = False,
    auto_gain: Annotated[
        bool,
        typer.Option("--auto-gain/--no-auto-gain", help="Make voices louder that are too quiet."),
    ] = True,
    provider: ProviderAsked = "auto",
    debug: Debug = False,
) -> int:
    """Caption SOURCE in the terminal, with no window.

    Finished lines go to standard output, one a line; all else to standard error. Ctrl-C finishes
    the line being spoken, completes the files, and exits with 130; a second one exits at once.
    """
    del debug
    from desktop_app.commands.caption import CaptionRequest, run_caption
    from desktop_app.outputs.obs import obs_target
    from desktop_app.outputs.paths import OutputPaths

    return run_caption(
        CaptionRequest(
            source=source,
            realtime=realtime,
            profile=profile,
            model=model,
            language=language,
            hotwords=hotwords,
            chinese_script=chinese,
            switch_at=tuple(switch_at or ()),
            outputs=OutputPaths(
                events,
                srt,
                vtt,
                txt,
                md,
                live_text,
                obs=obs_target(obs_text, obs_host),
                redis=redis,
                redis_partials=redis_partials,
            ),
            denoise=denoise,
            blank_penalty=blank_penalty,
            punctuate=punctuate,
            auto_gain=auto_gain,
            provider=provider,
        )
    )
