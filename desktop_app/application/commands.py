"""What can be asked of the running application by a key, the tray or another start of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from desktop_app import languages
from desktop_app.application.keeping import Keeping
from desktop_app.application.model_use import ModelUse
from desktop_app.application.windows import Windows
from desktop_app.hotkeys.chords import wanted
from desktop_app.hotkeys.keys import Hotkeys
from desktop_app.outputs.obs import NOT_STREAMING, STREAMING
from desktop_app.settings.styles import STYLES, style_of, with_style
from engine.config import STOPS
from engine.types import Notice

if TYPE_CHECKING:
    from desktop_app.application.applying import Applying
    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.settings.declared import Settings
    from desktop_app.ui.overlay import Overlay
    from desktop_app.ui.tray import Tray

_STEP = 1.12
_SIZES = (12, 120)
_LOCKED = "lock.on"


class AppCommands(QObject):
    """The commands, for ``CaptionApp`` to inherit. Each can be called at any time."""

    settings: Settings
    overlay: Overlay
    tray: Tray
    applying: Applying
    _position: float
    _paused: bool

    def __init__(self) -> None:
        super().__init__()
        self.hotkeys = Hotkeys(self)
        self.keeping = Keeping(self)
        self.windows = Windows(cast("CaptionApp", self))
        self.models = ModelUse(cast("CaptionApp", self))

    if TYPE_CHECKING:  # what CaptionApp brings

        def set_paused(self, paused: bool) -> None:
            """Pause or go on."""

        def set_profile(self, position: float) -> None:
            """Move the slider."""

        def change_settings(self, **changed: object) -> None:
            """Change settings, and save them a little later."""

    # The commands

    def show_transcript(self) -> None:
        """Open the transcript, or bring it to the front."""
        self.keeping.show()

    def show_models(self) -> None:
        """Open the window of the models, or bring it to the front."""
        self.windows.show("models")

    def show_first_run(self) -> None:
        """Open the first steps, or bring them to the front."""
        self.windows.show("first_run")

    def use_model(self, model_id: str) -> None:
        """Caption with another model from now on; it is fetched first where it is not here."""
        self.models.use(model_id)

    def follow_stream(self, notice: Notice) -> None:
        """Pause or go on where a notice says that OBS has ended or begun a stream."""
        if notice.code in (STREAMING, NOT_STREAMING):
            self.set_paused(notice.code == NOT_STREAMING)

    def toggle_visible(self) -> None:
        """Show or hide the captions."""
        self.overlay.setVisible(not self.overlay.isVisible())
        self.tray.set_shown(self.overlay.isVisible())

    def toggle_pause(self) -> None:
        """Pause or go on."""
        self.set_paused(not self._paused)

    def toggle_lock(self) -> None:
        """Let clicks through the panel, or not."""
        self.set_locked(not self.settings.locked)

    def bigger(self) -> None:
        """Make the text a step bigger."""
        size = self.settings.font_size
        self.change_look(font_size=min(max(round(size * _STEP), size + 1), _SIZES[1]))

    def smaller(self) -> None:
        """Make the text a step smaller."""
        size = self.settings.font_size
        self.change_look(font_size=max(min(round(size / _STEP), size - 1), _SIZES[0]))

    def slider_up(self) -> None:
        """Move the slider to the next stop: fewer errors."""
        self._move_slider(
            min((stop for stop in STOPS.values() if stop > self._position), default=100)
        )

    def slider_down(self) -> None:
        """Move the slider to the stop before: words earlier."""
        self._move_slider(
            max((stop for stop in STOPS.values() if stop < self._position), default=0)
        )

    def next_style(self) -> None:
        """Take the next of the ready-made looks."""
        names = list(STYLES)
        now = style_of(self.settings)
        self.use_style(names[(names.index(now) + 1) % len(names)] if now else names[0])

    def next_model(self) -> None:
        """Go over to the next of the installed models."""
        self.models.use_next()

    def next_preset(self) -> None:
        """Take the next preset."""
        self.applying.next_preset()

    def use_preset(self, name: str) -> None:
        """Take a preset; says so where there is none of that name."""
        self.applying.use_preset(name)

    def show_settings(self) -> None:
        """Open the settings, or bring them to the front."""
        self.windows.show("settings")

    def use_style(self, name: str) -> None:
        """Take a ready-made look.

        Raises:
            KeyError: there is no such look.
        """
        new = with_style(self.settings, name)
        fields = type(new).model_fields
        changed = {
            f: getattr(new, f) for f in fields if getattr(new, f) != getattr(self.settings, f)
        }
        self.change_look(**changed)

    def set_locked(self, locked: bool) -> None:
        """Let clicks through the panel, or not; refused where nothing could undo it."""
        if locked and not self._can_unlock():
            self.tray.set_locked(False)
            self.overlay.add_notice(
                Notice(
                    "lock.refused",
                    "warning",
                    "The panel cannot be locked: there is neither tray nor hotkey to unlock it",
                    "choose a hotkey in the settings",
                )
            )
            return
        self.change_look(locked=locked)
        if locked:
            self.overlay.add_notice(
                Notice(_LOCKED, "info", "Clicks go through", f"unlock by {self._unlock_by()}")
            )
        else:
            self.overlay.notices.withdraw(_LOCKED)

    def change_look(self, **changed: object) -> None:
        """Change how the captions look or behave, at once."""
        self.change_settings(**changed)
        self.overlay.restyle(self.settings)
        self.windows.restyle()
        self._show_look()

    def use_language(self) -> None:
        """Say everything in the language that the settings ask for."""
        if languages.use(self.settings.interface_language):
            self.tray.retranslate()
            self.overlay.restyle(self.settings)
            self.windows.renew()

    def begin_commands(self) -> None:
        """Take the hotkeys and follow the tray."""
        self.keeping.begin()
        self.hotkeys.pressed.connect(self._do)
        self.tray.models_asked.connect(self.show_models)
        self.tray.model_chosen.connect(self.use_model)
        self.tray.models_menu.aboutToShow.connect(self._offer_models)
        self.overlay.bar.models_asked.connect(self.show_models)
        self.overlay.notices.models_asked.connect(self.show_models)
        self.tray.lock_toggled.connect(self.set_locked)
        self.tray.style_chosen.connect(self.use_style)
        self._show_look()
        self.renew_hotkeys()

    def renew_hotkeys(self) -> None:
        """Take the keys that the settings ask for, and say which cannot be had."""
        self.hotkeys.set(self.settings.hotkeys)
        self.overlay.notices.withdraw("hotkeys.")
        for notice in self.hotkeys.notices:
            self.overlay.add_notice(notice)

    def end_commands(self) -> None:
        """Give the hotkeys back."""
        self.keeping.close()
        self.windows.close()
        self.models.close()
        self.hotkeys.close()

    def _do(self, action: str) -> None:
        getattr(self, action)()

    def _move_slider(self, position: float) -> None:
        self.overlay.bar.set_position(position)
        self.set_profile(position)

    def _offer_models(self) -> None:
        from desktop_app.ui.model_facts import title

        # An ampersand would make the letter behind it a shortcut.
        titles = [(spec.id, title(spec).replace("&", "&&")) for spec in self.models.installed()]
        self.tray.set_models(titles, self.models.current)

    def _show_look(self) -> None:
        self.tray.set_locked(self.settings.locked)
        self.tray.set_style(style_of(self.settings))

    def _can_unlock(self) -> bool:
        return self.tray.icon is not None or "toggle_lock" in self.hotkeys.held

    def _unlock_by(self) -> str:
        ways = ["the tray"] if self.tray.icon is not None else []
        if "toggle_lock" in self.hotkeys.held:
            ways.insert(0, str(wanted(self.settings.hotkeys)[0]["toggle_lock"]))
        return " or ".join(ways)
