"""Ready-made looks of the captions: each a handful of settings, the rest at their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.settings.declared import Settings

STYLE_FIELDS = (
    "theme",
    "font_family",
    "font_weight",
    "opacity",
    "text_colour",
    "outline_colour",
    "panel_colour",
    "lane_colour_mic",
    "lane_colour_system",
    "outline",
    "shadow",
    "letter_case",
    "letter_spacing",
    "line_height",
    "alignment",
    "fade_in",
)
"""What a style decides. Text size, place and number of lines are the reader's in every style."""

STYLES: Mapping[str, Mapping[str, Any]] = {
    "Standard": {},
    "Text only": {"theme": "dark", "opacity": 0, "outline": 9, "shadow": 70},
    "High contrast": {
        "theme": "dark",
        "font_weight": "bold",
        "opacity": 100,
        "text_colour": "#ffffff",
        "panel_colour": "#000000",
        "outline_colour": "#000000",
        "lane_colour_mic": "#ffffff",
        "lane_colour_system": "#ffff00",
        "fade_in": False,
    },
    # Dark on cream, wide letters and lines: what dyslexia associations ask of text. The named
    # font is used where it is installed, the shipped one where it is not.
    "Dyslexia-friendly": {
        "theme": "light",
        "font_family": "OpenDyslexic",
        "opacity": 100,
        "text_colour": "#1a1a1a",
        "panel_colour": "#fbf3df",
        "outline": 0,
        "letter_spacing": 7,
        "line_height": 160,
        "fade_in": False,
    },
    "Light": {"theme": "light"},
}
"""By the name that is shown."""


def with_style(settings: Settings, name: str) -> Settings:
    """The settings in another look.

    Raises:
        KeyError: there is no such style.
    """
    fields = type(settings).model_fields
    defaults = {field: fields[field].get_default() for field in STYLE_FIELDS}
    return settings.model_copy(update=defaults | dict(STYLES[name]))


def style_of(settings: Settings) -> str:
    """The name of the style these settings are in; empty where they are in none."""
    for name in STYLES:
        if with_style(settings, name) == settings:
            return name
    return ""
