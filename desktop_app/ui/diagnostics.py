"""The diagnostics pane: what the engine and the machine do, once a second, and the last minutes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.health.report import Machine, Said, running_report, weights
from desktop_app.ui.diagnostics_plots import FIGURES, figures, plots
from desktop_app.ui.fact_card import FactCard
from desktop_app.ui.plots import PlotCard
from desktop_app.ui.readings import Card, Section, lane_title, sections
from desktop_app.ui.series import SPAN_S, History
from desktop_app.ui.theme import Theme, css, icon, ui_font

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from engine.types import EngineStats

_SIDE = 330
"""Width of the column of facts where the plots stand beside it."""
_BESIDE = 900
"""From this width on they do."""
_TWO = 620
"""From this width on two cards stand side by side."""
_CARDS: tuple[Card, ...] = ("engine", "latency", "sound", "machine")
_GPU = ("gpu_memory", "gpu_load")


def read_machine() -> Callable[[], Machine]:
    """A reader of this program's processes and the GPU; may take milliseconds, so call it off the
    Qt thread."""
    import psutil

    from engine import gpu

    own = psutil.Process()
    known: dict[int, psutil.Process] = {}
    first = True

    def read() -> Machine:
        nonlocal first
        family = [own, *(known.get(each.pid, each) for each in own.children(recursive=True))]
        known.clear()
        percent, memory = 0.0, 0
        for process in family:
            with contextlib.suppress(psutil.Error):
                percent += process.cpu_percent(None)
                memory += process.memory_info().rss
                known[process.pid] = process
        cores, first = (None if first else percent / 100), False
        return Machine(cores, memory, gpu.read(), gpu.why_none())

    return read


class Diagnostics(QWidget):
    """A window of its own; reads only while it can be seen.

    Args:
        stats: gives a snapshot of the engine; called on the Qt thread.
        theme: its colours.
        settings: what the report compares with the defaults; the defaults themselves if None.
        notices: the last ones that were shown, for the report.
        machine: reads the process and the GPU; called on a thread of its own.
    """

    _machine_read = Signal(object)

    def __init__(
        self,
        stats: Callable[[], EngineStats],
        theme: Theme,
        settings: Callable[[], Settings] | None = None,
        notices: Callable[[], Sequence[Said]] | None = None,
        machine: Callable[[], Machine] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("diagnostics")
        self.setWindowTitle(self.tr("Diagnostics – Captionglass"))
        self._stats = stats
        self._settings = settings
        self._notices = notices
        self._machine_reader = machine
        self._machine: Machine | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._reading: Future[None] | None = None
        self._precision: tuple[str, str] = ("", "")
        self._lost: int | None = None
        self._seen: tuple[object, ...] = ()
        self._columns = (0, 0, 0)
        self.history = History(FIGURES)
        self.shown: tuple[Section, ...] = ()
        self.cards = {name: FactCard() for name in _CARDS}
        self.plots = {plot.key: PlotCard(plot, theme) for plot in plots()}
        self.since = QLabel()
        self.since.setObjectName("heading")
        self.since.setFont(ui_font(13, QFont.Weight.DemiBold))
        self.copy_button = QPushButton(self.tr("Copy report"))
        self.copy_button.setFont(ui_font(13))
        self.copy_button.setIconSize(QSize(16, 16))
        self.copy_button.setToolTip(
            self.tr("A text for a bug report: nothing that was said, no names, no folders")
        )
        self.copy_button.clicked.connect(self.copy)
        self._lay_out()
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self.refresh)
        self._copied_timer = QTimer(self, singleShot=True, interval=1500)
        self._copied_timer.timeout.connect(self._offer_copy)
        self._machine_read.connect(self._take_machine)
        self.set_theme(theme)

    def refresh(self) -> None:
        """Read the engine now; ask for the machine, which answers by itself."""
        if self._pool is not None and (self._reading is None or self._reading.done()):
            self._reading = self._pool.submit(self._read_machine)
        stats = self._stats()
        lost = 0 if self._lost is None else max(stats.lost_samples - self._lost, 0)
        self._lost = stats.lost_samples
        self.history.add(time.monotonic(), figures(stats, self._machine, lost))
        self._show(stats)

    def report(self) -> str:
        """The text that ``copy`` copies."""
        from desktop_app.settings.declared import Settings

        screens = ", ".join(
            f"{screen.size().width()} x {screen.size().height()}"
            f" at {100 * screen.devicePixelRatio():.0f} %"
            for screen in QGuiApplication.screens()
        )
        return running_report(
            self._stats(),
            self._machine,
            self._settings() if self._settings is not None else Settings(),
            self._notices() if self._notices is not None else (),
            f"{QGuiApplication.platformName()}, {screens}",
        )

    def copy(self) -> None:
        """Put a text for a bug report on the clipboard."""
        QGuiApplication.clipboard().setText(self.report())
        self.copy_button.setText(self.tr("Copied"))
        self._copied_timer.start()

    def kept(self) -> History:
        """What goes on in the window that is made in another language."""
        return self.history

    def take_back(self, kept: History) -> None:
        """Go on with what the window before this one had read."""
        self.history = kept
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.copy_button.setIcon(icon("copy", theme.value, 16))
        for card in self.plots.values():
            card.set_theme(theme)
        tones = {"good": theme.good, "warning": theme.warning, "error": theme.error}
        self.setStyleSheet(
            f"#diagnostics, #content {{ background: {css(theme.window)}; }}"
            f"QScrollArea {{ border: none; background: transparent; }}"
            f"#card {{ background: {css(theme.card)}; border: 1px solid {css(theme.edge)};"
            f" border-radius: 12px; }}"
            f"#heading, #value {{ color: {css(theme.value)}; }}"
            f"#label {{ color: {css(theme.label)}; }}"
            f"QPushButton {{ color: {css(theme.value)}; background: {css(theme.card)};"
            f" border: 1px solid {css(theme.edge)}; border-radius: 9px; padding: 7px 14px; }}"
            f"QPushButton:hover {{ border-color: {css(theme.accent)}; }}"
            f"QPushButton:focus {{ border: 2px solid {css(theme.accent)}; padding: 6px 13px; }}"
            f"QScrollBar:vertical {{ background: transparent; width: 12px; margin: 2px; }}"
            f"QScrollBar::handle:vertical {{ background: {css(theme.label)}; min-height: 40px;"
            f" border-radius: 4px; }}"
            f"QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; }}"
            f"QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}"
            + "".join(
                f'#value[tone="{name}"] {{ color: {css(colour)}; }}'
                for name, colour in tones.items()
            )
        )

    def arrange(self) -> None:
        """Place the cards as the width allows."""
        width = self.width()
        beside, two = width >= _BESIDE, width >= _TWO
        gpu = int(self.plots[_GPU[0]].isVisibleTo(self))
        columns = (int(beside), 2 if two else 1, gpu)
        if columns == self._columns:
            return
        self._columns = columns
        direction = QBoxLayout.Direction
        self._body.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
        self._facts.setMinimumWidth(_SIDE if beside else 0)
        self._facts.setMaximumWidth(_SIDE if beside else 16_777_215)
        per_row = 2 if two and not beside else 1
        fact_grid, plot_grid = self._fact_grid, self._plot_grid
        for place, card in enumerate(self.cards.values()):
            fact_grid.addWidget(card, place // per_row, place % per_row)
        _stretch(fact_grid, per_row, len(self.cards), last=beside)
        place, across = 0, columns[1]
        for key, plot in self.plots.items():
            if key in _GPU and not gpu:
                continue
            span = across if key == "level" else 1
            plot_grid.addWidget(plot, 1 + place // across, place % across, 1, span)
            place += span
        plot_grid.addWidget(self.since, 0, 0, 1, across)
        _stretch(plot_grid, across, place, last=False)

    def _lay_out(self) -> None:
        self._facts, right = QWidget(), QWidget()
        self._fact_grid, self._plot_grid = QGridLayout(self._facts), QGridLayout(right)
        for grid in (self._fact_grid, self._plot_grid):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setSpacing(12)
        for plot in self.plots.values():
            # Not all are in the layout from the first, and without a parent they were windows.
            plot.setParent(right)
        for key in _GPU:
            self.plots[key].hide()
        content = QWidget()
        content.setObjectName("content")
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._body.setContentsMargins(18, 18, 18, 8)
        self._body.setSpacing(12)
        self._body.addWidget(self._facts)
        self._body.addWidget(right, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        foot = QHBoxLayout()
        foot.setContentsMargins(18, 6, 18, 14)
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)
        self.setMinimumSize(380, 320)
        room = QGuiApplication.primaryScreen().availableSize()
        self.resize(min(1120, room.width() - 40), min(890, room.height() - 60))
        self.arrange()

    def _show(self, stats: EngineStats) -> None:
        self.shown = sections(stats, self._machine, self._precision_of(stats.model_id))
        for section in self.shown:
            self.cards[section.card].show_rows(section.title, section.rows)
        gpu = self._machine.gpu if self._machine is not None else None
        lanes = tuple(sorted(stats.level_dbfs))
        seen = (lanes, gpu.memory_total if gpu is not None else 0)
        if seen != self._seen:
            self._seen = seen
            labels = [lane_title(lane) for lane in lanes] if len(lanes) > 1 else []
            for plot in plots(labels, seen[1] / 2**30):
                self.plots[plot.key].set_plot(plot)
            for key in _GPU:
                self.plots[key].setVisible(gpu is not None)
            self.arrange()
        for card in self.plots.values():
            if card.isVisibleTo(self):
                card.follow(self.history)
        self._say_since()

    def _say_since(self) -> None:
        reach = self.history.reach_s()
        if reach >= SPAN_S - 1:
            self.since.setText(self.tr("The last five minutes"))
            return
        began = QDateTime.currentDateTime().addSecs(-round(reach)).time()
        text = QLocale().toString(began, QLocale.FormatType.ShortFormat)
        self.since.setText(self.tr("Since {0}").format(text))

    def _precision_of(self, model_id: str) -> str:
        """Looked up when the model changes, not every second."""
        if self._precision[0] != model_id:
            from models import catalogue
            from models.errors import ModelError

            try:
                specs = tuple(catalogue.load())
            except ModelError:
                specs = ()
            found = next((weights(spec) for spec in specs if spec.id == model_id), "")
            self._precision = (model_id, found)
        return self._precision[1]

    def _offer_copy(self) -> None:
        self.copy_button.setText(self.tr("Copy report"))

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
        # What was lost while nobody looked is no loss of this second.
        self._lost = None
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._stop()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

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


def _stretch(grid: QGridLayout, columns: int, rows: int, *, last: bool) -> None:
    """Columns of one width; what is left over below the last row where asked."""
    for column in range(max(grid.columnCount(), 2)):
        grid.setColumnStretch(column, 1 if column < columns else 0)
    for row in range(max(grid.rowCount(), rows + 1) + 1):
        grid.setRowStretch(row, 1 if last and row == rows else 0)
