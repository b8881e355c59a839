"""What a feed tells its lane: the sound, when it was captured, and where on the clock it lies."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from fake_source import PlayedSource

from engine.endpoint import Endpointer
from engine.errors import SourceError
from engine.feed import Feed
from engine.inlet import Inlet, StreamClock
from engine.stats import StatsCollector
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples


class CountingLane:
    """A lane that captions nothing and remembers what it was given.

    Attributes:
        pushed: (stream sample, count, heard_at) of each piece.
    """

    def __init__(self) -> None:
        self.pushed: list[tuple[int, int, float]] = []
        self.endpointer = Endpointer(0.032)
        self.ends = 0
        self.engaged = False
        self._next = 0

    @property
    def heard_s(self) -> float:
        return self._next / SAMPLE_RATE

    def push(self, samples: Samples, heard_at: float = 0.0, **_: Any) -> list[CaptionUpdate]:
        self.pushed.append((self._next, samples.size, heard_at))
        self._next += samples.size
        return []

    def skip(self, count: int) -> list[CaptionUpdate]:
        self.ends += 1
        self._next += count
        return []

    def end(self) -> list[CaptionUpdate]:
        self.ends += 1
        return []


def feed(
    rate: int, lane: CountingLane, begins_at: float = 0.0, clock: StreamClock | None = None
) -> Feed:
    source = PlayedSource(np.zeros(0, np.float32), rate=rate, live=True)
    return Feed(source, lane, StatsCollector(), begins_at, clock=clock)  # type: ignore[arg-type]


def hear(feed: Feed, began: float, seconds: float, *, value: float = 1.0) -> None:
    """Sound captured from ``began`` on; taken at once."""
    rate = feed.source.sample_rate
    begins = feed.ring.began_at is None
    feed.ring.write(np.full((round(seconds * rate), 1), value, np.float32), began + seconds)
    if begins:
        feed.ring.began_at = began
    take_all(feed)


def take_all(feed: Feed) -> None:
    feed.take(paused=False, stride=1.0)
    for _ in range(200):
        if feed.ring.pending:
            feed.take(paused=False, stride=1.0)
    assert not feed.ring.pending


def play(feed: Feed, blocks: Sequence[int], *, paused: Sequence[bool] = ()) -> int:
    """Write and take one block after another; returns the frames written."""
    rate, written = feed.source.sample_rate, 0
    for number, size in enumerate(blocks):
        written += size
        feed.ring.write(np.ones((size, 1), np.float32), written / rate)
        feed.take(paused=bool(paused) and paused[number % len(paused)], stride=1.0)
    return written


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
@pytest.mark.parametrize("size", [441, 480, 1_024])
def test_a_long_pause_costs_no_time(rate: int, size: int) -> None:
    lane = CountingLane()
    paused = feed(rate, lane)
    written = play(paused, [size] * 3_000, paused=[True])
    assert lane.heard_s == pytest.approx(written / rate, abs=1 / SAMPLE_RATE)


def test_pausing_again_and_again_costs_no_time() -> None:
    lane = CountingLane()
    written = play(feed(44_100, lane), [1_024] * 2_000, paused=[True, False, False])
    # What the resampler still holds is yet to come.
    assert lane.heard_s == pytest.approx(written / 44_100, abs=0.05)
    assert lane.heard_s <= written / 44_100 + 1 / SAMPLE_RATE


def test_losses_cost_no_time() -> None:
    lane = CountingLane()
    losing = feed(44_100, lane, begins_at=7.25)
    frames = 0
    for _ in range(1_000):
        losing.ring.mark_lost(37)
        frames += 37 + play(losing, [512])
    losing.finish()
    assert lane.heard_s == pytest.approx(7.25 + frames / 44_100, abs=2 / SAMPLE_RATE)


@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_what_is_finished_before_a_gap_was_captured_before_it(rate: int) -> None:
    lane = CountingLane()
    losing = feed(rate, lane)
    play(losing, [rate // 10] * 3)
    losing.ring.mark_lost(rate)
    play(losing, [rate // 10])
    losing.finish()
    times = [heard_at for _, _, heard_at in lane.pushed]
    assert min(times) > 0.0
    assert lane.ends >= 2


def test_catching_up_leaves_out_the_oldest() -> None:
    lane = CountingLane()
    slow = feed(48_000, lane)
    play(slow, [4_800] * 5)
    for block in range(40):
        slow.ring.write(np.ones((4_800, 1), np.float32), 0.6 + block / 10)
    updates, dropped = slow.catch_up(2.0, 0.3)
    assert updates == []
    assert dropped == pytest.approx(3.7)
    assert slow.lag_s == pytest.approx(0.3)
    assert lane.heard_s == pytest.approx(0.5 + 3.7)
    assert lane.ends, "what was heard before is finished"


def test_the_clock_begins_with_the_first_sample_even_if_nobody_heard_it() -> None:
    late = feed(16_000, CountingLane())
    for block in range(40):
        late.ring.write(np.ones((1_600, 1), np.float32), 100.1 + block / 10)
    late.catch_up(2.0, 0.3)
    assert late.first_captured_at == pytest.approx(100.0)


def test_there_is_nothing_to_catch_up_with_below_the_limit() -> None:
    lane = CountingLane()
    quick = feed(16_000, lane)
    quick.ring.write(np.ones((30_000, 1), np.float32), 0.0)
    assert quick.catch_up(2.0, 0.3) == ([], 0.0)
    assert quick.lag_s == pytest.approx(30_000 / 16_000)
    assert lane.ends == 0


def test_what_comes_while_a_line_is_finished_is_left_out_too() -> None:
    class SlowLane(CountingLane):
        """Takes three seconds to finish the line that is open."""

        open = True

        def end(self) -> list[CaptionUpdate]:
            if self.open:
                self.open = False
                fresh.ring.write(np.ones((48_000, 1), np.float32), 6.0)
            return super().end()

    lane = SlowLane()
    fresh = feed(16_000, lane)
    fresh.ring.write(np.ones((48_000, 1), np.float32), 3.0)
    _, dropped = fresh.catch_up(2.0, 0.3)
    assert dropped == pytest.approx(5.7)
    assert fresh.lag_s == pytest.approx(0.3)
    assert lane.heard_s == pytest.approx(5.7)


def test_lanes_whose_devices_began_at_different_times_share_one_clock() -> None:
    first, second, clock = CountingLane(), CountingLane(), StreamClock()
    mic, system = feed(16_000, first, clock=clock), feed(48_000, second, clock=clock)
    hear(mic, 100.0, 0.1)
    hear(system, 101.5, 0.1)
    assert second.pushed[0][0] == pytest.approx(1.5 * SAMPLE_RATE, abs=1)
    assert system.spoken_at == pytest.approx(100.0)
    # The one that began is not moved any more.
    hear(mic, 100.1, 0.1)
    assert first.pushed[0][0] == 0
    assert first.heard_s == pytest.approx(0.2, abs=0.05)


def follow(feed: Feed, rate: int = 16_000) -> None:
    """Its source breaks off, and another is opened."""
    feed.ring.close(SourceError("gone"))
    feed.take(paused=False, stride=1.0)
    assert feed.ended
    source = PlayedSource(np.zeros(0, np.float32), rate=rate, live=True)
    feed.follow(Inlet(source))
    assert not feed.ended


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
def test_a_source_opened_anew_goes_on_at_the_time_that_has_passed(rate: int) -> None:
    lane = CountingLane()
    mic = feed(48_000, lane, clock=StreamClock())
    hear(mic, 100.0, 2.0)
    mic.ring.mark_lost(480)
    follow(mic, rate)
    hear(mic, 105.25, 0.1)
    assert mic.gap == pytest.approx((2.0, 5.25), abs=1e-3)
    assert mic.lost == 480
    mic.ring.mark_lost(rate // 2)
    hear(mic, 105.85, 1.0)
    mic.ring.close()
    take_all(mic)
    assert lane.heard_s == pytest.approx(6.85, abs=1e-3)
    assert mic.gap is None
    assert mic.lost == 480 + rate // 2


def test_what_both_sources_captured_is_heard_once() -> None:
    """The new one is opened before the old one is closed, so that nothing is missed."""
    lane = CountingLane()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, 100.0, 2.0)
    follow(mic)
    mic.ring.write(np.ones((640, 1), np.float32), 101.99)
    mic.ring.began_at = 101.95
    assert mic.take(paused=False, stride=1.0) == ([], 0.0), "more will tell better when it began"
    hear(mic, 101.99, 0.5)
    mic.ring.close()
    take_all(mic)
    assert mic.gap is None
    assert lane.heard_s == pytest.approx(2.49, abs=1e-3)
    assert sum(count for _, count, _ in lane.pushed) == pytest.approx(2.49 * SAMPLE_RATE, abs=2)


def test_sleep_counts_as_time() -> None:
    lane, clock = CountingLane(), StreamClock()
    mic = feed(16_000, lane, clock=clock)
    hear(mic, 100.0, 1.0)
    clock.slept(3_600.0)
    follow(mic)
    hear(mic, 101.5, 0.1)
    assert mic.gap == pytest.approx((1.0, 3_601.5), abs=1e-3)


def test_a_pause_nobody_told_of_costs_no_time() -> None:
    lane = CountingLane()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, 100.0, 1.0)
    mic.ring.write(np.ones((1_600, 1), np.float32), 102.1)
    assert mic.take(paused=False, stride=1.0)[1] == 0.0, "others may wait behind it"
    mic.ring.close()
    mic.take(paused=False, stride=1.0)
    assert mic.gap == pytest.approx((1.0, 2.0), abs=1e-3)
    take_all(mic)
    assert lane.heard_s == pytest.approx(2.1, abs=1e-3)


def test_sound_that_only_came_late_is_no_gap() -> None:
    lane, now = CountingLane(), time.monotonic()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, now - 2.0, 1.0)
    for _ in range(10):
        mic.ring.write(np.ones((1_600, 1), np.float32), now)
    mic.ring.close()
    take_all(mic)
    assert mic.gap is None
    assert lane.heard_s == pytest.approx(2.0, abs=1e-3)


def test_exact_zeros_are_told_from_a_quiet_room() -> None:
    mic = feed(16_000, CountingLane(), clock=StreamClock())
    hear(mic, 100.0, 1.0, value=1e-6)
    assert mic.inlet.sounded
    assert mic.inlet.quiet_since is None
    hear(mic, 101.0, 1.0, value=0.0)
    assert mic.inlet.quiet_since == pytest.approx(101.0)
    hear(mic, 102.0, 0.1)
    assert mic.inlet.quiet_since is None
    assert mic.inlet.quiet_from == pytest.approx(1.0, abs=0.05)
    assert mic.inlet.sounded_from == pytest.approx(2.0, abs=0.05)


def test_a_pause_while_nothing_plays_is_silence_and_no_gap() -> None:
    lane = CountingLane()
    system = feed(16_000, lane, clock=StreamClock())
    system.inlet.may_pause = True
    hear(system, 100.0, 1.0)
    system.ring.write(np.ones((1_600, 1), np.float32), 102.1)
    system.ring.close()
    take_all(system)
    assert system.gap is None
    assert lane.heard_s == pytest.approx(2.1, abs=1e-3)


def test_sound_handed_over_before_it_is_played_and_the_pause_behind_it_are_no_gap() -> None:
    lane = CountingLane()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, 100.0, 1.0)
    for _ in range(20):
        mic.ring.write(np.ones((1_600, 1), np.float32), 101.1)
    take_all(mic)
    mic.ring.write(np.ones((1_600, 1), np.float32), 103.1)
    assert mic.take(paused=False, stride=1.0)[1] == pytest.approx(0.1)
    assert mic.gap is None
    mic.ring.close()
    take_all(mic)
    assert lane.heard_s == pytest.approx(3.1, abs=1e-3)


def test_a_clock_a_little_slow_for_hours_is_no_gap() -> None:
    lane = CountingLane()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, 100.0, 0.1)
    for step in range(1, 10_000):
        mic.ring.write(np.ones((1_600, 1), np.float32), 100.1 + step * 0.1 * (1 + 3e-4))
        mic.take(paused=False, stride=1.0)
        assert mic.gap is None


def test_a_beginning_that_was_noticed_late_does_not_misplace_what_is_opened_later() -> None:
    """A busy machine: the first block was there 0.3 s before anybody came to take it."""
    lane = CountingLane()
    mic = feed(16_000, lane, clock=StreamClock())
    hear(mic, 100.3, 0.1)
    for step in range(1, 300):
        mic.ring.write(np.ones((1_600, 1), np.float32), 100.1 + step * 0.1)
        take_all(mic)
    follow(mic)
    hear(mic, 132.0, 0.1)
    assert mic.gap == pytest.approx((30.0, 32.0), abs=0.02)
