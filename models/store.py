"""The models on this disk: where they lie, whether they are whole, and how they go away.

Layout of the root folder::

    ID/                  an installed model: its files, and perhaps prepared/ with derived ones
    .ID.lock             held by whoever installs or removes ID
    .ID.RANDOM.partial/  work in progress; rubbish once nobody holds .ID.lock
    .ID.resume/          what has arrived of ID's files, kept for the next try for a month

An installed folder may also hold ``pins.json`` (see ``models/pins.py``), and one that was added or
made here holds ``captionglass.json`` (see ``models/local.py``).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from models.errors import ModelDamagedError, ModelError, ModelMissingError
from models.locks import FileLock
from models.pins import resolved
from models.spec import ModelFiles, ModelSpec, this_system

ROOT_VARIABLE = "CAPTIONGLASS_MODELS"
"""Environment variable that names another root folder."""

SHIPPED = Path(__file__).with_name("shipped")
"""Where the packaged application holds the models that it brings; not there in a checkout."""

_PARTIAL = ".partial"
_RESUME = ".resume"
_RESUME_KEPT_S = 30 * 86_400.0
_READ_BYTES = 1 << 20
# Windows renames no folder of open files, and a virus scanner opens what was just written.
_FOLDERS_CAN_BE_HELD = os.name == "nt"
_RENAME_ATTEMPTS = 20
_RENAME_PAUSE_S = 0.1
_ACQUIRE_ATTEMPTS = 20
_ACQUIRE_PAUSE_S = 0.05


def default_root() -> Path:
    """The user's models folder, or the one ``CAPTIONGLASS_MODELS`` names; may not exist yet."""
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("captionglass", appauthor=False) / "models"


class ModelStore:
    """Installed models.

    Args:
        root: folder this user's models are kept in; created when something is installed.
        shipped: further folders of the same layout that are only ever read, searched after it; by
            default what came with the packaged application.
    """

    def __init__(self, root: Path | None = None, *, shipped: Sequence[Path] = (SHIPPED,)) -> None:
        self.root = (root if root is not None else default_root()).absolute()
        self.shipped = tuple(folder.absolute() for folder in shipped)

    def folder(self, spec: ModelSpec) -> Path:
        """Where this model is installed, or would be."""
        return self.root / spec.id

    def files(self, spec: ModelSpec) -> ModelFiles:
        """The first copy whose files are all there with the right size; reads none of them.

        Raises:
            ModelMissingError: no copy is here.
            ModelDamagedError: a copy is here, but a file is missing or has the wrong size.
        """
        if not spec.files:
            raise ModelMissingError(f"model {spec.id} has no version for {this_system()}")
        damage: ModelDamagedError | None = None
        own = self.folder(spec)
        places = [own, *(root / spec.id for root in self.shipped)]
        for folder in places if spec.folder is None else [spec.folder]:
            try:
                # Of a file whose hash the catalogue does not know, the pins in the folder do.
                pinned = resolved(spec, folder)
                if _present(pinned, folder):
                    return ModelFiles(pinned, folder, None if folder == own else own)
            except ModelDamagedError as error:
                damage = damage or error
        raise damage or ModelMissingError(f"model {spec.id} is not installed", _get(spec))

    def verify(self, spec: ModelSpec) -> ModelFiles:
        """Like ``files``, and every byte hashed; takes about a second for 500 MB.

        Raises:
            ModelMissingError: no copy is here.
            ModelDamagedError: a file is missing, has the wrong size or the wrong sha256.
        """
        files = self.files(spec)
        for file in files.spec.files:
            try:
                digest = _sha256(files.path(file.name))
            except OSError as error:
                raise _damaged(spec, file.name, f"cannot be read ({error.strerror})") from error
            if digest != file.sha256:
                raise _damaged(spec, file.name, "does not have the right sha256")
        return files

    def installed(self, spec: ModelSpec) -> bool:
        """Whether ``files`` would succeed."""
        try:
            self.files(spec)
        except (ModelMissingError, ModelDamagedError):
            return False
        return True

    def remove(self, spec: ModelSpec) -> None:
        """Delete this user's copy with everything derived from it: it is there or gone, never half.

        A folder of the user's own that was added stays; only what is known of it here goes.

        Raises:
            ModelMissingError: there is nothing to remove.
            ModelError: it is shipped with the program, being installed, in use, or protected.
        """
        folder = self.folder(spec)
        shutil.rmtree(self.resume_folder(spec), ignore_errors=True)
        if not _exists(folder):
            if self.installed(spec):
                raise ModelError(f"model {spec.id} comes with the program and cannot be removed")
            raise ModelMissingError(f"model {spec.id} is not installed")
        with self.lock(spec) as lock:
            try:
                if not _acquire(lock):
                    raise ModelError(
                        f"model {spec.id} is being installed", "try again when that has ended"
                    )
                rename(folder, self.work_folder(spec) / "removed")
            except FileNotFoundError:
                raise ModelMissingError(f"model {spec.id} is not installed") from None
            except OSError as error:
                raise ModelError(
                    f"model {spec.id} cannot be removed from {self.root} ({error.strerror})",
                    "close whatever uses it and check that you may write there",
                ) from error
            finally:
                if lock.held:
                    self.sweep(spec)

    def lock(self, spec: ModelSpec) -> FileLock:
        """The lock to hold while changing this model's folder; not yet acquired."""
        return FileLock(self.root / f".{spec.id}.lock")

    def work_folder(self, spec: ModelSpec) -> Path:
        """A new empty folder beside the final one; only for who holds the lock.

        Raises:
            OSError: it cannot be made.
        """
        return Path(tempfile.mkdtemp(prefix=f".{spec.id}.", suffix=_PARTIAL, dir=self.root))

    def resume_folder(self, spec: ModelSpec) -> Path:
        """Where what has arrived waits for the rest; may not exist yet."""
        return self.root / f".{spec.id}{_RESUME}"

    def sweep(self, spec: ModelSpec) -> None:
        """Delete the work folders of this model; only for who holds the lock."""
        for folder in self._work_folders():
            if _id_of(folder) == spec.id:
                shutil.rmtree(folder, ignore_errors=True)

    def sweep_abandoned(self) -> None:
        """Delete the work folders of processes that have died; those of live ones stay."""
        forgotten = time.time() - _RESUME_KEPT_S
        resumes = [
            folder for folder in self.root.glob(f".*{_RESUME}") if _changed(folder) < forgotten
        ]
        for folder in (*self._work_folders(), *resumes):
            with (
                contextlib.suppress(OSError),
                FileLock(self.root / f".{_id_of(folder)}.lock") as lock,
            ):
                if lock.try_acquire():
                    shutil.rmtree(folder, ignore_errors=True)

    def _work_folders(self) -> list[Path]:
        return list(self.root.glob(f".*.*{_PARTIAL}"))


def _acquire(lock: FileLock) -> bool:
    """Try for a moment: whoever sweeps holds it that long, whoever installs holds it longer."""
    for _ in range(_ACQUIRE_ATTEMPTS):
        if lock.try_acquire():
            return True
        time.sleep(_ACQUIRE_PAUSE_S)
    return False


def rename(source: Path, target: Path) -> None:
    """Move a folder within its file system in one step.

    Raises:
        OSError: also when another program holds a file in it open (Windows).
    """
    for attempt in range(_RENAME_ATTEMPTS):
        try:
            source.rename(target)
        except PermissionError:
            if not _FOLDERS_CAN_BE_HELD or attempt == _RENAME_ATTEMPTS - 1:
                raise
            time.sleep(_RENAME_PAUSE_S)
        else:
            return


def _present(spec: ModelSpec, folder: Path) -> bool:
    """Whether all files are there in full; False when none is."""
    sizes: dict[str, int] = {}
    for file in spec.files:
        with contextlib.suppress(OSError):
            status = (folder / file.name).stat()
            sizes[file.name] = status.st_size
    if not sizes:
        return False
    for file in spec.files:
        if file.name not in sizes:
            raise _damaged(spec, file.name, "is missing")
        if sizes[file.name] != file.size:
            raise _damaged(spec, file.name, f"has {sizes[file.name]} bytes, not {file.size}")
    return True


def _damaged(spec: ModelSpec, name: str, what: str) -> ModelDamagedError:
    return ModelDamagedError(f"model {spec.id} is damaged, its file {name} {what}", _get(spec))


def _get(spec: ModelSpec) -> str:
    if spec.local:
        return f"remove it and add it again: captionglass models remove {spec.id}"
    return f"run: captionglass models get {spec.id}"


def _changed(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


def _id_of(work_folder: Path) -> str:
    if work_folder.name.endswith(_RESUME):
        return work_folder.name.removeprefix(".").removesuffix(_RESUME)
    return work_folder.name.removeprefix(".").removesuffix(_PARTIAL).rpartition(".")[0]


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
