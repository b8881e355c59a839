"""Make a smaller model of an installed one, beside it in the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from engine.errors import ModelError, RecognizerError, UsageError
from models.folder import make, seen
from models.spec import ModelFile, ModelFiles
from models.store import ModelStore

Precision = Literal["int8", "int4", "fp16", "float"]

_TITLES = {"int8": "8 bits", "int4": "4 bits", "fp16": "16 bits", "float": "32 bits"}


def quantize(
    files: ModelFiles,
    to: Precision,
    store: ModelStore,
    taken: Iterable[str],
    new_id: str = "",
    tell: Callable[[str], None] | None = None,
) -> ModelFiles:
    """Make the model and put it into the store; takes seconds to minutes.

    Args:
        files: an installed model.
        to: what its weights shall be. ``float`` undoes the quantising of a published model, to
            compare with.
        store: where the new model goes.
        taken: ids that others have.
        new_id: what it is called; by default the old id with the precision behind it.
        tell: told what is being done.

    Raises:
        UsageError: this model cannot be made that.
        ModelError: the id is taken, or the store cannot be written to.
        RecognizerError: the result does not load.
    """
    spec = files.spec
    if to not in get_args(Precision):
        raise UsageError(f"there is no precision {to!r}", f"use {', '.join(get_args(Precision))}")
    chosen = new_id or f"{spec.id}-{to}"
    if chosen in set(taken):
        raise ModelError(f"there is a model {chosen} already", "choose another id with --id")
    write = _writer(files, to)
    say = tell or (lambda _: None)
    made = replace(
        spec,
        id=chosen,
        title=f"{spec.title}, {_TITLES[to]}",
        good_for=f"{spec.id} with weights of {_TITLES[to]}",
        folder=None,
        derived_from=spec.derived_from or spec.id,
        precision=to,
        files=(),
    )

    def fill(new: Path) -> list[ModelFile]:
        write(new, say)
        names = sorted(
            path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file()
        )
        return [seen(new / name, name) for name in names]

    # Twice: some tools keep their input beside their output while they work.
    return make(made, store, fill, 2 * spec.size)


Writer = Callable[[Path, Callable[[str], None]], None]


def _writer(files: ModelFiles, to: Precision) -> Writer:
    """What writes the new model's files into an empty folder.

    Raises:
        UsageError: this model cannot be made that.
    """
    spec = files.spec
    names = {file.name for file in spec.files}
    if spec.kind != "recognizer":
        raise UsageError(f"{spec.id} does not turn speech into words", "quantise a recogniser")
    if "model.bin" in names:
        from engine.quantize import whisper

        return whisper.writer(files, to)
    if spec.family == "moonshine":
        if to != "float":
            raise UsageError(
                f"{spec.id} is published in 8 bits, there is no {to} of it", "use --to float"
            )
        return lambda new, tell: copy(files, names, new, tell)
    graphs = [name for name in names if name.endswith(".onnx")]
    if not graphs or to == "float":
        raise UsageError(
            f"{spec.id} cannot be made {to}, it holds no ONNX graphs in full precision",
            "take the float version of it where there is one",
        )
    from engine.quantize import onnx_graphs

    return onnx_graphs.writer(files, to)


def copy(files: ModelFiles, names: Iterable[str], new: Path, tell: Callable[[str], None]) -> None:
    """Take files over as they are, without a second copy where the disk allows.

    Raises:
        OSError: that fails.
    """
    for name in sorted(names):
        tell(f"taking over {name}")
        target = new / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.hardlink_to(files.path(name))
        except OSError:
            shutil.copyfile(files.path(name), target)


__all__ = ["Precision", "RecognizerError", "quantize"]
