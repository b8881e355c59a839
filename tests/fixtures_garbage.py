"""Garbage of the windows is collected on the thread that made them: another one may do it at any
moment, and Qt does not survive that. A program has one such set of windows, a test run hundreds."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

_frozen_for: list[str] = []


@pytest.fixture(autouse=True)
def windows_go_on_their_own_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test with windows; what was there before its file began is not looked at."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    if _frozen_for != [request.module.__name__]:
        gc.collect()
        gc.freeze()
        _frozen_for[:] = [request.module.__name__]
    yield
    gc.collect()
