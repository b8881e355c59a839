"""Models no catalogue lists: a folder somebody added, or one made here by quantising another.

Each is described by a small file in its folder of the store, ``ID/captionglass.json``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from models.spec import DESCRIPTION, Kind, ModelFile, ModelSpec

_FORMAT = 1
_LARGEST = 1 << 20
_TEXTS = (
    "id",
    "title",
    "family",
    "licence",
    "attribution",
    "good_for",
    "derived_from",
    "precision",
)


def described(root: Path) -> tuple[ModelSpec, ...]:
    """The models described in the folders of a store, by id.

    A description that cannot be read or understood describes nothing.
    """
    try:
        paths = sorted(root.glob(f"[!.]*/{DESCRIPTION}"))
    except OSError:
        return ()
    found = []
    for path in paths:
        try:
            if path.stat().st_size <= _LARGEST:
                spec = _read(json.loads(path.read_text(encoding="utf-8")))
                # A folder that was copied under another name is another model.
                found.append(replace(spec, id=path.parent.name))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
    return tuple(found)


def describe(spec: ModelSpec, folder: Path) -> None:
    """Write a model's description into a folder.

    Raises:
        OSError: it cannot be written.
    """
    content = asdict(spec)
    content["format"] = _FORMAT
    content["folder"] = None if spec.folder is None else str(spec.folder)
    content["files"] = [
        {"name": file.name, "size": file.size, "sha256": file.sha256} for file in spec.files
    ]
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    (folder / DESCRIPTION).write_text(text, encoding="utf-8", newline="\n")


def _read(content: Any) -> ModelSpec:
    if content["format"] != _FORMAT:
        raise ValueError("of another version")
    texts = {key: content[key] for key in _TEXTS}
    languages = content["languages"]
    if not all(isinstance(text, str) for text in (*texts.values(), *languages)):
        raise TypeError("not a text")
    if content["kind"] not in get_args(Kind) or not content["files"]:
        raise ValueError("not a model")
    return ModelSpec(
        **texts,
        kind=content["kind"],
        languages=tuple(languages),
        files=tuple(_file(file) for file in content["files"]),
        streaming=bool(content["streaming"]),
        folder=None if content["folder"] is None else Path(content["folder"]),
    )


def _file(content: Any) -> ModelFile:
    name, sha256, size = content["name"], content["sha256"], content["size"]
    if not isinstance(name, str) or not isinstance(sha256, str) or len(sha256) != 64:
        raise TypeError("not a file")
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in name or ":" in name:
        raise ValueError("not a file in the folder")
    return ModelFile(name, (), int(size), sha256)
