"""The diagnostics pane: what the engine and the machine do, once a second."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop_app.ui.readings import Machine, Row, Section, as_text, sections
from desktop_app.ui.theme import Theme, css, icon, ui_font, with_alpha

if TYPE_CHECKING:
    from engine.types import EngineStats

_QUIETEST = -60.0
"""dBFS at the left end of the level meter."""

_LAST_ROW = 100


def read_machine() -> Callable[[], Machine]:
    """A reader of this process and the GPU; may take milliseconds, so call it off the Qt thread."""
    import psutil

    from engine import gpu

    process = psutil.Process()
    first = True

    def read() -> Machine:
        nonlocal first
        percent = process.cpu_percent(None)
        cores, first = (None if first else percent / 100), False
        reading = gpu.read()
        return Machine(cores, process.memory_info().rss, reading, gpu.why_none())

    return read


class LevelMeter(QWidget):
    """How loud the sound is, for each lane a bar."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._levels: dict[str, float] = {}
        self.setFixedHeight(6)
        self.setAccessibleName("Level of the sound")

    def set_levels(self, levels: dict[str, float]) -> None:
        """Take loudness in dBFS for each lane."""
        if levels != self._levels:
            self._levels = dict(levels)
            self.setFixedHeight(max(len(levels), 1) * 9 - 3)
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        theme = self.theme
        for number, lane in enumerate(sorted(self._levels) or [""]):
            level = self._levels.get(lane, -math.inf)
            share = min(max((level - _QUIETEST) / -_QUIETEST, 0.0), 1.0)
            painter.setBrush(with_alpha(theme.value, 0.12))
            painter.drawRoundedRect(QRectF(0, number * 9, self.width(), 6), 3, 3)
            colour = theme.error if level > -1 else theme.warning if level > -6 else theme.good
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(0, number * 9, self.width() * share, 6), 3, 3)
        painter.end()


class _Card(QFrame):
    """One section: a title and rows, kept and only rewritten where a value changed."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(18, 14, 18, 16)
        self._layout.setHorizontalSpacing(16)
        self._layout.setVerticalSpacing(8)
        self._layout.setColumnStretch(1, 1)
        heading = QLabel(title)
        heading.setObjectName("heading")
        heading.setFont(ui_font(13, QFont.Weight.DemiBold))
        self._layout.addWidget(heading, 0, 0, 1, 2)
        # What is left over stands below the rows, not between them.
        self._layout.setRowStretch(_LAST_ROW + 1, 1)
        self._labels: list[tuple[QLabel, QLabel]] = []
        self._shown: list[Row] = []

    def add_below(self, widget: QWidget) -> None:
        self._layout.addWidget(widget, _LAST_ROW, 0, 1, 2)

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        while len(self._labels) < len(rows):
            self._add_row()
        for number, (label, value) in enumerate(self._labels):
            row = rows[number] if number < len(rows) else None
            label.setVisible(row is not None)
            value.setVisible(row is not None)
            if row is None or (number < len(self._shown) and self._shown[number] == row):
                continue
            label.setText(row.label)
            value.setText(row.value)
            value.setAccessibleName(f"{row.label}: {row.value}")
            for part in (label, value):
                part.setToolTip(row.help)
            if value.property("tone") != row.tone:
                value.setProperty("tone", row.tone)
                value.style().unpolish(value)
                value.style().polish(value)
        self._shown = list(rows)

    def _add_row(self) -> None:
        label, value = QLabel(), QLabel()
        label.setObjectName("label")
        label.setFont(ui_font(13))
        value.setObjectName("value")
        value.setFont(_figures(ui_font(13)))
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setTextFormat(Qt.TextFormat.PlainText)
        # A long name must not make one column wider than the other.
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        place = len(self._labels) + 1
        self._layout.addWidget(label, place, 0)
        self._layout.addWidget(value, place, 1)
        self._labels.append((label, value))


class Diagnostics(QWidget):
    """A window of its own; reads only while it can be seen.

    Args:
        stats: gives a snapshot of the engine; called on the Qt thread.
        theme: its colours.
        machine: reads the process and the GPU; called on a thread of its own.
    """

    _machine_read = Signal(object)

    def __init__(
        self,
        stats: Callable[[], EngineStats],
        theme: Theme,
        machine: Callable[[], Machine] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("diagnostics")
        self.setWindowTitle("Diagnostics – Captionglass")
        self._stats = stats
        self._machine_reader = machine
        self._machine: Machine | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._reading: Future[None] | None = None
        self.shown: tuple[Section, ...] = ()
        self._cards = {title: _Card(title) for title in ("Engine", "Latency", "Sound", "Machine")}
        self._meter = LevelMeter(theme)
        self._cards["Sound"].add_below(self._meter)
        self.copy_button = QPushButton("Copy as text")
        self.copy_button.setFont(ui_font(13))
        self.copy_button.setIconSize(QSize(16, 16))
        self.copy_button.setToolTip("Copy all of this, for a message or a bug report")
        self.copy_button.clicked.connect(self.copy)
        self._lay_out()
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self.refresh)
        self._copied_timer = QTimer(self, singleShot=True, interval=1500)
        self._copied_timer.timeout.connect(lambda: self.copy_button.setText("Copy as text"))
        self._machine_read.connect(self._take_machine)
        self.set_theme(theme)

    def refresh(self) -> None:
        """Read the engine now; ask for the machine, which answers by itself."""
        if self._pool is not None and (self._reading is None or self._reading.done()):
            self._reading = self._pool.submit(self._read_machine)
        stats = self._stats()
        self.shown = sections(stats, self._machine)
        for section in self.shown:
            self._cards[section.title].show_rows(section.rows)
        self._meter.set_levels(stats.level_dbfs)

    def copy(self) -> None:
        """Put everything on the clipboard as text."""
        QGuiApplication.clipboard().setText(as_text(self.shown))
        self.copy_button.setText("Copied")
        self._copied_timer.start()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._meter.theme = theme
        self.copy_button.setIcon(icon("copy", theme.value, 16))
        tones = {"good": theme.good, "warning": theme.warning, "error": theme.error}
        self.setStyleSheet(
            f"#diagnostics {{ background: {css(theme.window)}; }}"
            f"#card {{ background: {css(theme.card)}; border: 1px solid {css(theme.edge)};"
            f" border-radius: 12px; }}"
            f"#heading, #value {{ color: {css(theme.value)}; }}"
            f"#label {{ color: {css(theme.label)}; }}"
            f"QPushButton {{ color: {css(theme.value)}; background: {css(theme.card)};"
            f" border: 1px solid {css(theme.edge)}; border-radius: 9px; padding: 7px 14px; }}"
            f"QPushButton:hover {{ border-color: {css(theme.accent)}; }}"
            f"QPushButton:focus {{ border: 2px solid {css(theme.accent)}; padding: 6px 13px; }}"
            + "".join(
                f'#value[tone="{name}"] {{ color: {css(colour)}; }}'
                for name, colour in tones.items()
            )
        )

    def _lay_out(self) -> None:
        columns = QGridLayout()
        columns.setSpacing(14)
        for number, title in enumerate(("Engine", "Sound", "Latency", "Machine")):
            columns.addWidget(self._cards[title], number // 2, number % 2)
        columns.setColumnStretch(0, 1)
        columns.setColumnStretch(1, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 16)
        layout.setSpacing(14)
        layout.addLayout(columns, 1)
        layout.addLayout(foot)
        self.setMinimumWidth(760)

    def _read_machine(self) -> None:
        """On the pool's thread. A reader that fails leaves the rows as they are."""
        if self._machine_reader is None:
            self._machine_reader = read_machine()
        self._machine_read.emit(self._machine_reader())

    def _take_machine(self, machine: Machine) -> None:
        first = self._machine is None
        self._machine = machine
        if first and self._pool is not None:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="diagnostics")
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._stop()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _stop(self) -> None:
        self._timer.stop()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


def _figures(font: QFont) -> QFont:
    """Figures of one width, so that changing numbers do not jitter."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
