"""The first two of the first steps: what to caption, and who may listen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.posting import post
from desktop_app.ui.choice_card import ChoiceCard
from desktop_app.ui.theme import ui_font
from engine.errors import DeviceError

if TYPE_CHECKING:
    from engine.sources.inventory import SoundDevice

Devices = Callable[[], Sequence["SoundDevice"]]


def all_devices() -> Sequence[SoundDevice]:
    """The sound devices of this machine; none of them is opened. Takes a moment."""
    from engine.sources.platforms import open_inventory

    try:
        return open_inventory().devices()
    except DeviceError:
        return ()


class SourcePage(QWidget):
    """What to caption.

    Args:
        source: what is chosen at first, as the settings say it.
        devices: lists the sound devices; called on a thread of its own.
    """

    _listed = Signal(int, object)

    def __init__(
        self, source: str, devices: Devices = all_devices, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.title = self.tr("What shall be captioned?")
        self.lead = self.tr("You can choose something else at any time.")
        self._devices = devices
        self._round = 0
        self._wanted = source
        self.known: Sequence[SoundDevice] = ()
        self.mic = ChoiceCard(self.tr("What is said here"), self.tr("The microphone hears it"))
        self.system = ChoiceCard(
            self.tr("What this computer plays"), self.tr("Videos, calls, lectures, games")
        )
        self.both = ChoiceCard(
            self.tr("Both, told apart"), self.tr("For calls: you and the others, each by name")
        )
        self.choices = {"mic": self.mic, "system": self.system, "both": self.both}
        self.microphone, self.output = QComboBox(), QComboBox()
        self.microphone.setAccessibleName(self.tr("Microphone"))
        self.output.setAccessibleName(self.tr("Loudspeakers or headphones"))
        for card, box in ((self.mic, self.microphone), (self.system, self.output)):
            box.setFont(ui_font(13))
            box.setMinimumWidth(300)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(34)
            box.hide()
            card.add(box)
        self.again = QPushButton(self.tr("Look again for devices"))
        self.again.setObjectName("quiet")
        self.again.setFont(ui_font(13))
        self.again.clicked.connect(self.look)
        self._group = exclusive(self, list(self.choices.values()))
        self.want(source)
        layout = column(self)
        for card in self.choices.values():
            layout.addWidget(card)
        layout.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        self._listed.connect(self._take)

    def want(self, source: str) -> None:
        """Choose a source, as the settings say it."""
        self._wanted = source
        self.choices.get(source.partition(":")[0], self.mic).choose()

    def source(self) -> str:
        """What is chosen, as the settings say it."""
        if self.both.chosen:
            return "both"
        word, box = ("system", self.output) if self.system.chosen else ("mic", self.microphone)
        name = str(box.currentData() or "")
        return f"{word}:{name}" if name else word

    def look(self) -> None:
        """List the devices again. Nobody waits for a sound server that does not answer."""
        self._round += 1
        number, devices = self._round, self._devices

        def listing() -> None:
            post(self._listed, number, devices())

        threading.Thread(target=listing, name="first-run-devices", daemon=True).start()

    def _take(self, number: int, devices: Sequence[SoundDevice]) -> None:
        if number != self._round:
            return
        self.known = devices
        inputs = [each for each in devices if each.kind == "input"]
        outputs = [each for each in devices if each.kind == "output"]
        self._fill(self.microphone, "mic", inputs)
        self._fill(self.output, "system", outputs)
        if not inputs:
            self.mic.set_hint(
                self.tr("No microphone was found. Until there is one, a recording is captioned")
            )
        elif all(each.bluetooth for each in inputs):
            self.mic.set_hint(
                self.tr(
                    "The only microphone is that of a Bluetooth headset. Once it is opened, all "
                    "that the headset plays sounds like a telephone"
                )
            )
        else:
            self.mic.set_hint(self.tr("The microphone hears it"))
        plays = bool(outputs)
        for card in (self.system, self.both):
            card.radio.setEnabled(plays)
        if plays:
            self.system.set_hint(self.tr("Videos, calls, lectures, games"))
        elif sys.platform == "darwin":
            self.system.set_hint(
                self.tr("macOS needs a loopback driver for that, such as BlackHole")
            )
        else:
            self.system.set_hint(self.tr("Nothing was found that plays sound"))
        if not plays and not self.mic.chosen:
            self.mic.choose()

    def _fill(self, box: QComboBox, word: str, devices: Sequence[SoundDevice]) -> None:
        chosen = str(box.currentData() or "")
        if self._wanted.startswith(f"{word}:"):
            chosen = chosen or self._wanted.partition(":")[2]
        box.clear()
        ordinary = [each for each in devices if not each.bluetooth or each.kind == "output"]
        if ordinary:
            box.addItem(self.tr("As the system has it"), "")
        for each in devices:
            name = each.name
            if each.bluetooth and each.kind == "input":
                name = self.tr("{device} (Bluetooth: it then plays like a telephone)").format(
                    device=each.name
                )
            box.addItem(name, each.name)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        box.setVisible(bool(devices))


class PermissionPage(QWidget):
    """Who may listen, and what is kept.

    Args:
        keep: whether what is said is kept, as the settings say.
        denied: says whether the system forbids the microphone.
        system: as ``sys.platform``.
    """

    def __init__(
        self,
        keep: bool,
        denied: Callable[[], bool],
        system: str = sys.platform,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.title = self.tr("Who may listen?")
        self.lead = self.tr("Only this computer. No sound and no word is ever sent anywhere.")
        self._denied, self._system = denied, system
        self.words = _words("words")
        self.problem = _words("problem")
        self.again = QPushButton(self.tr("Look again"))
        self.again.setFont(ui_font(13))
        self.again.clicked.connect(self.look)
        card = QFrame()
        card.setObjectName("card")
        lines = column(card, 18, 14)
        lines.addWidget(self.words)
        lines.addWidget(self.problem)
        lines.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        for text in (
            self.tr("Pausing stops the captions at once. Closing lets go of the microphone."),
            self.tr("What others say is written down as well: it is fair to tell them."),
        ):
            line = _words("words")
            line.setText(text)
            lines.addWidget(line)
        self.keep = QCheckBox(self.tr("Keep what was said, on this computer's disk"))
        self.keep.setFont(ui_font(14))
        self.keep.setChecked(keep)
        hint = _words("hint")
        hint.setText(self.tr("To be read, searched and deleted in the transcript window."))
        hint.setContentsMargins(22, 0, 0, 0)
        layout = column(self)
        layout.addWidget(card)
        layout.addSpacing(4)
        layout.addWidget(self.keep)
        layout.addWidget(hint)
        layout.addStretch(1)
        self.look()

    def look(self) -> None:
        """See again what the system allows."""
        denied = self._denied()
        self.problem.setVisible(denied)
        self.again.setVisible(denied)
        self.problem.setText(
            self.tr(
                "macOS does not let this program hear the microphone. Allow it in System Settings "
                "> Privacy & Security > Microphone, then start Captionglass again."
            )
        )
        if self._system == "darwin":
            text = self.tr(
                "macOS asks once whether Captionglass may hear the microphone. Choose Allow; "
                "it can be taken back in the System Settings."
            )
        elif self._system == "win32":
            text = self.tr(
                "Windows lets it, unless you have forbidden that: Settings > Privacy & security > "
                "Microphone, for desktop apps."
            )
        else:
            text = self.tr(
                "Nothing has to be allowed here. Captionglass opens what you have chosen, and "
                "nothing else, in the last of these steps."
            )
        self.words.setText(text)
        self.words.setVisible(not denied)


def exclusive(parent: QWidget, cards: Sequence[ChoiceCard]) -> QButtonGroup:
    """Radio buttons of which one is chosen."""
    group = QButtonGroup(parent)
    for card in cards:
        group.addButton(card.radio)
    return group


def column(widget: QWidget, margin: int = 0, spacing: int = 12) -> QVBoxLayout:
    """What stands below one another in a widget."""
    layout = QVBoxLayout(widget)
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(spacing)
    return layout


def _words(name: str, weight: QFont.Weight = QFont.Weight.Medium) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setFont(ui_font(14, weight))
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
