"""Every setting once: its type, its default, its limits, its label and its help.

The settings window and the settings file are both made from this. Nothing secret stands here.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from desktop_app.settings.look import Colour, LookSettings
from desktop_app.settings.outputs import OutputSettings
from engine.config import ChineseScript, Denoise, Provider


class Geometry(BaseModel):
    """Where the panel stands, in Qt's device-independent pixels of the virtual desktop."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    x: int = Field(ge=-100_000, le=100_000)
    y: int = Field(ge=-100_000, le=100_000)
    width: int = Field(ge=1, le=100_000)
    height: int = Field(ge=1, le=100_000)


class Settings(LookSettings, OutputSettings):
    """What a person can choose. Frozen: a change makes a new one (``model_copy(update=...)``)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str = Field(
        default="moonshine-tiny-en",
        min_length=1,
        max_length=200,
        title="Model",
        description="What recognises the speech.",
    )
    profile: float = Field(
        default=50.0,
        ge=0.0,
        le=100.0,
        title="Latency or accuracy",
        description="0 shows words earliest, 100 waits longest and errs least.",
    )
    source: str = Field(
        default="mic",
        min_length=1,
        max_length=1000,
        title="Sound from",
        description="What is captioned. One application is written app:NAME, a sound file as its "
        "path.",
    )
    lane_name_mic: str = Field(
        default="You",
        max_length=40,
        title="Name of the microphone's lane",
        description="Stands before what the microphone hears, where two lanes are captioned.",
    )
    lane_name_system: str = Field(
        default="Others",
        max_length=40,
        title="Name of the computer's lane",
        description="Stands before what the computer plays, where two lanes are captioned.",
    )
    denoise: Denoise = Field(
        default="off",
        title="Noise suppression",
        description="Helps in loud, steady noise; in quiet rooms there are fewest errors without.",
    )
    auto_gain: bool = Field(
        default=True,
        title="Make quiet voices louder",
        description="Only voices too quiet to be recognised well; all others stay as they are.",
    )
    provider: Provider = Field(
        default="auto",
        title="Runs on",
        description="A GPU is taken where it really works, else the processor.",
    )
    language: str = Field(
        default="",
        max_length=20,
        title="Language",
        description="What is spoken; or the model's own, or what it finds out while captions run.",
    )
    chinese_script: ChineseScript = Field(
        default="as-is",
        title="Chinese characters",
        description="Simplified or traditional, whatever the model gives.",
    )
    hotwords: str = Field(
        default="",
        max_length=4000,
        title="Names and words to favour",
        description="Parted by commas; heard more readily by models that can (streaming "
        "transducers).",
    )
    blank_penalty: float = Field(
        default=0.0,
        ge=0.0,
        le=5.0,
        title="Say more",
        description="For streaming models that leave words out: raise it by halves. Too much "
        "makes words of noise.",
    )
    restore_punctuation: bool = Field(
        default=False,
        title="Set full stops and commas",
        description="For Chinese and English models that give none; a model for it is fetched "
        "the first time (76 MB).",
    )
    isolated: bool = Field(
        default=True,
        title="Survive crashes",
        description="Recognition runs in a process of its own: if a library crashes, captions go "
        "on after about a second. Off saves some 30 MB.",
    )
    web_enabled: bool = Field(
        default=False,
        title="Captions for OBS and other programs",
        description="Serve the caption page and the control port on this computer alone, to "
        "whoever has the token.",
    )
    web_port: int = Field(
        default=8765,
        ge=1024,
        le=65535,
        title="Port",
        description="Where they are served.",
    )
    secrets_in_file: bool = Field(
        default=False,
        title="Keep passwords in a file",
        description="Where there is no keyring: in a file that only you can read, instead of for "
        "this run alone.",
    )
    keep_history: bool = Field(
        default=True,
        title="Keep what was said",
        description="Written to this computer's disk as it goes, and sent nowhere; off keeps "
        "nothing.",
    )
    history_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        title="Delete it after",
        description="What is older goes by itself; never keeps it until you delete it.",
    )
    models_mirror: str = Field(
        default="",
        max_length=300,
        pattern=r"^(https?://[^\s]+)?$",
        title="Mirror of the model hub",
        description="An address with the hub's interface, where the hub itself cannot be reached; "
        "empty for the hub.",
    )
    font_family: str = Field(
        default="",
        max_length=200,
        title="Font",
        description="Of the captions. Where it lacks a script, another one stands in.",
    )
    font_size: int = Field(
        default=28,
        ge=12,
        le=120,
        title="Text size",
        description="Height of the caption text, in pixels at 100 % scaling.",
    )
    lines: int = Field(
        default=3,
        ge=1,
        le=12,
        title="Lines",
        description="How many lines are shown at once; resizing the panel changes it too.",
    )
    opacity: int = Field(
        default=76,
        ge=0,
        le=100,
        title="Panel opacity",
        description="0 % leaves only the outlined text, 100 % hides what is behind.",
    )
    text_colour: Colour = Field(
        default="", title="Text colour", description="Nothing chosen: the theme's own."
    )
    outline_colour: Colour = Field(
        default="", title="Outline colour", description="Nothing chosen: the theme's own."
    )
    theme: Literal["auto", "dark", "light"] = Field(
        default="auto", title="Theme", description="Dark or light, of captions and windows."
    )
    interface_language: Literal["auto", "en", "zh-CN"] = Field(
        default="auto",
        title="Language of the interface",
        description="Of windows and messages, not of the captions.",
    )
    reduced_motion: bool = Field(
        default=False,
        title="Reduce motion",
        description="Lines jump instead of gliding, and nothing fades.",
    )
    geometry: dict[str, Geometry] = Field(
        default_factory=dict,
        title="Place on the screen",
        description="Where the panel was, for each arrangement of screens.",
    )

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases to favour, one by one."""
        parts = re.split(r"[,，、;；\n]", self.hotwords)
        return tuple(phrase for part in parts if (phrase := part.strip()))

    @property
    def lane_names(self) -> dict[str, str]:
        """The name to print for each lane."""
        return {"mic": self.lane_name_mic, "system": self.lane_name_system}
