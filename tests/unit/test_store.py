"""The store: whole, damaged, missing, shipped, removed."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest
from fixtures_models import TinyModel

from models import catalogue
from models.errors import ModelDamagedError, ModelError, ModelMissingError
from models.locks import FileLock
from models.store import SHIPPED, ModelStore, default_root, rename


def rubbish(root: Path) -> list[str]:
    """Everything in a models folder that is neither a model nor a lock."""
    return [path.name for path in root.iterdir() if path.name.endswith(".partial")]


def test_the_root_is_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAPTIONGLASS_MODELS")
    expected = platformdirs.user_data_path("captionglass", appauthor=False) / "models"
    assert ModelStore().root == default_root() == expected


@pytest.mark.parametrize("name", ["models", "my 字幕 🎬"])
def test_the_environment_names_another_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(tmp_path / name))
    assert ModelStore().root == tmp_path / name
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAPTIONGLASS_MODELS", name)
    assert ModelStore().root == tmp_path / name
    monkeypatch.setenv("CAPTIONGLASS_MODELS", f"~/{name}")
    assert ModelStore().root == Path.home() / name


def test_a_whole_model_is_found_and_verified(tmp_path: Path, tiny: TinyModel) -> None:
    store = ModelStore(tmp_path / "models")
    folder = tiny.put(store.root)
    files = store.files(tiny.spec)
    assert files == store.verify(tiny.spec)
    assert files.path("tokens.json") == folder / "tokens.json"
    assert files.prepared == folder / "prepared"
    assert store.installed(tiny.spec)
    with pytest.raises(KeyError):
        files.path("nothing")


@pytest.mark.parametrize("derived_only", [False, True])
def test_a_model_not_there_is_missing_with_the_remedy(
    tmp_path: Path, tiny: TinyModel, derived_only: bool
) -> None:
    store = ModelStore(tmp_path / "models")
    if derived_only:
        (store.root / tiny.spec.id / "prepared").mkdir(parents=True)
    for check in (store.files, store.verify):
        with pytest.raises(ModelMissingError, match=r"model tiny\.en is not") as caught:
            check(tiny.spec)
        assert caught.value.remedy == "run: captionglass models get tiny.en"
    assert not store.installed(tiny.spec)
    assert store.root.exists() == derived_only


def test_a_file_that_is_missing_or_short_is_damage_seen_without_reading(
    tmp_path: Path, tiny: TinyModel
) -> None:
    store = ModelStore(tmp_path / "models")
    folder = tiny.put(store.root)
    os.truncate(folder / "weights.bin", 5)
    with pytest.raises(ModelDamagedError, match=r"weights\.bin has 5 bytes, not 2000") as caught:
        store.files(tiny.spec)
    assert caught.value.remedy == "run: captionglass models get tiny.en"
    (folder / "weights.bin").unlink()
    with pytest.raises(ModelDamagedError, match=r"weights\.bin is missing"):
        store.files(tiny.spec)
    assert not store.installed(tiny.spec)


def test_one_wrong_byte_is_damage_that_verify_sees(tmp_path: Path, tiny: TinyModel) -> None:
    store = ModelStore(tmp_path / "models")
    path = tiny.put(store.root) / "tokens.json"
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    assert store.installed(tiny.spec)
    with pytest.raises(ModelDamagedError, match=r"tokens\.json does not have the right sha256"):
        store.verify(tiny.spec)


def test_derived_files_are_no_damage_and_go_with_the_model(tmp_path: Path, tiny: TinyModel) -> None:
    store = ModelStore(tmp_path / "models")
    folder = tiny.put(store.root)
    prepared = store.files(tiny.spec).prepared
    prepared.mkdir()
    (prepared / "decoder.onnx").write_bytes(b"derived")
    store.verify(tiny.spec)
    store.remove(tiny.spec)
    assert not folder.exists()
    assert rubbish(store.root) == []
    with pytest.raises(ModelMissingError):
        store.remove(tiny.spec)


def test_a_damaged_model_can_be_removed(tmp_path: Path, tiny: TinyModel) -> None:
    store = ModelStore(tmp_path / "models")
    (tiny.put(store.root) / "weights.bin").unlink()
    store.remove(tiny.spec)
    assert not store.folder(tiny.spec).exists()


def test_shipped_models_are_found_behind_the_users_own(tmp_path: Path, tiny: TinyModel) -> None:
    shipped = tmp_path / "shipped"
    theirs = tiny.put(shipped)
    store = ModelStore(tmp_path / "models", shipped=(tmp_path / "absent", shipped))
    files = store.verify(tiny.spec)
    assert files.folder == theirs
    assert files.prepared == store.root / "tiny.en" / "prepared"
    # Derived files alone are no copy of the model.
    files.prepared.mkdir(parents=True)
    assert store.files(tiny.spec).folder == theirs
    files.prepared.rmdir()
    files.prepared.parent.rmdir()
    own = tiny.put(store.root)
    assert store.files(tiny.spec).folder == own
    (own / "weights.bin").unlink()
    assert store.files(tiny.spec).folder == theirs


def test_what_the_packaged_application_brings_is_looked_for(tmp_path: Path) -> None:
    assert ModelStore(tmp_path).shipped == (SHIPPED,)
    assert not SHIPPED.exists()  # in a checkout


def test_a_shipped_model_is_not_removed(tmp_path: Path, tiny: TinyModel) -> None:
    shipped = tmp_path / "shipped"
    theirs = tiny.put(shipped)
    store = ModelStore(tmp_path / "models", shipped=(shipped,))
    with pytest.raises(ModelError, match="comes with the program"):
        store.remove(tiny.spec)
    tiny.put(store.root)
    store.remove(tiny.spec)
    assert store.files(tiny.spec).folder == theirs


def test_a_model_being_installed_is_not_removed(
    tmp_path: Path, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.store._ACQUIRE_PAUSE_S", 0.0)
    store = ModelStore(tmp_path / "models")
    folder = tiny.put(store.root)
    with store.lock(tiny.spec) as lock:
        assert lock.try_acquire()
        work = store.work_folder(tiny.spec)
        with pytest.raises(ModelError, match="is being installed"):
            store.remove(tiny.spec)
        assert work.exists()
    assert folder.exists()
    store.remove(tiny.spec)
    assert not folder.exists()
    assert not work.exists()


def test_work_of_the_dead_is_swept_and_of_the_living_is_not(
    tmp_path: Path, tiny: TinyModel
) -> None:
    store = ModelStore(tmp_path / "models")
    store.root.mkdir()
    dead = store.root / ".other-model.k3_xy.partial"
    (dead / "new").mkdir(parents=True)
    (dead / "new" / "weights.bin").write_bytes(b"half")
    with store.lock(tiny.spec) as lock:
        assert lock.try_acquire()
        live = store.work_folder(tiny.spec)
        store.sweep_abandoned()
        assert live.exists()
        assert not dead.exists()
    store.sweep_abandoned()
    assert not live.exists()


def test_a_folder_held_by_a_scanner_for_a_moment_is_moved_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    real = Path.rename
    refused: list[Path] = []

    def held_twice(self: Path, target: Path) -> Path:
        if len(refused) < 2:
            refused.append(target)
            raise PermissionError(13, "in use")
        return real(self, target)

    monkeypatch.setattr("models.store._FOLDERS_CAN_BE_HELD", True)
    monkeypatch.setattr("models.store._RENAME_PAUSE_S", 0.0)
    monkeypatch.setattr(Path, "rename", held_twice)
    rename(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").is_dir()
    assert len(refused) == 2


def test_a_lock_has_one_owner(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    with second:
        assert second.try_acquire()
        assert not first.try_acquire()
    assert not second.held
    assert first.try_acquire()
    first.release()
    first.release()


@pytest.mark.slow
def test_the_installed_models_are_what_the_catalogue_says() -> None:
    known, store = catalogue.load(), ModelStore()
    for model_id in (known.default, known.vad):
        store.verify(known.get(model_id))
