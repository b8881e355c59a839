"""Opening the overlay: one call, which returns when it was closed.

The window is shown before anything heavy is imported; the session starts on a thread of its own.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.starting import described
from desktop_app.application.startup import OverlayOptions
from desktop_app.console import complain, say
from desktop_app.health import logs
from desktop_app.interrupts import Interrupts
from desktop_app.screen import prepare_screen
from desktop_app.single_instance import USE_PRESET, SingleInstance, ask
from desktop_app.ui.theme import load_fonts
from desktop_app.ui.tray import app_icon

if TYPE_CHECKING:
    from engine.types import Notice

__all__ = ["OverlayOptions", "run_overlay"]


def run_overlay(options: OverlayOptions) -> int:
    """Open the overlay and stay until it is closed.

    Returns:
        0, or 128 + the number of the signal that ended it.

    Raises:
        CaptionglassError: what was asked for does not exist, or no window can be opened.
    """
    prepare_screen()
    application = cast(QApplication, QApplication.instance() or QApplication(["captionglass"]))
    application.setApplicationName("Captionglass")
    application.setDesktopFileName("captionglass")
    application.setWindowIcon(app_icon())
    application.setQuitOnLastWindowClosed(False)
    instance = SingleInstance()
    # A preset for the one that runs does not bring it to the front, when it is hidden on purpose.
    if options.preset is not None and not options.new and ask(f"{USE_PRESET} {options.preset}"):
        if options.settings:
            ask("settings")
        return 0
    if not options.new and not instance.claim():
        if options.settings:
            ask("settings")
        if options.first_run == "asked":
            ask("first-run")
        say("Captionglass is open already, and was brought to the front; --new opens another one")
        return 0
    try:
        _check(options)
        with logs.kept("the window") as crashed:
            return _run(application, options, instance, crashed)
    finally:
        instance.close()


def _run(
    application: QApplication, options: OverlayOptions, instance: SingleInstance, crashed: bool
) -> int:
    load_fonts()
    with Interrupts() as interrupts:
        interrupts.defer()
        with _one_line_for_bugs(options.debug), _signals_heard(interrupts):
            captions = CaptionApp(options)
            instance.asked.connect(partial(perform, captions))
            captions.begin()
            if options.settings:
                captions.show_settings()
            if crashed:
                captions.overlay.add_notice(_crash_notice())
            application.exec()
            captions.shut_down()
    return interrupts.exit_code if interrupts.received is not None else 0


def _crash_notice() -> Notice:
    from engine.types import Notice

    return Notice(
        "crash.before",
        "info",
        "Captionglass crashed last time",
        "to report it, run captionglass doctor --report FILE",
    )


def perform(captions: CaptionApp, command: str) -> None:
    """Do what another start of the program asked for: one of ``single_instance.COMMANDS``."""
    overlay = captions.overlay
    if command in ("show", "hide"):
        overlay.setVisible(command == "show")
        captions.tray.set_shown(command == "show")
        if command == "show":
            overlay.raise_()
    elif command.startswith(f"{USE_PRESET} "):
        captions.use_preset(command.removeprefix(f"{USE_PRESET} "))
    elif command == "quit":
        QApplication.quit()
    else:
        what = {
            "toggle": captions.toggle_visible,
            "pause": captions.toggle_pause,
            "lock": captions.toggle_lock,
            "next-preset": captions.next_preset,
            "settings": captions.show_settings,
            "first-run": captions.show_first_run,
        }
        what[command]()


def _check(options: OverlayOptions) -> None:
    """Refuse at once, in the terminal, what a window could only refuse later.

    Raises:
        CaptionglassError: an unknown model, a file that cannot be read.
    """
    if options.model is not None:
        from models import catalogue

        catalogue.load().get(options.model)
    if options.source is not None:
        from desktop_app.pick_source import is_device, pick_sources

        if not is_device(options.source):
            for source in pick_sources(options.source, realtime=True):
                source.stop()


@contextlib.contextmanager
def _signals_heard(interrupts: Interrupts) -> Iterator[None]:
    """Qt's loop runs no Python while nothing happens, so a signal would wait for the next event.
    Python writes each one's number into a socket; Qt watches it."""
    inside, outside = socket.socketpair()
    inside.setblocking(False)
    outside.setblocking(False)
    notifier = QSocketNotifier(inside.fileno(), QSocketNotifier.Type.Read)

    def woken() -> None:
        with contextlib.suppress(BlockingIOError):
            inside.recv(64)
        if interrupts.received is not None:
            QApplication.quit()

    notifier.activated.connect(woken)
    before = signal.set_wakeup_fd(outside.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        notifier.setEnabled(False)
        inside.close()
        outside.close()


@contextlib.contextmanager
def _one_line_for_bugs(debug: bool) -> Iterator[None]:
    """An error nobody caught is one line in the terminal; the window stays."""

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logs.uncaught(error)
        if debug:
            traceback.print_exception(kind, error, trace)
        complain(described(error))

    before = sys.excepthook
    sys.excepthook = say
    try:
        yield
    finally:
        sys.excepthook = before
