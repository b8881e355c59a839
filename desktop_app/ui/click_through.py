"""Clicks that reach what is below. Qt makes its own window transparent for them; many window
managers put it into a frame of theirs, and that has to let them through as well."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_AGAIN_MS = (0, 60, 250, 1000)
"""The frame comes some time after the window, and window managers shape it anew with the window."""


class ClickThrough(QObject):
    """Lets clicks through a window, or not."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._on = False
        self._left: list[int] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._shape)

    def set(self, on: bool) -> None:
        """From now on; may be called before the window is shown."""
        changed, self._on = on != self._on, on
        handle = self._window.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowTransparentForInput, on)
        if changed and not on and self._framed():
            # A new frame takes clicks by itself.
            self.stop()
            shape_frames(int(self._window.winId()), through=False)
        self.renew()

    def renew(self) -> None:
        """The window was shown or shaped anew."""
        if self._on and self._framed():
            self._left = list(_AGAIN_MS)
            self._timer.start(self._left.pop(0))

    def stop(self) -> None:
        """The window is hidden: its frame goes."""
        self._timer.stop()

    def _shape(self) -> None:
        shape_frames(int(self._window.winId()), through=True)
        if self._left:
            self._timer.start(self._left.pop(0))

    @property
    def _window(self) -> QWidget:
        window = self.parent()
        assert isinstance(window, QWidget)
        return window

    def _framed(self) -> bool:
        return QGuiApplication.platformName() == "xcb" and self._window.isVisible()


def shape_frames(window: int, *, through: bool) -> int:
    """Let clicks through the frames that a window manager has put a window into, or not.

    Args:
        window: its number on the X server that ``DISPLAY`` names.
        through: whether they let clicks through.

    Returns:
        How many frames there are.
    """
    from Xlib import X, error
    from Xlib.display import Display
    from Xlib.ext import shape

    try:
        display = Display()
    except (error.DisplayError, error.XauthError, OSError):
        return 0
    frames = 0
    # The window or its frame may go at any moment; that is nothing to complain about.
    display.set_error_handler(lambda *_: None)
    try:
        root = display.screen().root
        inner = display.create_resource_object("window", window)
        while True:
            parent = inner.query_tree().parent
            if parent == X.NONE or parent.id == root.id:
                break
            frames += 1
            if through:
                nothing: list[object] = []
                parent.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, nothing)
            else:
                parent.shape_mask(shape.SO.Set, shape.SK.Input, 0, 0, X.NONE)
            inner = parent
        display.sync()
    except (error.XError, error.ConnectionClosedError):
        return frames
    finally:
        display.close()
    return frames
