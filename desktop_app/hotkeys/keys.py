"""The global keys of this system, or the word on why there are none."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from desktop_app.hotkeys.chords import ACTIONS, wanted
from engine.errors import CaptionglassError
from engine.types import Notice

if TYPE_CHECKING:
    from desktop_app.hotkeys.chords import Chord
    from desktop_app.hotkeys.listened import ListenedKeys
    from desktop_app.hotkeys.x11 import X11Keys

WAYLAND = Notice(
    "hotkeys.none",
    "info",
    "Wayland gives programs no global hotkeys",
    "bind captionglass --toggle, --pause or --show in the keyboard settings of the desktop",
)


def forbidden() -> Notice | None:
    """What to say where the platform has no global keys; None where it has."""
    if sys.platform.startswith("linux") and os.environ.get("WAYLAND_DISPLAY"):
        # XWayland would see keys only while one of its own windows has the focus.
        return WAYLAND
    return None


class Hotkeys(QObject):
    """Takes the keys that the settings ask for and says which action was wanted.

    Attributes:
        notices: what could not be had, for whoever can show it.
        held: the actions whose keys work.
        refused: chords that another program has, or the keyboard lacks, by action.
    """

    pressed = Signal(str)
    """A name of ``ACTIONS``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.notices: list[Notice] = []
        self.held: frozenset[str] = frozenset()
        self.refused: dict[str, Chord] = {}
        self._own: dict[str, str] | None = None
        self._keys: X11Keys | ListenedKeys | None = None

    def set(self, own: Mapping[str, str]) -> None:
        """Take other keys.

        Args:
            own: chords by action, where they differ from the first ones.
        """
        if self._own == own:
            return
        self._own = dict(own)
        chords, wrong = wanted(own)
        self.notices = [_note("hotkeys.wrong", text) for text in wrong[:1]]
        self.held, self.refused = frozenset(), {}
        if (none := forbidden()) is not None:
            # Who has chosen no keys of their own does not miss them.
            self.notices += [none] if own else []
            return
        if sys.platform.startswith("linux") and QGuiApplication.platformName() != "xcb":
            return
        try:
            if self._keys is None:
                self._keys = self._open()
            refused = self._keys.grab(chords)
        except CaptionglassError as error:
            self.notices.append(Notice("hotkeys.none", "warning", error.message, error.remedy))
            return
        self.held, self.refused = frozenset(chords) - frozenset(refused), refused
        if refused:
            names = ", ".join(f"{chord} ({ACTIONS[act][0]})" for act, chord in refused.items())
            self.notices.append(_note("hotkeys.taken", f"Another program has {names}"))

    def close(self) -> None:
        """Give the keys back."""
        keys, self._keys, self._own = self._keys, None, None
        self.held = frozenset()
        if keys is not None:
            keys.close()

    def _open(self) -> X11Keys | ListenedKeys:
        keys: X11Keys | ListenedKeys
        if sys.platform.startswith("linux"):
            from desktop_app.hotkeys.x11 import X11Keys

            keys = X11Keys(self)
        else:
            from desktop_app.hotkeys.listened import ListenedKeys

            keys = ListenedKeys(self)
        keys.pressed.connect(self.pressed)
        return keys


def _note(code: str, text: str) -> Notice:
    return Notice(code, "warning", text, "choose other keys in the settings")
