"""Choosing a font: a list that can be searched, each family written in its own letters."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontDatabase, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.finding import folded
from desktop_app.settings.fields import SettingField
from desktop_app.ui.setting_editors import WIDTH, Editor
from desktop_app.ui.theme import FAMILY, Theme, caption_font, ui_font, with_alpha

_ROW = 46
_HEIGHT = 380


class Families(QAbstractListModel):
    """The families of this computer that match what is looked for; the shipped one first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._all = ["", *(name for name in QFontDatabase.families() if _fit(name))]
        self._shown = self._all

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._shown)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._shown[index.row()] or self.tr("{font} (comes with Captionglass)").format(
                font=FAMILY
            )
        return self._shown[index.row()] if role == Qt.ItemDataRole.UserRole else None

    def look_for(self, text: str) -> None:
        """Show the families whose name holds all of these words."""
        words = folded(text).split()
        self.beginResetModel()
        self._shown = [
            name for name in self._all if all(word in folded(name or FAMILY) for word in words)
        ]
        self.endResetModel()

    def row_of(self, family: str) -> int:
        """Where a family stands; -1 where it does not."""
        return self._shown.index(family) if family in self._shown else -1


class _Sample(QStyledItemDelegate):
    """The name in plain letters, and behind it a word in those of the family."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Any) -> QSize:
        return QSize(WIDTH, _ROW)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        state, room = option.state, option.rect
        theme = self.theme
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(room, with_alpha(theme.accent, 0.26))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(room, with_alpha(theme.value, 0.08))
        family = index.data(Qt.ItemDataRole.UserRole)
        inside = room.adjusted(12, 0, -12, 0)
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(theme.value)
        painter.setFont(caption_font(family, 17, QFont.Weight.Medium))
        sample = self.tr("Captions Aa 12")
        right = int(Qt.AlignmentFlag.AlignRight)
        painter.drawText(inside, middle | right, sample)
        room_left = inside.width() - painter.fontMetrics().horizontalAdvance(sample) - 16
        painter.setPen(theme.label)
        painter.setFont(ui_font(13))
        text = painter.fontMetrics().elidedText(
            index.data(), Qt.TextElideMode.ElideRight, room_left
        )
        painter.drawText(inside, middle, text)


class FontList(QFrame):
    """The list, above everything until something is chosen."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search fonts"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setFont(ui_font(13))
        self.families = Families(self)
        self.list = QListView()
        self.list.setModel(self.families)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName(self.tr("Fonts"))
        self.sample = _Sample(theme, self)
        self.list.setItemDelegate(self.sample)
        self.search.textChanged.connect(self._look)
        self.list.clicked.connect(self._take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self.search.installEventFilter(self)

    def open_at(self, place: QPoint, width: int, family: str) -> None:
        """Show it there, with a family marked."""
        self.search.clear()
        self.resize(width, _HEIGHT)
        self.move(place)
        self.show()
        row = max(self.families.row_of(family), 0)
        self.list.setCurrentIndex(self.families.index(row))
        self.list.scrollTo(self.list.currentIndex(), QListView.ScrollHint.PositionAtCenter)
        self.search.setFocus()

    def eventFilter(self, _watched: Any, event: Any) -> bool:
        """Arrows in the search line walk through the list, Enter takes."""
        if not isinstance(event, QKeyEvent) or event.type() != QKeyEvent.Type.KeyPress:
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self.list.currentIndex())
            return True
        step = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: 7,
            Qt.Key.Key_PageUp: -7,
        }
        if event.key() in step:
            row = self.list.currentIndex().row() + step[Qt.Key(event.key())]
            self._mark(min(max(row, 0), self.families.rowCount() - 1))
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self.list.currentIndex())
        else:
            super().keyPressEvent(event)

    def _look(self, text: str) -> None:
        self.families.look_for(text)
        self._mark(0)

    def _mark(self, row: int) -> None:
        self.list.setCurrentIndex(self.families.index(row))

    def _take(self, index: QModelIndex) -> None:
        if index.isValid():
            self.hide()
            self.chosen.emit(index.data(Qt.ItemDataRole.UserRole))


class FontEditor(Editor):
    """A button that names the font in its own letters, and opens the list."""

    def __init__(self, field: SettingField, theme: Theme) -> None:
        super().__init__(field, theme)
        self._value = ""
        self.list: FontList | None = None
        self.button = QPushButton()
        self.button.clicked.connect(self.open_list)
        self._row.addWidget(self.button, 1)
        self._lead(self.button)

    def show_value(self, value: Any) -> None:
        self._value = str(value)
        self.button.setText(self._value or FAMILY)
        self.button.setFont(caption_font(self._value, 15))
        self.button.setAccessibleName(f"{self.field.label}: {self._value or FAMILY}")

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self.list is not None:
            self.list.sample.theme = theme

    def open_list(self) -> None:
        """Open the list below the button, or above where the screen ends."""
        if self.list is None:
            self.list = FontList(self.theme, self)
            self.list.chosen.connect(self._tell)
        width = max(self.button.width(), WIDTH + 60)
        place = self.button.mapToGlobal(
            QPoint(self.button.width() - width, self.button.height() + 4)
        )
        screen = self.screen().availableGeometry()
        if place.y() + _HEIGHT > screen.bottom():
            place.setY(max(screen.top(), place.y() - _HEIGHT - self.button.height() - 8))
        self.list.open_at(place, width, self._value)


def _fit(family: str) -> bool:
    # Private ones begin with a dot; fonts of signs alone cannot write captions.
    return not family.startswith(".") and family not in ("Noto Color Emoji", FAMILY)
