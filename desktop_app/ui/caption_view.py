"""The text of the panel: draws caption lines, only where they changed, at most once a frame."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.languages import is_change, phrase
from desktop_app.ui.caption_lines import CaptionLines, VisualLine
from desktop_app.ui.caption_style import SIDE, CaptionStyle
from desktop_app.ui.motion import Motion
from desktop_app.ui.reading import Reading, reading_s

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from desktop_app.ui.theme import Theme
    from engine.types import CaptionUpdate

FRAME_S = 1 / 60
_FADE_MS = 33

EDGE = 12
"""Free space above and below the lines."""


class CaptionView(QWidget):
    """Shows the newest caption lines, or a calm message while nothing was said.

    Attributes:
        paints: repaints so far, for tests and measurements.
    """

    rested = Signal(bool)
    """Nothing was said for as long as was asked, or something is said again."""

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The panel behind is dragged through it.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("Captions"))
        self.paints = 0
        self._pending: dict[int, CaptionUpdate] = {}
        self._last_flush = 0.0
        precise = Qt.TimerType.PreciseTimer
        self._flush_timer = QTimer(self, singleShot=True, timerType=precise)
        self._flush_timer.timeout.connect(self.flush)
        self._motion_timer = QTimer(self, timerType=precise)
        self._motion_timer.timeout.connect(self._move_on)
        self._read_timer = QTimer(self, singleShot=True)
        self._read_timer.timeout.connect(self._show_change)
        self._rest_timer = QTimer(self, singleShot=True)
        self._rest_timer.timeout.connect(self._rest)
        self._message = self._said = ""
        self._shown: tuple[VisualLine | None, ...] = ()
        self._motion = Motion()
        self._reading = Reading()
        self._style = CaptionStyle(settings, theme)
        self._captions = CaptionLines(self._style.glyphs.width, self.width() - 2 * SIDE)
        self._take_style(settings)

    def apply(self, updates: Iterable[CaptionUpdate]) -> None:
        """Take updates; they are drawn with the next frame, the newest of each line."""
        for update in updates:
            self._pending[update.segment_id] = update
        if self._pending and not self._flush_timer.isActive():
            wait = self._last_flush + FRAME_S - time.monotonic()
            self._flush_timer.start(max(0, math.ceil(wait * 1000)))

    def flush(self) -> None:
        """Draw what is pending now."""
        self._flush_timer.stop()
        pending, self._pending = self._pending, {}
        self._last_flush = time.monotonic()
        changed = False
        for key in sorted(pending):
            if pending[key].text.strip():
                self._style.heard(pending[key].lane)
            changed |= self._captions.update(pending[key])
        if changed:
            self._show_change()
            self._wake()

    def begin_session(self, lanes: Iterable[str] = ()) -> None:
        """Segments are numbered afresh; what was said before stays.

        Args:
            lanes: those that will speak, where known: two are named from the first word on.
        """
        self.flush()
        self._captions.begin_session()
        for lane in lanes:
            self._style.heard(lane)

    def catch_up(self) -> None:
        """Show the newest lines at once, read or not."""
        self.flush()
        self._reading.catch_up(self._captions)
        self._settle()

    def set_message(self, message: str) -> None:
        """What stands in the panel while nothing was said yet."""
        if message != self._message:
            self._message = message
            self._say_message()

    @property
    def message(self) -> str:
        """What stands in the panel while nothing was said yet."""
        return self._said

    def _say_message(self) -> None:
        self._said = phrase(self._message)
        if self._captions.empty:
            self.setAccessibleDescription(self._said)
            self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_change(event):
            self.setAccessibleName(self.tr("Captions"))
            self._say_message()

    def restyle(self, settings: Settings, theme: Theme) -> None:
        """Take another font, other colours or another motion."""
        heard = self._style.lanes
        self._style = CaptionStyle(settings, theme)
        for lane in heard:
            self._style.heard(lane)
        self._take_style(settings)
        self._rebreak()

    @property
    def rows(self) -> int:
        """How many lines fit."""
        return max(1, int((self.height() - 2 * EDGE) / self._style.line_height + 0.05))

    def height_for(self, rows: int) -> int:
        """The height at which so many lines fit, device-independent pixels."""
        return rows * self._style.line_height + 2 * EDGE

    @property
    def lines(self) -> tuple[VisualLine | None, ...]:
        """What is shown, top to bottom; None for an empty row."""
        return self._shown

    @property
    def text(self) -> str:
        """What can be read now, a line a row; for tests and for assistive technology."""
        return "\n".join(
            " ".join(word.text for word in line.words) for line in self._shown if line is not None
        )

    @property
    def gliding(self) -> bool:
        """Lines are on their way, or words are coming out."""
        return self._motion_timer.isActive()

    def _take_style(self, settings: Settings) -> None:
        self._still = settings.reduced_motion
        self._fades = settings.fade_in and not self._still
        self._rest_s = settings.clear_after
        self._captions.share = settings.share_rows
        self._captions.letters = self._style.letters
        self._captions.label = self._style.label
        self._captions.measure_label = self._style.label_glyphs.width
        self._wake()

    def _wake(self) -> None:
        """Something was said: stay, and count anew."""
        if self._rest_timer.isActive() or not self._rest_s:
            self._rest_timer.stop()
        self.rested.emit(False)
        if self._rest_s and not self._captions.empty:
            unread = sum(reading_s(line) for line in self._shown if line is not None)
            self._rest_timer.start(round(max(self._rest_s, unread) * 1000))

    def _rest(self) -> None:
        self.rested.emit(True)

    def _rebreak(self) -> None:
        self._captions.rebreak(self._style.glyphs.width, self.width() - 2 * SIDE)
        self._reading.catch_up(self._captions)
        self._settle()

    def _settle(self) -> None:
        """Show everything in its place."""
        self._read_timer.stop()
        self._motion_timer.stop()
        self._motion.stop()
        self._shown = self._captions.window(self.rows, self._reading.bottom)
        self.update()

    def _show_change(self) -> None:
        now = time.monotonic()
        bottom, reading = self._reading.bottom, self._reading
        if not self.isVisible():
            reading.catch_up(self._captions)
        wait = reading.advance(self._captions, self.rows, now)
        if wait is None:
            self._read_timer.stop()
        else:
            self._read_timer.start(math.ceil(wait * 1000))
        risen = reading.bottom - bottom
        before, self._shown = self._shown, self._captions.window(self.rows, reading.bottom)
        if before == self._shown:
            return
        self.setAccessibleDescription(self.text)
        moving = self.isVisible() and not self._still
        if moving and self._fades:
            self._motion.come_out(before, self._shown, now)
        old, new = self._indents(before), self._indents(self._shown)
        moved = risen > 0 or any(old[key] != new[key] for key in old.keys() & new.keys())
        if moved and moving and any(line is not None for line in before):
            height = self._style.line_height
            self._motion.glide(before, self._shown, risen, height, (old, new), now)
        if moved or any(line is not None and line.rtl for line in (*before, *self._shown)):
            self.update()
        else:
            for row, (one, other) in enumerate(zip(before, self._shown, strict=True)):
                if one != other:
                    self.update(self._dirty(row, one, other))
        self._keep_moving(now)

    def _keep_moving(self, now: float) -> None:
        if self._motion.gliding(now):
            interval = round(FRAME_S * 1000)
        elif self._motion.fading(now):
            interval = _FADE_MS
        else:
            self._motion_timer.stop()
            return
        if not self._motion_timer.isActive() or self._motion_timer.interval() != interval:
            self._motion_timer.start(interval)

    def _move_on(self) -> None:
        now = time.monotonic()
        fading = self._motion.fresh()
        glided = self._motion_timer.interval() != _FADE_MS
        self._keep_moving(now)
        if glided:
            self.update()
            return
        # Only the rows in which words come out, from the first of these on.
        for row, line in enumerate(self._shown):
            if line is not None and line.key in fading:
                self.update(self._behind(row, line, fading[line.key]))

    def _indents(self, window: tuple[VisualLine | None, ...]) -> dict[tuple[int, int], float]:
        room = self.width() - 2 * SIDE
        return {line.key: self._style.indent(line, room) for line in window if line is not None}

    def _dirty(self, row: int, old: VisualLine | None, new: VisualLine | None) -> QRect:
        """The part of a row in which two states of it differ."""
        if old is None or new is None or not self._style.at_start:
            return self._row(row, 0)
        same = 0
        for one, other in zip(old.words, new.words, strict=False):
            if one != other:
                break
            same += 1
        left = min(
            (int(word.x) for line in (old, new) for word in line.words[same:]),
            default=0,
        )
        return self._row(row, left)

    def _behind(self, row: int, line: VisualLine, first: int) -> QRect:
        if line.rtl or not self._style.at_start:
            return self._row(row, 0)
        return self._row(row, int(min((word.x for word in line.words[first:]), default=0)))

    def _row(self, row: int, left: int) -> QRect:
        margin = math.ceil(self._style.glyphs.reach) + 3
        x = SIDE + left - margin if left else 0
        height = self._style.line_height + 2 * margin
        return QRect(x, self._top(row) - margin, self.width(), height)

    def _top(self, row: int) -> int:
        # What no whole line fills is shared by both sides.
        spare = (self.height() - self.rows * self._style.line_height) // 2
        return self.height() - spare - (self.rows - row) * self._style.line_height

    def hideEvent(self, _event: QHideEvent) -> None:
        self._motion.stop()
        self._motion_timer.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != self.width():
            self._rebreak()
        else:
            self._settle()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.paints += 1
        painter = QPainter(self)
        if self._captions.empty:
            room = QRectF(self.rect())
            self._style.paint_message(painter, room, self._said, self.devicePixelRatioF())
        else:
            self._paint_lines(painter, QRectF(event.rect()))
        painter.end()

    def _paint_lines(self, painter: QPainter, dirty: QRectF) -> None:
        now = time.monotonic()
        style, motion = self._style, self._motion
        reach = style.glyphs.reach + 2
        rows = [*motion.leaving, *((row, line) for row, line in enumerate(self._shown) if line)]
        for row, line in rows:
            x, y = motion.offset(line, now)
            top = self._top(row) + y
            if top > dirty.bottom() + reach or top + style.line_height < dirty.top() - reach:
                continue
            # The line that leaves at the top fades on its way.
            gone = (self._top(0) - top) / style.line_height
            opacity = min(max(1.0 - gone, 0.0), 1.0)
            style.paint_mark(painter, line, round(top), self.width(), opacity)
            fades = [motion.opacity(line, index, now) for index in range(len(line.words))]
            style.paint_line(
                painter,
                line,
                (x, round(top)),
                self.width(),
                dirty,
                [opacity * fade for fade in fades],
                self.devicePixelRatioF(),
            )
