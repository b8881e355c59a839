"""Settings, presets and history of every earlier state of the program open in this one, whole, and
are not damaged by what it writes into them."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from upgrade_files import FOLDER, WRITERS, form, newest

from desktop_app.history.export import write
from desktop_app.history.store import HistoryStore
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import SHIPPED, PresetStore
from desktop_app.settings.store import SettingsStore

GONE: dict[str, str] = {}
"""Settings that there are no more, and why."""


def kept(kind: str) -> list[Path]:
    return sorted(FOLDER.glob(f"*-{kind}"))


def said(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def copied(path: Path, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(path, folder / path.name.partition("-")[2]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.mark.parametrize("old", kept("settings.toml"), ids=lambda path: path.name[:2])
def test_settings_keep_every_value(old: Path, folder: Path) -> None:
    path, values = copied(old, folder), said(old)
    known = values.keys() - {"version"} - GONE.keys()
    assert known <= Settings.model_fields.keys()
    store = SettingsStore(path)
    settings = store.load()
    assert store.notices == []
    dumped = settings.model_dump()
    assert {name: dumped[name] for name in known} == {name: values[name] for name in known}
    untouched = Settings.model_fields.keys() - known
    assert {getattr(settings, name) == getattr(Settings(), name) for name in untouched} <= {True}

    changed = settings.model_copy(update={"font_size": 99})
    assert store.save(changed)
    assert said(path) == values | {"font_size": 99}
    assert SettingsStore(path).load() == changed
    assert [each.name for each in folder.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize("old", kept("presets.toml"), ids=lambda path: path.name[:2])
def test_presets_keep_every_value(old: Path, folder: Path) -> None:
    path, values = copied(old, folder), said(old)["presets"]
    store = PresetStore(path)
    found = {preset.name: dict(preset.values) for preset in store.presets() if preset.own}
    assert found == values
    assert len(store.presets()) == len(SHIPPED | values)
    assert store.notices == []
    store.rename("Talk: 演讲", "Talk")
    assert said(path)["presets"] == {
        "Talk" if name == "Talk: 演讲" else name: each for name, each in values.items()
    }
    assert [each.name for each in folder.iterdir()] == ["presets.toml"]


@pytest.mark.parametrize("old", kept("history.jsonl"), ids=lambda path: path.name[:2])
def test_history_keeps_every_line(old: Path, folder: Path) -> None:
    path = copied(old, folder)
    store = HistoryStore(folder)
    (session,) = store.sessions()
    record = store.read(session.id)
    assert record.damaged == 0
    assert [(line.kind, line.lane, line.text, line.is_final) for line in record.lines] == [
        ("speech", "mic", "hello world", True),
        ("speech", "system", "你好 世界 🎧", True),
        ("gap", "mic", "", True),
        ("speech", "mic", "and then", False),
    ]
    assert [(word.text, word.start, word.end) for word in record.lines[0].words] == [
        ("hello", 0.5, 0.7),
        ("world", 0.75, 0.95),
    ]
    assert (record.lines[1].language, record.lines[2].end) == ("zh", 6.5)
    assert (record.title, record.head.lane_names) == ("Monday", {"mic": "You", "system": "Others"})
    assert (record.head.source, record.head.model) == ("a microphone", "moonshine-tiny-en")
    assert record.head.began > 1.7e9
    store.rename(session.id, "Tuesday")
    assert path.read_bytes().startswith(old.read_bytes())
    assert store.read(session.id).lines == record.lines
    write(record.lines, "srt", folder / "out.srt", lane_names=record.head.lane_names)
    assert "Others: 你好" in (folder / "out.srt").read_text(encoding="utf-8")
    assert store.notices == []


@pytest.mark.parametrize("kind", WRITERS)
def test_the_newest_form_is_kept_for_those_who_come_later(kind: str, tmp_path: Path) -> None:
    remedy = "what is kept has changed: run tests/upgrade_files.py, and say so in the changelog"
    written = WRITERS[kind](tmp_path)
    if written.suffix == ".toml":
        assert shape(said(written)) == shape(said(newest(kind))), remedy
    else:
        texts = [form(path.read_text(encoding="utf-8")) for path in (written, newest(kind))]
        assert texts[0] == texts[1], remedy


def shape(values: dict[str, Any]) -> dict[str, Any]:
    """The names, without values, which may follow a default."""
    return {
        name: shape(value) if isinstance(value, dict) else type(value)
        for name, value in values.items()
    }
