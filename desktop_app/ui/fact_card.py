"""A card of rows: what it is about on the left, the figure on the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy

from desktop_app.ui.plot_key import figures_of
from desktop_app.ui.readings import Row
from desktop_app.ui.theme import ui_font

_LAST_ROW = 100
_LONG = 20


class FactCard(QFrame):
    """A title and rows, kept and only rewritten where a value changed."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(18, 12, 18, 14)
        self._layout.setHorizontalSpacing(16)
        self._layout.setVerticalSpacing(6)
        self._layout.setColumnStretch(1, 1)
        self._heading = QLabel()
        self._heading.setObjectName("heading")
        self._heading.setFont(ui_font(13, QFont.Weight.DemiBold))
        self._layout.addWidget(self._heading, 0, 0, 1, 2)
        # What is left over stands below the rows, not between them.
        self._layout.setRowStretch(_LAST_ROW + 1, 1)
        self._labels: list[tuple[QLabel, QLabel]] = []
        self._shown: list[Row] = []

    def show_rows(self, title: str, rows: tuple[Row, ...]) -> None:
        """Show these and no others."""
        self._heading.setText(title)
        while len(self._labels) < len(rows):
            self._labels.append(self._new_row())
        for place, (label, value) in enumerate(self._labels):
            row = rows[place] if place < len(rows) else None
            label.setVisible(row is not None)
            value.setVisible(row is not None)
            if row is not None and not (place < len(self._shown) and self._shown[place] == row):
                self._write(place, row)
        self._shown = list(rows)

    def _write(self, place: int, row: Row) -> None:
        label, value = self._labels[place]
        before = self._shown[place] if place < len(self._shown) else None
        if before is None or before.wide != row.wide:
            self._put(place, wide=row.wide)
        # Labels that wrap are measured anew, all of them, whenever one changes.
        value.setWordWrap(row.wide or len(row.value) > _LONG)
        label.setText(row.label)
        value.setText(row.value)
        value.setAccessibleName(f"{row.label}: {row.value}")
        for part in (label, value):
            part.setToolTip(row.help)
        if value.property("tone") != row.tone:
            value.setProperty("tone", row.tone)
            value.style().unpolish(value)
            value.style().polish(value)

    def _new_row(self) -> tuple[QLabel, QLabel]:
        label, value = QLabel(), QLabel()
        label.setObjectName("label")
        label.setFont(ui_font(13))
        value.setObjectName("value")
        value.setFont(figures_of(ui_font(13)))
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setTextFormat(Qt.TextFormat.PlainText)
        # A long name must not make one column wider than the other.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        value.setSizePolicy(policy)
        return label, value

    def _put(self, place: int, *, wide: bool) -> None:
        label, value = self._labels[place]
        top = 1 + 2 * place
        self._layout.removeWidget(label)
        self._layout.removeWidget(value)
        self._layout.addWidget(label, top, 0, Qt.AlignmentFlag.AlignTop)
        if wide:
            value.setAlignment(Qt.AlignmentFlag.AlignLeft)
            self._layout.addWidget(value, top + 1, 0, 1, 2)
        else:
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._layout.addWidget(value, top, 1)
