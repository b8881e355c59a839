"""The first steps: four short ones, each of which can be left out. Nothing is opened before."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_app.ui.first_run_model import ModelPage
from desktop_app.ui.first_run_pages import Devices, PermissionPage, SourcePage, all_devices
from desktop_app.ui.first_run_try import TryPage
from desktop_app.ui.model_style import style_sheet
from desktop_app.ui.theme import Theme, ui_font, with_alpha
from engine.types import Notice

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp

_WAITING = "first_run.left"
_GAP = 8.0
SOURCE, PERMISSION, MODEL, TRY = range(4)


class FirstRun(QWidget):
    """A window of its own.

    Args:
        app: what is set up.
        theme: its colours.
        devices: lists the sound devices; called on a thread of its own.
    """

    def __init__(
        self,
        app: CaptionApp,
        theme: Theme,
        devices: Devices = all_devices,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("firstrun")
        self.setWindowTitle(self.tr("Welcome to Captionglass"))
        self.resize(640, 610)
        self.setMinimumSize(520, 480)
        self._app = app
        self._over = False
        settings = app.settings
        work = app.models.work
        self.source_page = SourcePage(settings.source, devices)
        self.permission_page = PermissionPage(settings.keep_history, _microphone_denied)
        self.model_page = ModelPage(work, settings.language, settings.model)
        self.try_page = TryPage(app, theme)
        self._pages = (self.source_page, self.permission_page, self.model_page, self.try_page)
        self._make_frame()
        self.set_theme(theme)
        self.model_page.more_asked.connect(app.show_models)
        work.refresh()
        self.go(SOURCE)

    @property
    def step(self) -> int:
        """Which page is shown, from 0."""
        return self.stack.currentIndex()

    # What can be asked

    def go(self, step: int) -> None:
        """Show a page."""
        self.stack.setCurrentIndex(step)
        page = self._pages[step]
        if step == TRY:
            self.try_page.name_for(self.source_page.source())
        self.title.setText(page.title)
        self.lead.setText(page.lead)
        count = len(self._pages)
        self.steps.show_step(step)
        self.where.setText(self.tr("Step {n} of {count}").format(n=step + 1, count=count))
        self.back_button.setVisible(step > SOURCE)
        self.skip_button.setVisible(step < TRY)
        self.next_button.setText(self.tr("Done") if step == TRY else self.tr("Continue"))
        if step == SOURCE and self.isVisible():
            self.source_page.look()
        elif step == PERMISSION:
            self.permission_page.look()
        elif step == TRY:
            self._begin(TRY)
        self.next_button.setFocus()

    def go_on(self) -> None:
        """To the next step; behind the last one it is over."""
        if self.step < TRY:
            self.go(self.step + 1)
        else:
            self._finish()

    def back(self) -> None:
        """To the step before."""
        self.go(max(SOURCE, self.step - 1))

    def kept(self) -> tuple[int, str, bool, str, str]:
        """Where it stands and what is chosen, for ``take_back`` of the next window."""
        self._over = True
        pages = self.source_page, self.permission_page, self.model_page
        return (
            self.step,
            pages[0].source(),
            pages[1].keep.isChecked(),
            pages[2].spoken(),
            pages[2].model(),
        )

    def take_back(self, kept: tuple[int, str, bool, str, str]) -> None:
        """Go on where another window was left."""
        step, source, keep, language, model = kept
        self.source_page.want(source)
        self.permission_page.keep.setChecked(keep)
        self.model_page.want(language, model)
        self.go(step)

    def skip(self) -> None:
        """Leave the rest out: captions begin with what was chosen so far."""
        self._begin(self.step)
        self._finish()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.setStyleSheet(style_sheet(theme))
        self.try_page.set_theme(theme)
        self.steps.show_colours(theme)

    # Inside

    def _begin(self, steps: int) -> None:
        """Put into effect what was chosen, and begin captions.

        Args:
            steps: so many pages count; what stands on the others was not seen.
        """
        app, settings = self._app, self._app.settings
        app.overlay.notices.withdraw(_WAITING)
        source, language, model = settings.source, settings.language, app.models.current
        if steps > SOURCE:
            source = self.source_page.source()
        if steps > PERMISSION and self.permission_page.keep.isChecked() != settings.keep_history:
            app.keeping.set_private(not self.permission_page.keep.isChecked())
        if steps > MODEL:
            language, model = self.model_page.language(), self.model_page.model()
        self.try_page.model = model
        wish = app.wish()
        anew = not app.begun or app.session is None or app.session.error is not None
        anew = anew or (wish.source, wish.language) != (source, language)
        app.change_settings(source=source, language=language)
        app.override(source=None, language="")
        entry = app.models.work.entry(model)
        if entry is not None and entry.state != "here":
            if app.begun and anew:
                app.retry()
            app.models.use(model, begin=True)
        elif anew:
            app.change_settings(model=model)
            app.override(model=None)
            app.retry()
        elif model != app.models.current:
            app.models.use(model)

    def _finish(self) -> None:
        self._over = True
        self._app.end_first_run()
        self.close()

    def _make_frame(self) -> None:
        self.steps = Steps(len(self._pages))
        self.where = QLabel()
        self.where.setObjectName("hint")
        self.where.setFont(ui_font(13))
        self.title = QLabel()
        self.title.setObjectName("title")
        self.title.setFont(ui_font(24, QFont.Weight.DemiBold))
        self.lead = QLabel()
        self.lead.setObjectName("hint")
        self.lead.setFont(ui_font(14))
        for label in (self.title, self.lead):
            label.setWordWrap(True)
        self.stack = QStackedWidget()
        self.stack.setObjectName("page")
        for page in self._pages:
            # One for each: a long page would make the short ones scroll.
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFrameShape(QScrollArea.Shape.NoFrame)
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            inside = cast(QWidget, page)
            inside.setObjectName("page")
            area.setWidget(inside)
            self.stack.addWidget(area)
        self.skip_button = self._button(self.tr("Skip"), "quiet")
        self.skip_button.setToolTip(self.tr("Begin with what is set now"))
        self.back_button = self._button(self.tr("Back"))
        self.next_button = self._button(self.tr("Continue"), "primary")
        self.skip_button.clicked.connect(self.skip)
        self.back_button.clicked.connect(self.back)
        self.next_button.clicked.connect(self.go_on)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.skip_button)
        foot.addStretch(1)
        foot.addWidget(self.back_button)
        foot.addWidget(self.next_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(28, 24, 28, 20)
        layout.setSpacing(6)
        layout.addWidget(self.steps)
        layout.addSpacing(8)
        layout.addWidget(self.where)
        layout.addWidget(self.title)
        layout.addWidget(self.lead)
        layout.addSpacing(14)
        layout.addWidget(self.stack, 1)
        layout.addSpacing(10)
        layout.addLayout(foot)

    def _button(self, text: str, name: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setFont(ui_font(14))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._over:
            self._over = False
            self.go(SOURCE)
        if self.step == SOURCE:
            self.source_page.look()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._over and not self._app.begun and self.isVisible():
            # Nothing was chosen, so nothing is opened; and it is asked again at the next start.
            self._app.overlay.add_notice(
                Notice(
                    _WAITING,
                    "info",
                    "nothing is captioned yet",
                    "press Try again to caption the microphone",
                    recoverable=False,
                )
            )
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_on()
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


class Steps(QWidget):
    """How far it is, as a row of short bars. What it shows is also said in words."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.setFixedHeight(5)
        self._count, self._done = count, 1
        self._theme: Theme | None = None

    def show_step(self, step: int) -> None:
        """Take the number of the page, from 0."""
        self._done = step + 1
        self.update()

    def show_colours(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width = (self.width() - _GAP * (self._count - 1)) / self._count
        for number in range(self._count):
            done = number < self._done
            painter.setBrush(self._theme.accent if done else with_alpha(self._theme.value, 0.14))
            bar = QRectF(number * (width + _GAP), 0, width, self.height())
            painter.drawRoundedRect(bar, self.height() / 2, self.height() / 2)
        painter.end()


def _microphone_denied() -> bool:
    from engine.sources._mac import microphone_denied

    return microphone_denied()
