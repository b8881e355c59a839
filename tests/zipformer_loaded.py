"""Small streaming models once loaded, and what they hear."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from zipformer_graphs import Stack

from engine.recognizers import zipformer
from engine.recognizers.base import Token
from engine.recognizers.zipformer import ZipformerRecognizer
from engine.types import Samples
from models.spec import ModelFiles

SMALL: dict[str, Any] = {"stacks": (Stack(8, 1, 1, 7), Stack(8, 1, 2, 7), Stack(8, 1, 4, 7))}

Build = Callable[..., ModelFiles]

_loaded: dict[Path, ZipformerRecognizer] = {}


def model(files: ModelFiles) -> ZipformerRecognizer:
    """Loaded once, and left as it was by each test."""
    if files.folder not in _loaded:
        _loaded[files.folder] = zipformer.load(files, "cpu")
    return _loaded[files.folder]


def heard(
    recognizer: ZipformerRecognizer, speech: Samples, effort: float = 0.0
) -> tuple[Token, ...]:
    stream = recognizer.stream()
    stream.tune(effort)
    stream.accept(speech)
    return stream.hypothesis().tokens


def part(files: ModelFiles, name: str) -> str:
    return str(files.folder / next(f.name for f in files.spec.files if f.name.startswith(name)))
