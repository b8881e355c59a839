"""Colours, the caption font, and tinted icons: everything that makes the windows look alike."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QIcon,
    QPainter,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer

from assets import ASSETS

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings

FAMILY = "Inter"
"""The family of the fonts in ``assets/fonts``."""

CHINESE = ("Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC")
"""Families with the shapes of mainland China, of which each system has one."""

LEGIBLE = 7.0
"""The contrast that captions have in every ready-made look."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one look. All are opaque unless a painter makes them otherwise."""

    name: Literal["dark", "light"]
    panel: QColor
    edge: QColor
    text: QColor
    unstable: QColor
    outline: QColor
    lanes: tuple[QColor, QColor]
    window: QColor
    card: QColor
    label: QColor
    value: QColor
    accent: QColor
    good: QColor
    warning: QColor
    error: QColor


DARK = Theme(
    name="dark",
    panel=QColor(16, 18, 23),
    edge=QColor(255, 255, 255, 34),
    text=QColor(255, 255, 255),
    unstable=QColor(186, 195, 210),
    outline=QColor(8, 9, 12),
    lanes=(QColor(255, 255, 255), QColor(255, 214, 130)),
    window=QColor(22, 24, 30),
    card=QColor(31, 34, 42),
    label=QColor(172, 180, 194),
    value=QColor(236, 239, 244),
    accent=QColor(110, 168, 254),
    good=QColor(98, 201, 140),
    warning=QColor(245, 184, 74),
    error=QColor(255, 122, 114),
)
LIGHT = Theme(
    name="light",
    panel=QColor(250, 251, 253),
    edge=QColor(10, 14, 24, 40),
    text=QColor(17, 20, 27),
    unstable=QColor(78, 86, 100),
    outline=QColor(255, 255, 255),
    lanes=(QColor(17, 20, 27), QColor(0, 52, 128)),
    window=QColor(244, 245, 248),
    card=QColor(255, 255, 255),
    label=QColor(76, 84, 98),
    value=QColor(24, 28, 36),
    accent=QColor(31, 98, 214),
    good=QColor(22, 128, 74),
    warning=QColor(166, 95, 0),
    error=QColor(196, 43, 36),
)


def theme_for(settings: Settings) -> Theme:
    """The look asked for; ``auto`` follows the desktop, and is dark where it does not say."""
    name = settings.theme
    if name == "auto":
        scheme = QGuiApplication.styleHints().colorScheme()
        name = "light" if scheme == Qt.ColorScheme.Light else "dark"
    theme = LIGHT if name == "light" else DARK
    if settings.panel_colour:
        theme = replace(theme, panel=QColor(settings.panel_colour))
    if settings.text_colour:
        text = QColor(settings.text_colour)
        theme = replace(theme, text=text, lanes=(text, theme.lanes[1]))
    if settings.text_colour or settings.panel_colour:
        theme = replace(theme, unstable=softened(theme.text, theme.panel))
    if settings.outline_colour:
        theme = replace(theme, outline=QColor(settings.outline_colour))
    asked = (settings.lane_colour_mic, settings.lane_colour_system)
    own = [QColor(name) if name else lane for name, lane in zip(asked, theme.lanes, strict=True)]
    return replace(theme, lanes=(own[0], own[1]))


def contrast(one: QColor, other: QColor) -> float:
    """Of two opaque colours, 1 to 21, as the web's accessibility guidelines count it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def softened(text: QColor, panel: QColor) -> QColor:
    """For words that still may change: as near to the panel as can be read well."""
    for share in (0.34, 0.28, 0.22, 0.16, 0.1):
        lighter = mix(text, panel, share)
        if contrast(lighter, panel) >= LEGIBLE:
            return lighter
    return text


def _luminance(colour: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """``one`` with ``share`` (0..1) of ``other`` in it, channel by channel."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def with_alpha(colour: QColor, alpha: float) -> QColor:
    """The colour at an opacity from 0 to 1."""
    return QColor.fromRgbF(colour.redF(), colour.greenF(), colour.blueF(), alpha)


def css(colour: QColor) -> str:
    """For a style sheet."""
    return f"rgba({colour.red()},{colour.green()},{colour.blue()},{colour.alphaF():.3f})"


def scroll_bar(theme: Theme) -> str:
    """The style sheet of a slim scroll bar."""
    return (
        f"QScrollBar:vertical {{ background: transparent; width: 12px; margin: 4px 2px; }}"
        f"QScrollBar::handle:vertical {{ background: {css(with_alpha(theme.value, 0.34))};"
        f" border-radius: 4px; min-height: 32px; }}"
        f"QScrollBar::handle:vertical:hover {{ background: {css(theme.label)}; }}"
        f"QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; }}"
        f"QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}"
    )


def load_fonts() -> None:
    """Make the shipped fonts known to Qt. Needs the application object; may be called again."""
    if FAMILY not in QFontDatabase.families():
        for path in sorted((ASSETS / "fonts").glob("*.otf")):
            # By contents: a path outside the code page fails on some Windows builds.
            QFontDatabase.addApplicationFontFromData(QByteArray(path.read_bytes()))
        if sys.platform.startswith("linux"):
            # Menus, tooltips and dialogs: fontconfig may put Japanese shapes behind their font.
            system = QGuiApplication.font()
            system.setFamilies([QFontInfo(system).family(), *CHINESE])
            QGuiApplication.setFont(system)


def ui_font(pixels: float, weight: QFont.Weight = QFont.Weight.Medium) -> QFont:
    """The font of labels and buttons, with the system's own behind it."""
    return caption_font("", pixels, weight)


def caption_font(
    family: str,
    pixels: float,
    weight: QFont.Weight = QFont.Weight.Medium,
    letter_spacing: float = 0.0,
) -> QFont:
    """The chosen family, then the shipped one, then Chinese and emoji where the system has them.

    Args:
        family: a family name; empty for the shipped font.
        pixels: height in device-independent pixels.
        weight: of the strokes.
        letter_spacing: added behind each letter, device-independent pixels.
    """
    names = [FAMILY, "Noto Sans", "Segoe UI", "DejaVu Sans"]
    names += [*CHINESE, "Noto Color Emoji"]
    font = QFont()
    font.setFamilies([family, *names] if family else names)
    font.setPixelSize(max(round(pixels), 1))
    font.setWeight(weight)
    if letter_spacing:
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, letter_spacing)
    # Captions are scaled and outlined: hinting would move the outline off the stroke.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def icon(name: str, colour: QColor, size: int = 20) -> QIcon:
    """An icon of ``assets/icons`` in one colour, sharp at every scaling."""
    drawing = (ASSETS / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour.name()).encode()))
    result = QIcon()
    for scale in (1, 2, 3):
        pixmap = QPixmap(QSize(size, size) * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size * scale, size * scale))
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        result.addPixmap(pixmap)
    return result
