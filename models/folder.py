"""Make a model of what is here already: a folder of the user's own, or files made from another."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import threading
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from models.errors import DownloadError, ModelError, NoSpaceError
from models.layouts import languages as languages_of
from models.layouts import recognise
from models.local import describe
from models.progress import Progress, megabytes, silent
from models.spec import ModelFile, ModelFiles, ModelSpec
from models.store import ModelStore, rename

_BLOCK_BYTES = 1 << 20
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_NOT_IN_ID = re.compile(r"[^a-z0-9._-]+")
_ID = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")


def add(
    folder: Path,
    store: ModelStore,
    taken: Iterable[str],
    *,
    model_id: str = "",
    languages: Iterable[str] = (),
    copy: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> ModelFiles:
    """Make a folder a model. Every byte is read once, so that damage shows later.

    Args:
        folder: of the user's own; it stays as it is.
        store: where the model is known from now on.
        taken: ids that others have.
        model_id: what it is called; by default made from the folder's name.
        languages: BCP 47 codes it captions; by default what its files tell.
        copy: take the files into the store; else they are used where they lie.
        progress: see ``Progress``.
        cancel: set it, from any thread, to give up.

    Raises:
        ModelError: it is no model that is known, something is missing or broken, the id is taken.
        NoSpaceError: the disk is too full for a copy.
        DownloadError: ``cancel`` was set.
    """
    folder = folder.expanduser().absolute()
    layout, names = recognise(folder)
    others = set(taken)
    chosen = _new_id(model_id, folder.name, others)
    spec = ModelSpec(
        id=chosen,
        title=folder.name,
        family=layout.family,
        kind="recognizer",
        languages=tuple(languages) or languages_of(folder, layout, names),
        licence="LicenseRef-unknown",
        attribution="added from a folder",
        files=(),
        good_for="Your own",
        streaming=layout.streaming,
        folder=None if copy else folder,
    )
    report = progress or silent
    total = sum((folder / name).stat().st_size for name in names)

    def fill(new: Path) -> list[ModelFile]:
        files: list[ModelFile] = []
        for name in names:
            before = sum(file.size for file in files)

            def done(count: int, before: int = before, name: str = name) -> None:
                report(before + count, total, name)

            files.append(_take(folder / name, name, new / name if copy else None, cancel, done))
        return files

    made = make(spec, store, fill, total if copy else 0)
    report(total, total, "added")
    return made


def make(
    spec: ModelSpec,
    store: ModelStore,
    fill: Callable[[Path], list[ModelFile]],
    needed: int,
) -> ModelFiles:
    """Put a model that was made here into the store, whole or not at all.

    Args:
        spec: what it is; its files are those ``fill`` returns.
        store: where to.
        fill: writes the files into an empty folder and says what they are.
        needed: bytes that takes.

    Raises:
        ModelError: there is one of that id, or the store cannot be written to.
        NoSpaceError: the disk is too full.
    """
    try:
        store.root.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(store.root).free < needed:
            raise _no_space(spec, store, needed)
        with store.lock(spec) as lock:
            if not lock.try_acquire() or os.path.lexists(store.folder(spec)):
                raise ModelError(f"there is a model {spec.id} already", "choose another id")
            try:
                new = store.work_folder(spec) / "new"
                new.mkdir()
                made = replace(spec, files=tuple(fill(new)))
                describe(made, new)
                rename(new, store.folder(spec))
            finally:
                store.sweep(spec)
    except OSError as error:
        if error.errno in _FULL:
            raise _no_space(spec, store, needed) from error
        raise ModelError(
            f"model {spec.id} cannot be put into {store.root} ({error.strerror or error})",
            "check that you may write there",
        ) from error
    return store.files(made)


def seen(path: Path, name: str) -> ModelFile:
    """A file as it is now, for the list of a model's files; reads all of it.

    Raises:
        OSError: it cannot be read.
    """
    return _take(path, name, None, None, lambda _: None)


def _take(
    path: Path,
    name: str,
    target: Path | None,
    cancel: threading.Event | None,
    done: Callable[[int], None],
) -> ModelFile:
    digest = hashlib.sha256()
    size = 0
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
    with path.open("rb") as stream, (target or Path(os.devnull)).open("wb") as out:
        while block := stream.read(_BLOCK_BYTES):
            if cancel is not None and cancel.is_set():
                raise DownloadError(f"adding {path.parent.name} was stopped")
            digest.update(block)
            out.write(block)
            size += len(block)
            done(size)
    return ModelFile(name, (), size, digest.hexdigest())


def _new_id(asked: str, folder_name: str, taken: set[str]) -> str:
    if asked:
        if not _ID.fullmatch(asked):
            raise ModelError(
                f"a model cannot be called {asked!r}", "use small letters, digits, dots and dashes"
            )
        if asked in taken:
            raise ModelError(f"there is a model {asked} already", "choose another id")
        return asked
    plain = unicodedata.normalize("NFKD", folder_name).encode("ascii", "ignore").decode().lower()
    base = _NOT_IN_ID.sub("-", plain).strip("-._") or "my-model"
    number = 2
    chosen = base
    while chosen in taken:
        chosen, number = f"{base}-{number}", number + 1
    return chosen


def _no_space(spec: ModelSpec, store: ModelStore, needed: int) -> NoSpaceError:
    return NoSpaceError(
        f"no space for model {spec.id} in {store.root}, it needs {megabytes(needed)} MB",
        "free some space, or use the files where they lie",
    )
