"""What can be done by a global key, with which key at first, and how a chord is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ACTIONS: Mapping[str, tuple[str, str]] = {
    "toggle_visible": ("Show or hide captions", "Ctrl+Alt+Shift+H"),
    "toggle_pause": ("Pause or go on", "Ctrl+Alt+Shift+P"),
    "toggle_lock": ("Lock or unlock the panel", "Ctrl+Alt+Shift+L"),
    "bigger": ("Bigger text", "Ctrl+Alt+Shift+B"),
    "smaller": ("Smaller text", "Ctrl+Alt+Shift+S"),
    "slider_up": ("Fewer errors", "Ctrl+Alt+Shift+A"),
    "slider_down": ("Words earlier", "Ctrl+Alt+Shift+E"),
    "next_preset": ("Next preset", "Ctrl+Alt+Shift+N"),
    "next_model": ("Next model", "Ctrl+Alt+Shift+M"),
}
"""By the name of the application's slot: what it does, and its first chord."""

REPEATED = frozenset({"bigger", "smaller", "slider_up", "slider_down"})
"""What goes on while the key is held."""

MODIFIERS = {"ctrl": "Ctrl", "control": "Ctrl", "alt": "Alt", "shift": "Shift"} | dict.fromkeys(
    ("meta", "super", "win", "cmd"), "Meta"
)


@dataclass(frozen=True, slots=True)
class Chord:
    """Keys pressed together.

    Attributes:
        key: a letter, a digit, ``F1`` to ``F24`` or a name such as ``Space``; as it is written.
        modifiers: of ``Ctrl``, ``Alt``, ``Shift``, ``Meta``.
    """

    key: str
    modifiers: frozenset[str]

    def __str__(self) -> str:
        order = ("Ctrl", "Alt", "Shift", "Meta")
        return "+".join([*(name for name in order if name in self.modifiers), self.key])


def parse(text: str) -> Chord:
    """A chord as it is written, such as ``Ctrl+Alt+H``.

    Raises:
        ValueError: it is none, or would take a key that people type with.
    """
    *held, key = [part.strip() for part in text.split("+")]
    modifiers = set()
    for name in held:
        if name.lower() not in MODIFIERS:
            raise ValueError(f"{text}: {name or 'nothing'} is no modifier")
        modifiers.add(MODIFIERS[name.lower()])
    if not key or key.lower() in MODIFIERS:
        raise ValueError(f"{text}: a key is missing")
    if len(key) == 1:
        key = key.upper()
    is_function = key[:1] in "Ff" and key[1:].isdigit() and 1 <= int(key[1:]) <= 24
    if is_function:
        key = key.upper()
    elif not modifiers & {"Ctrl", "Alt", "Meta"}:
        raise ValueError(f"{text}: Ctrl, Alt or Meta is missing")
    return Chord(key, frozenset(modifiers))


def wanted(own: Mapping[str, str]) -> tuple[dict[str, Chord], list[str]]:
    """The chord of each action.

    Args:
        own: what the settings say; an empty text takes the key from an action.

    Returns:
        Chords by action, and what is wrong with the others, a line each.
    """
    chords: dict[str, Chord] = {}
    wrong: list[str] = []
    for action, (label, first) in ACTIONS.items():
        text = own.get(action, first)
        if not text.strip():
            continue
        try:
            chord = parse(text)
        except ValueError as error:
            wrong.append(str(error))
            continue
        other = next((name for name, known in chords.items() if known == chord), None)
        if other is not None:
            wrong.append(f"{chord} is given twice ({ACTIONS[other][0]}, {label})")
        else:
            chords[action] = chord
    return chords, wrong
