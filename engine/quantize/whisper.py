"""Smaller weights in a Whisper model for CTranslate2, by CTranslate2's own rules.

Its converter starts from other programs' checkpoints, which are not here. So the variables are read
back from ``model.bin`` into the same description of the network, and its own quantiser and writer
do the rest.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import RecognizerError, UsageError
from models.spec import ModelFiles

if TYPE_CHECKING:
    from engine.quantize import Precision, Writer

_DTYPES = ("float32", "int8", "int16", "int32", "float16")
_TO = {"int8": "int8", "fp16": "float16", "float": "float32"}
_LARGEST_NAME = 4096


def writer(files: ModelFiles, to: Precision) -> Writer:
    """Writes ``model.bin`` in another precision, and takes the other files over.

    Raises:
        UsageError: CTranslate2 has no such precision.
    """
    from engine.quantize import copy

    if to not in _TO:
        raise UsageError(
            f"CTranslate2 has no {to} weights for {files.spec.id}", f"use {', '.join(_TO)}"
        )

    def write(new: Path, tell: Callable[[str], None]) -> None:
        names = [file.name for file in files.spec.files if file.name != "model.bin"]
        copy(files, names, new, tell)
        tell("writing model.bin")
        convert(files.path("model.bin"), new / "model.bin", to)
        _prove(new)

    return write


def convert(source: Path, target: Path, to: Precision) -> None:
    """Write a ``model.bin`` in another precision.

    Raises:
        RecognizerError: it is no Whisper model that is understood.
        UsageError: it is quantised already.
    """
    from ctranslate2.specs import WhisperSpec
    from ctranslate2.specs.model_spec import LayerSpec

    try:
        variables, aliases = read(source)
        layers = [_layers(variables, side) for side in ("encoder", "decoder")]
        heads = [int(variables[f"{side}/num_heads"]) for side in ("encoder", "decoder")]
        if any(array.dtype == np.int8 and array.ndim > 1 for array in variables.values()):
            raise UsageError(f"{source.parent.name} is quantised already", "take the float version")
        spec = WhisperSpec(layers[0], heads[0], layers[1], heads[1])
        for name, array in variables.items():
            _put(spec, name, array)
        for alias, name in aliases.items():
            _put(spec, alias, variables[name])
        # Turns the attributes that the file does not set into variables too; not that of the whole
        # model, which wants the vocabulary here and not in a file of its own.
        LayerSpec.validate(spec)
        spec.optimize(_TO[to])
        spec._serialize(str(target))
    except (KeyError, ValueError, AttributeError, IndexError, struct.error) as error:
        raise RecognizerError(
            f"{source.name} is no Whisper model that is understood ({error})",
            "update Captionglass",
        ) from error


def read(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The variables of a ``model.bin`` by name, and which names stand for others.

    Raises:
        ValueError, struct.error: it is none, or is cut short.
    """
    data = memoryview(path.read_bytes())
    reader = _Reader(data)
    version = reader.number("I")
    kind = reader.text()
    if kind != "WhisperSpec" or not 4 <= version <= 6:
        raise ValueError(f"{kind} version {version}")
    reader.number("I")
    variables = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = tuple(reader.number("I") for _ in range(reader.number("B")))
        dtype = _DTYPES[reader.number("B")]
        variables[name] = np.frombuffer(reader.take(reader.number("I")), dtype).reshape(shape)
    aliases = {reader.text(): reader.text() for _ in range(reader.number("I"))}
    return variables, aliases


def _layers(variables: dict[str, Any], side: str) -> int:
    numbered = re.compile(rf"{side}/layer_(\d+)/")
    return 1 + max(int(found[1]) for name in variables if (found := numbered.match(name)))


class _Reader:
    """Walks over the bytes of a file."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> memoryview:
        end = self._at + count
        if end > len(self._data):
            raise ValueError("cut short")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def text(self) -> str:
        count = self.number("H")
        if count > _LARGEST_NAME:
            raise ValueError("a name is too long")
        return bytes(self.take(count)).rstrip(b"\0").decode("utf-8")


def _put(spec: Any, name: str, array: Any) -> None:
    """Set a variable at its place in the description of the network."""
    from ctranslate2.specs.model_spec import NumpyVariable

    *scopes, last = name.split("/")
    place = spec
    for scope in scopes:
        if hasattr(place, scope):
            place = getattr(place, scope)
        else:
            listed, _, number = scope.rpartition("_")
            place = getattr(place, listed)[int(number)]
    if not hasattr(place, last):
        raise KeyError(name)
    setattr(place, last, NumpyVariable(np.array(array)))


def _prove(folder: Path) -> None:
    import ctranslate2

    try:
        ctranslate2.models.Whisper(str(folder), device="cpu", compute_type="auto")
    except Exception as error:
        raise RecognizerError(
            f"the model was written and does not load ({str(error).splitlines()[0][:120]})",
            "use another precision",
        ) from error
