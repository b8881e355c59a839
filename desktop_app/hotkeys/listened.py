"""Global keys on Windows and macOS, through pynput. It listens: the program in front of it sees
the keys too, and whether another one has them cannot be known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.hotkeys.chords import Chord
from engine.errors import CaptionglassError

_NAMES = {"Ctrl": "<ctrl>", "Alt": "<alt>", "Shift": "<shift>", "Meta": "<cmd>"}


class ListenedKeys(QObject):
    """Listens to the keyboard on pynput's thread; the signal arrives on Qt's.

    Raises:
        CaptionglassError: the keyboard cannot be listened to.
    """

    pressed = Signal(str)
    """The action whose chord was pressed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        try:
            from pynput import keyboard
        except ImportError as problem:
            raise CaptionglassError(
                f"global hotkeys cannot be had ({problem})", "use the tray"
            ) from problem
        self._keyboard: Any = keyboard
        self._listener: Any = None

    def grab(self, chords: Mapping[str, Chord]) -> dict[str, Chord]:
        """Listen for these keys instead of those before.

        Returns:
            Those that this keyboard library does not know.
        """
        self.close()
        refused: dict[str, Chord] = {}
        handlers: dict[str, Callable[[], None]] = {}
        for action, chord in chords.items():
            written = pynput_name(chord)
            try:
                self._keyboard.HotKey.parse(written)
            except ValueError:
                refused[action] = chord
            else:
                handlers[written] = partial(self.pressed.emit, action)
        if handlers:
            self._listener = self._keyboard.GlobalHotKeys(handlers)
            self._listener.start()
        return refused

    def close(self) -> None:
        """Listen no longer."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(RuntimeError):
                listener.stop()


def pynput_name(chord: Chord) -> str:
    """As pynput writes it: ``<ctrl>+<alt>+h``, ``<f5>``."""
    key = chord.key.lower()
    names = [_NAMES[name] for name in ("Ctrl", "Alt", "Shift", "Meta") if name in chord.modifiers]
    return "+".join([*names, key if len(key) == 1 else f"<{key}>"])
