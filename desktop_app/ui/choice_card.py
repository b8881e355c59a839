"""A card that is one of several to choose from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QRadioButton, QVBoxLayout, QWidget

from desktop_app.ui.theme import ui_font

_INDENT = 26


class ChoiceCard(QFrame):
    """A radio button with a line below it, and room for more. A click anywhere chooses it."""

    def __init__(self, text: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.radio = QRadioButton(text)
        self.radio.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.radio.toggled.connect(self._mark)
        self.hint = QLabel()
        self.hint.setObjectName("facts")
        self.hint.setFont(ui_font(13))
        self.hint.setWordWrap(True)
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self._inside = QVBoxLayout()
        self._inside.setContentsMargins(_INDENT, 0, 0, 0)
        self._inside.setSpacing(8)
        self._inside.addWidget(self.hint)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 13)
        layout.setSpacing(5)
        layout.addWidget(self.radio)
        layout.addLayout(self._inside)
        self.set_hint(hint)

    def set_hint(self, hint: str) -> None:
        """What stands below."""
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.radio.setAccessibleDescription(hint)

    def add(self, widget: QWidget) -> None:
        """Put something below that."""
        self._inside.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)

    def choose(self) -> None:
        """Choose this one."""
        self.radio.setChecked(True)

    @property
    def chosen(self) -> bool:
        """Whether this one is chosen."""
        return self.radio.isChecked()

    def _mark(self, chosen: bool) -> None:
        self.setProperty("chosen", "true" if chosen else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.radio.isEnabled() and event.button() == Qt.MouseButton.LeftButton:
            self.radio.setFocus(Qt.FocusReason.MouseFocusReason)
            self.choose()
        super().mousePressEvent(event)
