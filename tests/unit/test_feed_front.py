"""The front end on a source's way: what it holds back is given before a line ends, and when sound
was captured stays true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fake_source import PlayedSource

from engine.denoise import Denoiser
from engine.endpoint import Endpointer
from engine.feed import Feed
from engine.frontend import FrontEnd
from engine.stats import StatsCollector
from engine.types import SAMPLE_RATE, CaptionUpdate, EngineStats, Samples


class Lane:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.endpointer = Endpointer(0.032)
        self.engaged = False
        self.count = 0
        self.ended_at: list[int] = []
        self.heard_at = 0.0

    @property
    def heard_s(self) -> float:
        return self.count / SAMPLE_RATE

    def push(self, samples: Samples, heard_at: float = 0.0, **_: Any) -> list[CaptionUpdate]:
        self.count += samples.size
        self.heard_at = heard_at
        return []

    def skip(self, count: int) -> list[CaptionUpdate]:
        self.end()
        self.count += count
        return []

    def end(self) -> list[CaptionUpdate]:
        self.ended_at.append(self.count)
        return []


class Late:
    """A library that only holds back."""

    delay = 960
    left = 0.0

    def process(self, sound: Samples) -> tuple[Samples, list[float]]:
        return sound, []


@pytest.fixture
def lane() -> Lane:
    return Lane()


def feed(lane: Lane, *, live: bool = True) -> tuple[Feed, StatsCollector]:
    stats = StatsCollector()
    source = PlayedSource(np.zeros(0, np.float32), live=live)
    front = FrontEnd(Denoiser(Late()))
    return Feed(source, lane, stats, front=front), stats  # type: ignore[arg-type]


def hear(feed: Feed, sound: Samples) -> None:
    for at in range(0, sound.size, 1600):
        block = sound[at : at + 1600]
        feed.ring.write(block[:, None], 100.0 + (at + block.size) / SAMPLE_RATE)
        feed.take(paused=False, stride=1.0)


def test_what_is_held_back_comes_before_the_line_ends(lane: Lane) -> None:
    playing, _ = feed(lane)
    hear(playing, np.full(SAMPLE_RATE, 0.1, np.float32))
    assert lane.count == SAMPLE_RATE - 356
    playing.finish()
    assert lane.ended_at == [SAMPLE_RATE]


def test_lost_sound_leaves_the_clock_right(lane: Lane) -> None:
    playing, _ = feed(lane)
    hear(playing, np.full(8000, 0.1, np.float32))
    playing.ring.mark_lost(4000)
    hear(playing, np.full(8000, 0.1, np.float32))
    playing.finish()
    assert lane.count == 20_000


def test_when_it_was_captured_stays_true(lane: Lane) -> None:
    playing, _ = feed(lane)
    hear(playing, np.full(SAMPLE_RATE, 0.1, np.float32))
    assert lane.heard_at == pytest.approx(101.0 - 356 / SAMPLE_RATE)


@pytest.mark.parametrize(
    ("sound", "code", "marked"),
    [
        (lambda: np.ones(6 * SAMPLE_RATE, np.float32), "level.clipping", "clipping"),
        (lambda: np.full(6 * SAMPLE_RATE, 1e-4, np.float32), "level.quiet", "too_quiet"),
    ],
    ids=["clipping", "quiet"],
)
def test_a_device_set_wrong_is_told_once_while_somebody_speaks(
    lane: Lane, sound: Callable[[], Samples], code: str, marked: str
) -> None:
    lane.endpointer.speaking = True
    lane.engaged = True
    playing, stats = feed(lane)
    told = []
    for second in np.split(sound(), 6):
        for tenth in np.split(second, 10):
            hear(playing, tenth)
            told += playing.notices
    assert [(notice.code, notice.lane) for notice in told] == [(code, "mic")]
    seen = stats.snapshot(EngineStats("running"))
    assert getattr(seen, marked) == {"mic"}
    assert seen.rested == 0.0


def test_a_file_is_not_told_how_loud_it_should_be(lane: Lane) -> None:
    lane.endpointer.speaking = True
    playing, stats = feed(lane, live=False)
    hear(playing, np.ones(6 * SAMPLE_RATE, np.float32))
    assert playing.notices == []
    seen = stats.snapshot(EngineStats("running"))
    assert seen.peak_dbfs == {"mic": 0.0}
    assert seen.rested == 1.0
