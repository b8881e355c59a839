"""What a thread has to say to a window that is gone is said to nobody."""

from __future__ import annotations

import threading

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QApplication

from desktop_app.posting import post


class Window(QObject):
    came = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[int, str, int]] = []
        self.came.connect(self._take)

    def _take(self, number: int, text: str) -> None:
        self.heard.append((number, text, threading.get_ident()))


def test_it_arrives_on_the_windows_thread(qapp: QApplication) -> None:
    del qapp
    window = Window()
    there: list[bool] = []
    thread = threading.Thread(target=lambda: there.append(post(window.came, 1, "one")))
    thread.start()
    thread.join()
    assert window.heard == []
    QCoreApplication.sendPostedEvents(window, 0)
    assert there == [True]
    assert window.heard == [(1, "one", threading.get_ident())]


def test_one_that_is_gone_hears_nothing(
    qapp: QApplication, capfd: pytest.CaptureFixture[str]
) -> None:
    del qapp
    window = Window()
    there: list[bool] = []
    shiboken6.delete(window)
    thread = threading.Thread(target=lambda: there.append(post(window.came, 1, "one")))
    thread.start()
    thread.join()
    assert there == [False]
    assert capfd.readouterr().err == ""
