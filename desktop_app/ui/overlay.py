"""The window: a translucent panel with captions, above everything, that takes no focus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QEnterEvent,
    QGuiApplication,
    QHideEvent,
    QMouseEvent,
    QMoveEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from desktop_app.settings.declared import Geometry
from desktop_app.ui import hover_bar, notice_line
from desktop_app.ui.above_fullscreen import AboveFullscreen
from desktop_app.ui.caption_view import CaptionView
from desktop_app.ui.click_through import ClickThrough
from desktop_app.ui.geometry import docked_panel, here, places_are_known, recalled_panel
from desktop_app.ui.grip import Grip
from desktop_app.ui.hover_bar import HoverBar
from desktop_app.ui.notice_line import NoticeLine
from desktop_app.ui.screens import ScreenWatch
from desktop_app.ui.theme import theme_for, with_alpha

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from engine.types import CaptionUpdate, Notice

RADIUS = 16
_GAP = 6
STRIP = hover_bar.HEIGHT + notice_line.HEIGHT + 2 * _GAP
"""Height of the part of the window beside the panel, where bar and notice appear."""

_LEAST_WIDTH = 300
_BAR_WIDTH = 556
_SETTLED_MS = 350
_LEAVE_MS = 700
_HEIGHT = ("lines", "font_size", "line_height")
"""The settings that the height of the panel follows from."""

# Not Qt.Tool: OBS does not list tool windows on Windows, so nobody could stream the captions.
# The window therefore also has an entry in the task bar, which is where somebody without a tray
# finds it again.
_FLAGS = (
    Qt.WindowType.Window
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
    | Qt.WindowType.NoDropShadowWindowHint
)


class Overlay(QWidget):
    """The panel, and beside it (above, or below where the screen ends) the hover bar and notices.

    The window is larger than the panel by a strip that is masked away while it is empty: neither
    the bar nor a notice ever moves or covers a caption.
    """

    profile_moved = Signal(float)
    pause_toggled = Signal(bool)
    diagnostics_asked = Signal()
    close_asked = Signal()
    retry_asked = Signal()
    placed = Signal(str, Geometry, int)
    """The panel was moved or resized: arrangement of screens, place, lines that fit."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent, _FLAGS)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowTitle("Captionglass")
        self.setMouseTracking(True)
        self._settings = settings
        self._theme = theme_for(settings)
        self._strip_below = False
        self._pinned = False
        self._resting = False
        self._grip = Grip()
        self._through = ClickThrough(self)
        self._above = AboveFullscreen(self)
        self._told: QRect | None = None
        self.view = CaptionView(settings, self._theme, self)
        self.bar = HoverBar(self._theme, settings.profile, self)
        self.notices = NoticeLine(self._theme, self)
        self.bar.hide()
        self.notices.hide()
        self.bar.profile_moved.connect(self.profile_moved)
        self.bar.pause_toggled.connect(self.pause_toggled)
        self.bar.diagnostics_asked.connect(self.diagnostics_asked)
        self.bar.close_asked.connect(self.close_asked)
        self.bar.left.connect(self._release_focus)
        self.notices.retry_asked.connect(self.retry_asked)
        self.notices.changed.connect(self._arrange)
        self.view.rested.connect(self._rest)
        self._settle_timer = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settle_timer.timeout.connect(self.settle)
        self._leave_timer = QTimer(self, singleShot=True, interval=_LEAVE_MS)
        self._leave_timer.timeout.connect(self._hide_bar)
        self._screens = ScreenWatch(self)
        self._screens.changed.connect(self.recall)
        self._through.set(settings.locked)
        self.setMinimumSize(_LEAST_WIDTH, self._strip + self.view.height_for(1))
        self.recall()

    # What is shown

    def apply(self, updates: Iterable[CaptionUpdate]) -> None:
        """Show caption updates with the next frame."""
        self.view.apply(updates)

    def set_message(self, message: str) -> None:
        """What stands in the panel while nothing was said yet."""
        self.view.set_message(message)

    def add_notice(self, notice: Notice) -> None:
        """Show a notice above the captions."""
        self.notices.add(notice)

    def set_paused(self, paused: bool) -> None:
        """Show whether the session pauses."""
        self.bar.set_paused(paused)

    def restyle(self, settings: Settings) -> None:
        """Take other settings: colours, font, opacity, lines, place, locked or not."""
        panel = self.panel()
        before, self._settings = self._settings, settings
        self._theme = theme_for(settings)
        self.view.restyle(settings, self._theme)
        self.bar.set_theme(self._theme)
        self.notices.set_theme(self._theme)
        self.setMinimumSize(_LEAST_WIDTH, self._strip + self.view.height_for(1))
        self._through.set(settings.locked)
        if self._bare:
            self._pinned = False
            self.bar.hide()
        if settings.dock != before.dock or (settings.dock == "none" and self._moved(before)):
            self.recall()
        elif settings.dock != "none":
            self._dock(settings.dock)
        elif any(getattr(settings, name) != getattr(before, name) for name in _HEIGHT):
            # The newest line stays where the eye is.
            panel.setTop(panel.bottom() + 1 - self.view.height_for(settings.lines))
            self.set_panel(panel)
        elif settings.capture != before.capture:
            self.set_panel(panel)
        self._arrange()

    def _moved(self, before: Settings) -> bool:
        return self._settings.geometry.get(here()) != before.geometry.get(here())

    @property
    def _bare(self) -> bool:
        """Only captions are shown: nothing that could be clicked, or would be filmed."""
        return self._settings.locked or self._settings.capture != "off"

    @property
    def _strip(self) -> int:
        return STRIP if self._settings.capture == "off" else 0

    def focus_controls(self) -> None:
        """Show the bar and give it the keyboard, until Escape or another window takes it."""
        if self._bare:
            return
        self._pinned = True
        handle = self.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, False)
            handle.requestActivate()
        self._show_bar()
        self.bar.slider.setFocus(Qt.FocusReason.TabFocusReason)

    def _release_focus(self) -> None:
        self._pinned = False
        handle = self.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, True)
        self._hide_bar()

    # Where it stands

    def panel(self) -> QRect:
        """The panel on the virtual desktop."""
        inside = self._panel_inside()
        return inside.translated(self.geometry().topLeft())

    def set_panel(self, panel: QRect) -> None:
        """Put the panel there; the strip goes above it where the screen has room for it."""
        self._strip_below = self._room_above(panel) < self._strip
        self._put(panel)
        self._arrange()

    def _put(self, panel: QRect) -> None:
        top = panel.top() - (0 if self._strip_below else self._strip)
        self.setGeometry(QRect(panel.x(), top, panel.width(), panel.height() + self._strip))

    def _room_above(self, panel: QRect) -> int:
        screen = QGuiApplication.screenAt(panel.center()) or QGuiApplication.primaryScreen()
        return panel.top() - screen.availableGeometry().top()

    def recall(self) -> None:
        """Go where the panel was with the screens that are there now."""
        self._settle_timer.stop()
        self._screens.forget()
        if self._settings.dock != "none":
            self._dock(self._settings.dock)
            return
        screens = QGuiApplication.screens()
        height = self.view.height_for(self._settings.lines)
        panel = recalled_panel(
            self._settings.geometry,
            [screen.geometry() for screen in screens],
            [screen.availableGeometry() for screen in screens],
            height,
        )
        # The number of lines is a setting of its own, and wins over a remembered height.
        self.view.resize(panel.size())
        if self.view.rows != self._settings.lines:
            panel.setTop(panel.bottom() + 1 - height)
        self.set_panel(panel)
        self._told = self.panel()

    def _dock(self, edge: str) -> None:
        screen = QGuiApplication.screenAt(self.panel().center()) or QGuiApplication.primaryScreen()
        height = self.view.height_for(self._settings.lines)
        self.set_panel(docked_panel(screen.availableGeometry(), edge, height))

    def _rest(self, resting: bool) -> None:
        """Nothing was said for long: be gone until something is."""
        if resting != self._resting:
            self._resting = resting
            self.view.setVisible(not resting)
            self._arrange()

    def _panel_inside(self) -> QRect:
        top = 0 if self._strip_below else self._strip
        return QRect(0, top, self.width(), self.height() - self._strip)

    def _arrange(self) -> None:
        """Put the children in their places and cut the window to what is to be seen."""
        panel = self._panel_inside()
        self.view.setGeometry(panel)
        # An empty mask would be none at all.
        seen = QRegion(QRect(panel.topLeft(), QSize(1, 1)) if self._resting else panel)
        edge = panel.bottom() + 1 if self._strip_below else panel.top()

        def beside(height: int) -> int:
            nonlocal edge
            if self._strip_below:
                edge += _GAP + height
                return edge - height
            edge -= _GAP + height
            return edge

        width = min(self.notices.wanted_width(), panel.width())
        shown = self.notices.notice is not None and self._settings.capture == "off"
        if shown:
            place = QRect(0, beside(self.notices.height()), width, self.notices.height())
            self.notices.setGeometry(place)
            seen += place.adjusted(0, -_GAP, 0, _GAP)
        self.notices.setVisible(shown)
        if self.bar.isVisibleTo(self):
            bar = min(_BAR_WIDTH, panel.width())
            if shown and width + _GAP + bar <= panel.width():
                edge = panel.bottom() + 1 if self._strip_below else panel.top()
            place = QRect(panel.width() - bar, beside(self.bar.height()), bar, self.bar.height())
            self.bar.setGeometry(place)
            # The way from the panel to the bar belongs to the window, so that the pointer does
            # not leave it on the way.
            seen += place.united(QRect(place.x(), panel.center().y(), place.width(), 1))
        self.setMask(seen.intersected(QRegion(self.rect())))
        self._through.renew()
        self.update()

    def settle(self) -> None:
        """Moving or resizing is over: turn the strip where the screen ends, and tell the place."""
        self._settle_timer.stop()
        self._screens.mend(self)
        if self._screens.unsettled:
            return  # whoever moved it did so because a screen has gone
        panel = self.panel()
        if self._told is not None and not places_are_known():
            panel.moveTopLeft(self._told.topLeft())
        elif self._strip_below != (self._room_above(panel) < self._strip):
            self.set_panel(panel)
        if panel == self._told or self._grip.held or self._settings.dock != "none":
            return
        self._told = panel
        place = Geometry(x=panel.x(), y=panel.y(), width=panel.width(), height=panel.height())
        name, rows = here(), self.view.rows
        places = {key: old for key, old in self._settings.geometry.items() if key != name}
        self._settings = self._settings.model_copy(
            update={"geometry": places | {name: place}, "lines": rows}
        )
        self.placed.emit(name, place, rows)

    def moveEvent(self, _event: QMoveEvent) -> None:
        self._settle_timer.start()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._arrange()
        self._settle_timer.start()

    # The pointer

    def enterEvent(self, _event: QEnterEvent) -> None:
        self._leave_timer.stop()
        if not self._bare:
            self._show_bar()

    def leaveEvent(self, _event: QEvent) -> None:
        # Qt says so of a window that is being hidden, too.
        if self.isVisible():
            self._leave_timer.start()

    def _show_bar(self) -> None:
        if not self.bar.isVisibleTo(self):
            self.bar.show()
            self._arrange()

    def _hide_bar(self) -> None:
        self._leave_timer.stop()
        if self._pinned or not self.bar.isVisibleTo(self):
            return
        if self.bar.slider.isSliderDown() or self.bar.stop_name.stops.isVisible():
            self._leave_timer.start()
            return
        self.bar.hide()
        self._arrange()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._settings.dock == "none":
            self._grip.press(self, self._panel_inside(), event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._settings.dock == "none":
            least = (_LEAST_WIDTH, self.view.height_for(1))
            if (panel := self._grip.move(self, self._panel_inside(), event, least)) is not None:
                self._put(panel)
                self._grip.hand_over(self)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._grip.release(self):
            self._settle_timer.start()

    def showEvent(self, _event: QShowEvent) -> None:
        self._through.set(self._settings.locked)
        self._above.begin()
        self._arrange()

    def hideEvent(self, event: QHideEvent) -> None:
        self._leave_timer.stop()
        self._through.stop()
        if not event.spontaneous():
            self._above.end()
        self._pinned = False
        self.bar.hide()

    def changeEvent(self, event: QEvent) -> None:
        if (
            event.type() == QEvent.Type.ActivationChange
            and self._pinned
            and not self.isActiveWindow()
        ):
            self._release_focus()
        super().changeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Alt-F4 and the like: closing is for the application to do, in its order."""
        event.ignore()
        self.close_asked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, settings = self._theme, self._settings
        painter = QPainter(self)
        if settings.capture == "key":
            painter.fillRect(self.rect(), QColor(settings.key_colour))
        elif not self._resting:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            share = settings.opacity / 100
            # Where a window has no alpha at all, some systems let the pointer through.
            painter.setBrush(with_alpha(theme.panel, max(share, 0.01)))
            painter.setPen(QPen(theme.edge, 1) if share > 0 else Qt.PenStyle.NoPen)
            panel = QRectF(self._panel_inside()).adjusted(0.5, 0.5, -0.5, -0.5)
            radius = RADIUS if settings.dock == "none" else 0
            painter.drawRoundedRect(panel, radius, radius)
        painter.end()
