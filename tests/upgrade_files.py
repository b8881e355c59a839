"""Writes the files that a program keeps, as this state of it writes them, for ``test_upgrade.py``.

    .venv/bin/python tests/upgrade_files.py         after a change of what is kept

Adds the next number to tests/files/upgrade where something is news. Nothing there is ever changed
or taken away: it stands for what lies on people's disks.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "files" / "upgrade"
# Another checkout may be asked for, to have its files too.
sys.path.insert(0, os.environ.get("CAPTIONGLASS_TREE", str(HERE.parent)))

_BY_PATTERN = (
    ("http", "http://127.0.0.1:9000"),
    ("redis", "redis://127.0.0.1:6379/1"),
    ("#", "#12ab9f"),
    ("", "obs.local"),
)
_GIVEN: dict[str, Any] = {
    "model": "whisper-tiny.en",
    "source": "mic:Kopfhörer „blau“ 🎧",
    "language": "en",
    "lane_name_mic": "我",
    "hotkeys": {"bigger": "", "smaller": "Ctrl+Alt+9"},
}


def another(name: str, said: dict[str, Any]) -> Any:
    """A value of that setting within its limits that is not its default."""
    if name in _GIVEN:
        return _GIVEN[name]
    if "enum" in said:
        return next(value for value in reversed(said["enum"]) if value != said["default"])
    if said["type"] == "boolean":
        return not said["default"]
    if said["type"] in ("integer", "number"):
        step = 0.5 if said["type"] == "number" else 1
        return said["default"] + (step if said["default"] < said["maximum"] else -step)
    assert said["type"] == "string", f"{name}: say in {Path(__file__).name} what else it could be"
    if "pattern" in said:
        return next(value for mark, value in _BY_PATTERN if mark in said["pattern"])
    return f"another {name}"[: said.get("maxLength", 99)]


def write_settings(folder: Path) -> Path:
    """Every setting at another value than its default; the file."""
    from desktop_app.settings.declared import Geometry, Settings
    from desktop_app.settings.store import SettingsStore

    fields = Settings.model_json_schema()["properties"]
    place = Geometry(x=12, y=-30, width=640, height=120)
    values: dict[str, Any] = {"geometry": {"1920x1080+0+0 800x600+1920+0": place}}
    for name, said in fields.items():
        if name not in values:
            values[name] = another(name, said)
    store = SettingsStore(folder / "settings.toml")
    store.load()
    assert store.save(Settings.model_validate(values)), store.notices
    return store.path


def write_presets(folder: Path) -> Path:
    """Two presets, one of them of all that a preset can hold; the file."""
    from desktop_app.settings.declared import Settings
    from desktop_app.settings.presets import LOOK_FIELDS, PresetStore, of_settings

    fields = Settings.model_json_schema()["properties"]
    values = {name: another(name, fields[name]) for name in LOOK_FIELDS}
    store = PresetStore(folder / "presets.toml")
    store.save(of_settings("Talk: 演讲", Settings.model_validate(values)))
    store.save(of_settings("Meeting", Settings(profile=10.0)))
    return store.path


def write_history(folder: Path) -> Path:
    """A session of two lanes with a gap, an unfinished line and a name; the file."""
    from desktop_app.history.sink import HistorySink
    from desktop_app.history.store import HistoryStore
    from engine.types import GAP, CaptionUpdate, Notice, StreamHeader, StreamSummary, Word

    def update(number: int, text: str, at: float, **more: Any) -> CaptionUpdate:
        spoken = text.split()
        words = tuple(
            Word(each, at + 0.25 * place, at + 0.25 * place + 0.2)
            for place, each in enumerate(spoken)
        )
        said: dict[str, Any] = {"lane": "mic", "is_final": True, "words": words} | more
        stable, unstable = (text, "") if said["is_final"] else ("", text)
        end = at + 0.25 * len(spoken)
        return CaptionUpdate(
            segment_id=number,
            revision=0,
            stable=stable,
            unstable=unstable,
            start=at,
            end=end,
            heard_at=end,
            **said,
        )

    sink = HistorySink(folder, {"mic": "You", "system": "Others"})
    sink.open(StreamHeader("0.1.0", "moonshine-tiny-en", "cpu", "balanced", 16_000, "a microphone"))
    sink.update(update(0, "hello world", 0.5), 0.0)
    sink.update(update(1, "你好 世界 🎧", 2.0, lane="system", language="zh"), 0.0)
    sink.notice(Notice(GAP, "info", "", lane="mic", span=(4.0, 6.5)))
    sink.update(update(2, "and then", 7.0, is_final=False, words=()), 0.0)
    sink.close(StreamSummary(0.0, 0.0, 0.0, 0.0, 0, 0.0, 0, 0))
    assert sink.path is not None
    HistoryStore(folder).rename(sink.path.stem, "Monday")
    return sink.path


def form(text: str) -> str:
    """What a file holds, without the moment at which it was written."""
    return re.sub(r'"began":[0-9.]+', '"began":0', text)


def newest(kind: str) -> Path:
    """The last file of a kind, or one that is not there."""
    return max(FOLDER.glob(f"[0-9][0-9]-{kind}"), default=FOLDER / f"00-{kind}")


def main() -> None:
    number = 1 + max((int(path.name[:2]) for path in FOLDER.glob("[0-9][0-9]-*")), default=0)
    for kind, write in WRITERS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                text = write(Path(folder)).read_text(encoding="utf-8")
            except ImportError:
                continue
        before = newest(kind)
        if not before.exists() or form(before.read_text(encoding="utf-8")) != form(text):
            (FOLDER / f"{number:02}-{kind}").write_text(text, encoding="utf-8")


WRITERS = {
    "settings.toml": write_settings,
    "presets.toml": write_presets,
    "history.jsonl": write_history,
}

if __name__ == "__main__":
    main()
