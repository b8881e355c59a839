"""Plots of the last minutes: calm axes, curves that can be told apart without colour.

Importing this loads pyqtgraph; only an opened diagnostics pane does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGraphicsLineItem,
    QGraphicsPathItem,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
)

from desktop_app.ui.plot_key import DASHES, SHADE, Figure, Key, pen
from desktop_app.ui.readings import DASH, number
from desktop_app.ui.series import SPAN_S, History, Scale
from desktop_app.ui.theme import Theme, ui_font, with_alpha

# At exit pyqtgraph would walk through all objects there are.
pg.setConfigOption("exitCleanup", False)

translate = QCoreApplication.translate

_HEIGHT = 118
_AXIS = 66
_FOOT = 20
_MARGIN = 18
_BETWEEN = 14


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot.

    Attributes:
        name: of the figure in the history.
        label: beside its line; empty where the plot's title says it.
    """

    name: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """What one plot shows.

    Attributes:
        key: names it.
        title: above it.
        curves: at most three.
        say: a figure with its unit.
        help: said where the pointer rests.
        least: the axis reaches at least so far; one of the steps 1, 2, 5.
        fixed: lower and upper end of an axis that never changes.
        digits: behind the point, of the figures at the axis.
        limit: where a dotted line marks what should not be reached.
        shade: name of a figure that shades the times at which it is 1.
        shade_label: what that is.
    """

    key: str
    title: str
    curves: tuple[Curve, ...]
    say: Callable[[float], str]
    help: str = ""
    least: float = 1.0
    fixed: tuple[float, float] | None = None
    digits: int = 0
    limit: float | None = None
    shade: str = ""
    shade_label: str = ""


class _Foot(pg.AxisItem):  # type: ignore[misc]
    """An axis whose first and last label may stand out over its ends."""

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt calls it
        return QRectF(super().boundingRect()).adjusted(-24, 0, 24, 0)


class Chart(pg.GraphicsView):  # type: ignore[misc]
    """Curves over the last five minutes. Not to be touched: keys and pointer go to its card."""

    def __init__(self, plot: Plot, theme: Theme) -> None:
        super().__init__()
        self.plot = plot
        self._theme, self._ratio = theme, self.devicePixelRatioF()
        self.scale_top = Scale(plot.least)
        self.setMinimumHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = self.centralLayout
        # Room for the halves of the labels that stand out over the ends of the axes.
        layout.setContentsMargins(0, 9, 14, 0)
        layout.setSpacing(0)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.setAutoVisible(x=False, y=False)
        self.box.disableAutoRange()
        self.left = pg.AxisItem("left", linkView=self.box, maxTickLength=0)
        self.foot = _Foot("bottom", linkView=self.box, maxTickLength=0)
        layout.addItem(self.left, 0, 0)
        layout.addItem(self.box, 0, 1)
        layout.addItem(self.foot, 1, 1)
        for axis in (self.left, self.foot):
            axis.setStyle(tickFont=ui_font(11), autoExpandTextSpace=False, tickTextOffset=6)
            axis.setStyle(hideOverlappingLabels=False, tickAlpha=0)
        self.left.setWidth(_AXIS)
        self.foot.setHeight(_FOOT)
        self.foot.setTicks([_minutes()])
        self._shade = QGraphicsPathItem()
        self._shade.setPen(QPen(Qt.PenStyle.NoPen))
        self._shaded: list[tuple[float, float]] = []
        # Segment by segment: antialiased, Qt strokes a whole path twenty times slower.
        self._curves, self._between = (
            [pg.PlotCurveItem(antialias=True) for _ in plot.curves] for _ in range(2)
        )
        for item in (*self._between, *self._curves):
            item.setSegmentedLineMode("on")
        self._grid, self._limit = QGraphicsPathItem(), QGraphicsLineItem()
        for item in (self._shade, self._grid, self._limit, *self._between, *self._curves):
            self.box.addItem(item, ignoreBounds=True)
        self._range()
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        return QSize(260, _HEIGHT)

    @property
    def bottom(self) -> float:
        """The lower end of the axis."""
        return self.plot.fixed[0] if self.plot.fixed else 0.0

    @property
    def top(self) -> float:
        """The upper end of the axis."""
        return self.plot.fixed[1] if self.plot.fixed else self.scale_top.top

    def set_plot(self, plot: Plot) -> None:
        """Take other labels or another fixed axis; the number of curves stays."""
        self.plot = plot
        self._range()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.setBackground(theme.card)
        line = QPen(with_alpha(theme.value, 0.13), self._ratio)
        line.setCosmetic(True)
        self._grid.setPen(line)
        for axis in (self.left, self.foot):
            axis.setTextPen(theme.label)
            axis.setPen(QPen(Qt.PenStyle.NoPen))
            axis.setTickPen(QPen(Qt.PenStyle.NoPen))
        for place in range(len(self._curves)):
            self._curves[place].setPen(pen(theme, place, self._ratio))
            self._between[place].setPen(pen(theme, place, self._ratio, pale=True))
        self._shade.setBrush(with_alpha(theme.good, SHADE))
        dotted = QPen(theme.label, 1.6 * self._ratio)
        dotted.setCosmetic(True)
        dotted.setDashPattern((1.0, 2.5))
        self._limit.setPen(dotted)

    def follow(self, history: History) -> None:
        """Show the figures there are now."""
        plot = self.plot
        if self._ratio != self.devicePixelRatioF():
            # It was moved to another screen.
            self._ratio = self.devicePixelRatioF()
            self.set_theme(self._theme)
        if plot.fixed is None:
            known = [history.highest(curve.name) for curve in plot.curves]
            highest = max((each for each in known if each is not None), default=None)
            if self.scale_top.follow(highest):
                self._range()
        times = history.times()
        for place, curve in enumerate(plot.curves):
            row = history.row(curve.name)
            joined = np.isfinite(row)
            joined[:-1] &= joined[1:]
            joined[-1:] = False
            if place:
                self._between[place].setData(times, row, connect=joined.astype(np.int32))
                joined &= self._strong(place, history.clock())
            self._curves[place].setData(times, row, connect=joined.astype(np.int32))
        if plot.shade:
            self._shaded = _runs(times, history.row(plot.shade) > 0)
            path = QPainterPath()
            for begin, end in self._shaded:
                path.addRect(begin, self.bottom, end - begin, self.top - self.bottom)
            self._shade.setPath(path)

    def points(self, place: int) -> tuple[list[float], list[float]]:
        """What one curve shows: times and figures that are known."""
        x, y = self._curves[place].getData()
        if x is None:
            return [], []
        known = np.isfinite(y)
        return x[known].tolist(), y[known].tolist()

    def shaded(self) -> list[tuple[float, float]]:
        """The times that are shaded, each from and to."""
        return list(self._shaded)

    def _strong(self, place: int, clock: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Where a curve's dashes are: they travel with it."""
        strong, weak = DASHES[place]
        pixels = clock * (max(self.box.width(), 1.0) / SPAN_S)
        return np.asarray(pixels % (strong + weak) < strong)

    def _range(self) -> None:
        bottom, top = self.bottom, self.top
        self.box.setRange(xRange=(-SPAN_S, 0), yRange=(bottom, top), padding=0)
        half = (bottom + top) / 2
        grid = QPainterPath()
        for height in (bottom, half, top):
            grid.moveTo(-SPAN_S, height)
            grid.lineTo(0, height)
        for back in range(0, int(SPAN_S) + 1, 60):
            grid.moveTo(-back, bottom)
            grid.lineTo(-back, top)
        self._grid.setPath(grid)
        limit = self.plot.limit
        self._limit.setVisible(limit is not None)
        self._limit.setLine(-SPAN_S, limit or 0.0, 0, limit or 0.0)
        digits = self.plot.digits + (1 if _is_broken(half, self.plot.digits) else 0)
        ticks = [(bottom, number(bottom, 0)), (half, number(half, digits))]
        self.left.setTicks([[*ticks, (top, self.plot.say(top))]])


class PlotCard(QFrame):
    """A plot with its title and its newest figures; the keyboard can reach it."""

    def __init__(self, plot: Plot, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._theme = theme
        self.chart = Chart(plot, theme)
        self.title = QLabel(plot.title)
        self.title.setObjectName("heading")
        self.title.setFont(ui_font(13, QFont.Weight.DemiBold))
        self.value = Figure()
        self.value.setObjectName("value")
        self.keys = [Key(theme, place) for place in range(len(plot.curves))]
        head, self._below = QHBoxLayout(), QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.value)
        self._below.setSpacing(_BETWEEN)
        if plot.shade:
            shade = Key(theme, None)
            shade.set_text(plot.shade_label)
            self.keys.append(shade)
        for key in self.keys:
            self._below.addWidget(key)
        self._below.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 12, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addLayout(self._below)
        layout.addWidget(self.chart, 1)
        self.set_plot(plot)

    def set_plot(self, plot: Plot) -> None:
        """Take other labels or another fixed axis; the number of curves stays."""
        self.chart.set_plot(plot)
        self.setAccessibleName(plot.title)
        self.setToolTip(plot.help)
        for key, curve in zip(self.keys, plot.curves, strict=False):
            key.setVisible(bool(curve.label))

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.chart.set_theme(theme)
        for key in self.keys:
            key.theme = theme
            key.update()

    def follow(self, history: History) -> None:
        """Show the figures there are now, and say them to a screen reader."""
        plot = self.chart.plot
        self.chart.follow(history)
        alone = len(plot.curves) == 1 or not any(curve.label for curve in plot.curves)
        told = []
        for key, curve in zip(self.keys, plot.curves, strict=False):
            last, highest = history.last(curve.name), history.highest(curve.name)
            shown = DASH if last is None else plot.say(last)
            key.set_text(f"{curve.label} {shown}")
            if highest is not None:
                now = translate("Plots", "now {0}, at most {1} in the last five minutes")
                told.append(
                    f"{curve.label} " * bool(curve.label) + now.format(shown, plot.say(highest))
                )
        self._arrange()
        last = history.last(plot.curves[0].name)
        self.value.show_text(DASH if last is None else plot.say(last))
        self.value.setVisible(alone)
        described = "; ".join(told) or translate("Plots", "nothing yet")
        if described != self.accessibleDescription():
            self.setAccessibleDescription(described)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 11, 11)
            painter.end()

    def _arrange(self) -> None:
        """Put the keys below each other where they would not fit beside each other."""
        shown = [key.sizeHint().width() + _BETWEEN for key in self.keys if key.isVisibleTo(self)]
        direction = QBoxLayout.Direction
        fits = sum(shown) <= self.width() - 2 * _MARGIN
        self._below.setDirection(direction.LeftToRight if fits else direction.TopToBottom)
        self._below.setSpacing(_BETWEEN if fits else 2)


def _minutes() -> Sequence[tuple[float, str]]:
    ticks = [(-60.0 * back, number(-back)) for back in range(1, int(SPAN_S) // 60)]
    ticks.append((-SPAN_S, translate("Plots", "{0} min").format(number(-SPAN_S / 60))))
    return [*ticks, (0.0, translate("Plots", "now"))]


def _runs(times: NDArray[np.float64], on: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """From and to of each run of readings that are on; a reading stands for the second before."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], on, [False])).astype(np.int8)))
    return [
        (float(times[begin]) - 1.0, float(times[end - 1]))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]


def _is_broken(value: float, digits: int) -> bool:
    scaled = value * 10**digits
    return bool(abs(scaled - round(scaled)) > 1e-9)
