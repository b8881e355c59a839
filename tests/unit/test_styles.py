"""Ready-made looks: what they set, and that all of them can be read."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from desktop_app.settings.declared import Settings
from desktop_app.settings.styles import STYLE_FIELDS, STYLES, style_of, with_style
from desktop_app.ui.theme import LEGIBLE, contrast, mix, softened, theme_for


@pytest.mark.parametrize("look", ["auto", "dark", "light"])
@pytest.mark.parametrize("name", STYLES)
def test_text_of_every_style_has_contrast(qtbot: QtBot, name: str, look: str) -> None:
    del qtbot
    settings = with_style(Settings(), name)
    if "theme" not in STYLES[name]:
        settings = settings.model_copy(update={"theme": look})
    theme = theme_for(settings)
    behind = [theme.outline] if settings.opacity == 0 else [theme.panel]
    for text in (theme.text, theme.unstable, *theme.lanes):
        for tone in (text, softened(text, theme.panel)):
            assert all(contrast(tone, colour) >= LEGIBLE for colour in behind), tone.name()
    for card in (theme.card, theme.window):
        assert contrast(theme.value, card) >= LEGIBLE
        assert contrast(theme.label, card) >= LEGIBLE
    assert theme.lanes[0] != theme.lanes[1]


def test_contrast_is_counted_as_the_guidelines_do() -> None:
    assert contrast(QColor("#ffffff"), QColor("#000000")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#ffffff")) == pytest.approx(4.48, abs=0.01)
    assert contrast(QColor("#123456"), QColor("#123456")) == pytest.approx(1)


def test_softened_text_is_nearer_to_the_panel_and_still_legible() -> None:
    white, black = QColor("#ffffff"), QColor("#000000")
    assert contrast(softened(white, black), black) < 21
    weak = mix(white, black, 0.6)
    assert softened(weak, black) == weak


@pytest.mark.parametrize("name", STYLES)
def test_a_style_changes_the_look_alone_and_is_known_again(name: str) -> None:
    before = Settings(font_size=40, lines=5, source="both", shadow=33, alignment="end")
    after = with_style(before, name)
    assert style_of(after) == name
    changed = {
        field for field in Settings.model_fields if getattr(before, field) != getattr(after, field)
    }
    assert changed <= set(STYLE_FIELDS)
    assert Settings.model_validate(after.model_dump()) == after


def test_a_look_of_ones_own_is_in_no_style() -> None:
    assert style_of(Settings(shadow=33)) == ""
