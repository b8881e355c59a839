"""Presets: shipped and own ones, and their file, which nothing breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import (
    LOOK_FIELDS,
    SHIPPED,
    WORK_FIELDS,
    PresetError,
    PresetStore,
    next_of,
    of_settings,
    preset_of,
)
from engine.errors import UsageError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "预设" / "presets.toml"


def names(store: PresetStore) -> list[str]:
    return [preset.name for preset in store.presets()]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_is_within_the_limits_and_known_again(name: str, path: Path) -> None:
    store = PresetStore(path)
    before = Settings(model="whisper-base", text_colour="#ff0000", web_port=9000)
    after = store.find(name).used_on(before)
    assert Settings.model_validate(after.model_dump()) == after
    assert preset_of(after, store.presets()) == name
    # It says nothing of the model, nor of what is no part of a preset.
    assert (after.model, after.web_port) == ("whisper-base", 9000)
    changed = {f for f in Settings.model_fields if getattr(before, f) != getattr(after, f)}
    assert changed <= {*WORK_FIELDS, *LOOK_FIELDS}
    assert not path.exists()


def test_what_is_set_now_is_kept_and_used_again(path: Path) -> None:
    set_now = Settings(source="mic:Röde „NT“", profile=30.0, font_size=44, letter_case="upper")
    PresetStore(path).save(of_settings("  Zoom   calls ", set_now))
    store = PresetStore(path)
    assert names(store) == [*SHIPPED, "Zoom calls"]
    assert store.find("zoom CALLS").used_on(Settings(shadow=50)) == set_now
    assert 'letter_case = "upper"' in path.read_text(encoding="utf-8")
    assert "shadow" not in path.read_text(encoding="utf-8")


def test_own_ones_are_renamed_and_deleted_and_shipped_ones_are_not(path: Path) -> None:
    store = PresetStore(path)
    store.save(of_settings("One", Settings()))
    store.save(of_settings("Two", Settings(lines=7)))
    store.rename("two", "Three: 三")
    assert names(PresetStore(path)) == [*SHIPPED, "One", "Three: 三"]
    with pytest.raises(UsageError, match="another preset is called one"):
        store.rename("Three: 三", "one")
    assert store.delete("One").values["source"] == "mic"
    assert names(store) == [*SHIPPED, "Three: 三"]
    with pytest.raises(PresetError, match="comes with the program"):
        store.delete("Meeting")
    with pytest.raises(PresetError, match="comes with the program"):
        store.rename("Meeting", "Talk")


def test_a_shipped_one_can_be_changed_and_comes_back(path: Path) -> None:
    store = PresetStore(path)
    store.save(of_settings("Meeting", Settings(lines=9)))
    assert names(store) == list(SHIPPED)
    assert store.find("Meeting").values["lines"] == 9
    store.delete("Meeting")
    assert store.find("Meeting").values == SHIPPED["Meeting"]


@pytest.mark.parametrize("name", ["", "  ", "a" * 61, "bell\a"])
def test_no_preset_is_called_nothing_or_too_much(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be called"):
        of_settings(name, Settings())


def test_an_unknown_name_says_which_was_meant(path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        PresetStore(path).find("Lectrue")
    assert caught.value.remedy.startswith("did you mean Lecture?")


def test_going_round_passes_over_one_that_changes_nothing(path: Path) -> None:
    store = PresetStore(path)
    store.save(of_settings("Talk", store.find("Lecture").used_on(Settings())))
    settings, seen = Settings(), []
    for _ in range(4):
        preset = next_of(settings, store.presets())
        assert preset is not None
        settings = preset.used_on(settings)
        seen.append(preset.name)
    assert seen == ["Meeting", "Stream", "Lecture", "Meeting"]


def test_a_broken_file_is_kept_beside(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("[presets\n", encoding="utf-8")
    store = PresetStore(path)
    assert names(store) == list(SHIPPED)
    assert [notice.code for notice in store.notices] == ["presets.broken"]
    assert path.with_name("presets.broken-1.toml").read_text(encoding="utf-8") == "[presets\n"
    store.save(of_settings("New", Settings()))
    assert names(PresetStore(path)) == [*SHIPPED, "New"]


def test_a_file_broken_while_running_loses_no_preset(path: Path) -> None:
    store = PresetStore(path)
    store.save(of_settings("One", Settings(lines=4)))
    path.write_text("not toml at all", encoding="utf-8")
    assert not store.look_again()
    store.save(of_settings("Two", Settings()))
    assert names(PresetStore(path)) == [*SHIPPED, "One", "Two"]
    assert PresetStore(path).find("One").values["lines"] == 4


def test_wrong_values_and_strange_tables_are_left_out_and_told(path: Path) -> None:
    path.parent.mkdir()
    text = "[presets.A]\nlines = 99\nfont_size = 30\nfuture = 1\n[presets]\nB = 3\n"
    path.write_text(text, encoding="utf-8")
    store = PresetStore(path)
    assert store.find("A").values == {"font_size": 30}
    assert "B" not in names(store)
    assert "presets.A.lines" in store.notices[0].text
    store.rename("A", "C")
    assert "future = 1" in path.read_text(encoding="utf-8")


def test_an_edit_of_the_file_is_seen_and_comments_stay(path: Path) -> None:
    store = PresetStore(path)
    store.save(of_settings("One", Settings()))
    said = path.read_text(encoding="utf-8")
    path.write_text("# mine\n" + said + "\n[presets.Two]\nlines = 6\n", encoding="utf-8")
    assert store.look_again()
    assert not store.look_again()
    assert store.find("two").values == {"lines": 6}
    store.delete("One")
    assert path.read_text(encoding="utf-8").startswith("# mine\n")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("a file where the folder should be")
    store = PresetStore(blocker / "presets.toml")
    with pytest.raises(PresetError, match="cannot be kept"):
        store.save(of_settings("One", Settings()))
    assert names(store) == list(SHIPPED)


def test_a_full_disk_is_told_as_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    store = PresetStore(path)
    store.save(of_settings("One", Settings()))
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(PresetError) as caught:
        store.save(of_settings("Two", Settings()))
    assert caught.value.remedy == "free some space, then try again"
    assert names(PresetStore(path)) == [*SHIPPED, "One"]
