"""What stands in the model window beside its rows: their sections, and advice where it is slow."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_app.ui.model_facts import Entry, title
from desktop_app.ui.model_rows import ModelRow
from desktop_app.ui.theme import ui_font


class Section(QWidget):
    """A title and the rows below it; without rows to be seen it is not there."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.rows: list[ModelRow] = []
        self.title = QLabel(name)
        self.title.setObjectName("section")
        self.title.setFont(ui_font(13, QFont.Weight.DemiBold))
        self.title.setContentsMargins(4, 8, 0, 0)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addWidget(self.title)

    def set_rows(self, rows: list[ModelRow]) -> None:
        """Take these rows, in this order; those that stand elsewhere move here."""
        if rows != self.rows:
            self.rows = rows
            for place, row in enumerate(rows, 1):
                if self._column.indexOf(row) != place:
                    self._column.insertWidget(place, row)

    def show_title(self) -> None:
        """Be there where a row is."""
        self.setVisible(any(not row.isHidden() for row in self.rows))


class SlowCard(QFrame):
    """Says that this computer is slow for a model, and which smaller one there is."""

    use_asked = Signal(str)
    """Id of the smaller model."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._light = ""
        self.words = QLabel()
        self.words.setObjectName("warning")
        self.words.setFont(ui_font(13))
        self.words.setWordWrap(True)
        self.use = QPushButton()
        self.use.setObjectName("primary")
        self.use.setFont(ui_font(13))
        self.use.clicked.connect(self._ask)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(18, 12, 16, 12)
        layout.setSpacing(16)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.use)
        self.hide()

    def tell(self, heavy: Entry | None, light: Entry | None, *, under_way: bool) -> None:
        """Advise, or be gone where there is nothing to advise.

        Args:
            heavy: the model that is too much.
            light: the smaller one.
            under_way: it is being fetched or loaded.
        """
        self.setVisible(heavy is not None and light is not None)
        if heavy is None or light is None:
            return
        self._light = light.spec.id
        text = self.tr("This computer is slow for {heavy}. {light} asks less of it.")
        self.words.setText(text.format(heavy=title(heavy.spec), light=title(light.spec)))
        here = light.state == "here"
        self.use.setText(self.tr("Use it") if here else self.tr("Get and use it"))
        self.use.setEnabled(not under_way)

    def _ask(self) -> None:
        self.use_asked.emit(self._light)
