"""After a crash the window says so, in one quiet notice with what to do about it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from desktop_app.application import app
from desktop_app.application.startup import OverlayOptions
from desktop_app.single_instance import SingleInstance


@pytest.mark.parametrize("crashed", [True, False])
def test_the_start_after_a_crash_says_so(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, crashed: bool
) -> None:
    told: list[Any] = []

    class Captions:
        def __init__(self, options: OverlayOptions) -> None:
            del options
            self.overlay = SimpleNamespace(add_notice=told.append)

        def begin(self) -> None:
            pass

        def shut_down(self) -> None:
            pass

    monkeypatch.setattr(app, "CaptionApp", Captions)
    application: Any = SimpleNamespace(exec=lambda: 0)
    assert app._run(application, OverlayOptions(), SingleInstance("nobody"), crashed) == 0
    assert [(notice.code, notice.severity) for notice in told] == (
        [("crash.before", "info")] if crashed else []
    )
    assert all("doctor --report" in notice.remedy for notice in told)
    del qapp
