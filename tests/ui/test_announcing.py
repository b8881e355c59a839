"""Finished lines reach the screen reader, politely and not faster than it can speak."""

from __future__ import annotations

import pytest
from caption_samples import final, partial
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app.ui import announcing
from desktop_app.ui.announcing import Announcer


class Heard:
    """What Qt is asked to tell: no screen reader can be had here."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.polite = True

    def __call__(self, event: QAccessibleAnnouncementEvent) -> None:
        self.texts.append(event.message())
        self.polite &= event.politeness() == QAccessible.AnnouncementPoliteness.Polite


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    found = Heard()
    monkeypatch.setattr(announcing, "PAUSE_MS", 60)
    monkeypatch.setattr(announcing.QAccessible, "updateAccessibility", found)
    return found


def test_the_first_line_is_told_at_once_and_the_rest_together(qtbot: QtBot, heard: Heard) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    announcer = Announcer(window)
    announcer.take([partial(0, 0, "", "not yet")])
    assert heard.texts == []
    announcer.take([final(0, 1, "One.")])
    announcer.take([final(1, 0, "Two."), final(2, 0, "")])
    announcer.take([final(3, 0, "Three.")])
    assert heard.texts == ["One."]
    qtbot.waitUntil(lambda: len(heard.texts) == 2)
    assert heard.texts[1] == "Two. Three."
    assert heard.polite


def test_what_would_take_too_long_to_read_aloud_is_left_out_the_oldest_first(
    qtbot: QtBot, heard: Heard
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    announcer = Announcer(window)
    announcer.take([final(0, 0, "first")])
    for number in range(1, 9):
        announcer.take([final(number, 0, f"{number} " + "word " * 20)])
    qtbot.waitUntil(lambda: len(heard.texts) == 2)
    assert heard.texts[1].startswith(("5", "6"))
    assert "8 word" in heard.texts[1]
