"""Which page of the settings window a setting is on, and how its values are called there.

A setting that stands on no page fails a test: whoever declares one says here where people find it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:

    def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: N802 - Qt's name
        """Qt's own says ``object``."""

else:
    from PySide6.QtCore import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True)
class Group:
    """Settings in one card.

    Attributes:
        title: above them, English.
        names: of the settings, in their order.
    """

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        name: for programs.
        title: in the list, English.
        groups: its cards.
    """

    name: str
    title: str
    groups: tuple[Group, ...] = ()


PAGES: tuple[Page, ...] = (
    Page("presets", QT_TRANSLATE_NOOP("Settings", "Presets")),
    Page(
        "sound",
        QT_TRANSLATE_NOOP("Settings", "Sound"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "What is captioned"),
                ("source", "lane_name_mic", "lane_name_system"),
            ),
            Group(
                QT_TRANSLATE_NOOP("Settings", "Before it is recognised"), ("auto_gain", "denoise")
            ),
        ),
    ),
    Page(
        "model",
        QT_TRANSLATE_NOOP("Settings", "Model and language"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "Recognition"),
                (
                    "model",
                    "language",
                    "chinese_script",
                    "restore_punctuation",
                    "hotwords",
                    "blank_penalty",
                ),
            ),
            Group(QT_TRANSLATE_NOOP("Settings", "Speed"), ("profile", "provider", "isolated")),
            Group(QT_TRANSLATE_NOOP("Settings", "Fetching models"), ("models_mirror",)),
        ),
    ),
    Page(
        "look",
        QT_TRANSLATE_NOOP("Settings", "Look"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "Text"),
                (
                    "font_family",
                    "font_size",
                    "font_weight",
                    "letter_case",
                    "letter_spacing",
                    "line_height",
                ),
            ),
            Group(
                QT_TRANSLATE_NOOP("Settings", "Colours"),
                (
                    "theme",
                    "text_colour",
                    "panel_colour",
                    "opacity",
                    "outline_colour",
                    "outline",
                    "shadow",
                ),
            ),
            Group(
                QT_TRANSLATE_NOOP("Settings", "Where two lanes are captioned"),
                ("lane_labels", "lane_colour_mic", "lane_colour_system"),
            ),
        ),
    ),
    Page(
        "window",
        QT_TRANSLATE_NOOP("Settings", "Reading and window"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "Reading"),
                ("lines", "alignment", "share_rows", "fade_in", "reduced_motion", "clear_after"),
            ),
            Group(QT_TRANSLATE_NOOP("Settings", "Window"), ("dock", "locked", "geometry")),
        ),
    ),
    Page(
        "outputs",
        QT_TRANSLATE_NOOP("Settings", "Outputs"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "Files"),
                (
                    "outputs_srt",
                    "outputs_vtt",
                    "outputs_txt",
                    "outputs_md",
                    "outputs_jsonl",
                    "outputs_folder",
                    "live_text_file",
                ),
            ),
            Group(
                QT_TRANSLATE_NOOP("Settings", "OBS"),
                (
                    "obs_enabled",
                    "obs_host",
                    "obs_port",
                    "obs_text_source",
                    "obs_closed_captions",
                    "obs_follow_stream",
                    "capture",
                    "key_colour",
                ),
            ),
            Group(
                QT_TRANSLATE_NOOP("Settings", "Other programs"),
                ("web_enabled", "web_port", "redis_url", "redis_partials"),
            ),
        ),
    ),
    Page(
        "hotkeys",
        QT_TRANSLATE_NOOP("Settings", "Hotkeys"),
        (Group(QT_TRANSLATE_NOOP("Settings", "From any program"), ("hotkeys",)),),
    ),
    Page(
        "privacy",
        QT_TRANSLATE_NOOP("Settings", "Privacy"),
        (
            Group(QT_TRANSLATE_NOOP("Settings", "What is kept"), ("keep_history", "history_days")),
            Group(QT_TRANSLATE_NOOP("Settings", "Passwords"), ("secrets_in_file",)),
        ),
    ),
    Page(
        "general",
        QT_TRANSLATE_NOOP("Settings", "General"),
        (
            Group(
                QT_TRANSLATE_NOOP("Settings", "Language and assistance"),
                ("interface_language", "announce"),
            ),
        ),
    ),
)

UNITS: Mapping[str, str] = {
    "font_size": QT_TRANSLATE_NOOP("Settings", "{n} px"),
    "letter_spacing": QT_TRANSLATE_NOOP("Settings", "{n} %"),
    "line_height": QT_TRANSLATE_NOOP("Settings", "{n} %"),
    "opacity": QT_TRANSLATE_NOOP("Settings", "{n} %"),
    "outline": QT_TRANSLATE_NOOP("Settings", "{n} %"),
    "shadow": QT_TRANSLATE_NOOP("Settings", "{n} %"),
    "clear_after": QT_TRANSLATE_NOOP("Settings", "{n} s"),
    "history_days": QT_TRANSLATE_NOOP("Settings", "{n} days"),
}
"""How a number is written; ``{n}`` is the number."""

ZEROS: Mapping[str, str] = {
    "clear_after": QT_TRANSLATE_NOOP("Settings", "Never"),
    "history_days": QT_TRANSLATE_NOOP("Settings", "Never"),
    "shadow": QT_TRANSLATE_NOOP("Settings", "None"),
    "outline": QT_TRANSLATE_NOOP("Settings", "None"),
}
"""What 0 is called."""

CHOICES: Mapping[str, Mapping[str, str]] = {
    "denoise": {
        "off": QT_TRANSLATE_NOOP("Settings", "Off"),
        "light": QT_TRANSLATE_NOOP("Settings", "Gentle"),
        "strong": QT_TRANSLATE_NOOP("Settings", "Strong"),
    },
    "provider": {
        "auto": QT_TRANSLATE_NOOP("Settings", "Whatever is fastest"),
        "cpu": QT_TRANSLATE_NOOP("Settings", "Processor"),
        "cuda": "CUDA",
        "tensorrt": "TensorRT",
        "directml": "DirectML",
        "coreml": "Core ML",
        "openvino": "OpenVINO",
    },
    "chinese_script": {
        "as-is": QT_TRANSLATE_NOOP("Settings", "As the model writes"),
        "simplified": QT_TRANSLATE_NOOP("Settings", "Simplified"),
        "traditional": QT_TRANSLATE_NOOP("Settings", "Traditional"),
    },
    "theme": {
        "auto": QT_TRANSLATE_NOOP("Settings", "As the desktop"),
        "dark": QT_TRANSLATE_NOOP("Settings", "Dark"),
        "light": QT_TRANSLATE_NOOP("Settings", "Light"),
    },
    "font_weight": {
        "medium": QT_TRANSLATE_NOOP("Settings", "Medium"),
        "bold": QT_TRANSLATE_NOOP("Settings", "Bold"),
    },
    "letter_case": {
        "as heard": QT_TRANSLATE_NOOP("Settings", "As heard"),
        "upper": QT_TRANSLATE_NOOP("Settings", "Capitals"),
        "lower": QT_TRANSLATE_NOOP("Settings", "Small letters"),
    },
    "alignment": {
        "start": QT_TRANSLATE_NOOP("Settings", "Start of the line"),
        "centre": QT_TRANSLATE_NOOP("Settings", "Centre"),
        "end": QT_TRANSLATE_NOOP("Settings", "End of the line"),
    },
    "lane_labels": {
        "auto": QT_TRANSLATE_NOOP("Settings", "Where there are two"),
        "always": QT_TRANSLATE_NOOP("Settings", "Always"),
        "never": QT_TRANSLATE_NOOP("Settings", "Never"),
    },
    "dock": {
        "none": QT_TRANSLATE_NOOP("Settings", "Free"),
        "top": QT_TRANSLATE_NOOP("Settings", "Top edge"),
        "bottom": QT_TRANSLATE_NOOP("Settings", "Bottom edge"),
    },
    "capture": {
        "off": QT_TRANSLATE_NOOP("Settings", "Off"),
        "alpha": QT_TRANSLATE_NOOP("Settings", "Translucent"),
        "key": QT_TRANSLATE_NOOP("Settings", "One colour"),
    },
    "interface_language": {
        "auto": QT_TRANSLATE_NOOP("Settings", "As the system"),
        "en": "English",
        "zh-CN": "简体中文",
    },
}
"""What the values of a choice are called."""


def page_of(name: str) -> str:
    """The page a setting is on; the last one where nobody has said."""
    for page in PAGES:
        if any(name in group.names for group in page.groups):
            return page.name
    return PAGES[-1].name
