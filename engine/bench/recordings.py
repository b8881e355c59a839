"""Recordings to measure on: sound files, their transcripts and the ends of their words."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.bench.metrics import normalised
from engine.errors import UsageError
from engine.resample import Resampler
from engine.ring import SampleRing
from engine.sources.file import FileSource
from engine.types import Samples

SUFFIXES = frozenset(
    {".aif", ".aiff", ".flac", ".m4a", ".mkv", ".mp3", ".mp4", ".ogg", ".opus", ".wav", ".webm"}
)
"""What a folder is searched for; a file named by itself may be called anything."""

NO_LANGUAGE = "none"
"""What a manifest says where nobody speaks."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One sound file and what is known of it.

    Attributes:
        path: the sound.
        seconds: its length as the file or the manifest says; 0 where neither does.
        language: BCP 47 code, ``none`` where nobody speaks, empty where unknown.
        transcript: what is said; None where unknown, empty where nobody speaks.
        ends: reference words and their end, seconds; empty where unknown.
    """

    path: Path
    seconds: float
    language: str = ""
    transcript: str | None = None
    ends: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """For people."""
        return self.path.stem

    @property
    def reference(self) -> list[str] | None:
        """The transcript as words to score against; None where it is unknown."""
        return None if self.transcript is None else normalised(self.transcript)

    @property
    def gives(self) -> str:
        """What can be measured on it beside the cost."""
        if self.transcript is None:
            return "latency only" if self.ends else "cost only"
        if not self.ends and self.transcript:
            return "word errors only"
        return "everything"


@dataclass(frozen=True, slots=True)
class _Row:
    path: str
    seconds: float
    language: str
    transcript: str


def find(audio: Sequence[Path], manifest: Path) -> list[Recording]:
    """The recordings in some files and folders, in the order named; folders in that of names.

    A file's row in the manifest is the one whose path, seen from the manifest's folder, is the
    file's; else the only one with the same file name. ``NAME.words.json`` beside the sound holds
    the ends of its words.

    Raises:
        UsageError: a file, the manifest or one of its columns is missing or cannot be read.
        AudioFileError: a sound file cannot be read.
    """
    rows = _read_manifest(manifest)
    by_path = {(manifest.parent / row.path).resolve(): row for row in rows}
    by_name: dict[str, list[_Row]] = {}
    for row in rows:
        by_name.setdefault(Path(row.path).name, []).append(row)
    found = []
    for path in dict.fromkeys(file.resolve() for file in _files(audio)):
        same_name = by_name.get(path.name, [])
        known = by_path.get(path) or (same_name[0] if len(same_name) == 1 else None)
        found.append(_recording(path, known))
    return found


def within(recordings: Iterable[Recording], seconds: float) -> list[Recording]:
    """The recordings that fit into ``seconds`` together, whole, the first first.

    Raises:
        UsageError: none of them fits.
    """
    taken, left, shortest = [], seconds, float("inf")
    for recording in recordings:
        shortest = min(shortest, recording.seconds)
        if recording.seconds <= left:
            taken.append(recording)
            left -= recording.seconds
    if not taken:
        raise UsageError(
            f"no recording is as short as {seconds:g} s", f"allow at least {shortest:.1f}"
        )
    return taken


def sound(recording: Recording) -> Samples:
    """All of it, as a recogniser is fed: float32 mono at 16 kHz, shape (n,).

    Raises:
        AudioFileError: it cannot be read to its end.
    """
    source = FileSource(recording.path)
    ring = SampleRing(source.sample_rate, source.channels)
    resampler = Resampler(source.sample_rate)
    parts: list[Samples] = []
    source.start(ring)
    try:
        while True:
            closed = ring.closed
            chunk = ring.read(source.sample_rate)
            if chunk is not None:
                parts.append(resampler.push(chunk.samples))
            elif closed:
                break
            else:
                time.sleep(0.001)
    finally:
        source.stop()
    if ring.error is not None:
        raise ring.error
    return np.concatenate([*parts, resampler.flush()])


def _files(audio: Sequence[Path]) -> Iterable[Path]:
    for path in audio:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
            if not inside:
                raise UsageError(f"there is no sound file in {str(path)!r}", "name another folder")
            yield from inside
        elif path.is_file():
            yield path
        else:
            raise UsageError(f"there is no file {str(path)!r}", "check the name and the folder")


def _read_manifest(path: Path) -> list[_Row]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise UsageError(f"there is no manifest {str(path)!r}", "check --reference") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the manifest {str(path)!r} cannot be read ({type(error).__name__})",
            "it is a table in UTF-8, its columns separated by tabs",
        ) from error
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = {"path", "transcript"} - set(reader.fieldnames or ())
    if missing:
        raise UsageError(
            f"the manifest {str(path)!r} has no column {', '.join(sorted(missing))}",
            "its first line names them: path, seconds, language, transcript, tabs between",
        )
    return [
        _Row(
            row["path"],
            _number(row.get("seconds")),
            row.get("language") or "",
            row["transcript"] or "",
        )
        for row in reader
        if row["path"]
    ]


def _number(text: str | None) -> float:
    try:
        return float(text or 0.0)
    except ValueError:
        return 0.0


def _recording(path: Path, row: _Row | None) -> Recording:
    source = FileSource(path)
    source.stop()
    return Recording(
        path=path,
        seconds=source.duration or (row.seconds if row else 0.0),
        language=row.language if row else "",
        # An empty cell is a transcript only where the manifest says that nobody speaks.
        transcript=(row.transcript or None) if row and row.language != NO_LANGUAGE
        else "" if row else None,
        ends=find_words(path),
    )  # fmt: skip


def find_words(sound_file: Path) -> tuple[tuple[str, float], ...]:
    """The words of the ``NAME.words.json`` beside a recording, each with its end in seconds.

    Returns:
        Nothing where there is no such file.

    Raises:
        UsageError: it cannot be read.
    """
    path = sound_file.with_suffix(".words.json")
    if not path.is_file():
        return ()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return tuple((str(word), float(end)) for word, end in content)
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            f"{path.name} cannot be read ({type(error).__name__})",
            "it holds [[word, end in seconds], ...]",
        ) from error
