"""Small streaming models and some speech, for tests of streaming exports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import soundfile
import zipformer_export as exports
from fixtures_recordings import Recordings
from zipformer_loaded import Build

from engine.types import Samples
from models.spec import ModelFiles


@pytest.fixture(scope="session")
def speech(recordings: Recordings) -> Samples:
    samples, _ = soundfile.read(recordings.named("jfk_ask_not").path, dtype="float32")
    return np.asarray(samples[:48_000])


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Exports by what they are, each written once."""
    known: dict[str, ModelFiles] = {}

    def build(kind: str, vocabulary: str = "bpe", **more: Any) -> ModelFiles:
        name = f"{kind} {vocabulary} {more}"
        if name not in known:
            known[name] = exports.write(tmp_path_factory.mktemp("k2"), kind, vocabulary, **more)
        return known[name]

    return build
