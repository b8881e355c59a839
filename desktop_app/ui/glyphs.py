"""Outlined text, drawn from a cache of glyph pixmaps.

Stroking text as a path at every repaint costs most of a core. Here each glyph is stroked once for
each colour and each quarter of a pixel it may stand at; a repaint only copies pixmaps.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGlyphRun,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QRawFont,
    QTextLayout,
    QTextOption,
)

_STEPS = 4
"""Places a glyph can have inside one device pixel, horizontally."""

_CACHE_BYTES = 24 * 2**20
_SYSTEM = QFontDatabase.WritingSystem
_SHAPED_SCRIPTS = (
    (0x0700, 0x074F, _SYSTEM.Syriac),
    (0x0780, 0x07BF, _SYSTEM.Thaana),
    (0x07C0, 0x07FF, _SYSTEM.Nko),
    (0x0900, 0x097F, _SYSTEM.Devanagari),
    (0x0980, 0x09FF, _SYSTEM.Bengali),
    (0x0A00, 0x0A7F, _SYSTEM.Gurmukhi),
    (0x0A80, 0x0AFF, _SYSTEM.Gujarati),
    (0x0B00, 0x0B7F, _SYSTEM.Oriya),
    (0x0B80, 0x0BFF, _SYSTEM.Tamil),
    (0x0C00, 0x0C7F, _SYSTEM.Telugu),
    (0x0C80, 0x0CFF, _SYSTEM.Kannada),
    (0x0D00, 0x0D7F, _SYSTEM.Malayalam),
    (0x0D80, 0x0DFF, _SYSTEM.Sinhala),
    (0x1780, 0x17FF, _SYSTEM.Khmer),
    (0x0860, 0x086F, _SYSTEM.Syriac),
    (0x19E0, 0x19FF, _SYSTEM.Khmer),
    (0xA8E0, 0xA8FF, _SYSTEM.Devanagari),
    (0x111E0, 0x111FF, _SYSTEM.Sinhala),
    (0x11B00, 0x11B5F, _SYSTEM.Devanagari),
    (0x11FC0, 0x11FFF, _SYSTEM.Tamil),
)
"""Scripts that Qt refuses to draw with a font that cannot shape them."""

_SOFT = 4
"""Strokes that make a shadow's edge."""

_Layer = Literal["fill", "outline", "shadow"]
_COLOUR_TABLES = ("CBDT", "sbix", "COLR", "SVG ")


@dataclass(frozen=True, slots=True)
class _Glyph:
    font: int
    index: int
    x: float
    y: float
    source: int


@dataclass(frozen=True, slots=True)
class _Shaped:
    """A run of text after shaping; positions are relative to its left end on the baseline."""

    width: float
    glyphs: tuple[_Glyph, ...]
    pictures: tuple[tuple[QGlyphRun, float], ...]


@dataclass(frozen=True, slots=True)
class _Picture:
    """A cached pixmap and where its top left corner lies from the glyph's origin, device pixels."""

    pixmap: QPixmap | None
    left: int
    top: int
    bytes: int


class Glyphs:
    """Shapes, measures and draws text of one font with one outline and one shadow.

    Args:
        font: with a pixel size.
        outline: width of the outline around the glyphs, device-independent pixels.
        shadow: how dark the shadow is, 0 to 1.

    Attributes:
        reach: how far beyond its glyphs a text is painted, device-independent pixels.
    """

    def __init__(self, font: QFont, outline: float, shadow: float = 0.0) -> None:
        self.font = font
        self.outline = outline
        self.shadow = shadow
        self._blur = font.pixelSize() * 0.14 if shadow else 0.0
        self._drop = font.pixelSize() * 0.05 if shadow else 0.0
        self.reach = outline + self._blur + self._drop
        metrics = QFontMetricsF(font)
        self.ascent = metrics.ascent()
        self.descent = metrics.descent()
        self._space = metrics.horizontalAdvance(" ")
        self._shaped: dict[str, _Shaped] = {}
        self._fonts: list[QRawFont] = []
        self._font_numbers: dict[tuple[str, str, int, float], int] = {}
        self._colour_fonts: dict[str, bool] = {}
        self._pictures: dict[tuple[int, int, int, int, float, _Layer], _Picture] = {}
        self._bytes = 0

    def width(self, text: str) -> float:
        """The advance of a run of text, device-independent pixels."""
        return self._space if text == " " else self._shape(text).width

    def draw(
        self,
        painter: QPainter,
        x: float,
        baseline: float,
        text: str,
        fill: QColor,
        outline: QColor,
        *,
        tail: QColor | None = None,
        head: int | None = None,
        ratio: float = 1.0,
    ) -> None:
        """Draw a run of text without spaces, outline first.

        Args:
            painter: with no transformation but a shift by whole pixels.
            x, baseline: where the run begins, device-independent pixels.
            text: what to draw.
            fill: colour of the first ``head`` characters.
            outline: colour of the outline.
            tail: colour of the characters after ``head``; ``fill`` where None.
            head: how many characters have the colour ``fill``; all where None.
            ratio: device pixels in one device-independent pixel.
        """
        shaped = self._shape(text)
        border = math.inf if head is None else _utf16_length(text[:head])
        places = []
        for glyph in shaped.glyphs:
            device = (x + glyph.x) * ratio
            quarter = math.floor(device * _STEPS + 0.5)
            top = math.floor((baseline + glyph.y) * ratio + 0.5)
            places.append((glyph, quarter // _STEPS, quarter % _STEPS, top))
        if self.shadow:
            down = round(self._drop * ratio)
            for glyph, left, step, top in places:
                picture = self._picture(glyph, step, outline, ratio, "shadow")
                self._put(painter, picture, left, top + down, ratio)
        if self.outline:
            for glyph, left, step, top in places:
                picture = self._picture(glyph, step, outline, ratio, "outline")
                self._put(painter, picture, left, top, ratio)
        for glyph, left, step, top in places:
            colour = fill if glyph.source < border or tail is None else tail
            self._put(painter, self._picture(glyph, step, colour, ratio, "fill"), left, top, ratio)
        for run, ascent in shaped.pictures:
            painter.drawGlyphRun(QPointF(x, baseline - ascent), run)

    def _put(self, painter: QPainter, picture: _Picture, left: int, top: int, ratio: float) -> None:
        if picture.pixmap is not None:
            where = QPointF((left + picture.left) / ratio, (top + picture.top) / ratio)
            painter.drawPixmap(where, picture.pixmap)

    def _shape(self, text: str) -> _Shaped:
        shaped = self._shaped.get(text)
        if shaped is None:
            if len(self._shaped) > 4000:
                self._shaped.clear()
            shaped = self._lay_out(text)
            if shaped.pictures:
                self._warm(shaped)
                shaped = self._lay_out(text)
            self._shaped[text] = shaped
        return shaped

    def _lay_out(self, text: str) -> _Shaped:
        layout = QTextLayout(_drawable(text), self.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e6)
        layout.endLayout()
        ascent = line.ascent()
        glyphs: list[_Glyph] = []
        pictures: list[tuple[QGlyphRun, float]] = []
        for run in layout.glyphRuns(-1, -1, QTextLayout.GlyphRunRetrievalFlag.RetrieveAll):
            raw = run.rawFont()
            if self._has_colours(raw):
                pictures.append((run, ascent))
                continue
            number = self._number(raw)
            sources = run.stringIndexes() or [0] * len(run.glyphIndexes())
            for index, place, source in zip(
                run.glyphIndexes(), run.positions(), sources, strict=True
            ):
                glyphs.append(_Glyph(number, index, place.x(), place.y() - ascent, source))
        return _Shaped(line.naturalTextWidth(), tuple(glyphs), tuple(pictures))

    def _has_colours(self, raw: QRawFont) -> bool:
        """Asking a colour font for a path gives nothing, and spoils Qt's own cache of its glyphs:
        such fonts are found by their tables and drawn as they are, without an outline."""
        family = raw.familyName()
        known = self._colour_fonts.get(family)
        if known is None:
            known = any(not raw.fontTable(table).isEmpty() for table in _COLOUR_TABLES)
            self._colour_fonts[family] = known
        return known

    def _warm(self, shaped: _Shaped) -> None:
        """The advance of a bitmap emoji is another before it was first drawn: draw it once."""
        image = QImage(8, 8, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        for run, _ in shaped.pictures:
            painter.drawGlyphRun(QPointF(0, 0), run)
        painter.end()

    def _number(self, raw: QRawFont) -> int:
        key = (raw.familyName(), raw.styleName(), raw.weight(), raw.pixelSize())
        number = self._font_numbers.get(key)
        if number is None:
            number = self._font_numbers[key] = len(self._fonts)
            self._fonts.append(raw)
        return number

    def _picture(
        self, glyph: _Glyph, step: int, colour: QColor, ratio: float, layer: _Layer
    ) -> _Picture:
        key = (glyph.font, glyph.index, step, colour.rgba(), ratio, layer)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._pictures[key] = self._paint(glyph, step, colour, ratio, layer)
            self._bytes += picture.bytes
            if self._bytes > _CACHE_BYTES:
                self._forget_half()
        return picture

    def _paint(
        self, glyph: _Glyph, step: int, colour: QColor, ratio: float, layer: _Layer
    ) -> _Picture:
        path = self._fonts[glyph.font].pathForGlyph(glyph.index)
        if path.isEmpty():
            return _Picture(None, 0, 0, 0)
        path.setFillRule(Qt.FillRule.WindingFill)
        grown = 0.0 if layer == "fill" else self.outline
        if layer == "shadow":
            grown += self._blur
        box = path.boundingRect().adjusted(-grown, -grown, grown, grown)
        left = math.floor(box.left() * ratio) - 1
        top = math.floor(box.top() * ratio) - 1
        width = math.ceil(box.right() * ratio) + 2 - left
        height = math.ceil(box.bottom() * ratio) + 1 - top
        pixmap = QPixmap(width, height)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(-left + step / _STEPS, -top)
        painter.scale(ratio, ratio)
        if layer == "shadow":
            self._blurred(painter, path, colour)
        else:
            self._fill(painter, path, colour, grown)
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return _Picture(pixmap, left, top, width * height * 4)

    def _fill(self, painter: QPainter, path: QPainterPath, colour: QColor, grown: float) -> None:
        if grown > 0:
            pen = QPen(colour, 2 * grown)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.strokePath(path, pen)
        painter.fillPath(path, colour)

    def _blurred(self, painter: QPainter, path: QPainterPath, colour: QColor) -> None:
        """A soft edge from strokes of several widths, each faint."""
        faint = QColor(colour)
        faint.setAlphaF(1.0 - (1.0 - self.shadow) ** (1.0 / _SOFT))
        for number in range(_SOFT):
            self._fill(painter, path, faint, self.outline + self._blur * (number + 1) / _SOFT)

    def _forget_half(self) -> None:
        for key in list(self._pictures)[: len(self._pictures) // 2]:
            self._bytes -= self._pictures.pop(key).bytes


def _utf16_length(text: str) -> int:
    """What Qt counts where Python counts characters."""
    if text.isascii():
        return len(text)
    return len(text) + sum(ord(character) > 0xFFFF for character in text)


def _drawable(text: str) -> str:
    """The text with a box for each character that no installed font can shape: asking Qt for the
    glyphs of such text ends the process."""
    if text.isascii():
        return text
    return "".join(character if _can_shape(ord(character)) else "□" for character in text)


def _can_shape(code: int) -> bool:
    if 0x2000 <= code <= 0xA8DF or code < 0x0700:
        return True
    for first, last, system in _SHAPED_SCRIPTS:
        if first <= code <= last:
            return _has_fonts(system)
    return True


@functools.cache
def _has_fonts(system: QFontDatabase.WritingSystem) -> bool:
    return bool(QFontDatabase.families(system))
