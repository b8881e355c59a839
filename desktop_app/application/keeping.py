"""The transcript of the running application: in memory for its window, on disk unless private."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QLocale, QObject, QTime, Signal

from desktop_app.history.lines import Transcript, gap_of
from desktop_app.history.sink import RESUMED, STOPPED, HistorySink
from desktop_app.history.store import HistoryStore
from desktop_app.languages import named
from desktop_app.posting import post

if TYPE_CHECKING:
    from desktop_app.application.commands import AppCommands
    from desktop_app.application.qt_sink import QtSink
    from desktop_app.application.startup import CaptionSession
    from desktop_app.ui.transcript import TranscriptWindow
    from engine.types import CaptionUpdate, Notice

_JOIN_S = 2.0


class Keeping(QObject):
    """Follows every session; makes the window when it is first asked for.

    Args:
        app: whose settings say what is kept.

    Attributes:
        transcript: all that was said since the program began.
        sink: what writes the running session; None before the first.
    """

    _found = Signal(list)

    def __init__(self, app: AppCommands) -> None:
        super().__init__(app)
        self._app = app
        self.transcript = Transcript()
        self.sink: HistorySink | None = None
        self._expiring: threading.Thread | None = None
        self._found.connect(self._tell)

    def begin(self) -> None:
        """Follow the tray, and delete what is older than the settings say."""
        tray = self._app.tray
        tray.transcript_asked.connect(self.show)
        self._app.overlay.bar.transcript_asked.connect(self.show)
        tray.private_toggled.connect(self.set_private)
        tray.set_private(not self._app.settings.keep_history)
        self.expire()

    def expire(self) -> None:
        """Delete what is older than the settings say, on a thread of its own."""
        days = self._app.settings.history_days
        if self._expiring is not None:
            self._expiring.join(_JOIN_S)
        if days > 0:
            self._expiring = threading.Thread(
                target=self._expire, args=(days,), name="history-expire", daemon=True
            )
            self._expiring.start()

    def attach(self, session: CaptionSession, window: QtSink) -> None:
        """Follow a session that has just begun, and write what it hears to disk.

        Args:
            session: it has said nothing yet.
            window: brings its captions to Qt's thread.
        """
        now = QLocale().toString(QTime.currentTime(), QLocale.FormatType.ShortFormat)
        self.transcript.begin(self.tr("Started again at {0}").format(now))
        window.captions.connect(self._take_captions)
        window.notices.connect(self._take_notices)
        settings = named(self._app.settings)
        self.sink = HistorySink(
            HistoryStore().folder,
            settings.lane_names,
            private=not settings.keep_history,
            tell=self._tell_from_the_disk,
        )
        session.add_sink(self.sink)

    def set_private(self, private: bool) -> None:
        """Keep nothing on disk from now on, or go on keeping."""
        self._app.change_settings(keep_history=not private)
        self._app.tray.set_private(private)
        if self.sink is not None:
            self.sink.set_private(private)
        if self.window is not None:
            self.window.set_private(private)

    @property
    def window(self) -> TranscriptWindow | None:
        """None until it was opened."""
        return cast("TranscriptWindow | None", self._app.windows.opened("transcript"))

    def show(self) -> None:
        """Open the window, or bring it to the front."""
        self._app.windows.show("transcript")

    def make_window(self) -> TranscriptWindow:
        """The window, which follows what is said."""
        from desktop_app.ui.theme import theme_for
        from desktop_app.ui.transcript import TranscriptWindow

        window = TranscriptWindow(
            self.transcript,
            theme_for(self._app.settings),
            named(self._app.settings).lane_names,
            HistoryStore(),
            current=self.current,
        )
        window.private_toggled.connect(self.set_private)
        window.set_private(not self._app.settings.keep_history)
        return window

    def current(self) -> str:
        """Id of the session that is being written; empty for none."""
        path = self.sink.path if self.sink is not None else None
        return path.stem if path is not None else ""

    def close(self) -> None:
        """Wait for the thread."""
        if self._expiring is not None:
            self._expiring.join(_JOIN_S)
            self._expiring = None

    def _take_captions(self, updates: list[CaptionUpdate]) -> None:
        for update in updates:
            self.transcript.apply(update)

    def _take_notices(self, notices: list[Notice]) -> None:
        for notice in notices:
            gap = gap_of(notice)
            if gap is not None:
                self.transcript.take(gap)

    def _expire(self, days: int) -> None:
        store = HistoryStore()
        store.expire(days)
        post(self._found, store.notices)

    def _tell_from_the_disk(self, notice: Notice) -> None:
        """On the thread that writes."""
        post(self._found, [notice])

    def _tell(self, notices: list[Notice]) -> None:
        for notice in notices:
            if notice.code == RESUMED:
                self._app.overlay.notices.withdraw(STOPPED)
            self._app.overlay.add_notice(notice)
