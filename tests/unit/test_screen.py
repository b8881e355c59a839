"""A screen that cannot be had is one line, before Qt would end the process."""

from __future__ import annotations

import os
import sys

import pytest

from desktop_app.screen import ScreenError, prepare_screen

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 alone")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        # Set first, so that what the code itself sets is undone too.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_a_display_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":61234")
    with pytest.raises(ScreenError) as refused:
        prepare_screen()
    assert ":61234" in refused.value.message
    assert "DISPLAY" in refused.value.remedy


def test_a_chosen_platform_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":61234")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    prepare_screen()
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


def test_on_wayland_the_panel_goes_through_x(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":61234")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    prepare_screen()
    assert os.environ["QT_QPA_PLATFORM"] == "xcb;wayland"


@pytest.mark.parametrize(
    ("before", "after"), [("C", "C.UTF-8"), ("POSIX", "C.UTF-8"), ("de_DE.UTF-8", "de_DE.UTF-8")]
)
def test_qt_is_given_a_locale_that_it_need_not_complain_about(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    monkeypatch.setenv("LC_ALL", before)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    prepare_screen()
    assert os.environ["LC_ALL"] == after
