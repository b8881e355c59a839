"""A talk of ten words for whole sessions, heard by a recogniser that makes no mistakes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from fake_recognizer import SPEC, Listener, ScriptedDetector, script, seconds

import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.types import StreamSummary
from models.spec import ModelFiles

TALK = [
    *script("one two three four", start=0.4),
    *script("five six", start=3.0),
    *script("seven eight nine ten", start=5.0),
]
SPEECH = [(0.4, 1.95), (3.0, 3.75), (5.0, 6.55)]
SOUND = seconds(0.0, 7.5)
WORDS = [word.text for word in TALK]
LIMIT_S = 20.0
"""Far above what anything here takes: a session that hangs fails the test."""

FILES = ModelFiles(SPEC, Path("nowhere"))
CONFIG = EngineConfig(model=FILES, vad=FILES, profile=LatencyProfile.parse("balanced"))


class Loader:
    """Stands in for loading weights.

    Attributes:
        model: what is loaded.
        fails_with: raised instead.
        gate: loading waits for it.
    """

    def __init__(self) -> None:
        self.model = Listener(TALK)
        self.fails_with: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, files: ModelFiles, provider: str) -> Listener:
        del files, provider
        assert self.gate.wait(LIMIT_S)
        if self.fails_with is not None:
            raise self.fails_with
        return self.model


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    loader = Loader()
    monkeypatch.setattr(engine.loading, "load", loader)
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector(SPEECH))
    return loader


def played(session: Session) -> StreamSummary:
    """Run it to its end."""
    session.start()
    assert session.wait(LIMIT_S)
    return session.stop()


def codes(sink: MemorySink) -> list[str]:
    return [notice.code for notice in sink.notices]


def texts(sink: MemorySink) -> list[str]:
    return [word.text for update in sink.finals for word in update.words]


def all_final(sink: MemorySink) -> bool:
    return {update.segment_id for update in sink.finals} == {
        update.segment_id for update in sink.updates
    }
