"""What is said of the source of one lane does not hide what is said of the other's."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.application.qt_sink import QtSink
from desktop_app.settings.declared import Settings
from desktop_app.ui.notice_line import NoticeLine
from desktop_app.ui.theme import theme_for
from engine.types import Notice

GONE = Notice("source.gone", "warning", "Headset is gone", lane="mic")
HEARD = Notice("source.gap", "info", "Headset is heard", lane="mic", span=(1.0, 2.0))
STALLED = Notice("source.stalled", "warning", "HDMI delivers no sound", lane="system")


@pytest.fixture
def line(qtbot: QtBot) -> NoticeLine:
    line = NoticeLine(theme_for(Settings()))
    qtbot.addWidget(line)
    return line


def test_news_of_a_source_replaces_what_was_said_of_it(line: NoticeLine) -> None:
    line.add(GONE)
    line.add(HEARD)
    assert line.notice == HEARD


def test_news_of_another_lane_does_not(line: NoticeLine) -> None:
    line.add(STALLED)
    line.add(GONE)
    line.add(HEARD)
    assert line.notice == STALLED
    line.withdraw("source.")
    assert line.notice is None


def test_both_lanes_reach_the_window(qtbot: QtBot) -> None:
    sink = QtSink()
    with qtbot.waitSignal(sink.notices, timeout=5_000) as told:
        sink.notice(GONE)
        sink.notice(Notice("source.gone", "warning", "HDMI is gone", lane="system"))
    assert [notice.lane for notice in told.args[0]] == ["mic", "system"]
