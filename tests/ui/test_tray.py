"""The tray icon: only where there is a tray, and later where one comes later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from desktop_app.ui.tray import Tray, app_icon


@pytest.fixture
def tray(qapp: QApplication) -> Iterator[Tray]:
    del qapp
    made = Tray()
    yield made
    made.close()


def pretend(monkeypatch: pytest.MonkeyPatch, available: bool) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: available))


def test_no_icon_is_made_where_there_is_no_tray(
    tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, False)
    tray.look()
    assert tray.icon is None


# Qt says so where a tray is claimed that is none.
@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)
def test_a_tray_that_comes_later_is_found(
    qtbot: QtBot, tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, False)
    tray.look()
    tray._timer.setInterval(10)
    pretend(monkeypatch, True)
    qtbot.waitUntil(lambda: tray.icon is not None)
    assert not tray._timer.isActive()


@pytest.mark.parametrize("name", ["visibility_toggled", "controls_asked", "diagnostics_asked"])
def test_each_entry_asks_for_its_own(qtbot: QtBot, tray: Tray, name: str) -> None:
    action = {
        "visibility_toggled": tray.show_action,
        "controls_asked": tray.controls_action,
        "diagnostics_asked": tray.diagnostics_action,
    }[name]
    with qtbot.waitSignal(getattr(tray, name)):
        action.trigger()


def test_quit_asks_to_quit(qtbot: QtBot, tray: Tray) -> None:
    with qtbot.waitSignal(tray.quit_asked):
        tray.quit_action.trigger()


def test_pause_is_told_by_a_click_and_not_by_being_shown(qtbot: QtBot, tray: Tray) -> None:
    with qtbot.waitSignal(tray.pause_toggled) as told:
        tray.pause_action.trigger()
    assert told.args == [True]
    with qtbot.assertNotEmitted(tray.pause_toggled):
        tray.set_paused(False)
    assert not tray.pause_action.isChecked()


def test_the_icon_is_drawn(qapp: QApplication) -> None:
    del qapp
    for size in (16, 22, 64, 256):
        image = app_icon().pixmap(size, size).toImage()
        assert image.width() == size
        colours = {image.pixelColor(x, y).name() for x in range(size) for y in range(size)}
        assert len(colours) > 4


def test_the_entry_says_what_it_will_do(tray: Tray) -> None:
    tray.set_shown(False)
    assert tray.show_action.text() == "Show captions"
    tray.set_shown(True)
    assert tray.show_action.text() == "Hide captions"


def test_models_are_offered_above_the_window_of_all(qtbot: QtBot, tray: Tray) -> None:
    tray.set_models([("a", "Model A"), ("b", "Model B")], "b")
    actions = tray.models_menu.actions()
    assert [action.text() for action in actions] == ["Model A", "Model B", "All models…"]
    assert [action.isChecked() for action in actions] == [False, True, False]
    with qtbot.waitSignal(tray.model_chosen) as chosen:
        actions[0].trigger()
    assert chosen.args == ["a"]
    tray.set_models([("b", "Model B")], "b")
    assert [action.text() for action in tray.models_menu.actions()] == ["Model B", "All models…"]
    with qtbot.waitSignal(tray.models_asked):
        tray.models_action.trigger()
