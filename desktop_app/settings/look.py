"""The settings of the caption window beyond font and colours: declared like all the others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Colour = Annotated[str, Field(pattern=r"^(#[0-9a-fA-F]{6})?$")]
"""``#rrggbb``, or empty for the theme's own."""


class LookSettings(BaseModel):
    """How captions look, how long they stay, and what the window does beside showing them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    font_weight: Literal["medium", "bold"] = Field(
        default="medium", title="Text weight", description="Bold reads better from far away."
    )
    letter_case: Literal["as heard", "upper", "lower"] = Field(
        default="as heard",
        title="Letter case",
        description="Capitals or small letters, whatever was heard.",
    )
    letter_spacing: int = Field(
        default=0,
        ge=0,
        le=30,
        title="Space between letters",
        description="In percent of the text size; some readers follow wider text more easily.",
    )
    line_height: int = Field(
        default=132,
        ge=115,
        le=220,
        title="Line height",
        description="From line to line, in percent of the text size.",
    )
    alignment: Literal["start", "centre", "end"] = Field(
        default="start",
        title="Alignment",
        description="At the start each word stays where it first appears; else the line that is "
        "being spoken moves as it grows.",
    )
    outline: int = Field(
        default=6,
        ge=0,
        le=20,
        title="Outline",
        description="Width of the line around the letters, in percent of the text size.",
    )
    shadow: int = Field(
        default=0,
        ge=0,
        le=100,
        title="Shadow",
        description="How dark the soft shadow behind the letters is.",
    )
    panel_colour: Colour = Field(
        default="", title="Panel colour", description="Nothing chosen: the theme's own."
    )
    lane_colour_mic: Colour = Field(
        default="",
        title="Colour of the microphone's lane",
        description="Where two lanes are captioned. Nothing chosen: the theme's own.",
    )
    lane_colour_system: Colour = Field(
        default="",
        title="Colour of the computer's lane",
        description="Where two lanes are captioned. Nothing chosen: the theme's own.",
    )
    lane_labels: Literal["auto", "always", "never"] = Field(
        default="auto",
        title="Names before the lines",
        description="The mark at the edge, solid or dotted, tells lanes apart without name and "
        "colour.",
    )
    share_rows: bool = Field(
        default=True,
        title="Short sentences share a line",
        description="A sentence goes on behind the last one of the same lane where there is room.",
    )
    fade_in: bool = Field(
        default=True,
        title="New words fade in",
        description="Never where motion is reduced.",
    )
    clear_after: int = Field(
        default=0,
        ge=0,
        le=3600,
        title="Disappear in pauses after",
        description="So long without a new word, and the panel goes until there is one.",
    )
    dock: Literal["none", "top", "bottom"] = Field(
        default="none",
        title="Dock to an edge",
        description="The panel takes the whole width of the screen at that edge.",
    )
    locked: bool = Field(
        default=False,
        title="Locked",
        description="Clicks go through to what is below. Unlock by the hotkey or the tray.",
    )
    capture: Literal["off", "alpha", "key"] = Field(
        default="off",
        title="Window for OBS",
        description="Captions alone, without bar and notices: translucent, or on one colour for "
        "a colour key filter.",
    )
    key_colour: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")] = Field(
        default="#00b140", title="Key colour", description="What the colour key filter removes."
    )
    announce: bool = Field(
        default=False,
        title="Tell screen readers",
        description="Finished lines are announced politely, a few at a time.",
    )
    hotkeys: dict[str, Annotated[str, Field(max_length=60)]] = Field(
        default_factory=dict,
        title="Global hotkeys",
        description="They work whichever program has the focus. Choose one and press other keys; "
        "Delete takes it away.",
    )
