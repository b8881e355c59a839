"""The text of the panel: draws caption lines, only where they changed, at most once a frame."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.caption_lines import CaptionLines, VisualLine
from desktop_app.ui.glyphs import Glyphs
from desktop_app.ui.theme import Theme, caption_font

if TYPE_CHECKING:
    from desktop_app.settings import Settings
    from engine.types import CaptionUpdate

FRAME_S = 1 / 60
GLIDE_S = 0.16
"""How long lines take to move up by one."""

SIDE = 20
"""Free space left and right of the text; closing punctuation may hang into it."""

EDGE = 12
"""Free space above and below the lines."""

_LEADING = 1.32
"""Line height over font size: room for the outline, Chinese, and accents."""


class CaptionView(QWidget):
    """Shows the newest caption lines, or a calm message while nothing was said.

    Attributes:
        paints: repaints so far, for tests and measurements.
    """

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The panel behind is dragged through it.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Captions")
        self.paints = 0
        self._pending: dict[int, CaptionUpdate] = {}
        self._last_flush = 0.0
        self._flush_timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._flush_timer.timeout.connect(self.flush)
        self._glide_timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._glide_timer.setInterval(round(FRAME_S * 1000))
        self._glide_timer.timeout.connect(self._glide_step)
        self._glide_from = 0.0
        self._glide_began = 0.0
        self._message = ""
        self._lines: CaptionLines | None = None
        self._shown: tuple[VisualLine | None, ...] = ()
        self._bottom = 0
        self._set_style(settings, theme)

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
            changed |= self._captions.update(pending[key])
        if changed:
            self._show_change()

    def begin_session(self) -> None:
        """Segments are numbered afresh; what was said before stays."""
        self.flush()
        self._captions.begin_session()

    def set_message(self, message: str) -> None:
        """What stands in the panel while nothing was said yet."""
        if message != self._message:
            self._message = message
            if self._captions.empty:
                self.setAccessibleDescription(message)
                self.update()

    @property
    def message(self) -> str:
        """What stands in the panel while nothing was said yet."""
        return self._message

    def restyle(self, settings: Settings, theme: Theme) -> None:
        """Take another font, other colours or another motion."""
        self._set_style(settings, theme)
        self.update()

    @property
    def rows(self) -> int:
        """How many lines fit."""
        return max(1, int((self.height() - 2 * EDGE) / self._line_height + 0.05))

    def height_for(self, rows: int) -> int:
        """The height at which so many lines fit, device-independent pixels."""
        return rows * self._line_height + 2 * EDGE

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
        """Lines are on their way up."""
        return self._glide_timer.isActive()

    def _set_style(self, settings: Settings, theme: Theme) -> None:
        size = settings.font_size
        self._theme = theme
        self._still = settings.reduced_motion
        outline = max(1.2, size * 0.062)
        self._glyphs = Glyphs(caption_font(settings.font_family, size), outline)
        self._small = Glyphs(caption_font(settings.font_family, size * 0.68), outline * 0.7)
        self._line_height = math.ceil(size * _LEADING)
        if self._lines is None:
            self._lines = CaptionLines(self._glyphs.width, self.width() - 2 * SIDE)
        else:
            self._rebreak()

    @property
    def _captions(self) -> CaptionLines:
        assert self._lines is not None
        return self._lines

    def _rebreak(self) -> None:
        self._captions.rebreak(self._glyphs.width, self.width() - 2 * SIDE)
        self._glide_timer.stop()
        self._bottom = self._captions.bottom
        self._shown = self._captions.window(self.rows)
        self.update()

    def _show_change(self) -> None:
        lines = self._captions
        before, self._shown = self._shown, lines.window(self.rows)
        risen = lines.bottom - self._bottom
        self._bottom = lines.bottom
        self.setAccessibleDescription(self.text)
        if risen == 0:
            for row, (old, new) in enumerate(zip(before, self._shown, strict=True)):
                if old != new:
                    self.update(self._dirty(row, old, new))
            return
        self.update()
        if self._still or risen >= lines.bottom or not self.isVisible():
            self._glide_timer.stop()
            return
        # A glide under way goes on from where it stands; never more than the panel is high.
        offset = self._offset() + risen * self._line_height
        self._glide_from = min(offset, self.rows * self._line_height)
        self._glide_began = time.monotonic()
        self._glide_timer.start()

    def _offset(self) -> float:
        """How far the lines still are below their places."""
        if not self._glide_timer.isActive():
            return 0.0
        share = min((time.monotonic() - self._glide_began) / GLIDE_S, 1.0)
        return self._glide_from * (1.0 - share) ** 3

    def _glide_step(self) -> None:
        if time.monotonic() - self._glide_began >= GLIDE_S:
            self._glide_timer.stop()
        self.update()

    def _dirty(self, row: int, old: VisualLine | None, new: VisualLine | None) -> QRect:
        """The part of a row in which two states of it differ."""
        top = self._top(row)
        margin = math.ceil(self._glyphs.outline) + 3
        if old is None or new is None or old.rtl or new.rtl:
            left = 0
        else:
            same = 0
            for one, other in zip(old.words, new.words, strict=False):
                if one != other:
                    break
                same += 1
            left = max(
                (int(line.words[same].x) for line in (old, new) if same < len(line.words)),
                default=0,
            )
        x = SIDE + left - margin if left else 0
        return QRect(x, top - margin, self.width(), self._line_height + 2 * margin)

    def _top(self, row: int) -> int:
        return self.height() - self._below() - (self.rows - row) * self._line_height

    def _below(self) -> int:
        """Free space under the last line: what no whole line fills is shared by both sides."""
        return (self.height() - self.rows * self._line_height) // 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != self.width():
            self._rebreak()
        else:
            self._shown = self._captions.window(self.rows)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.paints += 1
        painter = QPainter(self)
        if self._captions.empty:
            self._paint_message(painter)
        else:
            self._paint_lines(painter, QRectF(event.rect()))
        painter.end()

    def _paint_lines(self, painter: QPainter, dirty: QRectF) -> None:
        offset = self._offset()
        leaving = math.ceil(offset / self._line_height)
        lines = self._captions.window(self.rows + leaving) if leaving else self._shown
        centre = (self._line_height + self._glyphs.ascent - self._glyphs.descent) / 2
        reach = self._glyphs.outline + 2
        for number, line in enumerate(lines):
            row = number - leaving
            top = self._top(row) + offset
            if line is None or top > dirty.bottom() + reach:
                continue
            if top + self._line_height < dirty.top() - reach:
                continue
            # The line that leaves at the top fades on its way.
            gone = (self._top(0) - top) / self._line_height
            painter.setOpacity(min(max(1.0 - gone, 0.0), 1.0))
            self._paint_line(painter, line, round(top + centre), dirty)

    def _paint_line(
        self, painter: QPainter, line: VisualLine, baseline: int, dirty: QRectF
    ) -> None:
        reach = self._glyphs.outline + self._line_height
        ratio = self.devicePixelRatioF()
        for word in line.words:
            x = SIDE + word.x
            if line.rtl:
                x = self.width() - x - word.width
            if x - reach > dirty.right() or x + word.width + reach < dirty.left():
                continue
            self._glyphs.draw(
                painter,
                x,
                baseline,
                word.text,
                self._theme.text,
                self._theme.outline,
                tail=self._theme.unstable,
                head=word.stable,
                ratio=ratio,
            )

    def _paint_message(self, painter: QPainter) -> None:
        """One line in the middle of the height, cut with an ellipsis where it is too long."""
        glyphs = self._small
        space = glyphs.width(" ")
        room = self.width() - SIDE - glyphs.width("…")
        baseline = round((self.height() + glyphs.ascent - glyphs.descent) / 2)
        x = float(SIDE)
        for word in self._message.split():
            cut = x + glyphs.width(word) > room
            while cut and word and x + glyphs.width(word) > room:
                word = word[:-1]
            text = word + "…" if cut else word
            glyphs.draw(
                painter,
                x,
                baseline,
                text,
                self._theme.unstable,
                self._theme.outline,
                ratio=self.devicePixelRatioF(),
            )
            x += glyphs.width(text) + space
            if cut:
                return
