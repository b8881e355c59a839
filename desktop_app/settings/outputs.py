"""The settings of where captions go beside the window: files, OBS, Redis. Nothing secret stands
here."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class OutputSettings(BaseModel):
    """What the window writes and to whom it sends captions; nothing unless asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outputs_srt: bool = Field(
        default=False, title="SubRip subtitles", description="Write a .srt file as captions run."
    )
    outputs_vtt: bool = Field(
        default=False, title="WebVTT subtitles", description="Write a .vtt file as captions run."
    )
    outputs_txt: bool = Field(
        default=False, title="Plain text", description="Write finished lines into a .txt file."
    )
    outputs_md: bool = Field(
        default=False,
        title="Markdown",
        description="Write finished lines with their times into a .md file.",
    )
    outputs_jsonl: bool = Field(
        default=False,
        title="JSON Lines",
        description="Write every update into a .jsonl file, for other programs.",
    )
    outputs_folder: str = Field(
        default="",
        max_length=1000,
        title="Folder for these files",
        description="They are named by date and time; empty for Captionglass in your documents.",
    )
    live_text_file: str = Field(
        default="",
        max_length=1000,
        title="Live text file",
        description="A file that always holds the newest two rows, for programs that watch one; "
        "empty for none.",
    )
    obs_enabled: bool = Field(
        default=False,
        title="Send captions to OBS",
        description="Through its WebSocket server; the password is kept in the keyring.",
    )
    obs_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        max_length=255,
        pattern=r"^[^\s/]+$",
        title="OBS runs on",
        description="127.0.0.1 is this computer; what goes to another one is not encrypted.",
    )
    obs_port: int = Field(
        default=4455,
        ge=1,
        le=65535,
        title="Port of OBS",
        description="As OBS says under Tools, WebSocket Server Settings.",
    )
    obs_text_source: str = Field(
        default="",
        max_length=200,
        title="Text source in OBS",
        description="The name of a text source to keep up to date; empty for none.",
    )
    obs_closed_captions: bool = Field(
        default=True,
        title="Closed captions in OBS",
        description="Send them while OBS streams; viewers can switch them on.",
    )
    obs_follow_stream: bool = Field(
        default=False,
        title="Start with the stream",
        description="Captions run while OBS streams, and pause while it does not.",
    )
    redis_url: str = Field(
        default="",
        max_length=300,
        pattern=r"^((redis|rediss|unix)://[^\s]+)?$",
        title="Redis server",
        description="redis://HOST:PORT/0 to add finished lines to the stream captionglass there; "
        "empty for none. Needs the extra redis.",
    )
    redis_partials: bool = Field(
        default=False,
        title="Unfinished lines to Redis",
        description="Send lines that are still being spoken too.",
    )
