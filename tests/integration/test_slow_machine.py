"""What a session does on a machine that is too slow: wider steps, then fewer drafts, then a marked
gap; never a lag that grows. Its clock is a made-up one (``slow_machine``), the rest is real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from caption_laws import check_laws
from fake_models import OneSmaller, files
from fake_recognizer import SPEC, Ask, Said, script, seconds
from slow_machine import SlowDetector, SlowListener, SlowMachine

import engine.bus
import engine.loading
import engine.worker
from engine.config import EngineConfig, LatencyProfile
from engine.policy import Policy
from engine.session import Session
from engine.sinks.memory import MemorySink
from models.smaller import SmallerModels
from models.spec import ModelFiles

FILES = ModelFiles(SPEC, Path("nowhere"))
BALANCED = LatencyProfile.parse("balanced")
STEP_S = Policy.at(BALANCED).step
LIMIT_S = 60.0
"""Far above what anything here takes: a session that hangs fails the test."""


def talk(groups: int, words: int, pause: float) -> tuple[list[Said], list[tuple[float, float]]]:
    """So many stretches of speech of so many words, and where they lie."""
    said: list[Said] = []
    speech: list[tuple[float, float]] = []
    at = 0.5
    for group in range(groups):
        said += script(" ".join(f"w{group}x{word}" for word in range(words)), start=at)
        speech.append((at, said[-1].end + 0.05))
        at = said[-1].end + pause
    return said, speech


LONG = talk(1, 150, 1.0)
PAUSES = talk(5, 25, 1.0)
SHORT = talk(25, 4, 0.7)


class Desk:
    """A machine, and a session on it that hears a talk from beginning to end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = SlowMachine()
        self.sink = MemorySink()
        self.session: Session
        self.listener: SlowListener
        self.smaller: SmallerModels | None = None
        self.others: dict[str, SlowListener] = {}  # by id, besides ``listener``
        self._monkeypatch = monkeypatch
        for module in (engine.worker, engine.bus):
            monkeypatch.setattr(module, "time", self.machine)

    def hear(
        self,
        said: tuple[list[Said], list[tuple[float, float]]],
        cost: float | Callable[[Ask], float],
        *,
        frame_cost: float = 0.0005,
        lanes: tuple[str, ...] = ("mic",),
        also: Callable[[Session], None] = lambda _: None,
    ) -> None:
        words, speech = said
        machine = self.machine
        price = cost if callable(cost) else lambda _: cost
        self.listener = listener = SlowListener(machine, words, price)
        detector = lambda _: SlowDetector(machine, speech, frame_cost)  # noqa: E731
        self._monkeypatch.setattr(engine.loading, "load", self._load)
        self._monkeypatch.setattr(engine.worker, "SileroVad", detector)
        sound = seconds(0.0, words[-1].end + 1.5)
        microphones = [machine.microphone(sound, lane) for lane in lanes]
        config = EngineConfig(FILES, FILES, BALANCED, smaller=self.smaller)
        self.session = Session(config, microphones, [self.sink])
        also(self.session)
        self.session.start()
        assert self.session.wait(LIMIT_S)
        assert self.session.error is None
        check_laws(self.sink.updates)
        finals = {update.segment_id for update in self.sink.finals}
        assert finals == {update.segment_id for update in self.sink.updates}, "a line has no end"
        assert listener.breaches == []

    def _load(self, files: ModelFiles, provider: str) -> SlowListener:
        del provider
        return self.others.get(files.spec.id, self.listener)

    def texts(self, lane: str = "mic") -> list[str]:
        finals = [update for update in self.sink.finals if update.lane == lane]
        return [word.text for update in finals for word in update.words]

    def notices(self, code: str) -> list[str]:
        return [notice.remedy for notice in self.sink.notices if notice.code == code]

    @property
    def lags(self) -> list[float]:
        """Seconds from the end of the newest word to when it or a later one was first shown."""
        newest: dict[float, float] = {}  # by time: one decode may give several updates
        for at, update in zip(self.sink.times, self.sink.updates, strict=True):
            if update.end > max(newest.values(), default=0.0):
                newest[at] = update.end
        return [at - end for at, end in newest.items()]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def names(said: tuple[list[Said], list[tuple[float, float]]]) -> list[str]:
    return [word.text for word in said[0]]


def test_a_machine_that_keeps_up_is_told_nothing(desk: Desk) -> None:
    desk.hear(PAUSES, 0.1)
    assert desk.texts() == names(PAUSES)
    # The recording is a quiet one, and that is told; the machine is not.
    assert [each.code for each in desk.sink.notices if each.code.startswith("engine.")] == []
    assert desk.machine.worst_backlog_s < 0.3


@pytest.mark.parametrize("cost", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("said", [LONG, PAUSES, SHORT], ids=["long", "pauses", "short"])
def test_wider_steps_and_fewer_drafts_keep_up_without_a_gap(
    desk: Desk, said: tuple[list[Said], list[tuple[float, float]]], cost: float
) -> None:
    desk.hear(said, cost)
    assert desk.texts() == names(said)
    assert desk.notices("engine.gap") == []
    assert desk.machine.worst_backlog_s < 2.0
    (remedy,) = desk.notices("engine.slow")
    assert "smaller model" in remedy


def test_the_smaller_model_to_choose_is_named(desk: Desk) -> None:
    desk.smaller = OneSmaller(files("tiny"))
    desk.hear(LONG, 0.6)
    assert desk.notices("engine.slow") == [
        "choose a smaller model such as tiny, or close what else is working"
    ]


@pytest.mark.parametrize("cost", [1.5, 1.9])
@pytest.mark.parametrize("said", [LONG, PAUSES, SHORT], ids=["long", "pauses", "short"])
def test_beyond_that_no_more_waits_than_comes_in_during_a_decode(
    desk: Desk, said: tuple[list[Said], list[tuple[float, float]]], cost: float
) -> None:
    desk.hear(said, cost)
    assert desk.machine.worst_backlog_s < 2.0 + cost
    assert len(desk.texts()) > len(said[0]) / 2
    missing = len(desk.texts()) < len(said[0])
    assert bool(desk.notices("engine.gap")) == missing


@pytest.mark.parametrize("cost", [0.3, 1.0, 1.9])
def test_the_lag_of_words_does_not_grow(desk: Desk, cost: float) -> None:
    desk.hear(LONG, cost)
    assert desk.texts() == names(LONG)
    lags = desk.lags
    third = len(lags) // 3
    assert median(lags[-third:]) <= median(lags[:third]) + 0.1
    # A word waits for the decode under way, for its own, and for what the policy asks of it.
    assert max(lags) < 2.0 * cost + STEP_S + 1.0


def test_the_decodes_take_their_share_of_the_time_and_no_more(desk: Desk) -> None:
    desk.hear(LONG, 0.6)
    spoken = LONG[0][-1].end
    assert 0.6 < 0.6 * len(desk.listener.asks) / spoken < 0.9


def test_a_slow_detector_hides_no_slow_recogniser(desk: Desk) -> None:
    # Turns without a decode then take long enough to pass for quick decodes.
    desk.hear(PAUSES, 1.0, frame_cost=0.004)
    assert desk.texts() == names(PAUSES)
    assert len(desk.notices("engine.slow")) == 1


def test_lanes_share_what_there_is(desk: Desk) -> None:
    desk.hear(PAUSES, 0.6, lanes=("mic", "system"))
    assert desk.texts("mic") == desk.texts("system") == names(PAUSES)
    assert desk.notices("engine.gap") == []
    assert desk.machine.worst_backlog_s < 2.0


@pytest.mark.parametrize("cost", [3.0, 8.0])
@pytest.mark.parametrize("said", [LONG, PAUSES], ids=["long", "pauses"])
def test_an_impossible_speed_leaves_marked_gaps_and_true_times(
    desk: Desk, said: tuple[list[Said], list[tuple[float, float]]], cost: float
) -> None:
    desk.hear(said, cost)
    texts = desk.texts()
    assert len(texts) > 10, "captions still come"
    assert len(set(texts)) == len(texts)
    assert all(desk.notices("engine.gap"))
    assert len(desk.notices("engine.slow")) == 1
    ends = {word.text: word.end for word in said[0]}
    for update in desk.sink.finals:
        for word in update.words:
            assert word.end == pytest.approx(ends[word.text], abs=0.002)
    # No more waits than comes in while the machine is at one decode.
    assert desk.machine.worst_backlog_s < cost + 0.5
    shown = [at for at, update in zip(desk.sink.times, desk.sink.updates, strict=True)
             if update.words]  # fmt: skip
    assert max(later - sooner for sooner, later in pairwise(shown)) < 4.0 * cost + 2.0


def test_so_slow_that_the_ring_overflows(desk: Desk) -> None:
    desk.hear(LONG, 25.0)
    assert desk.texts()
    assert desk.notices("engine.gap")
    ends = {word.text: word.end for word in LONG[0]}
    for update in desk.sink.finals:
        for word in update.words:
            assert word.end == pytest.approx(ends[word.text], abs=0.002)


def test_once_it_is_fast_again_captions_are_as_early_as_ever(desk: Desk) -> None:
    busy = (10.0, 25.0)
    desk.hear(LONG, lambda ask: 1.2 if busy[0] < ask.ends_at < busy[1] else 0.05)
    assert desk.texts() == names(LONG)
    assert len(desk.notices("engine.slow")) == 1
    asks = desk.listener.asks
    early, late = (sum(start < ask.ends_at < start + 8.0 for ask in asks) for start in (1.0, 50.0))
    assert late == pytest.approx(early, rel=0.1)


def test_another_model_is_judged_by_itself(desk: Desk) -> None:
    def swap(session: Session) -> None:
        quick = SlowListener(desk.machine, LONG[0], lambda _: 0.05)
        desk.others["quick"] = quick
        session.swap_model(replace(FILES, spec=replace(SPEC, id="quick")), at=20.0)

    desk.hear(LONG, 1.2, also=swap)
    assert desk.texts() == names(LONG)
    asks = [ask for ask in desk.others["quick"].asks if ask.ends_at > 22.0]
    steps = [later.ends_at - sooner.ends_at for sooner, later in pairwise(asks)]
    assert sorted(steps)[len(steps) // 2] < 2 * STEP_S
