"""Hashes nobody was certain of beforehand: seen at the first download, and held to ever after.

They lie beside the model's files in ``pins.json`` and go when the model is removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from models.errors import ModelDamagedError
from models.https import Fetched
from models.spec import PINS, ModelSpec

_FORMAT = 1


def resolved(spec: ModelSpec, folder: Path) -> ModelSpec:
    """The model with size and hash of every file, as the catalogue or the pins in ``folder`` say.

    A model with a file that neither knows comes back as it is.

    Raises:
        ModelDamagedError: files lie there whose pins are gone.
    """
    if spec.pinned:
        return spec
    pins = read(folder)
    files = tuple(
        file
        if file.pinned or file.name not in pins
        else replace(file, size=pins[file.name].size, sha256=pins[file.name].sha256)
        for file in spec.files
    )
    found = replace(spec, files=files)
    if not found.pinned and any((folder / file.name).is_file() for file in spec.files):
        raise ModelDamagedError(
            f"model {spec.id} is damaged, what was seen when it was fetched is gone",
            f"run: captionglass models get {spec.id}",
        )
    return found


def read(folder: Path) -> dict[str, Fetched]:
    """The pins in a model's folder, by file name; none where they cannot be read."""
    try:
        content = json.loads((folder / PINS).read_text(encoding="utf-8"))
        if content["format"] != _FORMAT:
            return {}
        return {
            str(name): Fetched(int(pin["size"]), str(pin["sha256"]))
            for name, pin in content["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def write(folder: Path, pins: Mapping[str, Fetched]) -> None:
    """Write them into a model's folder.

    Raises:
        OSError: it cannot be written.
    """
    files = {name: {"size": pin.size, "sha256": pin.sha256} for name, pin in pins.items()}
    text = json.dumps({"format": _FORMAT, "files": files}, indent=1) + "\n"
    (folder / PINS).write_text(text, encoding="utf-8", newline="\n")
