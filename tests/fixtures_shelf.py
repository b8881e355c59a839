"""A talk over models that change and fail while it runs, each signing every word it hears."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from caption_laws import check_laws
from fake_models import LIMIT_S, Shelf, files
from fake_recognizer import ScriptedDetector, script, seconds
from fake_source import PlayedSource

import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.session import Session
from engine.sinks.memory import MemorySink

# A pause of a second, then a stretch without one that is longer than a swap waits for it.
TALK = [
    *script("one two three four", start=0.4),
    *script("five six seven eight nine ten eleven twelve thirteen", start=3.0),
]
SPEECH = [(0.4, 1.95), (3.0, 6.55)]
END_S = 7.5
SOUND = seconds(0.0, END_S)
WORDS = [word.text for word in TALK]
CONFIG = EngineConfig(
    model=files("a"), vad=files("a"), profile=LatencyProfile.parse("balanced"), provider="cpu"
)
Doing = dict[float, Callable[[Session], object]]


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    shelf = Shelf(TALK)
    # The newest shelf counts, for tests that make many.
    monkeypatch.setattr(engine.loading, "load", lambda *asked: current[0](*asked))
    monkeypatch.setattr(engine.loading, "why_not", lambda asked: f"{asked} is broken: mend it")
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector(SPEECH))
    current = [shelf]
    shelf.replace = lambda: current.__setitem__(0, Shelf(TALK)) or current[0]  # type: ignore[attr-defined]
    yield shelf
    for gate in shelf.gates.values():
        gate.set()


def play(doing: Doing, config: EngineConfig = CONFIG, lanes: Sequence[str] = ("mic",)) -> Played:
    """A whole session; what to do is done at the exact places of the first lane's stream."""
    session: Session
    sink = MemorySink()
    acts = {at: lambda _, act=act: act(session) for at, act in doing.items()}
    sources = [PlayedSource(SOUND, lane=lanes[0], doing=acts)]
    sources += [PlayedSource(SOUND, lane=lane) for lane in lanes[1:]]
    session = Session(config, sources, [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    return Played(session, sink)


class Played:
    """What came of it."""

    def __init__(self, session: Session, sink: MemorySink) -> None:
        self.session = session
        self.sink = sink

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.sink.notices]

    def heard_by(self, lane: str = "mic") -> list[str]:
        """The model that heard each word, once it is certain that all words are there, once, at
        their times."""
        check_laws(self.sink.updates)
        finals = [update for update in self.sink.finals if update.lane == lane]
        words = [word for update in finals for word in update.words]
        assert [word.text.partition("/")[0] for word in words] == WORDS
        assert [word.end for word in words] == pytest.approx([w.end for w in TALK], abs=0.002)
        assert self.session.stats().audio_s == pytest.approx(
            END_S * len({update.lane for update in self.sink.finals})
        )
        assert self.session.stats().lost_samples == 0
        assert {update.segment_id for update in self.sink.updates} == {
            update.segment_id for update in self.sink.finals
        }
        return [word.text.partition("/")[2] for word in words]


def to(name: str) -> Callable[[Session], None]:
    return lambda session: session.swap_model(files(name))
