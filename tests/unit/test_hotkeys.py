"""How chords are written, which each action has, and what is said where there can be none."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.hotkeys import keys
from desktop_app.hotkeys.chords import ACTIONS, Chord, parse, wanted
from desktop_app.hotkeys.listened import pynput_name


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ctrl+alt+h", "Ctrl+Alt+H"),
        ("Shift + Control + X", "Ctrl+Shift+X"),
        ("super+Space", "Meta+Space"),
        ("f9", "F9"),
        ("Alt+F24", "Alt+F24"),
    ],
)
def test_a_chord_is_read_as_people_write_it(text: str, written: str) -> None:
    assert str(parse(text)) == written
    assert parse(written) == parse(text)


@pytest.mark.parametrize(
    "text", ["H", "Shift+H", "Ctrl+", "Ctrl", "Hyper+H", "++", "F25", "Ctrl++A"]
)
def test_what_is_no_chord_or_would_take_typing_away_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"missing|modifier"):
        parse(text)


def test_every_action_has_a_first_chord_of_its_own() -> None:
    chords, wrong = wanted({})
    assert chords.keys() == ACTIONS.keys()
    assert wrong == []
    assert len(set(chords.values())) == len(ACTIONS)


def test_own_chords_replace_the_first_ones_and_empty_takes_them_away() -> None:
    chords, wrong = wanted({"toggle_lock": "F9", "bigger": " "})
    assert chords["toggle_lock"] == Chord("F9", frozenset())
    assert "bigger" not in chords
    assert chords["smaller"] == parse(ACTIONS["smaller"][1])
    assert wrong == []


def test_what_is_wrong_is_said_and_the_rest_works() -> None:
    chords, wrong = wanted({"toggle_lock": "nonsense+1", "smaller": ACTIONS["bigger"][1]})
    assert "toggle_lock" not in chords
    assert "smaller" not in chords
    assert "bigger" in chords
    assert len(wrong) == 2
    assert "given twice (Bigger text, Smaller text)" in " ".join(wrong)


def test_pynput_is_told_in_its_own_words() -> None:
    assert pynput_name(parse("Ctrl+Shift+F5")) == "<ctrl>+<shift>+<f5>"
    assert pynput_name(parse("Meta+Alt+h")) == "<alt>+<cmd>+h"


def test_wayland_is_told_to_whoever_chose_keys(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qtbot
    monkeypatch.setattr(keys.sys, "platform", "linux")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    hotkeys = keys.Hotkeys()
    hotkeys.set({})
    assert hotkeys.notices == []
    hotkeys.set({"toggle_lock": "F9"})
    (notice,) = hotkeys.notices
    assert notice.code == "hotkeys.none"
    assert "--toggle" in notice.remedy
    assert hotkeys.held == frozenset()
