"""Files that nobody was certain of: pinned at first sight, and held to that from then on."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures_hub import LocalHub, contents
from fixtures_models import noise
from installing import held

from models.download import install
from models.errors import DownloadError, ModelDamagedError
from models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "José's  字幕 100% 🎬" / "models")


@pytest.mark.parametrize("source", ["hub", "site"])
def test_what_nobody_was_certain_of_is_pinned_at_first_sight(
    local_hub: LocalHub, store: ModelStore, source: str
) -> None:
    files = contents()
    spec = local_hub.model(source, pinned=False, **files)
    assert not spec.pinned
    found = install(spec, store).spec
    assert found.pinned
    assert {file.name: file.size for file in found.files} == {
        name: len(content) for name, content in files.items()
    }
    path = store.folder(spec) / "weights.bin"
    flipped = bytearray(files["weights.bin"])
    flipped[3] ^= 1
    path.write_bytes(flipped)
    with pytest.raises(ModelDamagedError, match=r"weights\.bin does not have the right sha256"):
        store.verify(spec)
    # The repair must bring what was there before.
    local_hub.files["weights.bin"] = noise(1_000_000, 99)
    with pytest.raises(DownloadError, match="wrong sha256"):
        install(spec, store)
    local_hub.files.update(files)
    install(spec, store)
    assert held(store, spec) == files


def test_without_its_pins_an_unpinned_model_is_damaged(
    local_hub: LocalHub, store: ModelStore
) -> None:
    spec = local_hub.model("site", pinned=False, **contents())
    install(spec, store)
    (store.folder(spec) / "pins.json").write_text('{"format": 1, "files": 3}')
    with pytest.raises(ModelDamagedError, match="what was seen when it was fetched is gone"):
        store.files(spec)
    install(spec, store)
    assert store.installed(spec)


def test_an_unpinned_file_that_changed_meanwhile_is_begun_anew(
    local_hub: LocalHub, store: ModelStore
) -> None:
    spec = local_hub.model("site", pinned=False, weights=noise(1_000_000, 1))
    local_hub.behaviour.cut_after = [400_000, *[0] * 20]
    with pytest.raises(DownloadError):
        install(spec, store)
    newer = noise(1_000_000, 2)
    local_hub.files["weights"] = newer
    local_hub.behaviour.cut_after = []
    install(spec, store)
    assert (store.folder(spec) / "weights").read_bytes() == newer


def test_an_unpinned_file_that_had_arrived_whole_is_taken_up(
    local_hub: LocalHub, store: ModelStore
) -> None:
    files = contents()
    spec = local_hub.model("site", pinned=False, **files)
    del local_hub.files["tokens.txt"]
    with pytest.raises(DownloadError):
        install(spec, store)
    local_hub.files.update(files)
    local_hub.ranges.clear()
    install(spec, store)
    assert local_hub.ranges == ["bytes=1000000-", ""]
    assert held(store, spec) == files
