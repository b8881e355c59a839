"""The real recordings under ``tests/audio``: speech with its words and their times, and noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

AUDIO = Path(__file__).parent / "audio"
ASSETS = Path(__file__).parent.parent / "assets"


@dataclass(frozen=True, slots=True)
class Recording:
    """One file of ``tests/audio/manifest.tsv``.

    Attributes:
        path: FLAC or WAV, 16 kHz mono.
        seconds: length.
        transcript: what is said; empty where nobody speaks.
        words: ``(word, end in seconds)``, lower case, force-aligned to about 50 ms; empty
            where nobody speaks.
    """

    path: Path
    seconds: float
    transcript: str
    words: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


class Recordings(Sequence[Recording]):
    """All of them, in the manifest's order; also by kind and by name."""

    def __init__(self, everything: list[Recording]) -> None:
        self._all = everything

    def __getitem__(self, index: int) -> Recording:  # type: ignore[override]
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def named(self, name: str) -> Recording:
        """The one of that name (no ending); KeyError where there is none."""
        for recording in self._all:
            if recording.name == name:
                return recording
        raise KeyError(f"no recording is called {name!r}: {[each.name for each in self._all]}")

    @property
    def clean(self) -> list[Recording]:
        """Single short utterances of clear English."""
        return [each for each in self._all if each.path.parent.name == "en_clean"]

    @property
    def long(self) -> list[Recording]:
        """Longer English, with pauses."""
        return [each for each in self._all if each.path.parent.name == "en_long"]

    @property
    def nonspeech(self) -> list[Recording]:
        """Noise, music, silence: nothing may be captioned."""
        return [each for each in self._all if each.path.parent.name == "nonspeech"]


@pytest.fixture(scope="session")
def recordings() -> Recordings:
    """The recordings that the tests rest on."""
    lines = (AUDIO / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    return Recordings([_recording(line.split("\t")) for line in lines[1:]])


@pytest.fixture(scope="session")
def demo() -> Recording:
    """The recording that ships with the product, with its words."""
    path = ASSETS / "demo.wav"
    transcript = (ASSETS / "demo.txt").read_text(encoding="utf-8").strip()
    return Recording(path, 44.37, transcript, _words(ASSETS / "demo.words.json"))


def _recording(row: list[str]) -> Recording:
    path = AUDIO / row[0]
    return Recording(path, float(row[1]), row[3], _words(path.with_suffix(".words.json")))


def _words(path: Path) -> tuple[tuple[str, float], ...]:
    if not path.exists():
        return ()
    return tuple((word, end) for word, end in json.loads(path.read_text(encoding="utf-8")))
