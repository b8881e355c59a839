"""How the transcript window's controls look."""

from __future__ import annotations

from assets import ASSETS
from desktop_app.ui.theme import Theme, css, scroll_bar, with_alpha

_CHECK = (ASSETS / "icons" / "check.svg").as_posix()


def style_sheet(theme: Theme) -> str:
    """Of the window and all that is in it."""
    return (
        f"#transcript {{ background: {css(theme.window)}; }}"
        f"QTableView, QListWidget {{ background: {css(theme.card)}; color: {css(theme.value)};"
        f" border: 1px solid {css(theme.edge)}; border-radius: 10px; outline: none; }}"
        f"QTableView:focus, QListWidget:focus {{ border: 1px solid {css(theme.accent)}; }}"
        f"QListWidget::item {{ padding: 8px 10px; border-radius: 8px; margin: 2px 4px;"
        f" color: {css(theme.value)}; }}"
        f"QListWidget::item:selected {{ background: {css(with_alpha(theme.accent, 0.24))}; }}"
        f"QLineEdit {{ background: {css(theme.card)}; color: {css(theme.value)};"
        f" border: 1px solid {css(theme.edge)}; border-radius: 9px; padding: 6px 10px; }}"
        f"QLineEdit:focus {{ border: 2px solid {css(theme.accent)}; padding: 5px 9px; }}"
        f"QLabel, QCheckBox {{ color: {css(theme.label)}; background: transparent; }}"
        f"QCheckBox::indicator {{ width: 14px; height: 14px; border-radius: 4px;"
        f" border: 1px solid {css(theme.label)}; background: {css(theme.card)}; }}"
        f"QCheckBox::indicator:checked {{ background: {css(theme.card)};"
        f' border-color: {css(theme.accent)}; image: url("{_CHECK}"); }}'
        f"QCheckBox:focus {{ color: {css(theme.value)}; text-decoration: underline; }}"
        f"QPushButton, QToolButton {{ color: {css(theme.value)};"
        f" background: {css(theme.card)}; border: 1px solid {css(theme.edge)};"
        f" border-radius: 9px; padding: 6px 12px; }}"
        f"QToolButton {{ padding: 6px; }}"
        f"QPushButton:hover, QToolButton:hover {{ border-color: {css(theme.accent)}; }}"
        f"QPushButton:focus {{ border: 2px solid {css(theme.accent)}; padding: 5px 11px; }}"
        f"QToolButton:focus {{ border: 2px solid {css(theme.accent)}; padding: 5px; }}"
        f"QPushButton:disabled, QToolButton:disabled"
        f" {{ color: {css(with_alpha(theme.label, 0.55))}; }}"
        f"QPushButton::menu-indicator {{ image: none; width: 0; }}"
        f"{scroll_bar(theme)}"
        f"QMenu {{ background: {css(theme.card)}; color: {css(theme.value)};"
        f" border: 1px solid {css(theme.edge)}; padding: 6px; }}"
        f"QMenu::item {{ padding: 6px 14px; border-radius: 6px; }}"
        f"QMenu::item:selected {{ background: {css(with_alpha(theme.accent, 0.28))}; }}"
    )
