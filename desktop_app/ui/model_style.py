"""How the model window's rows and controls look, beyond what all windows share."""

from __future__ import annotations

from assets import ASSETS
from desktop_app.ui.theme import Theme, css, mix, with_alpha
from desktop_app.ui.transcript_style import style_sheet as shared

_UNFOLD = (ASSETS / "icons" / "unfold.svg").as_posix()


def style_sheet(theme: Theme) -> str:
    """Of a window named ``models`` or ``firstrun``, and all that is in it."""
    faint = mix(theme.card, theme.value, 0.10)
    text_on_accent = theme.window if theme.name == "dark" else theme.card
    return shared(theme) + (
        f"#models, #firstrun, #page {{ background: {css(theme.window)}; }}"
        f"QScrollArea, #list {{ background: transparent; border: none; }}"
        f"#card {{ background: {css(theme.card)}; border: 1px solid {css(theme.edge)};"
        f" border-radius: 12px; }}"
        f'#card[chosen="true"] {{ border: 1px solid {css(theme.accent)}; }}'
        f"#title, #section, #words {{ color: {css(theme.value)}; }}"
        f"#lead {{ color: {css(theme.value)}; }}"
        f"#purpose {{ color: {css(theme.value)}; }}"
        f'#title[gone="true"], #purpose[gone="true"] {{ color: {css(theme.label)}; }}'
        f"#facts, #hint, #status {{ color: {css(theme.label)}; }}"
        f"#problem {{ color: {css(theme.error)}; }}"
        f"#caution {{ color: {css(theme.label)}; }}"
        f"#warning {{ color: {css(theme.warning)}; }}"
        f"#chip {{ color: {css(theme.value)}; background: {css(faint)};"
        f" border-radius: 8px; padding: 2px 8px; }}"
        f'#chip[tone="use"] {{ color: {css(theme.good)};'
        f" background: {css(with_alpha(theme.good, 0.16))}; }}"
        f'#chip[tone="suggested"] {{ color: {css(theme.accent)};'
        f" background: {css(with_alpha(theme.accent, 0.16))}; }}"
        f"QPushButton#primary {{ color: {css(text_on_accent)}; background: {css(theme.accent)};"
        f" border: 1px solid {css(theme.accent)}; }}"
        f"QPushButton#primary:hover {{ background: {css(mix(theme.accent, theme.value, 0.14))}; }}"
        f"QPushButton#primary:focus {{ border: 2px solid {css(theme.value)}; padding: 5px 11px; }}"
        f"QPushButton#primary:disabled {{ background: {css(faint)}; border-color: {css(faint)};"
        f" color: {css(theme.label)}; }}"
        f"QPushButton#quiet {{ background: transparent; border: 1px solid transparent;"
        f" color: {css(theme.label)}; padding: 6px 5px; text-align: left; }}"
        f"QPushButton#quiet:hover {{ color: {css(theme.value)}; text-decoration: underline; }}"
        f"QPushButton#quiet:focus {{ border: 2px solid {css(theme.accent)}; padding: 5px 4px; }}"
        f"QProgressBar {{ background: {css(faint)}; border: none; border-radius: 3px;"
        f" max-height: 6px; min-height: 6px; }}"
        f"QProgressBar::chunk {{ background: {css(theme.accent)}; border-radius: 3px; }}"
        f'QProgressBar[held="true"]::chunk {{ background: {css(theme.label)}; }}'
        f"QComboBox {{ color: {css(theme.value)}; background: {css(theme.card)};"
        f" border: 1px solid {css(theme.edge)}; border-radius: 9px; padding: 6px 10px; }}"
        f"QComboBox {{ combobox-popup: 0; }}"
        f"QComboBox QAbstractItemView::item {{ min-height: 28px; padding: 0 8px; }}"
        f"QComboBox:focus {{ border: 2px solid {css(theme.accent)}; padding: 5px 9px; }}"
        f"QComboBox::drop-down {{ border: none; width: 24px; }}"
        f'QComboBox::down-arrow {{ image: url("{_UNFOLD}"); width: 14px; height: 14px; }}'
        f"QComboBox QAbstractItemView {{ color: {css(theme.value)};"
        f" background: {css(theme.card)}; border: 1px solid {css(theme.edge)}; outline: none;"
        f" selection-background-color: {css(with_alpha(theme.accent, 0.28))};"
        f" selection-color: {css(theme.value)}; padding: 4px; }}"
        f"QRadioButton {{ color: {css(theme.value)}; background: transparent; spacing: 10px; }}"
        f"QRadioButton::indicator {{ width: 14px; height: 14px; border-radius: 8px;"
        f" border: 1px solid {css(theme.label)}; background: {css(theme.card)}; }}"
        f"QRadioButton::indicator:checked {{ border: 5px solid {css(theme.accent)};"
        f" width: 6px; height: 6px; background: {css(theme.card)}; }}"
        f"QRadioButton:disabled {{ color: {css(with_alpha(theme.label, 0.7))}; }}"
        f"QRadioButton::indicator:disabled {{ border-color: {css(theme.edge)}; }}"
        f"QRadioButton:focus {{ text-decoration: underline; }}"
    )
