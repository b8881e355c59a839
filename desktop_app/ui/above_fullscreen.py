"""A window that stays above full-screen ones on X11. Openbox and others put a full-screen window
that has the focus above those that are always on top, but never above its own dialogs: so for as
long as it covers the captions, they are one."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_FULL = "_NET_WM_STATE_FULLSCREEN"
_TELLING = ("_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING", "_NET_WM_STATE")
_LATE_S = 1.0
"""So long after it was a dialog a window may still be put away as one."""


class AboveFullscreen(QObject):
    """Watches which window has the focus, on a connection of its own. No thread, and nothing to do
    unless the desktop changes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._display: Any = None
        self._notifier: QSocketNotifier | None = None
        self._watched: int = 0
        self._above: int = 0
        self._was_above = 0.0

    def begin(self) -> None:
        """The window is shown."""
        if self._display is not None or QGuiApplication.platformName() != "xcb":
            return
        from Xlib import X, error
        from Xlib.display import Display

        try:
            self._display = Display()
        except (error.DisplayError, error.XauthError, OSError):
            return
        # Windows go at any moment; that is nothing to complain about.
        self._display.set_error_handler(lambda *_: None)
        for watched in (self._display.screen().root, self._own()):
            watched.change_attributes(event_mask=X.PropertyChangeMask)
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        self._read()
        self._look()

    def end(self) -> None:
        """The window is hidden."""
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._display is not None:
            self._be_dialog_of(0)
            self._display.close()
            self._display = None
        self._watched = 0

    def _read(self) -> None:
        from Xlib import X, error

        changed: set[int] = set()
        try:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.PropertyNotify:
                    changed.add(event.atom)
            if not changed.isdisjoint(self._atoms(*_TELLING)):
                self._look()
            if not changed.isdisjoint(self._atoms("WM_STATE")):
                self._come_back()
        except (error.ConnectionClosedError, OSError):
            if self._notifier is not None:
                self._notifier.setEnabled(False)

    def _own(self) -> Any:
        return self._display.create_resource_object("window", self._number())

    def _number(self) -> int:
        # Not kept in an attribute: two that hold each other are left to the garbage collector.
        window = self.parent()
        assert isinstance(window, QWidget)
        return int(window.winId())

    def _atoms(self, *names: str) -> list[int]:
        return [self._display.intern_atom(name) for name in names]

    def _look(self) -> None:
        root = self._display.screen().root
        active = next(iter(self._values(root, "_NET_ACTIVE_WINDOW")), 0)
        own = self._number()
        if active == own:
            return
        self._watch(active)
        if not active or not self._is_full(active):
            self._be_dialog_of(0)
            return
        stack = self._values(root, "_NET_CLIENT_LIST_STACKING")
        covered = own in stack and active in stack and stack.index(active) > stack.index(own)
        if covered and active != self._above:
            self._be_dialog_of(active)

    def _watch(self, window: int) -> None:
        """A window that has the focus may become full-screen."""
        from Xlib import X

        if window and window != self._watched:
            self._watched = window
            found = self._display.create_resource_object("window", window)
            found.change_attributes(event_mask=X.PropertyChangeMask)

    def _be_dialog_of(self, window: int) -> None:
        from Xlib import Xatom

        if window == self._above:
            return
        if window:
            self._own().change_property(Xatom.WM_TRANSIENT_FOR, Xatom.WINDOW, 32, [window])
        else:
            self._own().delete_property(Xatom.WM_TRANSIENT_FOR)
            self._was_above = time.monotonic()
        self._display.flush()
        self._above = window

    def _come_back(self) -> None:
        """A dialog is put away with its window, and these captions are none."""
        from Xlib import Xutil

        state = next(iter(self._values(self._own(), "WM_STATE")), Xutil.NormalState)
        dialog = self._above or time.monotonic() - self._was_above < _LATE_S
        if state == Xutil.IconicState and dialog:
            self._be_dialog_of(0)
            self._own().map()
            self._display.flush()

    def _is_full(self, window: int) -> bool:
        found = self._display.create_resource_object("window", window)
        return self._display.intern_atom(_FULL) in self._values(found, "_NET_WM_STATE")

    def _values(self, window: Any, name: str) -> list[int]:
        from Xlib import X, error

        try:
            found = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        except error.XError:
            return []
        return list(found.value) if found is not None else []
