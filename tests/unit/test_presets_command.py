"""``captionglass presets`` and ``--use-preset``."""

from __future__ import annotations

import json

import pytest

from desktop_app.cli import main as cli
from desktop_app.commands import overlay
from desktop_app.settings.declared import Settings
from desktop_app.settings.store import SettingsStore


def test_list_save_show_rename_delete(capsys: pytest.CaptureFixture[str]) -> None:
    SettingsStore().save(Settings(source="both", lines=6))
    assert cli.run(["presets", "save", "Calls"]) == 0
    assert cli.run(["presets", "list"]) == 0
    said = capsys.readouterr().out
    assert "* Calls" in said
    assert "  Meeting" in said
    assert cli.run(["presets", "show", "calls", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["sets"]["lines"] == 6
    assert cli.run(["presets", "rename", "Calls", "Talks"]) == 0
    assert cli.run(["presets", "show", "Talks"]) == 0
    assert "[presets.Talks]" in capsys.readouterr().out
    assert cli.run(["presets", "delete", "Talks"]) == 0
    assert cli.run(["presets", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["Meeting", "Stream", "Lecture"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["presets", "show", "Meating"], 2, "did you mean Meeting?"),
        (["presets", "delete", "Meeting"], 1, "comes with the program"),
        (["presets", "save", " "], 2, "cannot be called"),
        (["--use-preset", "Meating"], 2, "did you mean Meeting?"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_window_begins_with_a_preset_and_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(overlay, "screen_missing", lambda: "")
    monkeypatch.setattr(
        "desktop_app.application.app.run_overlay", lambda options: asked.append(options) or 0
    )
    assert cli.run(["--use-preset", "lecture", "--settings"]) == 0
    assert (asked[0].preset, asked[0].settings) == ("Lecture", True)
