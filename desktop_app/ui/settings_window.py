"""The settings window: pages of rows made from the declarations; every change acts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.languages import notice_text
from desktop_app.settings.fields import translated
from desktop_app.settings.pages import PAGES, page_of
from desktop_app.settings.presets import Preset
from desktop_app.ui.sample_caption import SampleCaption
from desktop_app.ui.settings_foot import SettingsFoot
from desktop_app.ui.settings_page import SettingsPage
from desktop_app.ui.settings_style import style_sheet
from desktop_app.ui.theme import Theme, ui_font

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp

_SIDE = 226
_SEARCH_MS = 120


class SettingsWindow(QWidget):
    """Made when it is first asked for; closing it keeps its place.

    Args:
        app: whose settings they are.
        theme: its colours.

    Attributes:
        pages: those that were opened so far, by name.
        sample: above the page of the look.
    """

    def __init__(self, app: CaptionApp, theme: Theme) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setObjectName("settings")
        self.setWindowTitle(self.tr("Settings – Captionglass"))
        self.resize(980, 740)
        self._app = app
        self._theme = theme
        self.pages: dict[str, SettingsPage] = {}
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Search the settings"))
        self.search.setFont(ui_font(13))
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.setFont(ui_font(14))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.addItems([translated(page.title) for page in PAGES])
        self.heading = QLabel()
        self.heading.setFont(ui_font(20, QFont.Weight.DemiBold))
        self.sample = SampleCaption(app.settings, theme)
        self.sample.hide()
        self.column = QWidget()
        self.column.setObjectName("column")
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.column)
        self.nothing = QLabel(self.tr("Nothing is called that."))
        self.nothing.setObjectName("help")
        self.nothing.setFont(ui_font(14))
        self.nothing.hide()
        self.foot = SettingsFoot(app)
        self.foot.undone.connect(self.list.setFocus)
        self._lay_out()
        self._refresh_timer = QTimer(self, singleShot=True, interval=0)
        self._refresh_timer.timeout.connect(self.refresh)
        self._search_timer = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._search_timer.timeout.connect(self.look_up)
        self.search.textChanged.connect(self._search_timer.start)
        self.search.returnPressed.connect(self.look_up)
        self.list.currentRowChanged.connect(self._turn)
        self.list.itemClicked.connect(self._leave_search)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self._focus_search)
        app.applying.changed.connect(self._stir)
        app.applying.presets_changed.connect(self._renew_presets)
        self.set_theme(theme)
        self.list.setCurrentRow(1)
        self.list.setFocus()

    # What is shown

    def show_page(self, name: str) -> None:
        """Turn to a page.

        Args:
            name: of ``PAGES``.
        """
        self.search.clear()
        self.look_up()
        names = [page.name for page in PAGES]
        self.list.setCurrentRow(names.index(name))
        self.list.setFocus()

    def row(self, name: str) -> Any:
        """The row of a setting; its page is made where it was not yet."""
        return self._page(page_of(name)).rows[name]

    def look_up(self) -> None:
        """Show what the search line asks for."""
        self._search_timer.stop()
        text = self.search.text().strip()
        if not text:
            self._turn(self.list.currentRow())
            return
        found = 0
        for page in PAGES:
            made = self._page(page.name)
            hit = made.look_for(text)
            made.setVisible(hit)
            found += hit
        self.nothing.setVisible(not found)
        self.sample.hide()
        self.heading.setText(self.tr("Found: {text}").format(text=text))
        self.area.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Show the settings that hold now."""
        self._refresh_timer.stop()
        settings = self._app.settings
        for page in self.pages.values():
            page.see(settings)
        self._renew_presets()
        if self.sample.isVisibleTo(self):
            self.sample.show_settings(settings)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        sheet = style_sheet(theme)
        # The colours of the captions may be others, twenty times a second while one is picked.
        if sheet == self.styleSheet():
            return
        self.setStyleSheet(sheet)
        for page in self.pages.values():
            page.set_theme(theme)

    def kept(self) -> Any:
        """Where it stands, for the one that takes its place in another language."""
        return self.list.currentRow(), self.search.text(), self.foot.kept()

    def take_back(self, kept: Any) -> None:
        """Stand where another one stood."""
        row, text, said = kept
        self.list.setCurrentRow(row)
        self.search.setText(text)
        self.look_up()
        self.foot.say(*said)

    # Within

    def _page(self, name: str) -> SettingsPage:
        page = self.pages.get(name)
        if page is None:
            declared = next(page for page in PAGES if page.name == name)
            page = self.pages[name] = SettingsPage(declared, self._app, self._theme)
            page.hide()
            page.said.connect(self.foot.say)
            page.preset_deleted.connect(self._preset_deleted)
            place = [each.name for each in PAGES if each.name in self.pages].index(name)
            self._column.insertWidget(place, page)
            self._order()
        return page

    def _order(self) -> None:
        """Tab goes from the pages to the foot: what is put in last comes last."""
        layout = self.layout()
        assert layout is not None
        layout.removeWidget(self.foot)
        self.foot.setParent(None)
        layout.addWidget(self.foot)
        self.foot.show()

    def _turn(self, row: int) -> None:
        if self.search.text() and self.list.hasFocus():
            self._leave_search()
        if self.search.text() or row < 0:
            return
        name = PAGES[row].name
        shown = self._page(name)
        shown.look_for("")
        for page in self.pages.values():
            page.setVisible(page is shown)
        self.nothing.hide()
        self.heading.setText(translated(PAGES[row].title))
        self.sample.setVisible(name == "look")
        if name == "look":
            self.sample.show_settings(self._app.settings)
        self.area.verticalScrollBar().setValue(0)

    def _leave_search(self) -> None:
        if self.search.text():
            self.search.clear()
            self.look_up()

    def _focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _stir(self) -> None:
        if self.isVisible():
            self._refresh_timer.start()

    def _renew_presets(self) -> None:
        if any(page.renew_presets() for page in self.pages.values()):
            self._order()

    def _preset_deleted(self, preset: Preset) -> None:
        self.foot.say(self.tr("{name} is deleted.").format(name=preset.name), preset)

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        side.setSpacing(12)
        side.addWidget(self.search)
        side.addWidget(self.list, 1)
        left = QWidget()
        left.setFixedWidth(_SIDE)
        left.setLayout(side)
        side.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self.column)
        column.setContentsMargins(0, 0, 10, 8)
        column.setSpacing(14)
        self._column = QVBoxLayout()
        self._column.setSpacing(14)
        column.addLayout(self._column)
        column.addWidget(self.nothing)
        column.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(14)
        right.addWidget(self.heading)
        right.addWidget(self.sample)
        right.addWidget(self.area, 1)
        top = QHBoxLayout()
        top.setSpacing(20)
        top.addWidget(left)
        top.addLayout(right, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 16)
        layout.setSpacing(14)
        layout.addLayout(top, 1)
        layout.addWidget(self.foot)
        self.setMinimumSize(820, 480)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        if notices := self._app.applying.notices:
            self.foot.say(notice_text(notices[-1]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self._leave_search()
        else:
            self.close()
