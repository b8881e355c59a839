"""Global keys on X11: grabbed from the root window, so that no other program sees them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from desktop_app.hotkeys.chords import REPEATED, Chord
from engine.errors import CaptionglassError

_NAMES = {
    "Plus": "plus",
    "Minus": "minus",
    "Space": "space",
    "Esc": "Escape",
    "Enter": "KP_Enter",
    "PgUp": "Prior",
    "PgDown": "Next",
    "Ins": "Insert",
    "Del": "Delete",
    "Backspace": "BackSpace",
}
"""Where X has another name for a key than the way chords are written."""

_SAME_PRESS_S = 0.4
"""A held key presses itself again and again; what toggles must not."""


class X11Keys(QObject):
    """Grabs keys on a connection of its own; no thread, Qt watches its socket.

    Raises:
        CaptionglassError: there is no X server to be asked.
    """

    pressed = Signal(str)
    """The action whose chord was pressed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from Xlib import X, error
        from Xlib.display import Display

        try:
            self._display = Display()
        except (error.DisplayError, error.XauthError, OSError) as problem:
            raise CaptionglassError(
                f"global hotkeys cannot be had ({problem})", "use the tray"
            ) from problem
        self._x = X
        self._root = self._display.screen().root
        self._wanted: Mapping[str, Chord] = {}
        self._grabbed: dict[tuple[int, int], str] = {}
        self._last: dict[str, float] = {}
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def grab(self, chords: Mapping[str, Chord]) -> dict[str, Chord]:
        """Take these keys, and give back those taken before.

        Returns:
            Those that could not be had: another program has them, or the keyboard lacks them.
        """
        self._let_go()
        self._wanted = dict(chords)
        return {action: chord for action, chord in chords.items() if not self._take(action, chord)}

    def close(self) -> None:
        """Give all keys back."""
        self._notifier.setEnabled(False)
        self._let_go()
        self._display.close()

    def _take(self, action: str, chord: Chord) -> bool:
        from Xlib import XK, error

        x = self._x
        name = _NAMES.get(chord.key, chord.key)
        # A character of Latin 1 is its own number.
        symbol = ord(name.lower()) if len(name) == 1 else XK.string_to_keysym(name)
        code = self._display.keysym_to_keycode(symbol) if symbol else 0
        if not code:
            return False
        masks = {
            "Ctrl": x.ControlMask,
            "Alt": x.Mod1Mask,
            "Shift": x.ShiftMask,
            "Meta": x.Mod4Mask,
        }
        held = sum(masks[modifier] for modifier in chord.modifiers)
        refused = error.CatchError(error.BadAccess)
        for lock in self._locks():
            self._root.grab_key(
                code, held | lock, False, x.GrabModeAsync, x.GrabModeAsync, onerror=refused
            )
        self._display.sync()
        if refused.get_error() is not None:
            self._release(code, held)
            return False
        self._grabbed[code, held] = action
        return True

    def _locks(self) -> tuple[int, ...]:
        """Caps lock and num lock make no difference."""
        caps, number = self._x.LockMask, self._x.Mod2Mask
        return (0, caps, number, caps | number)

    def _let_go(self) -> None:
        for code, held in self._grabbed:
            self._release(code, held)
        self._grabbed.clear()
        self._display.sync()

    def _release(self, code: int, held: int) -> None:
        for lock in self._locks():
            self._root.ungrab_key(code, held | lock)

    def _read(self) -> None:
        from Xlib import error

        try:
            while self._display.pending_events():
                self._take_event(self._display.next_event())
        except (error.ConnectionClosedError, OSError):
            self._notifier.setEnabled(False)

    def _take_event(self, event: Any) -> None:
        x = self._x
        if event.type == x.MappingNotify and event.request != x.MappingPointer:
            self._display.refresh_keyboard_mapping(event)
            self.grab(self._wanted)
        if event.type != x.KeyPress:
            return
        held = event.state & (x.ControlMask | x.Mod1Mask | x.ShiftMask | x.Mod4Mask)
        action = self._grabbed.get((event.detail, held))
        if action is None:
            return
        now = time.monotonic()
        before, self._last[action] = self._last.get(action, 0.0), now
        if action in REPEATED or now - before > _SAME_PRESS_S:
            self.pressed.emit(action)
