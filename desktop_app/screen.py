"""Whether a window can be opened: Qt itself ends the process where it cannot."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import sys
from pathlib import Path

from engine.errors import CaptionglassError


class ScreenError(CaptionglassError):
    """No window can be opened here."""


def prepare_screen() -> None:
    """Choose how Qt reaches the screen, and check that it will.

    Raises:
        ScreenError: it will not.
    """
    if not sys.platform.startswith("linux"):
        return
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        # Qt takes the same one by itself, and says so in four lines.
        os.environ["LC_ALL"] = "C.UTF-8"
    if os.environ.get("QT_QPA_PLATFORM"):
        return
    display = os.environ.get("DISPLAY", "")
    if not display:
        return
    if prefer_xwayland():
        return
    if not _answers(display):
        raise ScreenError(
            f"the screen {display} does not answer",
            "check DISPLAY, or use: captionglass caption SOURCE",
        )
    missing = _missing_library()
    if missing:
        raise ScreenError(
            f"Qt's connection to the screen lacks a system library ({missing})",
            "captionglass doctor names the packages to install",
        )


def prefer_xwayland() -> bool:
    """A Wayland client can neither stay on top nor choose its place; through XWayland it can.

    Returns:
        Whether there is one, and the user did not choose otherwise; Qt is told then.
    """
    present = os.environ.get("WAYLAND_DISPLAY") and os.environ.get("DISPLAY")
    if not present or os.environ.get("QT_QPA_PLATFORM"):
        return False
    os.environ["QT_QPA_PLATFORM"] = "xcb;wayland"
    return True


def _answers(display: str) -> bool:
    """Whether an X server listens; only asked where it is on this machine."""
    local = re.fullmatch(r"(?:unix)?:(\d+)(?:\.\d+)?", display)
    if local is None:
        return True
    path = f"/tmp/.X11-unix/X{local[1]}"
    for address in (path, "\0" + path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(2.0)
            try:
                probe.connect(address)
            except OSError:
                continue
            return True
    return False


def _missing_library() -> str:
    """What Qt's plugin for X does not find; empty where it loads."""
    import PySide6

    plugin = Path(PySide6.__path__[0]) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    if not plugin.exists():
        return ""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error).split(":")[0]
    return ""
