"""One page of the settings window: cards with rows, made from the declarations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_app.finding import folded
from desktop_app.hotkeys.keys import forbidden
from desktop_app.languages import notice_text
from desktop_app.settings.declared import Settings
from desktop_app.settings.fields import field, translated
from desktop_app.settings.pages import PAGES, Group, Page, page_of
from desktop_app.settings.styles import STYLES, style_of
from desktop_app.ui.hotkey_edit import HotkeysEditor
from desktop_app.ui.password_row import PasswordRow
from desktop_app.ui.preset_rows import PresetsPage
from desktop_app.ui.setting_rows import Card, SettingRow
from desktop_app.ui.theme import Theme, ui_font

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp

_STYLE_COLUMNS = 3
_STYLES_WIDTH = 540


class StylesRow(QWidget):
    """The ready-made looks."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        self.buttons: dict[str, QPushButton] = {}
        for name in STYLES:
            button = self.buttons[name] = QPushButton(QCoreApplication.translate("Styles", name))
            button.setCheckable(True)
            button.setFont(ui_font(13))
            button.clicked.connect(partial(self._choose, name))
        widest = max(button.sizeHint().width() for button in self.buttons.values()) + 8
        columns = max(1, min(_STYLE_COLUMNS, _STYLES_WIDTH // widest))
        for number, button in enumerate(self.buttons.values()):
            grid.addWidget(button, number // columns, number % columns)

    def see(self, settings: Settings) -> None:
        """Mark the one that is on."""
        now = style_of(settings)
        for name, button in self.buttons.items():
            button.setChecked(name == now)

    def _choose(self, name: str, _checked: bool = False) -> None:
        self.chosen.emit(name)


class SettingsPage(QWidget):
    """Cards below each other.

    Args:
        page: what stands on it.
        app: whose settings they are.
        theme: its colours.

    Attributes:
        rows: by the name of the setting.
        presets: on the page of that name.
        password: on the page of the outputs.
    """

    said = Signal(str)
    """Something for the window's foot."""
    preset_deleted = Signal(object)

    def __init__(self, page: Page, app: CaptionApp, theme: Theme) -> None:
        super().__init__()
        self.page = page
        self._app = app
        self._theme = theme
        self.rows: dict[str, SettingRow] = {}
        self.cards: dict[Card, list[SettingRow]] = {}
        self.styles: StylesRow | None = None
        self.presets: PresetsPage | None = None
        self.password: PasswordRow | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(14)
        if page.name == "presets":
            self._add_presets()
        if page.name == "look":
            self._add_styles()
        for group in self._groups():
            self._add_group(group)
        self.see(app.settings)

    def see(self, settings: Settings) -> None:
        """Show what these settings say."""
        for row in self.rows.values():
            row.see(settings)
        if self.styles is not None:
            self.styles.see(settings)
        if "hotkeys" in self.rows:
            editor = self.rows["hotkeys"].editor
            assert isinstance(editor, HotkeysEditor)
            editor.show_taken(self._app.hotkeys.refused)

    def renew_presets(self) -> bool:
        """Show the presets that there are now, and which is in use.

        Returns:
            Whether rows were made anew.
        """
        return self.presets is not None and self.presets.renew()

    def look_for(self, text: str) -> bool:
        """Show only what is meant by some words; everything where there are none.

        Returns:
            Whether anything is.
        """
        words = folded(text).split()
        title = folded(translated(self.page.title))
        whole = bool(words) and all(word in title for word in words)
        any_found = whole or not words
        for card, rows in self.cards.items():
            found = [row for row in rows if whole or not words or row.field.found_by(words)]
            for row in rows:
                row.setVisible(row in found)
            extra = whole or not words
            if self.password is not None and self.password.parent() is card:
                extra = extra or all(word in folded(self.password.title.text()) for word in words)
                self.password.setVisible(extra)
            card.setVisible(bool(found) or (extra and not rows) or (extra and not words))
            any_found = any_found or bool(found)
        for part in (self.presets,):
            if part is not None:
                part.setVisible(whole or not words)
        return any_found

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        for row in self.rows.values():
            row.set_theme(theme)

    def _groups(self) -> list[Group]:
        fields = Settings.model_fields
        groups = [
            Group(group.title, tuple(name for name in group.names if name in fields))
            for group in self.page.groups
        ]
        if self.page is PAGES[-1]:
            named = {name for page in PAGES for group in page.groups for name in group.names}
            rest = tuple(name for name in fields if name not in named and page_of(name))
            groups += [Group("", rest)] if rest else []
        return groups

    def _add_group(self, group: Group) -> None:
        card = Card(translated(group.title) if group.title else "")
        self.cards[card] = []
        for name in group.names:
            row = self.rows[name] = SettingRow(field(name), self._theme)
            row.chosen.connect(self._choose)
            row.editor.more_asked.connect(self._open_other)
            self.cards[card].append(row)
            if name == "hotkeys":
                self._prepare_hotkeys(card, row)
            card.add(row)
            if name == "obs_port":
                self.password = PasswordRow()
                self.password.kept.connect(self._app.applying.password_changed)
                card.add(self.password)
        self._layout.addWidget(card)

    def _add_styles(self) -> None:
        card = Card(self.tr("Ready-made looks"))
        self.styles = StylesRow()
        self.styles.chosen.connect(self._app.use_style)
        card.add(self.styles)
        self.cards[card] = []
        self._layout.addWidget(card)

    def _add_presets(self) -> None:
        self.presets = PresetsPage(self._app.applying)
        self.presets.said.connect(self.said)
        self.presets.deleted.connect(self.preset_deleted)
        self._layout.addWidget(self.presets)

    def _prepare_hotkeys(self, card: Card, row: SettingRow) -> None:
        editor = row.editor
        assert isinstance(editor, HotkeysEditor)
        editor.listening.connect(self._listen)
        if (none := forbidden()) is not None:
            hint = QLabel(notice_text(none))
            hint.setObjectName("warned")
            hint.setFont(ui_font(13))
            hint.setWordWrap(True)
            card.add(hint)
            editor.set_possible(False)

    def _choose(self, name: str, value: object) -> None:
        self._app.applying.change(**{name: value})

    def _open_other(self, kind: str) -> None:
        self._app.windows.show(kind)

    def _listen(self, listening: bool) -> None:
        # What the keys do now must not happen while others are recorded.
        if listening:
            self._app.hotkeys.close()
        else:
            self._app.renew_hotkeys()
            self.see(self._app.settings)
