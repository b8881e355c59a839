"""``captionglass history``: what is printed, written and deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final

from desktop_app.cli.main import run
from desktop_app.history.sink import HistorySink
from desktop_app.history.store import HistoryStore


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of two sessions, the older first."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("CAPTIONGLASS_HISTORY", str(folder))
    found = []
    for text in ("first talk", "second talk"):
        sink = HistorySink(folder)
        sink.open(HEADER)
        sink.update(final(0, 0, text, at=62.0), 0.0)
        sink.close(SUMMARY)
        assert sink.path is not None
        found.append(sink.path.stem)
    return found


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["history", *arguments]) == 0
    return capsys.readouterr().out


def test_sessions_are_listed_the_newest_first(
    names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = printed(capsys, "list").splitlines()
    assert [row.split()[0] for row in rows] == names[::-1]
    assert rows[1].endswith("first talk")
    listed = json.loads(printed(capsys, "list", "--json"))
    assert [session["id"] for session in listed] == names[::-1]


def test_nothing_kept_has_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "list") == "nothing is kept\n"


def test_a_session_is_shown(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "show", "last") == "second talk\n"
    assert printed(capsys, "show", names[0], "--times") == "[01:02] first talk\n"


def test_a_session_is_exported_by_the_name_of_the_file(
    names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(capsys, "export", names[0], str(tmp_path / "talk.srt"))
    assert "00:01:02,000 -->" in (tmp_path / "talk.srt").read_text(encoding="utf-8")
    printed(capsys, "export", names[0], str(tmp_path / "talk"), "--format", "md")
    assert "first talk" in (tmp_path / "talk").read_text(encoding="utf-8")


def test_a_name_is_given(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "rename", names[0], "Kick-off\x1b[31m")
    assert "Kick-off [31m\n" in printed(capsys, "list")


def test_sessions_are_deleted(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "delete", names[0])
    assert [session.id for session in HistoryStore().sessions()] == [names[1]]
    printed(capsys, "delete", "--all")
    assert HistoryStore().sessions() == []


@pytest.mark.parametrize(
    "arguments",
    [["show", "2020"], ["export", "last", "x.doc"], ["delete"], ["delete", "x", "--all"]],
)
def test_what_cannot_be_is_told_in_one_line(
    arguments: list[str], names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["history", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(HistoryStore().sessions()) == len(names)
