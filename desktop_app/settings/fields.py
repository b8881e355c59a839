"""What the declarations in ``declared`` say of one setting, for whoever shows it: no widgets."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import ValidationError
from PySide6.QtCore import QCoreApplication, QLocale

from desktop_app.finding import folded
from desktop_app.hotkeys.chords import ACTIONS
from desktop_app.settings.declared import Settings
from desktop_app.settings.pages import CHOICES, UNITS, ZEROS

Kind = Literal[
    "switch", "choice", "number", "range", "colour", "text", "folder", "file", "font", "model",
    "source", "language", "profile", "hotkeys", "places",
]  # fmt: skip
"""What it is chosen with."""

_KINDS: dict[str, Kind] = {
    "font_family": "font",
    "model": "model",
    "source": "source",
    "language": "language",
    "profile": "profile",
    "hotkeys": "hotkeys",
    "geometry": "places",
    "outputs_folder": "folder",
    "live_text_file": "file",
}
"""Settings that are more than their type."""

_WIDEST_RANGE = 120
"""Numbers of more values than this are typed, not slid."""


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting.

    Attributes:
        name: in the file.
        kind: what it is chosen with.
        title, help: English, as declared.
        default: its value where nothing was chosen.
        least, most: limits of a number.
        longest: characters of a text.
        choices: values of a choice.
    """

    name: str
    kind: Kind
    title: str
    help: str
    default: Any
    least: float = 0
    most: float = 0
    longest: int = 1000
    choices: tuple[str, ...] = ()

    @property
    def step(self) -> float:
        """From one value of a number to the next."""
        return 0.5 if isinstance(self.default, float) else 1

    @property
    def label(self) -> str:
        """In the language of the interface."""
        return translated(self.title)

    @property
    def explanation(self) -> str:
        """In the language of the interface."""
        return translated(self.help)

    def said(self, value: Any) -> str:
        """A value as it is shown to people."""
        if self.kind == "choice":
            return translated(CHOICES.get(self.name, {}).get(value, str(value).capitalize()))
        if self.kind in ("number", "range"):
            if not value and self.name in ZEROS:
                return translated(ZEROS[self.name])
            whole = float(value).is_integer()
            number = QLocale().toString(float(value), "f", 0 if whole else 1)
            return translated(UNITS.get(self.name, "{n}")).format(n=number)
        return str(value)

    def refused(self, value: Any) -> str:
        """Why a value is not allowed, a clause; empty where it is."""
        try:
            Settings.model_validate({self.name: value})
        except ValidationError as error:
            return str(error.errors()[0]["msg"])
        return ""

    def found_by(self, words: list[str]) -> bool:
        """Whether all of these words, folded, stand in what is said about it."""
        said = [self.label, self.explanation, self.title, self.name]
        said += map(self.said, self.choices)
        if self.kind == "hotkeys":
            said += (QCoreApplication.translate("Hotkeys", label) for label, _ in ACTIONS.values())
        where = folded(" ".join(said))
        return all(word in where for word in words)


def field(name: str) -> SettingField:
    """What is declared of a setting.

    Raises:
        KeyError: there is none of that name.
    """
    info = Settings.model_fields[name]
    kind = info.annotation
    limits: dict[str, Any] = {}
    pattern = ""
    for each in info.metadata:
        if isinstance(each, Ge):
            limits["least"] = each.ge
        elif isinstance(each, Le):
            limits["most"] = each.le
        elif isinstance(each, MaxLen):
            limits["longest"] = each.max_length
        else:
            pattern = getattr(each, "pattern", None) or pattern
    if get_origin(kind) is Literal:
        limits["choices"] = get_args(kind)
    return SettingField(
        name,
        _KINDS.get(name) or _kind(kind, limits, pattern),
        info.title or name,
        info.description or "",
        info.get_default(call_default_factory=True),
        **limits,
    )


def translated(text: str) -> str:
    """A text of the declarations in the language of the interface."""
    return QCoreApplication.translate("Settings", text)


def _kind(
    annotation: type | types.UnionType | object | None, limits: dict[str, Any], pattern: str
) -> Kind:
    if annotation is bool:
        return "switch"
    if "choices" in limits:
        return "choice"
    if annotation in (int, float):
        span = limits.get("most", 1_000_000) - limits.get("least", 0)
        return "range" if span <= _WIDEST_RANGE else "number"
    return "colour" if "0-9a-fA-F]{6}" in pattern else "text"
