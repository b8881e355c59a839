"""What the window serves to OBS and other programs: the same page and control port as
``captionglass serve``, for the session that the window owns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from desktop_app import languages
from desktop_app.posting import post
from engine.errors import CaptionglassError

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.application.startup import CaptionSession
    from desktop_app.serve.controller import (
        Appearance,
        ControlState,
        ModelRow,
        PresetRow,
        Shelf,
    )
    from desktop_app.serve.server import WebServer
    from desktop_app.ui.obs_guide import ObsGuide
    from engine.config import LatencyProfile
    from engine.types import EngineStats, Notice

_WAIT_S = 8.0
_JOIN_S = 6.0


class WindowController:
    """Passes what the control port asks on to the window's thread, and waits for it there.

    Args:
        app: owns the session.
        call: runs something on the window's thread and gives its result.
    """

    def __init__(self, app: CaptionApp, call: Callable[[Callable[[], Any]], Any]) -> None:
        self._app = app
        self._call = call

    def state(self) -> ControlState:
        """What runs."""
        from desktop_app.serve.controller import ControlState

        app, wish = self._app, self._app.wish()
        return ControlState.of(
            app.stats(),
            app.session.error if app.session is not None else None,
            source=wish.source,
            listening_to=app.listening_to,
            profile=wish.profile,
            language=wish.language,
            preset=app.applying.current_preset(),
        )

    def stats(self) -> EngineStats:
        """The engine's figures."""
        return self._app.stats()

    def start(self) -> None:
        """Go on after a pause; begin anew where the session has ended or failed."""

        def begin() -> None:
            if self._app.stats().state in ("stopped", "failed"):
                self._app.retry()
            self._app.set_paused(False)

        self._call(begin)

    def pause(self) -> None:
        """Pause, as the button does."""
        self._call(lambda: self._app.set_paused(True))

    def set_slider(self, profile: LatencyProfile) -> None:
        """Move the slider, as a person does."""

        def move() -> None:
            self._app.overlay.bar.set_position(profile.position)
            self._app.set_profile(profile.position)

        self._call(move)

    def set_source(self, source: str) -> None:
        """Caption another device from now on, in this run alone."""
        from desktop_app.serve.engine_controller import check_remote_source

        check_remote_source(source)

        def change() -> None:
            self._app.override(source=source)
            self._app.retry()

        self._call(change)

    def models(self) -> Sequence[ModelRow]:
        """What could be switched to."""
        return self._shelf().rows(self.stats().model_id)

    def switch_model(self, model_id: str) -> None:
        """Go over to an installed model, in this run alone, without losing a word."""
        from desktop_app.serve.controller import NotNowError

        files = self._shelf().files(model_id)

        def change() -> None:
            if self._app.session is None:
                raise NotNowError("nothing is being captioned", "captionglass ctl start")
            self._app.override(model=model_id)
            self._app.session.swap_model(files)

        self._call(change)

    def best_model(self, language: str) -> str:
        """See ``Shelf.best``."""
        return self._shelf().best(language)

    def presets(self) -> Sequence[PresetRow]:
        """All of them."""
        from desktop_app.serve.controller import PresetRow

        applying = self._app.applying

        def rows() -> list[PresetRow]:
            used = applying.current_preset()
            presets = applying.presets.presets()
            return [PresetRow(each.name, each.own, each.name == used) for each in presets]

        found: list[PresetRow] = self._call(rows)
        return found

    def use_preset(self, name: str) -> None:
        """Take a preset, as its entry in the tray's menu does.

        Raises:
            UsageError: there is none of that name.
        """
        applying = self._app.applying
        self._call(lambda: applying.use_preset(applying.presets.find(name).name))

    def appearance(self) -> Appearance:
        """How the page looks: as the overlay does."""
        from desktop_app.serve.engine_controller import appearance_of, default_css_file

        return appearance_of(languages.named(self._app.settings), default_css_file())

    def _shelf(self) -> Shelf:
        from desktop_app.serve.controller import Shelf
        from models.catalogue import load
        from models.store import ModelStore

        return Shelf(load, ModelStore())


class Serving(QObject):
    """Begins and ends serving with the window, where the settings say so.

    Args:
        app: owns the session.

    Attributes:
        server: while it serves.
    """

    _asked = Signal(object)
    _came_up = Signal(int, object, str)
    _failed = Signal(int, object)

    def __init__(self, app: CaptionApp) -> None:
        super().__init__(app)
        self._app = app
        self.server: WebServer | None = None
        self._token = ""
        self._thread: threading.Thread | None = None
        self._asked_for: tuple[bool, int] | None = None
        self._round = 0
        self._ended = False
        self._asked.connect(lambda work: work(), Qt.ConnectionType.QueuedConnection)
        self._came_up.connect(self._take_server)
        self._failed.connect(self._take_failure)
        app.tray.obs_asked.connect(self.show_guide)

    def begin(self) -> None:
        """Start serving, where that is switched on. Returns at once."""
        self._asked_for = self._wanted()
        if self._thread is None and self._asked_for[0]:
            self._change()

    def follow(self) -> None:
        """The settings have changed: serve or not, on the port and in the look that they ask for.
        Returns at once."""
        if self._asked_for is None or self._ended:
            return
        before, self._asked_for = self._asked_for, self._wanted()
        if self._asked_for != before and (before[0] or self._asked_for[0]):
            self._change()
        elif self.server is not None:
            self.server.show_look()

    def _wanted(self) -> tuple[bool, int]:
        return self._app.settings.web_enabled, self._app.settings.web_port

    def _change(self) -> None:
        """Stop what serves, then serve as the settings say, on a thread of its own: readers take
        their leave, and a keyring may wait for its owner."""
        self._round += 1
        before, self.server = self.server, None
        if self.guide is not None:
            self.guide.set_served(False)
        enabled, port = self._wanted()
        self._thread = threading.Thread(
            target=self._work,
            args=(self._round, port if enabled else None, before, self._thread),
            name="web startup",
            daemon=True,
        )
        self._thread.start()

    def switch_on(self) -> None:
        """Serve from now on, at every start."""
        self._app.change_settings(web_enabled=True)
        self.begin()

    def attach(self, session: CaptionSession) -> None:
        """Give a session's captions to those who read them."""
        if self.server is not None:
            session.add_sink(self.server.sink)

    @property
    def guide(self) -> ObsGuide | None:
        """What says how the captions get into OBS; None until it was opened."""
        return cast("ObsGuide | None", self._app.windows.opened("obs_guide"))

    def show_guide(self) -> None:
        """Say how the captions get into OBS."""
        self._app.windows.show("obs_guide")

    def make_guide(self) -> ObsGuide:
        """The window that says it."""
        from desktop_app.ui.obs_guide import ObsGuide
        from desktop_app.ui.theme import theme_for

        guide = ObsGuide(theme_for(self._app.settings))
        guide.switched_on.connect(self.switch_on)
        guide.copy_asked.connect(self.copy_for_obs)
        guide.set_served(self.server is not None)
        return guide

    def copy_for_obs(self) -> Path | None:
        """Write the local file for OBS and copy its path; None where nothing is served."""
        from desktop_app.serve.page import default_obs_file, write_obs_file

        if self.server is None:
            return None
        path = default_obs_file()
        try:
            write_obs_file(path, self.server.address, self._token)
        except CaptionglassError as error:
            self._complain(error)
            return None
        QGuiApplication.clipboard().setText(str(path))
        if self.guide is not None:
            self.guide.say_copied(path)
        return path

    def stop(self) -> None:
        """Let every reader go. May be called twice."""
        self._ended = True
        if self._thread is not None:
            self._thread.join(_JOIN_S)
            self._thread = None
        server, self.server = self.server, None
        if server is not None:
            server.stop()

    def _work(
        self, number: int, port: int | None, before: WebServer | None, last: threading.Thread | None
    ) -> None:
        from desktop_app.serve.server import WebServer
        from desktop_app.serve.token import the_token

        if last is not None:
            last.join()
        if before is not None:
            before.stop()
        if port is None or number != self._round:
            return
        try:
            token, _ = the_token()
            controller = WindowController(self._app, self._on_window_thread)
            server = WebServer(controller, token, port)
            server.start()
        except CaptionglassError as error:
            if not self._ended:
                post(self._failed, number, error)
            return
        wanted = not self._ended and number == self._round
        if not wanted or not post(self._came_up, number, server, token):
            server.stop()

    def _take_server(self, number: int, server: WebServer, token: str) -> None:
        if self._ended or number != self._round:
            server.stop()
            return
        # The look may have been changed while it came up.
        server.show_look()
        self.server, self._token = server, token
        if self._app.session is not None:
            self.attach(self._app.session)
        if self.guide is not None:
            self.guide.set_served(True)

    def _take_failure(self, number: int, error: CaptionglassError) -> None:
        if number == self._round:
            self._thread = None
            self._complain(error)

    def _complain(self, error: CaptionglassError) -> None:
        from engine.types import Notice

        notice: Notice = Notice("web.failed", "warning", error.message, error.remedy)
        self._app.overlay.add_notice(notice)

    def _on_window_thread(self, work: Callable[[], Any]) -> Any:
        done: Future[Any] = Future()

        def run() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(work())
            except Exception as error:  # noqa: BLE001 - whoever asked is told, on another thread
                done.set_exception(error)

        if not self._ended:
            post(self._asked, run)
            try:
                return done.result(_WAIT_S)
            except FutureTimeoutError:
                done.cancel()
        raise CaptionglassError("the window does not answer", "try again")
