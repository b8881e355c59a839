"""Owns the session of ``captionglass serve``: the engine without a window."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.serve.controller import (
    Appearance,
    ControlState,
    ModelRow,
    NotNowError,
    PresetRow,
    Shelf,
)
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import Preset, PresetStore
from engine.config import EngineConfig, LatencyProfile
from engine.errors import UsageError
from engine.types import EngineStats

if TYPE_CHECKING:
    from engine.session import Session
    from engine.sources.base import Source

MakeSession = Callable[[EngineConfig, "Sequence[Source]"], "Session"]


class EngineController:
    """Starts, changes and replaces the session. Any thread.

    Args:
        config: how the first session starts; what is changed later holds for the next ones.
        source: as ``pick_sources`` takes it.
        pick: opens it.
        make_session: builds sessions.
        shelf: the models.
        appearance: how the page looks.
        presets: gives the presets; read anew each time.

    Attributes:
        session: None before the first.
        preset: the one that was asked for last; None before.
    """

    def __init__(
        self,
        config: EngineConfig,
        source: str,
        pick: Callable[[str], Sequence[Source]],
        make_session: MakeSession,
        shelf: Shelf,
        appearance: Callable[[], Appearance],
        presets: Callable[[], PresetStore] = PresetStore,
    ) -> None:
        self._config = config
        self._source = source
        self._pick = pick
        self._make_session = make_session
        self._shelf = shelf
        self._appearance = appearance
        self._presets = presets
        self._lock = threading.Lock()
        self._lanes: list[str] = []
        self._heard = ""
        self._ended = False
        self.session: Session | None = None
        self.preset: Preset | None = None

    def state(self) -> ControlState:
        """What runs."""
        return ControlState.of(
            self.stats(),
            self.session.error if self.session is not None else None,
            source=self._source,
            listening_to=self._heard,
            profile=self._config.profile,
            language=self._config.language,
            preset=self.preset.name if self.preset is not None else "",
        )

    def stats(self) -> EngineStats:
        """The engine's figures."""
        session = self.session
        return session.stats() if session is not None else EngineStats("starting")

    def start(self) -> None:
        """Go on after a pause; begin anew where the session has ended or failed."""
        with self._lock:
            session = self.session
            if session is not None and session.stats().state not in ("stopped", "failed"):
                session.resume()
                return
            self._begin(self._pick(self._source))

    def pause(self) -> None:
        """Stop looking at the sound.

        Raises:
            NotNowError: nothing runs.
        """
        with self._lock:
            self._running().pause()

    def set_slider(self, profile: LatencyProfile) -> None:
        """Move the slider."""
        with self._lock:
            self._config = dataclasses.replace(self._config, profile=profile)
            if self.session is not None:
                self.session.set_profile(profile)

    def set_source(self, source: str) -> None:
        """Caption something else. What was heard before is captioned first.

        Raises:
            UsageError: no such source, or a file: programs elsewhere choose no files here.
            SourceError: it exists, but sound cannot be had from it.
        """
        check_remote_source(source)
        with self._lock:
            sources = self._pick(source)
            session = self.session
            lanes = [each.lane for each in sources]
            lively = session is not None and session.stats().state not in ("stopped", "failed")
            if session is not None and lively and len(lanes) == len(self._lanes):
                for index, each in enumerate(sources):
                    session.swap_source(index, each)
                self._note(sources)
            else:
                self._begin(sources)
            self._source = source

    def models(self) -> Sequence[ModelRow]:
        """What could be switched to."""
        return self._shelf.rows(self.stats().model_id)

    def switch_model(self, model_id: str) -> None:
        """Go over to an installed model, which is loaded beside the running one.

        Raises:
            UnknownModelError: there is none of that id.
            NotNowError: it is not installed, or nothing runs.
        """
        files = self._shelf.files(model_id)
        with self._lock:
            self._config = dataclasses.replace(self._config, model=files)
            self._running().swap_model(files)

    def best_model(self, language: str) -> str:
        """See ``Shelf.best``."""
        return self._shelf.best(language)

    def presets(self) -> Sequence[PresetRow]:
        """All of them."""
        used = self.preset.name if self.preset is not None else ""
        rows = self._presets().presets()
        return [PresetRow(each.name, each.own, each.name == used) for each in rows]

    def use_preset(self, name: str) -> None:
        """Take the source, the model, the slider and the look of a preset, for this run.

        Raises:
            UsageError: there is none of that name, or it names a source that is no device.
            NotNowError: its model is not installed; nothing has been changed.
            SourceError: sound cannot be had from its source.
        """
        preset = self._presets().find(name)
        model, source = preset.values.get("model"), preset.values.get("source")
        if model is not None:
            self._shelf.files(str(model))
        if source is not None and source != self._source:
            self.set_source(str(source))
        if model is not None and model != self._config.model.spec.id:
            self.switch_model(str(model))
        if (position := preset.values.get("profile")) is not None:
            self.set_slider(LatencyProfile(float(position)))
        self.preset = preset

    def appearance(self) -> Appearance:
        """How the page looks."""
        return self._appearance()

    def close(self) -> None:
        """Stop the session for good. What is asked later is refused."""
        with self._lock:
            self._ended = True
            if self.session is not None:
                self.session.stop()

    def _begin(self, sources: Sequence[Source]) -> None:
        if self._ended:
            for source in sources:
                source.stop()
            raise NotNowError("Captionglass is ending", "start it again")
        if self.session is not None:
            self.session.stop()
        self.session = self._make_session(self._config, sources)
        self._note(sources)
        self.session.start()

    def _note(self, sources: Sequence[Source]) -> None:
        self._lanes = [each.lane for each in sources]
        self._heard = " and ".join(each.description for each in sources)

    def _running(self) -> Session:
        session = self.session
        if session is None or session.stats().state in ("stopped", "failed"):
            raise NotNowError("nothing is being captioned", "captionglass ctl start")
        return session


def check_remote_source(source: str) -> None:
    """See that a source is one that may be chosen over the control port: a device.

    Raises:
        UsageError: it is a file or a pipe.
    """
    from desktop_app.pick_source import check_source, is_device

    if not is_device(source):
        raise UsageError(
            "over the control port only devices can be chosen",
            "mic, system, both, mic:NAME, system:NAME or app:NAME",
        )
    check_source(source)


def appearance_of(settings: Settings, css_file: Path | None = None) -> Appearance:
    """How the page looks by the settings of the overlay.

    Args:
        settings: the overlay's.
        css_file: the user's own style sheet; need not exist.
    """
    css = ""
    if css_file is not None:
        try:
            css = css_file.read_text(encoding="utf-8")[:MOST_CSS]
        except (OSError, UnicodeDecodeError):
            css = ""
    return Appearance(
        theme="light" if settings.theme == "light" else "dark",
        font_family=settings.font_family,
        lines=settings.lines,
        opacity=settings.opacity,
        text_colour=settings.text_colour,
        outline_colour=settings.outline_colour,
        lane_names=settings.lane_names,
        css=css,
    )


MOST_CSS = 65_536
"""Characters of the user's style sheet that are read."""


def default_css_file() -> Path:
    """Where the user's own style sheet for the page is looked for."""
    from platformdirs import user_config_path

    return user_config_path("captionglass", appauthor=False) / "overlay.css"
