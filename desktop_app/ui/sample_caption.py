"""A few captions as the settings make them look, and how well they can be read."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop_app.settings.declared import Settings
from desktop_app.ui.caption_view import CaptionView
from desktop_app.ui.theme import LEGIBLE, Theme, contrast, theme_for, ui_font, with_alpha
from engine.types import CaptionUpdate

_TALLEST = 40
_HEIGHT = 172
_ALMOST_OPAQUE = 50
"""Percent from which on the panel, not the outline, is what text is seen against."""


class _Stage(QWidget):
    """Something bright and something dark, and a panel above it."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.setFixedHeight(_HEIGHT)
        self._settings, self._theme = settings, theme_for(settings)
        self.view = CaptionView(self._fit(settings), self._theme, self)
        self.view.begin_session(("mic", "system"))
        self._speak()
        self.setAccessibleName(self.tr("Sample of the captions"))

    def show_settings(self, settings: Settings) -> None:
        self._settings, self._theme = settings, theme_for(settings)
        self.view.restyle(self._fit(settings), self._theme)
        self._place()
        self.update()

    def _fit(self, settings: Settings) -> Settings:
        return settings.model_copy(
            update={
                "font_size": min(settings.font_size, _TALLEST),
                "clear_after": 0,
                "reduced_motion": True,
                "share_rows": False,
            }
        )

    def _speak(self) -> None:
        said = (
            ("mic", self.tr("Shall we begin?"), ""),
            ("system", self.tr("Yes, everybody is"), self.tr("here")),
        )
        self.view.apply(
            CaptionUpdate(
                lane=lane,
                segment_id=number,
                revision=0,
                stable=stable,
                unstable=f" {unstable}" if unstable else "",
                start=float(number),
                end=number + 1.0,
                heard_at=0.0,
                is_final=not unstable,
            )
            for number, (lane, stable, unstable) in enumerate(said)
        )
        self.view.catch_up()

    def _panel(self) -> QRectF:
        return QRectF(self.rect()).adjusted(22, 18, -22, -18)

    def _place(self) -> None:
        panel = self._panel().toRect()
        height = min(self.view.height_for(2), panel.height())
        panel.setTop(panel.top() + (panel.height() - height) // 2)
        panel.setHeight(height)
        self.view.setGeometry(panel)
        self.view.catch_up()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QPainterPath()
        frame.addRoundedRect(QRectF(self.rect()), 12, 12)
        painter.setClipPath(frame)
        sky = QLinearGradient(0, 0, self.width(), 0)
        for place, name in ((0, "#1d2b4a"), (0.48, "#7a6a86"), (0.52, "#d8a48c"), (1, "#fdf3dd")):
            sky.setColorAt(place, QColor(name))
        painter.fillRect(self.rect(), sky)
        settings = self._settings
        painter.setPen(Qt.PenStyle.NoPen)
        colour = with_alpha(self._theme.panel, settings.opacity / 100)
        if settings.capture == "key":
            colour = QColor(settings.key_colour)
        painter.setBrush(colour)
        painter.drawRoundedRect(self._panel(), 14, 14)
        painter.end()


class SampleCaption(QWidget):
    """The sample, and below it the contrast in figures."""

    def __init__(self, settings: Settings, theme: Theme) -> None:
        super().__init__()
        self.stage = _Stage(settings)
        self.verdict = QLabel()
        self.verdict.setFont(ui_font(13))
        self.verdict.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.stage)
        layout.addWidget(self.verdict)
        self._theme = theme
        self.show_settings(settings)

    def sizeHint(self) -> QSize:
        return QSize(500, _HEIGHT + 30)

    def show_settings(self, settings: Settings) -> None:
        """Show how these look."""
        self.stage.show_settings(settings)
        figure, behind = legibility(settings)
        what = self.tr("its outline") if behind == "outline" else self.tr("the panel")
        well = figure >= LEGIBLE
        text = (
            self.tr("✓ Contrast of the text with {what}: {figure} : 1 (good from {least} : 1)")
            if well
            else self.tr("⚠ Contrast of the text with {what}: {figure} : 1 (less than {least} : 1)")
        )
        locale = self.locale()
        self.verdict.setText(
            text.format(
                what=what,
                figure=locale.toString(figure, "f", 1),
                least=locale.toString(LEGIBLE, "f", 0),
            )
        )
        self.verdict.setObjectName("help" if well else "warned")
        self.verdict.style().unpolish(self.verdict)
        self.verdict.style().polish(self.verdict)


def legibility(settings: Settings) -> tuple[float, str]:
    """The least contrast that any text has, and with what: ``panel`` or ``outline``."""
    theme = theme_for(settings)
    behind = "panel"
    if settings.opacity < _ALMOST_OPAQUE and settings.outline:
        behind = "outline"
    colour = theme.outline if behind == "outline" else theme.panel
    if settings.capture == "key" and behind == "panel":
        colour = QColor(settings.key_colour)
    texts = (theme.text, theme.unstable, *theme.lanes)
    return min(contrast(text, colour) for text in texts), behind
