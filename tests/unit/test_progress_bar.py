"""The progress bar: drawn over itself on a terminal, a line a step elsewhere."""

from __future__ import annotations

import io

import pytest

from models.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_draws_over_itself_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    stream = Terminal()
    bar = ProgressBar("tiny", stream)
    bar(0, 0, "waiting")
    bar(5_000_000, 10_000_000, "fetching a package with a long name")
    bar(5_000_000, 10_000_000, "fetching a package with a long name")
    bar(10_000_000, 10_000_000, "installed")
    bar.close()
    first, *drawn = stream.getvalue().split("\r")
    assert first == ""
    assert drawn == [
        "tiny: waiting",
        "tiny [##########..........]  50 % of 10.0 MB, fet",
        "tiny [####################] 100 % of 10.0 MB, ins\n",
    ]


def test_elsewhere_each_step_is_a_line() -> None:
    stream = io.StringIO()
    bar = ProgressBar("tiny", stream)
    for done in (0, 5, 10):
        bar(done, 10, "fetching")
    bar(10, 10, "installed")
    bar.close()
    assert stream.getvalue() == "tiny: fetching\ntiny: installed\n"
