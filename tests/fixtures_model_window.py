"""The model window with two models that are here, and one that can be had from a hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures_hub import LocalHub, contents
from model_windows import Use, opened
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.ui import theme
from desktop_app.ui.model_window import ModelWindow
from models import catalogue
from models.catalogue import Catalogue
from models.spec import ModelFile, ModelSpec
from models.store import ModelStore


def put(store: ModelStore, model_id: str, content: bytes = b"weights") -> ModelSpec:
    """A model that is here."""
    file = ModelFile("model.bin", (), len(content), hashlib.sha256(content).hexdigest())
    spec = ModelSpec(
        id=model_id,
        title=model_id.title(),
        family="whisper",
        kind="recognizer",
        languages=("en",),
        licence="MIT",
        attribution="nobody",
        files=(file,),
        good_for="Trying",
    )
    folder = store.folder(spec)
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(content)
    return spec


@pytest.fixture
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """An own models folder, with two models in it."""
    root = tmp_path / "models"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))
    return ModelStore(root)


@pytest.fixture
def far(local_hub: LocalHub, own_models: ModelStore, monkeypatch: pytest.MonkeyPatch) -> ModelSpec:
    """One that can be had from the hub, beside two that are here."""
    spec = replace(local_hub.model("site", **contents()), family="zipformer", good_for="Far away")
    known = (put(own_models, "here.en"), put(own_models, "other.en"), spec)
    monkeypatch.setattr(catalogue, "load", lambda: Catalogue(known, "here.en", "vad"))
    return spec


@pytest.fixture
def use(qapp: QApplication) -> Iterator[Use]:
    del qapp
    theme.load_fonts()
    made = Use()
    yield made
    made.work.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def model_window(qtbot: QtBot, far: ModelSpec, use: Use) -> Iterator[ModelWindow]:
    made = opened(qtbot, use)
    yield made
    made.close()
    made.deleteLater()
    del far
