"""Settings: limits hold, and every one can be shown to a person."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from desktop_app.application.applying import ACTED_ON, LOOK, RESTART
from desktop_app.settings.declared import Geometry, Settings
from desktop_app.settings.fields import field
from desktop_app.settings.pages import CHOICES, PAGES
from models import catalogue


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_a_label_and_a_help(name: str) -> None:
    field = Settings.model_fields[name]
    assert field.title
    assert field.description
    assert field.description.endswith(".")


def test_the_defaults_are_within_their_limits() -> None:
    assert Settings.model_validate(Settings().model_dump()) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("font_size", 4),
        ("font_size", 5000),
        ("opacity", 101),
        ("lines", 0),
        ("profile", -1.0),
        ("text_colour", "red"),
        ("theme", "pink"),
        ("provider", "tpu"),
        ("source", ""),
    ],
)
def test_a_value_out_of_its_limits_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({name: value})


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Settings().opacity = 3  # type: ignore[misc]


def test_the_default_model_is_in_the_catalogue() -> None:
    assert catalogue.load().get(Settings().model).kind == "recognizer"


def test_geometry_is_a_plain_rectangle() -> None:
    place = Geometry(x=-5, y=10, width=300, height=90)
    assert place.model_dump() == {"x": -5, "y": 10, "width": 300, "height": 90}


def test_every_setting_stands_on_one_page() -> None:
    placed = [name for page in PAGES for group in page.groups for name in group.names]
    assert sorted(placed) == sorted(Settings.model_fields), "say in settings_pages.py where it is"


def test_every_setting_acts_at_once_in_one_way() -> None:
    ways = [*LOOK, *RESTART, *ACTED_ON]
    assert sorted(ways) == sorted(Settings.model_fields), "say in applying.py how it acts"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_known_by_what_it_is_chosen_with(name: str) -> None:
    known = field(name)
    assert known.default == getattr(Settings(), name)
    assert known.refused(known.default) == ""
    if known.kind in ("number", "range"):
        assert known.least < known.most
        assert known.refused(known.least - 1)
        assert known.refused(known.most + 1)
    if known.kind == "choice":
        assert set(CHOICES[name]) == set(known.choices)


def test_a_setting_is_found_by_what_is_said_of_it() -> None:
    assert field("text_colour").found_by(["colour", "text"])
    assert not field("text_colour").found_by(["colour", "port"])
    assert field("theme").found_by(["dark"])
    assert field("hotkeys").found_by(["pause"])
