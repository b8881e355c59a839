"""How the captions get into OBS, step by step, with the one thing it needs: the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from assets import ASSETS
from desktop_app.ui.theme import Theme, css, ui_font
from desktop_app.ui.transcript_style import style_sheet

_PICTURE_WIDTH = 560


class ObsGuide(QWidget):
    """A window with the steps."""

    switched_on = Signal()
    copy_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("guide")
        self.setWindowTitle(self.tr("Captions in OBS"))
        self.steps = QLabel()
        self.steps.setWordWrap(True)
        self.steps.setTextFormat(Qt.TextFormat.RichText)
        self.steps.setText(
            self.tr(
                "<ol><li>Choose <b>Copy for OBS</b> below. It writes a small file and copies its "
                "path.</li>"
                "<li>In OBS, under <b>Sources</b>, choose <b>+</b>, then <b>Browser</b>.</li>"
                "<li>Tick <b>Local file</b>, choose <b>Browse</b> and paste the path.</li>"
                "<li>Set <b>Width</b> to 1920 and <b>Height</b> to 1080, empty <b>Custom CSS</b>, "
                "and choose <b>OK</b>.</li></ol>"
                "<p>The captions come by themselves whenever Captionglass runs, whichever is "
                "started first. The file holds the token that lets OBS read your captions: give "
                "it to nobody.</p>"
            )
        )
        picture = QLabel()
        pixmap = QPixmap(str(ASSETS / "web" / "guide.png"))
        picture.setPixmap(
            pixmap.scaledToWidth(_PICTURE_WIDTH, Qt.TransformationMode.SmoothTransformation)
        )
        picture.setFixedHeight(picture.pixmap().height())
        picture.setAccessibleName(self.tr("A scene with captions at its lower edge"))
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.on_button = QPushButton(self.tr("Switch on"))
        self.on_button.clicked.connect(lambda _checked=False: self.switched_on.emit())
        self.copy_button = QPushButton(self.tr("Copy for OBS"))
        self.copy_button.clicked.connect(lambda _checked=False: self.copy_asked.emit())
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.on_button)
        buttons.addWidget(self.copy_button)
        for widget in (self.steps, self.status, self.on_button, self.copy_button):
            widget.setFont(ui_font(13))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 18)
        layout.setSpacing(14)
        layout.addWidget(picture)
        layout.addWidget(self.steps)
        layout.addWidget(self.status)
        layout.addLayout(buttons)
        self.set_served(False)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        sheet = style_sheet(theme).replace("#transcript", "#guide")
        self.setStyleSheet(sheet + f"QLabel {{ color: {css(theme.value)}; }}")

    def set_served(self, served: bool) -> None:
        """Whether the captions can be had at present."""
        self.on_button.setVisible(not served)
        self.copy_button.setEnabled(served)
        self.status.setText(
            ""
            if served
            else self.tr(
                "Captionglass does not serve its captions yet. Switched on, it gives them to OBS "
                "and other programs on this computer that have the token, and to nobody else."
            )
        )

    def say_copied(self, path: Path) -> None:
        """The file was written."""
        self.status.setText(self.tr("Copied: {0}").format(path))
