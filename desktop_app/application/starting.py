"""Bringing a session up on a thread of its own, while the window already stands there."""

from __future__ import annotations

import logging
import threading
import traceback

from PySide6.QtCore import QCoreApplication, QObject, Signal

from desktop_app.application.qt_sink import QtSink
from desktop_app.application.startup import (
    Cancelled,
    CaptionSession,
    MakeSession,
    Started,
    Wish,
    start_session,
)
from desktop_app.posting import post
from engine.errors import CaptionglassError

_log = logging.getLogger(__name__)

_JOIN_S = 5.0


class Starting(QObject):
    """One start at a time: the next one cancels the one before.

    Args:
        make_session: builds sessions; None for the engine's own.
        debug: print the traceback of a bug.
    """

    said = Signal(str)
    """What happens just now, for the window."""
    ended = Signal(QtSink)
    """The session before has said its last words, through this sink."""
    came_up = Signal(Started)
    failed = Signal(object)
    """A ``CaptionglassError``."""

    _said = Signal(int, str)
    _came_up = Signal(int, object)
    _failed = Signal(int, object)

    def __init__(
        self, make_session: MakeSession | None, debug: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._make_session = make_session
        self._debug = debug
        self._round = 0
        self._cancel = threading.Event()
        self.worker: threading.Thread | None = None
        self._said.connect(self._take_word)
        self._came_up.connect(self._take_session)
        self._failed.connect(self._take_failure)

    @property
    def under_way(self) -> bool:
        """Whether a start was asked for that has not failed."""
        return self.worker is not None

    def start(self, wish: Wish, sink: QtSink, before: tuple[CaptionSession, QtSink] | None) -> None:
        """Begin.

        Args:
            wish: what shall run.
            sink: takes what it says to Qt's thread.
            before: a session to stop first, and the sink it speaks through.
        """
        self._cancel.set()
        self._cancel = threading.Event()
        self._round += 1
        last = self.worker
        self.worker = threading.Thread(
            target=self._work,
            args=(self._round, wish, sink, self._cancel, before, last),
            name="startup",
            daemon=True,
        )
        self.worker.start()

    def cancel(self) -> None:
        """Let whatever comes up now be stopped at once."""
        self._cancel.set()
        self._round += 1

    def join(self) -> None:
        """Wait for the thread, and see that a session that came up last is stopped."""
        if self.worker is not None:
            self.worker.join(_JOIN_S)
            self.worker = None
            # A session that came up in the last moment still waits to be taken, and stopped.
            QCoreApplication.sendPostedEvents(self)

    def _work(
        self,
        number: int,
        wish: Wish,
        sink: QtSink,
        cancel: threading.Event,
        before: tuple[CaptionSession, QtSink] | None,
        last: threading.Thread | None,
    ) -> None:
        """On a thread of its own. What it has to tell travels by signal."""
        try:
            if last is not None:
                last.join()
            if before is not None:
                session, old = before
                session.stop()
                post(self.ended, old)
            started = start_session(
                wish, sink, lambda text: post(self._said, number, text), cancel, self._make_session
            )
        except Cancelled:
            return
        except CaptionglassError as error:
            post(self._failed, number, error)
        except Exception as error:  # noqa: BLE001 - a bug must reach the window as one line
            _log.exception("starting failed")
            if self._debug:
                traceback.print_exc()
            post(self._failed, number, CaptionglassError(described(error)))
        else:
            # The window may have gone while the session came up.
            if cancel.is_set() or not post(self._came_up, number, started):
                started.session.stop()

    def _take_session(self, number: int, started: Started) -> None:
        if number != self._round:
            started.session.stop()
        else:
            self.came_up.emit(started)

    def _take_failure(self, number: int, error: CaptionglassError) -> None:
        if number == self._round:
            self.worker = None
            self.failed.emit(error)

    def _take_word(self, number: int, text: str) -> None:
        if number == self._round:
            self.said.emit(text)


def described(error: BaseException) -> str:
    """An error in one line."""
    if isinstance(error, CaptionglassError):
        return str(error)
    return f"something unexpected happened ({type(error).__name__}: {error})"
