"""The rows of the transcript: only those that can be seen are measured and painted."""

from __future__ import annotations

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop_app.finding import spans
from desktop_app.history.lines import Line
from desktop_app.ui.theme import Theme, ui_font, with_alpha
from desktop_app.ui.transcript_model import Index, TranscriptModel
from engine.sinks.text import stamp

_LEFT, _TIME, _RIGHT, _PAD = 16, 64, 18, 6
_MARK_HEIGHT = 28
_TEXT_PX = 16
STOPPED = str(QT_TRANSLATE_NOOP("TranscriptRows", "You stopped reading here"))
_HIT, _ON_HIT = QColor("#ffd24d"), QColor("#101217")
EMPTY = str(QT_TRANSLATE_NOOP("TranscriptRows", "Nothing has been said yet"))


class RowPainter(QStyledItemDelegate):
    """Time, name and text of a line.

    Attributes:
        theme: its colours.
        wanted: folded text that is marked in every row.
        hit: row of the hit that one stands on; -1 for none.
        mark: row above which reading was stopped; -1 for none.
    """

    def __init__(self, model: TranscriptModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.wanted = ""
        self.hit = self.mark = -1
        self._model = model
        self._font = ui_font(_TEXT_PX, QFont.Weight.Normal)
        self._small = ui_font(13)
        self._small.setFeature(QFont.Tag("tnum"), 1)
        self._name = ui_font(13, QFont.Weight.DemiBold)
        self._metrics = QFontMetricsF(self._font)

    def line_height(self) -> int:
        """Of a row with one line of text."""
        return round(self._metrics.height()) + 2 * _PAD

    def height(self, row: int, width: int) -> int:
        """Of a row at a width, device-independent pixels."""
        line = self._model.lines[row]
        mark = _MARK_HEIGHT if row == self.mark else 0
        if line.kind != "speech":
            return self.line_height() + mark
        text = self._laid(line, width)
        above = QFontMetricsF(self._name).height() + 2 if self._model.label(line) else 0
        return round(text.boundingRect().height() + above) + 2 * _PAD + mark

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        rect: QRect = option.rect
        return QSize(rect.width(), self.height(index.row(), rect.width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.row()
        line = self._model.lines[row]
        theme = self.theme
        rect = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row == self.mark:
            stopped = QCoreApplication.translate("TranscriptRows", STOPPED)
            self._paint_rule(painter, rect, stopped, theme.accent, _MARK_HEIGHT)
            rect.setTop(rect.top() + _MARK_HEIGHT)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, with_alpha(theme.accent, 0.22))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent, 1.5))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        if line.kind == "start":
            self._paint_rule(painter, rect, line.text, theme.label, rect.height())
        else:
            self._paint_line(painter, rect, line, row)
        painter.restore()

    def _paint_line(self, painter: QPainter, rect: QRectF, line: Line, row: int) -> None:
        theme = self.theme
        top = rect.top() + _PAD
        room = QRectF(rect.left() + _LEFT, top, _TIME, self._metrics.height())
        painter.setFont(self._small)
        painter.setPen(theme.label)
        there = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, int(there), stamp(int(line.start)))
        left = rect.left() + _LEFT + _TIME
        if line.kind == "gap":
            quiet = QFont(self._small)
            quiet.setItalic(True)
            painter.setFont(quiet)
            wide = QRectF(left, top, rect.right() - left - _RIGHT, self._metrics.height())
            painter.drawText(wide, int(there), self._model.shown(line))
            return
        name = self._model.label(line)
        if name:
            second = line.lane == "system"
            colour = theme.lanes[1] if second else theme.lanes[0]
            dashes = Qt.PenStyle.DotLine if second else Qt.PenStyle.SolidLine
            painter.setPen(QPen(with_alpha(colour, 0.8), 3, dashes, Qt.PenCapStyle.FlatCap))
            at = rect.left() + 6
            painter.drawLine(QPointF(at, top), QPointF(at, rect.bottom() - _PAD))
            painter.setFont(self._name)
            painter.setPen(colour)
            metrics = QFontMetricsF(self._name)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, rect.right() - left)
            painter.drawText(QPointF(left, top + metrics.ascent()), shown)
            top += metrics.height() + 2
        layout = self._laid(line, round(rect.width()))
        painter.setPen(theme.text if line.is_final else theme.unstable)
        layout.draw(painter, QPointF(left, top), self._marked(line, row))

    def _paint_rule(
        self, painter: QPainter, rect: QRectF, text: str, colour: QColor, height: float
    ) -> None:
        painter.setFont(self._name)
        metrics = QFontMetricsF(self._name)
        middle = rect.top() + height / 2
        half = metrics.horizontalAdvance(text) / 2 + 12
        painter.setPen(QPen(with_alpha(colour, 0.6), 1))
        centre = rect.center().x()
        painter.drawLine(QPointF(rect.left() + _LEFT, middle), QPointF(centre - half, middle))
        painter.drawLine(QPointF(centre + half, middle), QPointF(rect.right() - _RIGHT, middle))
        # The line has the colour, the words the contrast.
        painter.setPen(self.theme.value)
        room = QRectF(rect.left(), rect.top(), rect.width(), height)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), text)

    def _laid(self, line: Line, width: int) -> QTextLayout:
        layout = QTextLayout(line.text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        y = 0.0
        room = max(width - _LEFT - _TIME - _RIGHT, 40)
        while (row := layout.createLine()).isValid():
            row.setLineWidth(room)
            row.setPosition(QPointF(0, y))
            y += row.height()
        layout.endLayout()
        return layout

    def _marked(self, line: Line, row: int) -> list[QTextLayout.FormatRange]:
        found = []
        for first, length in spans(line.text, self.wanted):
            marked = QTextLayout.FormatRange()
            marked.start, marked.length = first, length
            look = QTextCharFormat()
            if row == self.hit:
                look.setBackground(_HIT)
                look.setForeground(_ON_HIT)
            else:
                look.setBackground(with_alpha(self.theme.warning, 0.35))
            marked.format = look
            found.append(marked)
        return found


class TranscriptTable(QTableView):
    """Shows the rows; stays at the end until somebody scrolls up."""

    left_end = Signal()
    """Somebody scrolled up."""
    came_to_end = Signal()

    def __init__(
        self, model: TranscriptModel, rows: RowPainter, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.at_end = True
        self._rows = rows
        self._fitting = False
        self.setItemDelegate(rows)
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.setAccessibleName(self.tr("Transcript"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header = self.verticalHeader()
        header.hide()
        header.setMinimumSectionSize(rows.line_height())
        header.setDefaultSectionSize(rows.line_height())
        self.setModel(model)
        model.rowsInserted.connect(self.settle)
        model.rowsRemoved.connect(self.settle)
        model.dataChanged.connect(self.settle)
        model.modelReset.connect(self.to_end)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    def settle(self) -> None:
        """Give the rows that can be seen their height, and stay where the reader is."""
        if self._fitting:
            return
        self._fitting = True
        try:
            for _ in range(8):
                if self.at_end:
                    self.updateGeometries()
                    self.scrollToBottom()
                if not self._fit():
                    break
        finally:
            self._fitting = False
        self.viewport().update()

    def to_end(self) -> None:
        """Go to the latest line and stay there."""
        self._set_at_end(True)
        self.settle()

    def show_row(self, row: int) -> None:
        """Bring a row to the middle."""
        self._set_at_end(False)
        self._fitting = True
        try:
            for _ in range(3):
                self.updateGeometries()
                self.scrollTo(
                    self.model().index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter
                )
                if not self._fit():
                    break
        finally:
            self._fitting = False

    def seen(self) -> range:
        """The rows that can be seen."""
        count = self.model().rowCount()
        if not count:
            return range(0)
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        return range(max(first, 0), count if last < 0 else last + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.settle()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.model().rowCount():
            painter = QPainter(self.viewport())
            painter.setFont(ui_font(14))
            painter.setPen(self._rows.theme.label)
            empty = QCoreApplication.translate("TranscriptRows", EMPTY)
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, empty)
            painter.end()

    def _fit(self) -> bool:
        """Measure what can be seen; True where a height changed."""
        header, width = self.verticalHeader(), self.viewport().width()
        rows = self.seen()
        # The row at the reader's eye stays where it is while those above it grow.
        anchor = next((row for row in rows if self.rowViewportPosition(row) >= 0), -1)
        before = self.rowViewportPosition(anchor) if anchor >= 0 else 0
        changed = False
        for row in rows:
            wanted = self._rows.height(row, width)
            if header.sectionSize(row) != wanted:
                header.resizeSection(row, wanted)
                changed = True
        if changed:
            self.updateGeometries()
            if anchor >= 0 and not self.at_end:
                moved = self.rowViewportPosition(anchor) - before
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + moved)
        return changed

    def _scrolled(self, value: int) -> None:
        if self._fitting:
            return
        self._set_at_end(value >= self.verticalScrollBar().maximum() - 2)
        self.settle()

    def _set_at_end(self, at_end: bool) -> None:
        if at_end != self.at_end:
            self.at_end = at_end
            (self.came_to_end if at_end else self.left_end).emit()
