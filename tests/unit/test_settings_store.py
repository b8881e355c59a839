"""The settings file survives whatever is done to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop_app.settings.declared import Geometry, Settings
from desktop_app.settings.store import (
    SettingsFileError,
    SettingsStore,
    export_settings,
    import_settings,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "设置 🗂" / "settings.toml"


def written(path: Path, text: str) -> SettingsStore:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return SettingsStore(path)


def test_no_file_gives_the_defaults_and_makes_none(path: Path) -> None:
    store = SettingsStore(path)
    assert store.load() == Settings()
    assert store.save(Settings())
    assert not path.exists()
    assert store.notices == []


def test_only_what_differs_is_written(path: Path) -> None:
    store = SettingsStore(path)
    store.load()
    assert store.save(Settings(font_size=40))
    text = path.read_text(encoding="utf-8")
    assert "font_size = 40" in text
    assert "opacity" not in text


def test_what_is_saved_is_loaded(path: Path) -> None:
    place = Geometry(x=12, y=-30, width=640, height=120)
    chosen = Settings(
        theme="light",
        profile=62.5,
        source="mic:Kopfhörer „blau“ 🎧",
        geometry={"1920x1080+0+0 800x600+1920+0": place},
    )
    store = SettingsStore(path)
    store.load()
    assert store.save(chosen)
    again = SettingsStore(path)
    assert again.load() == chosen
    assert again.notices == []


def test_a_value_back_at_its_default_leaves_the_file(path: Path) -> None:
    store = SettingsStore(path)
    store.load()
    store.save(Settings(font_size=40, opacity=10))
    store.save(Settings(opacity=10))
    assert "font_size" not in path.read_text(encoding="utf-8")
    assert SettingsStore(path).load() == Settings(opacity=10)


def test_unknown_keys_and_comments_stay(path: Path) -> None:
    store = written(path, '# mine\nfuture = "x"\nopacity = 20\n[plugin]\nsize = 3\n')
    settings = store.load()
    assert settings.opacity == 20
    store.save(settings.model_copy(update={"font_size": 33}))
    text = path.read_text(encoding="utf-8")
    assert "# mine" in text
    assert 'future = "x"' in text
    assert "size = 3" in text
    assert SettingsStore(path).load().font_size == 33


def test_a_hand_edit_of_another_key_survives_a_save(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.write_text("opacity = 55\n", encoding="utf-8")
    store.save(settings.model_copy(update={"font_size": 33}))
    again = SettingsStore(path).load()
    assert (again.opacity, again.font_size) == (55, 33)


@pytest.mark.parametrize("content", [b"= = [", b"\xff\xfe\x00garbage", b"opacity = \n"])
def test_a_broken_file_is_kept_beside_and_named(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    store = SettingsStore(path)
    assert store.load() == Settings()
    kept = path.with_name("settings.broken-1.toml")
    assert kept.read_bytes() == content
    assert [notice.code for notice in store.notices] == ["settings.broken"]
    assert "settings.broken-1.toml" in store.notices[0].remedy
    assert store.save(Settings(opacity=5))
    assert SettingsStore(path).load().opacity == 5
    assert kept.read_bytes() == content


def test_a_second_broken_file_does_not_replace_the_first(path: Path) -> None:
    written(path, "= 1").load()
    written(path, "= 2").load()
    assert path.with_name("settings.broken-1.toml").read_text() == "= 1"
    assert path.with_name("settings.broken-2.toml").read_text() == "= 2"


def test_a_value_out_of_its_limits_takes_its_default_and_the_rest_is_kept(path: Path) -> None:
    store = written(path, "opacity = 900\nfont_size = 44\ntheme = 7\n")
    settings = store.load()
    assert settings == Settings(font_size=44)
    assert "opacity" in store.notices[0].text
    assert path.with_name("settings.broken-1.toml").read_text() == path.read_text()


def test_a_newer_file_is_read_and_kept_beside(path: Path) -> None:
    store = written(path, "version = 99\nopacity = 11\n")
    assert store.load().opacity == 11
    assert "newer" in store.notices[0].text
    store.save(Settings(opacity=12))
    assert path.with_name("settings.broken-1.toml").read_text() == "version = 99\nopacity = 11\n"
    assert "version = 99" in path.read_text()
    for _ in range(3):
        SettingsStore(path).load()
    assert len(list(path.parent.glob("settings.broken-*"))) == 2


def test_the_write_is_one_rename(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()

    def power_cut(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", power_cut)
    assert not store.save(settings.model_copy(update={"font_size": 50}))
    assert path.read_text(encoding="utf-8") == "opacity = 20\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.toml"]
    assert "No space left" in store.notices[0].text
    assert store.notices[0].remedy.startswith("free some space")


def test_a_folder_that_cannot_be_made_gives_one_notice(tmp_path: Path) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("a file where the folder should be")
    store = SettingsStore(blocker / "settings.toml")
    assert store.load() == Settings()
    assert not store.save(Settings(opacity=1))
    assert not store.save(Settings(opacity=2))
    assert len(store.notices) == 1
    assert "blocker" in store.notices[0].text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder_gives_a_notice(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.parent.chmod(0o500)
    try:
        assert not store.save(settings.model_copy(update={"opacity": 1}))
    finally:
        path.parent.chmod(0o700)
    assert store.notices[0].code == "settings.unwritable"


def test_a_folder_in_place_of_the_file_stops_nothing(path: Path) -> None:
    path.mkdir(parents=True)
    store = SettingsStore(path)
    assert store.load() == Settings()
    assert not store.save(Settings(opacity=1))
    assert store.notices


def test_a_file_broken_while_running_is_kept_beside_and_nothing_set_is_lost(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.write_text("opacity = = 20", encoding="utf-8")
    assert store.save(settings.model_copy(update={"font_size": 50}))
    assert SettingsStore(path).load() == Settings(opacity=20, font_size=50)
    assert path.with_name("settings.broken-1.toml").read_text() == "opacity = = 20"


def test_a_file_deleted_while_running_is_written_whole_again(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.unlink()
    assert store.reload(settings) is settings
    assert store.save(settings.model_copy(update={"font_size": 50}))
    assert SettingsStore(path).load() == Settings(opacity=20, font_size=50)


def test_an_outside_edit_is_taken_and_what_is_not_saved_yet_stays(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load().model_copy(update={"font_size": 44})
    path.write_text("opacity = 30\nlines = 5\n", encoding="utf-8")
    assert store.reload(settings) == Settings(opacity=30, lines=5, font_size=44)
    store.save(store.reload(settings))


def test_an_outside_edit_just_before_a_save_is_taken_too(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load().model_copy(update={"font_size": 44})
    path.write_text("opacity = 30\n", encoding="utf-8")
    store.save(settings)
    assert store.reload(settings) == Settings(opacity=30, font_size=44)
    assert store.reload(settings) is settings


def test_what_the_program_wrote_itself_is_no_news(path: Path) -> None:
    store = SettingsStore(path)
    settings = store.load()
    changed = settings.model_copy(update={"font_size": 44})
    store.save(changed)
    assert store.reload(changed) is changed
    assert not store.unclear


def test_a_broken_outside_edit_changes_nothing_and_stays_where_it_is(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.write_text("opacity = = 20", encoding="utf-8")
    assert store.reload(settings) is settings
    assert store.unclear
    assert path.read_text(encoding="utf-8") == "opacity = = 20"
    assert list(path.parent.glob("*.broken-*")) == []
    path.write_text("opacity = 21\n", encoding="utf-8")
    assert store.reload(settings).opacity == 21
    assert not store.unclear


def test_a_wrong_value_in_an_outside_edit_leaves_that_setting_as_it_is(path: Path) -> None:
    store = written(path, "opacity = 20\n")
    settings = store.load()
    path.write_text("opacity = 900\nlines = 6\n", encoding="utf-8")
    assert store.reload(settings) == Settings(opacity=20, lines=6)
    assert "opacity" in store.notices[0].text


def test_what_is_exported_is_imported(tmp_path: Path) -> None:
    place = Geometry(x=12, y=-30, width=640, height=120)
    chosen = Settings(lane_name_mic="我", geometry={"a": place}, hotkeys={"bigger": ""}, lines=5)
    file = tmp_path / "导出 settings.toml"
    export_settings(chosen, file)
    assert import_settings(file) == (chosen, [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"= = [", "no settings that can be understood"),
        (b"\xff\xfe\x00garbage", "no settings that can be understood"),
        (b"colour = 'red'\n", "holds no settings"),
        (b"version = 1\n[[package]]\nname = 'numpy'\n", "holds no settings"),
        (b"#" * 1_000_001, "too large"),
    ],
)
def test_a_file_without_settings_is_not_imported(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "other.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsFileError, match=said):
        import_settings(file)
    assert file.read_bytes() == content


def test_what_is_wrong_in_an_import_is_left_out_and_told(tmp_path: Path) -> None:
    file = tmp_path / "newer.toml"
    file.write_text("version = 9\nlines = 99\nopacity = 3\nfuture = 1\n", encoding="utf-8")
    settings, problems = import_settings(file)
    assert settings == Settings(opacity=3)
    assert [problem.partition(":")[0] for problem in problems] == ["lines", "future"]


def test_nothing_is_exported_into_or_imported_from_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsFileError, match="cannot be read"):
        import_settings(tmp_path / "missing.toml")
    with pytest.raises(SettingsFileError, match="cannot be written"):
        export_settings(Settings(), tmp_path / "missing" / "settings.toml")
