"""One quiet line for what the program has to say. Never caption text."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from desktop_app.health.report import Said
from desktop_app.languages import is_change, notice_text
from desktop_app.ui.theme import Theme, css, icon, ui_font, with_alpha

if TYPE_CHECKING:
    from engine.types import Notice

HEIGHT = 34
INFO_S = 15
"""How long a line stays that asks for nothing."""

_ABOUT_MODELS = ("engine.slow", "model.swap_failed")
"""Codes of notices that another model helps against."""
_RECENT = 20
"""Notices whose codes are kept for a report."""
_RANK = {"info": 0, "warning": 1, "error": 2}


class NoticeLine(QWidget):
    """Shows the gravest notice, of these the newest; the others wait behind it.

    What asks for nothing goes by itself; a warning or an error stays until it is dismissed or
    withdrawn.
    """

    changed = Signal()
    """It has something to show, or nothing any more, or another size."""
    retry_asked = Signal()
    models_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self._theme = theme
        self._notices: dict[str, Notice] = {}
        self.recent: deque[Said] = deque(maxlen=_RECENT)
        self._text = ""
        self._label = QLabel()
        self._label.setFont(ui_font(13))
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self.retry = QPushButton()
        self.retry.setFont(ui_font(13))
        self.retry.setCursor(Qt.CursorShape.PointingHandCursor)
        self.retry.clicked.connect(self._retry)
        self.models = QPushButton()
        self.models.setFont(ui_font(13))
        self.models.setCursor(Qt.CursorShape.PointingHandCursor)
        self.models.clicked.connect(self.models_asked)
        self.dismiss = QToolButton()
        self.dismiss.setFixedSize(24, 24)
        self.dismiss.setIconSize(QSize(14, 14))
        self.dismiss.setCursor(Qt.CursorShape.PointingHandCursor)
        self.dismiss.clicked.connect(self._dismiss_shown)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(30, 0, 5, 0)
        layout.setSpacing(6)
        layout.addWidget(self._label, 1)
        layout.addWidget(self.models)
        layout.addWidget(self.retry)
        layout.addWidget(self.dismiss)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._dismiss_shown)
        self.set_theme(theme)
        self._retranslate()

    @property
    def notice(self) -> Notice | None:
        """What is shown."""
        ranked = sorted(
            enumerate(self._notices.values()), key=lambda pair: (_RANK[pair[1].severity], pair[0])
        )
        return ranked[-1][1] if ranked else None

    @property
    def text(self) -> str:
        """The whole line, uncut."""
        return self._text

    def add(self, notice: Notice) -> None:
        """Show a notice; one about the same, or that says the same, is replaced."""
        topic = _topic(notice)
        self.recent.append(Said(time.time(), notice.code))
        self._notices = {
            about: known
            for about, known in self._notices.items()
            if about != topic and known.text != notice.text
        }
        self._notices[topic] = notice
        self._refresh()

    def withdraw(self, *prefixes: str) -> None:
        """Remove the notices whose code begins with one of these."""
        kept = {
            about: notice
            for about, notice in self._notices.items()
            if not notice.code.startswith(prefixes)
        }
        if len(kept) != len(self._notices):
            self._notices = kept
            self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        hover = css(with_alpha(theme.value, 0.14))
        self.setStyleSheet(
            f"QLabel {{ color: {css(theme.value)}; }}"
            f"QPushButton {{ color: {css(theme.accent)}; border: none; border-radius: 7px;"
            f" padding: 3px 8px; }}"
            f"QPushButton:hover, QToolButton:hover {{ background: {hover}; }}"
            f"QPushButton:focus, QToolButton:focus {{ border: 2px solid {css(theme.accent)}; }}"
            f"QToolButton {{ border: none; border-radius: 7px; }}"
        )
        self.dismiss.setIcon(icon("close", theme.label, 14))
        self.update()

    def _retry(self) -> None:
        self.withdraw("source.", "session.", "engine.", "model.")
        self.retry_asked.emit()

    def _dismiss_shown(self) -> None:
        notice = self.notice
        if notice is not None:
            self._notices.pop(_topic(notice))
            self._refresh()

    def _refresh(self) -> None:
        notice = self.notice
        self._timer.stop()
        if notice is None:
            self._text = ""
        else:
            self._text = _begun_large(notice_text(notice))
            if notice.severity == "info" and notice.recoverable:
                self._timer.start(INFO_S * 1000)
            self.retry.setVisible(not notice.recoverable)
            self.models.setVisible(notice.code in _ABOUT_MODELS)
        self.setAccessibleName(self._text)
        self.setToolTip(self._text)
        self._cut()
        self.update()
        self.changed.emit()

    def _retranslate(self) -> None:
        self.retry.setText(self.tr("Try again"))
        self.retry.setToolTip(self.tr("Open the sound again"))
        self.models.setText(self.tr("Models"))
        self.models.setToolTip(self.tr("Choose another model"))
        self.dismiss.setToolTip(self.tr("Dismiss this line"))
        self.dismiss.setAccessibleName(self.tr("Dismiss this line"))
        self._refresh()

    def wanted_width(self) -> int:
        """The width at which nothing is cut."""
        text = QFontMetricsF(self._label.font()).horizontalAdvance(self._text)
        buttons = sum(
            button.sizeHint().width() + 6
            for button in (self.models, self.retry)
            if not button.isHidden()
        )
        return int(text) + buttons + 30 + 6 + 24 + 5 + 4

    def _cut(self) -> None:
        metrics = QFontMetricsF(self._label.font())
        spare = self.wanted_width() - int(metrics.horizontalAdvance(self._text)) - 2
        room = max(self.width() - spare, 20)
        self._label.setText(metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, room))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_change(event):
            self._retranslate()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._cut()

    def paintEvent(self, _event: QPaintEvent) -> None:
        notice = self.notice
        if notice is None:
            return
        theme = self._theme
        dots = {"info": theme.accent, "warning": theme.warning, "error": theme.error}
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.edge, 1))
        painter.setBrush(with_alpha(theme.card, 0.95))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 11, 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(dots[notice.severity])
        painter.drawEllipse(QPointF(17, self.height() / 2), 4, 4)
        painter.end()


def _topic(notice: Notice) -> str:
    """What it is about: the newest word on that is shown, the older ones are not."""
    if notice.lane and notice.code.startswith("source."):
        return f"the source of {notice.lane}"
    return notice.code


def _begun_large(text: str) -> str:
    """Errors begin small, as parts of a line in a terminal; a name like iPhone stays as it is."""
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]
