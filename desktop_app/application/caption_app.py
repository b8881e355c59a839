"""The wiring: settings, window, tray and session. The only file that knows everybody."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from desktop_app import languages
from desktop_app.application.applying import Applying
from desktop_app.application.commands import AppCommands
from desktop_app.application.qt_sink import QtSink
from desktop_app.application.serving import Serving
from desktop_app.application.starting import Starting
from desktop_app.application.startup import (
    CaptionSession,
    MakeSession,
    OverlayOptions,
    Started,
    Wish,
    wish_for,
)
from desktop_app.settings.declared import Geometry
from desktop_app.settings.presets import PresetStore
from desktop_app.settings.store import SettingsStore
from desktop_app.ui.announcing import Announcer
from desktop_app.ui.measuring import Measuring
from desktop_app.ui.overlay import Overlay
from desktop_app.ui.tray import Tray
from engine.config import LatencyProfile
from engine.errors import CaptionglassError

if TYPE_CHECKING:
    from desktop_app.outputs.running import RunningOutputs
    from engine.types import CaptionUpdate, EngineStats, Notice, Severity, StreamHeader

_log = logging.getLogger(__name__)

_SAVE_MS = 600
_WATCH_MS = 1000


class CaptionApp(AppCommands):
    """Owns the windows and the running session.

    Args:
        options: what was asked for; overrides the settings without changing them.
        store: the settings file.
        make_session: builds sessions; the engine's own by default.
    """

    def __init__(
        self,
        options: OverlayOptions,
        store: SettingsStore | None = None,
        make_session: MakeSession | None = None,
    ) -> None:
        super().__init__()
        self._options = options
        self._store = store or SettingsStore()
        self.settings = self._store.load()
        if options.preset is not None:
            presets = PresetStore(self._store.path.with_name("presets.toml"))
            self.settings = presets.find(options.preset).used_on(self.settings)
        languages.use(self.settings.interface_language)
        self._position = (
            LatencyProfile.parse(options.profile).position
            if options.profile is not None
            else self.settings.profile
        )
        self.session: CaptionSession | None = None
        self.outputs: RunningOutputs | None = None
        self._paused = False
        self._over = False
        self.begun = False
        self.starting = Starting(make_session, options.debug, self)
        self._told: set[str] = set()
        self.listening_to, self._opened = "", False
        self.overlay = Overlay(self.settings)
        self.overlay.bar.set_position(self._position)
        self.overlay.bar.follow(self.stats)
        self.announcer = Announcer(self.overlay)
        self.measuring = Measuring(parent=self)
        self.tray = Tray(self)
        self.serving = Serving(self)
        self.applying = Applying(self, self._store)
        self._sink = QtSink(self)
        self._save_timer = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._save_timer.timeout.connect(self._save)
        self._watch_timer = QTimer(self, interval=_WATCH_MS)
        self._watch_timer.timeout.connect(self.watch)
        self._connect()

    def begin(self) -> None:
        """Show the window, then start the session behind it."""
        self.overlay.set_message("Loading the model…")
        self.overlay.show()
        self.show_store_notices()
        if self._options.first_run:
            # Nothing is opened before somebody has chosen.
            self.overlay.set_message("Captions begin once you have chosen what to caption")
            self.show_first_run()
        else:
            self._start()
        self._watch_timer.start()
        # Asking for a tray can take a while on a desktop that has none.
        QTimer.singleShot(0, self.tray.look)
        self.measuring.recall(self.wish().model)
        self.serving.begin()
        self.begin_commands()
        self.applying.begin()

    def retry(self) -> None:
        """Stop what runs and start afresh, with the devices that are there now."""
        self.overlay.set_message("Opening the sound…")
        self._start()

    def end_first_run(self) -> None:
        """The first steps were made, or left out: they do not come again by themselves."""
        self._save()
        self._store.establish()
        self.applying.watch()
        self.show_store_notices()

    def override(self, **chosen: str | None) -> None:
        """Choose a source or a model for this run alone; None takes it back."""
        self._options = dataclasses.replace(self._options, **chosen)  # type: ignore[arg-type]

    def change_settings(self, **changed: object) -> None:
        """Change settings, and save them a little later."""
        self.settings = self.settings.model_copy(update=changed)
        if "interface_language" in changed:
            # Not at once: whoever asks may be a window that is made anew.
            QTimer.singleShot(0, self.use_language)
        self._save_timer.start()
        self.follow_outputs()
        self.applying.changed.emit()

    def follow_outputs(self) -> None:
        """Write, send and serve what the settings ask for now, in the look they ask for."""
        self.serving.follow()
        if self.outputs is not None:
            self.outputs.change(self.wish().outputs)

    def set_paused(self, paused: bool) -> None:
        """Pause or go on."""
        self._paused = paused
        self.overlay.set_paused(paused)
        self.tray.set_paused(paused)
        if self.session is not None:
            (self.session.pause if paused else self.session.resume)()
        if paused:
            self._notify("session.paused", "warning", "Captions are paused")
        else:
            self.overlay.notices.withdraw("session.paused")

    def set_profile(self, position: float) -> None:
        """Move the running engine on the slider at once; the setting is saved a little later."""
        self._position = position
        if self.session is not None:
            self.session.set_profile(LatencyProfile(position))
        self.change_settings(profile=position)

    def measure(self) -> None:
        """Begin to measure this computer; stop where that runs already."""
        if self.measuring.running:
            self.measuring.cancel()
        else:
            self.overlay.notices.withdraw("measuring.")
            wish = self.wish()
            self.measuring.start(wish.model, wish.provider)

    def show_diagnostics(self) -> None:
        """Open the pane, or bring it to the front."""
        self.windows.show("diagnostics")

    def stats(self) -> EngineStats:
        """A snapshot of the engine, also while none runs."""
        if self.session is not None:
            return self.session.stats()
        from engine.types import EngineStats

        return EngineStats("starting" if self.starting.under_way else "failed")

    def watch(self) -> None:
        """Say what happened to the session; it does not call by itself when it fails."""
        session = self.session
        if session is None or self._over:
            return
        if session.error is not None:
            self._over = True
            self._fail(session.error)
        elif session.stats().state == "stopped":
            self._over = True
            self.overlay.set_message("Not listening")
            self._notify("session.over", "info", "The sound has ended", recoverable=False)

    def shut_down(self) -> None:
        """Stop everything, in the order that loses nothing. May be called twice."""
        self._watch_timer.stop()
        self.applying.end()
        self.starting.cancel()
        # It may have been moved a moment ago.
        self.overlay.settle()
        if self._save_timer.isActive():
            self._save()
        self.measuring.cancel()
        self.serving.stop()
        self.end_commands()
        self.overlay.hide()
        self.tray.close()
        self.starting.join()
        session, self.session = self.session, None
        if session is not None:
            session.stop()

    # Starting

    def _start(self) -> None:
        self._over, self.begun = False, True
        session, self.session = self.session, None
        before = (session, self._sink) if session is not None else None
        if before is None:
            self._sink.blockSignals(True)
            self._clear(self._sink)
        self._sink = QtSink(self)
        self._listen_to(self._sink)
        self.starting.start(self.wish(), self._sink, before)

    def _clear(self, old: QtSink) -> None:
        """The session before has said its last words: from here on segments are another's."""
        old.deleteLater()
        lanes = ("mic", "system") if self.wish().source == "both" else ()
        self.overlay.view.begin_session(lanes)

    def wish(self) -> Wish:
        """What shall run, by the command line and the settings."""
        settings = languages.named(self.settings)
        return wish_for(self._options, settings, LatencyProfile(self._position))

    def _take_session(self, started: Started) -> None:
        self.session, self.listening_to = started.session, started.listening_to
        self.outputs = started.outputs
        self.follow_outputs()
        self.serving.attach(started.session)
        self.keeping.attach(started.session, self._sink)
        self._say_listening()
        for notice in started.notices:
            self.overlay.add_notice(notice)
        # The slider and the pause button may have been used while it came up.
        self.session.set_profile(LatencyProfile(self._position))
        if self._paused:
            self.session.pause()

    def _take_header(self, _header: StreamHeader) -> None:
        self._opened = True
        self._say_listening()

    def _say_listening(self) -> None:
        if self._opened and self.listening_to:
            self.overlay.set_message(f"Listening to {self.listening_to}")

    def _take_notices(self, notices: list[Notice]) -> None:
        for notice in notices:
            self.follow_stream(notice)
            self.models.heed(notice)
            if notice.code == "sink.goes_on":
                self.overlay.notices.withdraw("sink.waits")
            self.overlay.add_notice(notice)

    def _take_figures(self) -> None:
        measuring = self.measuring
        self.overlay.bar.show_figures(measuring.figures, measuring.model, measuring.progress)

    def _measured(self) -> None:
        self._notify("measuring.done", "info", "Measured: the slider says what each stop does here")

    def _measuring_failed(self, error: CaptionglassError) -> None:
        self._notify("measuring.failed", "warning", error.message, error.remedy)

    def _fail(self, error: CaptionglassError) -> None:
        self.overlay.set_message("Not listening")
        self._notify("session.failed", "error", error.message, error.remedy, recoverable=False)

    # Settings and windows

    def _connect(self) -> None:
        overlay, tray = self.overlay, self.tray
        overlay.profile_moved.connect(self.set_profile)
        overlay.pause_toggled.connect(self.set_paused)
        overlay.diagnostics_asked.connect(self.show_diagnostics)
        # Closing ends the program, tray or not: a closed window that goes on listening would be
        # a surprise of the worst kind. The tray can hide it.
        overlay.close_asked.connect(QApplication.quit)
        overlay.retry_asked.connect(self.retry)
        overlay.placed.connect(self._take_place)
        overlay.bar.measure_asked.connect(self.measure)
        self.measuring.changed.connect(self._take_figures)
        self.measuring.measured.connect(self._measured)
        self.measuring.failed.connect(self._measuring_failed)
        tray.visibility_toggled.connect(self.toggle_visible)
        tray.controls_asked.connect(self._focus_controls)
        tray.pause_toggled.connect(self.set_paused)
        tray.diagnostics_asked.connect(self.show_diagnostics)
        tray.settings_asked.connect(self.show_settings)
        overlay.bar.settings_asked.connect(self.show_settings)
        tray.quit_asked.connect(QApplication.quit)
        self.starting.said.connect(overlay.set_message)
        self.starting.ended.connect(self._clear)
        self.starting.came_up.connect(self._take_session)
        self.starting.failed.connect(self._fail)
        QApplication.styleHints().colorSchemeChanged.connect(self._restyle)

    def _listen_to(self, sink: QtSink) -> None:
        self.listening_to, self._opened = "", False
        sink.opened.connect(self._take_header)
        sink.captions.connect(self.overlay.apply)
        sink.captions.connect(self._announce)
        sink.notices.connect(self._take_notices)

    def _announce(self, updates: list[CaptionUpdate]) -> None:
        if self.settings.announce:
            self.announcer.take(updates)

    def _focus_controls(self) -> None:
        self.overlay.show()
        self.tray.set_shown(True)
        self.overlay.focus_controls()

    def _take_place(self, arrangement: str, place: Geometry, lines: int) -> None:
        others = {key: old for key, old in self.settings.geometry.items() if key != arrangement}
        self.change_settings(geometry=others | {arrangement: place}, lines=lines)

    def _restyle(self) -> None:
        self.overlay.restyle(self.settings)
        self.windows.restyle()

    def _save(self) -> None:
        self._save_timer.stop()
        self._store.save(self.settings)
        self.applying.watch()
        self.show_store_notices()

    def show_store_notices(self) -> None:
        """Say what is wrong with the files of settings and presets, each thing once."""
        for notice in self.applying.notices:
            if notice.code not in self._told:
                self._told.add(notice.code)
                self.overlay.add_notice(notice)

    def _notify(
        self,
        code: str,
        severity: Severity,
        text: str,
        remedy: str = "",
        *,
        recoverable: bool = True,
    ) -> None:
        from engine.types import Notice

        _log.info("notice %s", code)
        self.overlay.add_notice(Notice(code, severity, text, remedy, recoverable))
