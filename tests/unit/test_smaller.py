"""Which model is advised, and which takes over, where one is too much for a machine."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from models.catalogue import Catalogue, load
from models.smaller import SmallerModels
from models.spec import ModelFile, ModelSpec
from models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path)


def spec(model_id: str, size: int, *languages: str) -> ModelSpec:
    file = ModelFile("model.bin", (), size, hashlib.sha256(bytes(size)).hexdigest())
    return ModelSpec(
        model_id, model_id, "whisper", "recognizer", languages, "MIT", "nobody", (file,)
    )


BIG, MIDDLE, SMALL, CHINESE = (
    spec("big", 1000, "en"),
    spec("middle", 500, "en"),
    spec("small", 100, "mul"),
    spec("chinese", 400, "zh"),
)
CATALOGUE = Catalogue((SMALL, BIG, CHINESE, MIDDLE), default="big", vad="vad")


def install(store: ModelStore, spec: ModelSpec) -> None:
    folder = store.folder(spec)
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(bytes(spec.size))


def test_the_largest_of_the_smaller_ones(store: ModelStore) -> None:
    smaller = SmallerModels(CATALOGUE, store)
    assert smaller.named(BIG) == MIDDLE
    assert smaller.named(MIDDLE) == SMALL
    assert smaller.named(SMALL) is None


def test_what_is_installed_goes_first(store: ModelStore) -> None:
    install(store, SMALL)
    smaller = SmallerModels(CATALOGUE, store)
    assert smaller.named(BIG) == SMALL


def test_what_is_hardly_smaller_is_no_help(store: ModelStore) -> None:
    nearly = replace(MIDDLE, id="nearly", files=(replace(MIDDLE.files[0], size=900),))
    catalogue = Catalogue((BIG, nearly), default="big", vad="vad")
    assert SmallerModels(catalogue, store).named(BIG) is None


def test_it_captions_the_language_that_is_spoken(store: ModelStore) -> None:
    large = spec("large", 2000, "mul")
    assert SmallerModels(CATALOGUE, store, "zh-CN").named(large) == CHINESE
    assert SmallerModels(CATALOGUE, store, "de").named(large) == SMALL
    assert SmallerModels(CATALOGUE, store).named(large) == SMALL, "any may be spoken"


def test_only_one_that_is_here_can_take_over(store: ModelStore) -> None:
    smaller = SmallerModels(CATALOGUE, store)
    assert smaller.installed(BIG) is None
    install(store, MIDDLE)
    files = smaller.installed(BIG)
    assert files is not None
    assert files.spec == MIDDLE


def test_one_that_is_half_gone_takes_over_from_nobody(store: ModelStore) -> None:
    install(store, MIDDLE)
    (store.folder(MIDDLE) / "model.bin").write_bytes(b"short")
    assert SmallerModels(CATALOGUE, store).installed(BIG) is None


def test_the_shipped_catalogue_has_a_smaller_one_for_chinese_and_english(store: ModelStore) -> None:
    catalogue = load()
    for language in ("zh", "en"):
        smaller = SmallerModels(catalogue, store, language)
        other = smaller.named(catalogue.get("whisper-base"))
        assert other is not None
        assert other.size < catalogue.get("whisper-base").size
