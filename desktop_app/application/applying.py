"""A change of settings, wherever it comes from, put into effect on what runs, with the least that
does it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app import secrets
from desktop_app.file_watch import FileWatch
from desktop_app.posting import post
from desktop_app.settings.look import LookSettings
from desktop_app.settings.outputs import OutputSettings
from desktop_app.settings.presets import PresetStore, next_of, of_settings, preset_of
from desktop_app.settings.store import SettingsStore, differing
from engine.config import DENOISERS
from engine.errors import CaptionglassError, ModelError
from engine.types import Notice

if TYPE_CHECKING:
    from pathlib import Path

    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.settings.declared import Settings
    from desktop_app.settings.presets import Preset
    from models.spec import ModelFiles

LOOK = (
    frozenset(LookSettings.model_fields)
    | {"font_family", "font_size", "lines", "opacity", "text_colour", "outline_colour", "theme"}
    | {"reduced_motion", "geometry", "lane_name_mic", "lane_name_system"}
) - {"hotkeys", "announce", "locked"}
"""What is seen at once, and costs a repaint."""

RESTART = frozenset(
    {
        "source",
        "language",
        "chinese_script",
        "hotwords",
        "blank_penalty",
        "restore_punctuation",
        "isolated",
    }
)
"""What a session is begun with. It is begun anew; the model comes from the system's cache."""

ACTED_ON = frozenset(OutputSettings.model_fields) | {
    "model", "provider", "profile", "denoise", "auto_gain", "locked", "announce", "hotkeys",
    "keep_history", "history_days", "secrets_in_file", "interface_language", "web_enabled",
    "web_port", "models_mirror",
}  # fmt: skip
"""What acts in a way of its own: below, in ``CaptionApp.change_settings``, or when it is needed. A
new setting stands in one of these three, or a test fails."""

OVERRIDDEN = {"source": None, "model": None, "provider": "auto", "language": ""}
"""What the command line may have said for this run alone, and how it is taken back."""

_JOIN_S = 2.0
_RESTART_MS = 400
"""Somebody who goes through a list by the arrow keys wants one restart, not ten."""


class Applying(QObject):
    """Applies settings, watches their file, keeps the presets.

    Args:
        app: owns the settings and what runs.
        store: the settings file.

    Attributes:
        presets: shipped ones and the user's own.
    """

    changed = Signal()
    """The settings are others, whoever changed them."""
    presets_changed = Signal()
    _failed = Signal(object)

    def __init__(self, app: CaptionApp, store: SettingsStore) -> None:
        super().__init__(app)
        self._app = app
        self._store = store
        self.presets = PresetStore(store.path.with_name("presets.toml"))
        self._settings_watch = FileWatch(store.path, self)
        self._settings_watch.changed.connect(self.look_again)
        self._presets_watch = FileWatch(self.presets.path, self)
        self._presets_watch.changed.connect(self._look_at_presets)
        self._moving: threading.Thread | None = None
        self._failed.connect(self._tell_failure)
        self._restart = QTimer(self, singleShot=True, interval=_RESTART_MS)
        self._restart.timeout.connect(app.retry)

    def begin(self) -> None:
        """Follow the tray and what editors do to the files."""
        tray = self._app.tray
        tray.preset_chosen.connect(self.use_preset)
        self.changed.connect(self._show_preset)
        self.presets_changed.connect(self._show_preset)
        self._show_preset()
        self._app.show_store_notices()
        self.watch()

    def watch(self) -> None:
        """Watch the files, which may have come into being."""
        self._settings_watch.begin()
        self._presets_watch.begin()

    def end(self) -> None:
        """Watch and begin nothing from now on."""
        self._restart.stop()
        self._settings_watch.end()
        self._presets_watch.end()
        if self._moving is not None:
            self._moving.join(_JOIN_S)
            self._moving = None

    # Settings

    def apply(self, new: Settings) -> None:
        """Take other settings: they are shown, heard, written and saved from now on."""
        app = self._app
        changed = differing(app.settings, new)
        # These two may be refused, or come later.
        lock = "locked" in changed and new.locked
        model = new.model if "model" in changed and not self._begins_with(changed, new) else ""
        changed -= {"locked"} if lock else set()
        changed -= {"model"} if model else set()
        if changed:
            app.change_settings(**{name: getattr(new, name) for name in changed})
            app.override(**{name: OVERRIDDEN[name] for name in changed & OVERRIDDEN.keys()})
            self._see(changed)
            self._hear(changed)
        if model:
            app.use_model(model)
        if lock:
            app.set_locked(True)

    def _begins_with(self, changed: set[str], new: Settings) -> bool:
        """Whether the session is begun anew anyhow, and the other model is there to begin with."""
        return bool(changed & RESTART) and self._installed(new.model) is not None

    @property
    def notices(self) -> list[Notice]:
        """What is wrong with the files."""
        return [*self._store.notices, *self.presets.notices]

    def settings_file(self) -> Path | None:
        """Where the settings lie, with everything that is set; None where they lie nowhere."""
        saved = self._store.save(self._app.settings) and self._store.establish()
        self._app.show_store_notices()
        self.watch()
        return self._store.path if saved else None

    def password_changed(self) -> None:
        """Another password of OBS is kept: knock there again."""
        app = self._app
        if app.outputs is not None and app.settings.obs_enabled:
            wanted = app.wish().outputs
            app.outputs.change(replace(wanted, obs=None))
            app.outputs.change(wanted)

    def change(self, **values: object) -> None:
        """Take other values for some settings."""
        self.apply(self._app.settings.model_copy(update=values))

    def look_again(self) -> None:
        """Take what an editor has made of the settings file."""
        app = self._app
        new = self._store.reload(app.settings)
        if self._store.unclear:
            app.overlay.add_notice(
                Notice(
                    "settings.unclear",
                    "warning",
                    f"{self._store.path} cannot be understood",
                    "mend it; until then the settings stay as they are",
                )
            )
            return
        app.overlay.notices.withdraw("settings.unclear")
        self.apply(new)
        self._app.show_store_notices()

    def _see(self, changed: set[str]) -> None:
        app, new = self._app, self._app.settings
        if changed & LOOK:
            app.change_look()
        if "locked" in changed:
            app.set_locked(False)
        if "profile" in changed:
            app.overlay.bar.set_position(new.profile)
            app.set_profile(new.profile)
        if "hotkeys" in changed:
            app.renew_hotkeys()
        if "keep_history" in changed:
            app.keeping.set_private(not new.keep_history)
        if "interface_language" in changed:
            # The window in which it was chosen is made anew.
            QTimer.singleShot(0, app.use_language)
        if "history_days" in changed:
            app.keeping.expire()
        if "secrets_in_file" in changed:
            self._move_secrets(new.secrets_in_file)

    def _hear(self, changed: set[str]) -> None:
        app, new = self._app, self._app.settings
        session = app.session
        if session is not None and session.error is not None:
            session = None
        if changed & RESTART or (session is None and changed & {"provider", "denoise"}):
            self._begin_anew()
        if "model" in changed:
            app.measuring.recall(app.wish().model)
        # One that is begun in a moment begins with everything as it is then.
        if session is None or self._restart.isActive():
            return
        if "provider" in changed:
            files = self._installed(app.models.current)
            if files is not None:
                session.swap_model(files, provider=app.wish().provider)
        if "denoise" in changed:
            denoiser = None if new.denoise == "off" else self._installed(DENOISERS[new.denoise])
            if denoiser is None and new.denoise != "off":
                # Beginning anew fetches it.
                self._begin_anew()
                return
            session.set_denoiser(denoiser)
        if "auto_gain" in changed:
            session.set_auto_gain(new.auto_gain)

    def _begin_anew(self) -> None:
        # Before the first steps are done, nothing is opened.
        if self._app.begun:
            self._restart.start()

    def _installed(self, model_id: str) -> ModelFiles | None:
        from models import catalogue
        from models.store import ModelStore

        try:
            return ModelStore().files(catalogue.load().get(model_id))
        except ModelError:
            return None

    def _move_secrets(self, into_file: bool) -> None:
        """On a thread: whoever looks for a secret may wait for the owner of a keyring."""
        last = self._moving

        def move() -> None:
            if last is not None:
                last.join()
            try:
                secrets.keep_in_file(into_file)
            except CaptionglassError as error:
                post(
                    self._failed,
                    Notice("secrets.file", "warning", error.message, error.remedy),
                )

        self._moving = threading.Thread(target=move, name="secrets", daemon=True)
        self._moving.start()

    # Presets

    def use_preset(self, name: str) -> None:
        """Take a preset; says so, or that there is none of that name."""
        try:
            preset = self.presets.find(name)
        except CaptionglassError as error:
            self._tell(Notice("preset.none", "warning", error.message, error.remedy))
            return
        self._use(preset)

    def next_preset(self) -> None:
        """Take the preset that follows on the one in use."""
        if (preset := next_of(self._app.settings, self.presets.presets())) is not None:
            self._use(preset)

    def current_preset(self) -> str:
        """The name of the preset in use; empty where what is set is in none."""
        return preset_of(self._app.settings, self.presets.presets())

    def save_preset(self, name: str) -> None:
        """Keep what is set now under a name.

        Raises:
            CaptionglassError: it is no name, or cannot be kept.
        """
        self.keep_preset(of_settings(name, self._app.settings))

    def keep_preset(self, preset: Preset) -> None:
        """Keep a preset of the user's own.

        Raises:
            CaptionglassError: it cannot be kept.
        """
        self.presets.save(preset)
        self._presets_are_others()

    def rename_preset(self, name: str, new: str) -> None:
        """Give a preset of the user's own another name.

        Raises:
            CaptionglassError: it cannot have that name.
        """
        self.presets.rename(name, new)
        self._presets_are_others()

    def delete_preset(self, name: str) -> Preset:
        """Forget a preset of the user's own.

        Returns:
            What it was.

        Raises:
            CaptionglassError: it is a shipped one, or the file cannot be written.
        """
        preset = self.presets.delete(name)
        self._presets_are_others()
        return preset

    def _use(self, preset: Preset) -> None:
        app = self._app
        source, model = app.wish().source, app.wish().model
        # What the command line said for this run gives way, where the preset says anything.
        app.override(**{name: OVERRIDDEN[name] for name in OVERRIDDEN.keys() & preset.values})
        before = app.settings
        self.apply(preset.used_on(before))
        if app.settings.source == before.source and app.wish().source != source:
            self._begin_anew()
        if app.settings.model == before.model and app.wish().model != model:
            app.use_model(app.settings.model)
        self._tell(Notice("preset.used", "info", f"Preset: {preset.name}"))

    def _presets_are_others(self) -> None:
        self._presets_watch.begin()
        self.presets_changed.emit()

    def _look_at_presets(self) -> None:
        if self.presets.look_again():
            self.presets_changed.emit()
        self._app.show_store_notices()

    def _show_preset(self) -> None:
        names = [preset.name for preset in self.presets.presets()]
        self._app.tray.set_presets(names, self.current_preset())

    def _tell_failure(self, notice: Notice) -> None:
        self._app.overlay.add_notice(notice)

    def _tell(self, notice: Notice) -> None:
        self._app.overlay.notices.withdraw("preset.")
        self._app.overlay.add_notice(notice)
