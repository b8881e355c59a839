"""Global hotkeys, recorded by pressing them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from desktop_app.hotkeys.chords import ACTIONS, Chord, parse, wanted
from desktop_app.settings.fields import SettingField
from desktop_app.ui.setting_editors import Editor
from desktop_app.ui.theme import Theme, icon, ui_font

_MODIFIERS = {
    Qt.KeyboardModifier.ControlModifier: "Ctrl",
    Qt.KeyboardModifier.AltModifier: "Alt",
    Qt.KeyboardModifier.ShiftModifier: "Shift",
    Qt.KeyboardModifier.MetaModifier: "Meta",
}
_HELD = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_Super_L,
    Qt.Key.Key_Super_R,
    Qt.Key.Key_CapsLock,
    Qt.Key.Key_NumLock,
    Qt.Key.Key_unknown,
)
_NAMES = {"+": "Plus", "-": "Minus"}


class HotkeyButton(QPushButton):
    """Shows a chord; pressed, it waits for another one. Escape leaves it, Delete takes it away."""

    recorded = Signal(str)
    """A chord as it is written; empty for none."""
    listening = Signal(bool)
    """It waits for keys, or no longer."""
    refused = Signal(str)
    """What was pressed cannot be one, and why."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._waits = False
        self.setCheckable(True)
        self.setMinimumWidth(220)
        self.setFont(ui_font(13))
        self.clicked.connect(self._toggle)

    @property
    def waits(self) -> bool:
        """Keys that are pressed now become the chord."""
        return self._waits

    def show_chord(self, text: str) -> None:
        """Show a chord; empty for none."""
        self._text = text
        self._show()

    def _show(self) -> None:
        self.setText(self.tr("Press the keys…") if self._waits else self._text or self.tr("None"))
        self.setChecked(self._waits)

    def _toggle(self) -> None:
        self._wait(not self._waits)

    def _wait(self, waits: bool) -> None:
        if waits == self._waits:
            return
        self._waits = waits
        if waits:
            self.grabKeyboard()
        else:
            self.releaseKeyboard()
        self._show()
        self.listening.emit(waits)

    def event(self, event: QEvent) -> bool:
        # Tab, and what menus and shortcuts would take, can be parts of a chord.
        if self._waits and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._hear(event)
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._wait(False)
        super().focusOutEvent(event)

    def hideEvent(self, event: Any) -> None:
        self._wait(False)
        super().hideEvent(event)

    def _hear(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in _HELD:
            return
        free = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() == Qt.Key.Key_Escape and free:
            self._wait(False)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and free:
            self._wait(False)
            self.recorded.emit("")
        else:
            try:
                chord = pressed(event)
            except ValueError:
                self.refused.emit(
                    self.tr("Press it together with Ctrl, Alt or Meta: a key alone is for typing.")
                )
                return
            self._wait(False)
            self.recorded.emit(str(chord))


class HotkeysEditor(Editor):
    """A chord for each action, and what hinders it."""

    wide = True
    listening = Signal(bool)
    """A key is being recorded: what it does now must not happen."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._own: dict[str, str] = {}
        self._held: frozenset[str] | None = None
        self._taken: frozenset[str] = frozenset()
        self.buttons: dict[str, HotkeyButton] = {}
        self.resets: dict[str, QToolButton] = {}
        self.words: dict[str, QLabel] = {}
        rows = QWidget()
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        for number, (action, (label, first)) in enumerate(ACTIONS.items()):
            name = QLabel(action_name(label))
            name.setFont(ui_font(14))
            name.setWordWrap(True)
            button = self.buttons[action] = HotkeyButton()
            button.setAccessibleName(name.text())
            button.recorded.connect(partial(self._record, action))
            button.listening.connect(self.listening)
            button.refused.connect(partial(self._say, action))
            name.setBuddy(button)
            reset = self.resets[action] = QToolButton()
            reset.setFixedSize(30, 30)
            reset.setIconSize(QSize(17, 17))
            reset.setToolTip(self.tr("Back to {keys}").format(keys=first))
            reset.setAccessibleName(f"{name.text()}: {reset.toolTip()}")
            reset.clicked.connect(partial(self._reset, action))
            policy = reset.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            reset.setSizePolicy(policy)
            word = self.words[action] = QLabel()
            word.setObjectName("warned")
            word.setFont(ui_font(12))
            word.setWordWrap(True)
            grid.addWidget(name, 2 * number, 0)
            grid.addWidget(reset, 2 * number, 1)
            grid.addWidget(button, 2 * number, 2)
            grid.addWidget(word, 2 * number + 1, 0, 1, 3)
        self._row.addWidget(rows)
        self.setFocusProxy(next(iter(self.buttons.values())))
        self.set_theme(theme)

    def show_value(self, value: Any) -> None:
        self._own = dict(value)
        for action, (_, first) in ACTIONS.items():
            self.buttons[action].show_chord(self._own.get(action, first))
            self.resets[action].setVisible(self._own.get(action, first) != first)
        self._say_all()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for reset in self.resets.values():
            reset.setIcon(icon("reset", theme.label))

    def show_taken(self, taken: Mapping[str, Chord]) -> None:
        """Say which keys another program has.

        Args:
            taken: by action.
        """
        self._taken = frozenset(taken)
        self._say_all()

    def set_possible(self, possible: bool) -> None:
        """Whether this desktop gives programs global keys at all."""
        for button in self.buttons.values():
            button.setEnabled(possible)

    def _say_all(self) -> None:
        chords, _ = wanted(self._own)
        for action, (_, first) in ACTIONS.items():
            text, said = self._own.get(action, first), ""
            if text.strip() and action not in chords:
                said = self._why_not(text)
            elif action in self._taken and action in chords:
                said = self.tr("Another program has {keys}; choose others.").format(keys=text)
            self._say(action, said)

    def _why_not(self, text: str) -> str:
        try:
            chord = parse(text)
        except ValueError:
            return self.tr("{keys} are no keys for this.").format(keys=text)
        for action, other in wanted(self._own)[0].items():
            if other == chord:
                label = action_name(ACTIONS[action][0])
                return self.tr("{keys} already do this: {action}").format(keys=text, action=label)
        return ""

    def _say(self, action: str, text: str) -> None:
        word = self.words[action]
        word.setText(text)
        word.setVisible(bool(text))
        self.buttons[action].setAccessibleDescription(text)

    def _record(self, action: str, text: str) -> None:
        own = {name: keys for name, keys in self._own.items() if name != action}
        if text != ACTIONS[action][1]:
            own[action] = text
        self.chosen.emit(own)

    def _reset(self, action: str) -> None:
        self.chosen.emit({name: keys for name, keys in self._own.items() if name != action})


def action_name(label: str) -> str:
    """What a key does, in the language of the interface."""
    return QCoreApplication.translate("Hotkeys", label)


def pressed(event: QKeyEvent) -> Chord:
    """The chord that a key event is the last key of.

    Raises:
        ValueError: it is none.
    """
    held = event.modifiers()
    names = [name for modifier, name in _MODIFIERS.items() if held & modifier]
    code = Qt.Key.Key_Tab if event.key() == Qt.Key.Key_Backtab else Qt.Key(event.key())
    key = QKeySequence(QKeyCombination(code)).toString(QKeySequence.SequenceFormat.PortableText)
    return parse("+".join([*names, _NAMES.get(key, key)]))
