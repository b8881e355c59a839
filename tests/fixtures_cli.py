"""The command line without the engine: a session that captions a fixed text, models of zeros."""

from __future__ import annotations

import shutil
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial
from fixtures_recordings import ASSETS

from engine.bus import CaptionBus
from engine.config import Provider
from engine.errors import CaptionglassError
from engine.sinks.base import Sink
from engine.types import CaptionUpdate, StreamSummary
from models import pins
from models.catalogue import load
from models.https import Fetched
from models.spec import ModelFiles, ModelSpec


class FakeSession:
    """Has the face of ``engine.session.Session`` and captions a fixed text.

    Attributes:
        made: the newest one.
        script: what it publishes.
        during: called in each ``wait`` until it returns True.
        fails_with: its error at the end.
    """

    made: FakeSession
    script: Sequence[CaptionUpdate] = ()
    during: Callable[[FakeSession], bool] = staticmethod(lambda _: True)
    fails_with: CaptionglassError | None = None

    def __init__(self, config: Any, sources: Sequence[Any], sinks: Sequence[Sink] = ()) -> None:
        type(self).made = self
        self.config = config
        self.sources = list(sources)
        self.bus = CaptionBus(sinks)
        self.error: CaptionglassError | None = None
        self.swapped: list[tuple[str, float, Provider | None]] = []
        self.waits = 0
        self.stops = 0

    def start(self) -> None:
        self.bus.open(HEADER)
        for update in self.script:
            self.bus.publish(update)

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None, "the command must stay awake for Ctrl-C"
        self.waits += 1
        return self.during(self)

    def stop(self, timeout: float = 5.0) -> StreamSummary:
        assert timeout > 0
        self.stops += 1
        self.error = self.fails_with
        for source in self.sources:
            source.stop()
        self.bus.close(SUMMARY)
        return SUMMARY

    def swap_model(
        self, files: ModelFiles, at: float = 0.0, provider: Provider | None = None
    ) -> None:
        self.swapped.append((files.spec.id, at, provider))


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> type[FakeSession]:
    """Stands in for the engine; captions two lines."""

    class Session(FakeSession):
        script = (partial(0, 0, "hello"), final(0, 1, "hello world"), final(1, 0, "second", at=2.0))

    module = types.ModuleType("engine.session")
    module.Session = Session  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "engine.session", module)
    return Session


_LARGE = 50_000_000
"""Bytes; tests that hash what is there hash all of it."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder in which every small model seems whole; the bytes are all zero."""
    root = tmp_path / "models"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))
    for spec in load():
        if spec.size < _LARGE:
            pretend(spec, root)
    return root


def pretend(spec: ModelSpec, root: Path) -> None:
    (root / spec.id).mkdir(parents=True)
    for file in spec.files:
        with (root / spec.id / file.name).open("wb") as stream:
            stream.truncate(file.size)
    if not spec.pinned:
        zeros = Fetched(0, "0" * 64)
        pins.write(
            root / spec.id, {file.name: replace(zeros, size=file.size) for file in spec.files}
        )


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    """Real speech under a name that is hard on programs."""
    return Path(shutil.copy(ASSETS / "demo.wav", tmp_path / "my talk 讲话 🎧.wav"))


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("captionglass: ")
    return line
