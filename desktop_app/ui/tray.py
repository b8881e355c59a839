"""The tray icon, where the desktop has a tray, now or later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from assets import ASSETS
from desktop_app.settings.presets import preset_title
from desktop_app.settings.styles import STYLES

_LOOK_AGAIN_MS = 5000


def app_icon() -> QIcon:
    """The program's icon."""
    return QIcon(str(ASSETS / "icon.svg"))


class Tray(QObject):
    """Show or hide, controls, pause, diagnostics, quit.

    Qt warns about an icon shown where there is no tray, so it is made only once there is one.
    """

    visibility_toggled = Signal()
    controls_asked = Signal()
    pause_toggled = Signal(bool)
    diagnostics_asked = Signal()
    settings_asked = Signal()
    transcript_asked = Signal()
    models_asked = Signal()
    model_chosen = Signal(str)
    private_toggled = Signal(bool)
    obs_asked = Signal()
    lock_toggled = Signal(bool)
    style_chosen = Signal(str)
    preset_chosen = Signal(str)
    quit_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.icon: QSystemTrayIcon | None = None
        self.menu = QMenu()
        self._shown = True
        self.show_action = self._action(self.visibility_toggled)
        # The panel takes no focus: this is the keyboard's way to its slider and buttons.
        self.controls_action = self._action(self.controls_asked)
        self.pause_action = QAction(self, checkable=True)
        self.pause_action.toggled.connect(self.pause_toggled)
        self.menu.addAction(self.pause_action)
        # A locked panel takes no clicks: this unlocks it.
        self.lock_action = QAction(self, checkable=True)
        self.lock_action.toggled.connect(self.lock_toggled)
        self.menu.addAction(self.lock_action)
        self.styles_menu = self.menu.addMenu("")
        for name in STYLES:
            style = self.styles_menu.addAction("")
            style.setData(name)
            style.setCheckable(True)
            style.triggered.connect(partial(self._choose_style, name))
        self.presets_menu = self.menu.addMenu("")
        self.transcript_action = self._action(self.transcript_asked)
        self.private_action = QAction(self, checkable=True)
        self.private_action.toggled.connect(self.private_toggled)
        self.menu.addAction(self.private_action)
        self.models_menu = self.menu.addMenu("")
        self.models_action = self._action(self.models_asked, self.models_menu)
        self.diagnostics_action = self._action(self.diagnostics_asked)
        self.obs_action = self._action(self.obs_asked)
        self.settings_action = self._action(self.settings_asked)
        self.menu.addSeparator()
        self.quit_action = self._action(self.quit_asked)
        self._timer = QTimer(self, interval=_LOOK_AGAIN_MS)
        self._timer.timeout.connect(self.look)
        self.retranslate()

    def retranslate(self) -> None:
        """Say everything in the language of the interface."""
        self.set_shown(self._shown)
        for action, text in (
            (self.controls_action, self.tr("Controls")),
            (self.pause_action, self.tr("Pause captions")),
            (self.lock_action, self.tr("Lock (clicks go through)")),
            (self.styles_menu.menuAction(), self.tr("Style")),
            (self.presets_menu.menuAction(), self.tr("Preset")),
            (self.transcript_action, self.tr("Transcript")),
            (self.private_action, self.tr("Private (keep nothing)")),
            (self.models_menu.menuAction(), self.tr("Model")),
            (self.models_action, self.tr("All models…")),
            (self.diagnostics_action, self.tr("Diagnostics")),
            (self.obs_action, self.tr("Captions in OBS")),
            (self.settings_action, self.tr("Settings")),
            (self.quit_action, self.tr("Quit")),
        ):
            action.setText(text)
        for style in self.styles_menu.actions():
            style.setText(QCoreApplication.translate("Styles", style.data()))
        for preset in self.presets_menu.actions():
            preset.setText(preset_title(preset.data()).replace("&", "&&"))

    def look(self) -> None:
        """Make the icon if there is a tray, else look again later."""
        if self.icon is not None:
            return
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self._timer.start()
            return
        self._timer.stop()
        self.icon = QSystemTrayIcon(app_icon(), self)
        self.icon.setToolTip("Captionglass")
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        self.icon.show()

    def set_shown(self, shown: bool) -> None:
        """The panel is or is not on the screen."""
        self._shown = shown
        self.show_action.setText(self.tr("Hide captions") if shown else self.tr("Show captions"))

    def set_paused(self, paused: bool) -> None:
        """Show what the session does, without announcing it."""
        self.pause_action.blockSignals(True)
        self.pause_action.setChecked(paused)
        self.pause_action.blockSignals(False)

    def set_private(self, private: bool) -> None:
        """Show whether what is said is kept, without announcing it."""
        self.private_action.blockSignals(True)
        self.private_action.setChecked(private)
        self.private_action.blockSignals(False)

    def set_locked(self, locked: bool) -> None:
        """Show whether clicks go through, without announcing it."""
        self.lock_action.blockSignals(True)
        self.lock_action.setChecked(locked)
        self.lock_action.blockSignals(False)

    def set_style(self, name: str) -> None:
        """Mark the look that is on; none where it is one of the user's own."""
        for action in self.styles_menu.actions():
            action.setChecked(action.data() == name)

    def set_presets(self, names: Sequence[str], now: str) -> None:
        """Offer these presets, the one in use marked."""
        if [action.data() for action in self.presets_menu.actions()] != list(names):
            self.presets_menu.clear()
            for name in names:
                # An ampersand would make the letter behind it a shortcut.
                action = self.presets_menu.addAction(preset_title(name).replace("&", "&&"))
                action.setData(name)
                action.setCheckable(True)
                action.triggered.connect(partial(self._choose_preset, name))
        for action in self.presets_menu.actions():
            action.setChecked(action.data() == now)

    def set_models(self, models: Sequence[tuple[str, str]], now: str) -> None:
        """Offer these models, the one in use marked.

        Args:
            models: id and title of each.
            now: id of the one in use.
        """
        offered = [action for action in self.models_menu.actions() if action.data()]
        if [(action.data(), action.text()) for action in offered] != list(models):
            for action in offered:
                self.models_menu.removeAction(action)
                action.deleteLater()
            for model_id, title in models:
                action = QAction(title, self.models_menu, checkable=True)
                action.setData(model_id)
                action.triggered.connect(partial(self._choose_model, model_id))
                self.models_menu.insertAction(self.models_action, action)
        for action in self.models_menu.actions():
            action.setChecked(bool(now) and action.data() == now)

    def close(self) -> None:
        """Take the icon away."""
        self._timer.stop()
        if self.icon is not None:
            self.icon.hide()
            self.icon = None
        self.menu.deleteLater()

    def _action(self, signal: SignalInstance, menu: QMenu | None = None) -> QAction:
        action = QAction(self)
        action.triggered.connect(lambda _checked=False: signal.emit())
        (menu or self.menu).addAction(action)
        return action

    def _choose_style(self, name: str, _checked: bool = False) -> None:
        self.style_chosen.emit(name)

    def _choose_model(self, model_id: str, _checked: bool = False) -> None:
        self.model_chosen.emit(model_id)

    def _choose_preset(self, name: str, _checked: bool = False) -> None:
        self.preset_chosen.emit(name)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self.visibility_toggled.emit()
