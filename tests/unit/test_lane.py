"""A lane fed with a made-up stream, heard by a recogniser that makes no mistakes: whatever is
lost, doubled or misdated then is the policy's own doing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from caption_laws import check_laws
from fake_recognizer import Listener, Said, ScriptedDetector, script, seconds, sound
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.config import STOPS, LatencyProfile
from engine.lane import FRAME, LanePipeline
from engine.policy import Policy
from engine.types import SAMPLE_RATE, CaptionUpdate, Word

CALM = settings(deadline=None, max_examples=15)  # a busy machine is no failure

# Four stretches with pauses between them: shorter and longer than what ends a line, one of them
# longer than any window.
TALK = [
    *script("one two three four", start=0.4),
    *script("five six.", start=2.3),
    *script("seven eight nine ten eleven twelve", start=6.0),
    *script(" ".join(f"word{number}" for number in range(40)), start=11.0),
]
SPEECH = [(0.4, 1.95), (2.3, 3.05), (6.0, 8.35), (11.0, 27.0)]
END = 28.0

NAMES = list(STOPS)


def at(name: str, **changes: float) -> Policy:
    return replace(Policy.at(LatencyProfile.parse(name)), **changes)  # type: ignore[arg-type]


def lane(
    listener: Listener,
    stop: str = "balanced",
    speech: Sequence[tuple[float, float]] | None = SPEECH,
) -> LanePipeline:
    return LanePipeline(
        "mic", listener, ScriptedDetector(speech), at(stop), itertools.count().__next__, "en"
    )


def final_words(updates: Sequence[CaptionUpdate]) -> list[Word]:
    finals = {update.segment_id: update for update in updates if update.is_final}
    assert {update.segment_id for update in updates} == set(finals), "a line was never finished"
    return [word for number in sorted(finals) for word in finals[number].words]


def texts(words: Sequence[Word] | Sequence[Said]) -> list[str]:
    return [word.text for word in words]


def play(
    pipeline: LanePipeline,
    stop: float,
    *,
    start: float = 0.0,
    block: int = 1_600,
    each: Callable[[float], object] = lambda _: None,
) -> list[CaptionUpdate]:
    """Feed the stream from ``start`` to ``stop``; ``each`` is called before every block."""
    updates: list[CaptionUpdate] = []
    samples = seconds(start, stop)
    for at_sample in range(0, samples.size, block):
        each(start + at_sample / SAMPLE_RATE)
        updates += pipeline.push(samples[at_sample : at_sample + block])
    return updates


@pytest.mark.parametrize("stop", NAMES)
def test_every_word_is_there_once_in_order_at_its_time(stop: str) -> None:
    listener = Listener(TALK)
    pipeline = lane(listener, stop)
    updates = play(pipeline, END) + pipeline.end()
    check_laws(updates)
    words = final_words(updates)
    assert texts(words) == texts(TALK)
    for word, said in zip(words, TALK, strict=True):
        assert word.end == pytest.approx(said.end, abs=0.002), word.text
    assert listener.breaches == []


@pytest.mark.parametrize("stop", NAMES)
def test_hurried_words_are_all_there_though_the_window_is_cut_between_them(stop: str) -> None:
    talk = script(" ".join(f"w{number}" for number in range(90)), start=0.4, pace=0.2, length=0.15)
    listener = Listener(talk)
    pipeline = lane(listener, stop, speech=None)
    updates = play(pipeline, 20.0) + pipeline.end()
    assert texts(final_words(updates)) == texts(talk)
    assert listener.breaches == []


@pytest.mark.parametrize("stop", ["fastest", "balanced", "accurate"])
def test_a_window_too_short_for_what_is_unsettled_loses_nothing(stop: str) -> None:
    listener = Listener(TALK)
    pipeline = lane(listener, stop)
    pipeline.policy = at(stop, window=2.0, keep=0.5, context=0.3)
    updates = play(pipeline, END) + pipeline.end()
    assert texts(final_words(updates)) == texts(TALK)
    assert listener.breaches == []


@pytest.mark.parametrize("late", [-0.08, 0.06, 0.12])
@pytest.mark.parametrize("stop", ["fastest", "accurate"])
def test_attention_that_is_a_little_early_or_late_loses_nothing(stop: str, late: float) -> None:
    listener = Listener(TALK, late=late)
    pipeline = lane(listener, stop)
    updates = play(pipeline, END) + pipeline.end()
    check_laws(updates)
    assert texts(final_words(updates)) == texts(TALK)


def test_a_recogniser_without_times_loses_and_doubles_nothing() -> None:
    listener = Listener(TALK, timed=False)
    pipeline = lane(listener, "accurate")
    updates = play(pipeline, END) + pipeline.end()
    check_laws(updates)
    assert texts(final_words(updates)) == texts(TALK)


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("stop", ["fastest", "accurate"])
def test_the_window_stays_small_however_long_somebody_speaks(stop: str, timed: bool) -> None:
    talk = script(" ".join(f"w{number}" for number in range(90)), start=0.4)
    listener = Listener(talk, timed=timed)
    pipeline = lane(listener, stop, speech=None)
    updates = play(pipeline, 37.0) + pipeline.end()
    policy = at(stop)
    assert max(ask.window_s for ask in listener.asks) <= policy.window + 1.0
    assert texts(final_words(updates)) == texts(talk)


@CALM
@given(st.lists(st.integers(1, 40_000), min_size=1, max_size=12))
def test_blocks_of_any_size_give_the_same_captions(sizes: list[int]) -> None:
    stream = seconds(0.0, 9.0)
    expected = lane(Listener(TALK))
    updates = [*expected.push(stream), *expected.end()]
    pipeline = lane(Listener(TALK))
    got: list[CaptionUpdate] = []
    place = 0
    for size in itertools.cycle(sizes):
        got += pipeline.push(stream[place : place + size])
        place += size
        if place >= stream.size:
            break
    got += pipeline.end()
    assert got == updates


@CALM
@given(st.integers(0, round(9.0 * SAMPLE_RATE)), st.sampled_from(NAMES))
def test_a_stream_that_ends_anywhere_loses_nothing_that_was_said(count: int, stop: str) -> None:
    pipeline = lane(Listener(TALK), stop)
    updates = [*pipeline.push(sound(0, count)), *pipeline.end()]
    check_laws(updates)
    said = [word for word in TALK if word.end * SAMPLE_RATE <= count]
    assert texts(final_words(updates)) == texts(said)


@CALM
@given(st.lists(st.tuples(st.floats(0.0, 14.0), st.floats(0.0, 100.0)), max_size=50))
def test_moving_the_slider_loses_and_doubles_nothing(moves: list[tuple[float, float]]) -> None:
    listener = Listener(TALK)
    pipeline = lane(listener)
    waiting = sorted(moves)

    def move(now: float) -> None:
        while waiting and waiting[0][0] <= now:
            pipeline.policy = Policy.at(LatencyProfile(waiting.pop(0)[1]))

    updates = play(pipeline, 14.0, each=move) + pipeline.end()
    check_laws(updates)
    said = [word for word in TALK if word.end <= 14.0]
    assert texts(final_words(updates)) == texts(said)
    assert listener.breaches == []


@CALM
@given(st.floats(0.0, 9.0), st.sampled_from(NAMES))
@example(1.0, "balanced")
def test_a_swap_of_models_at_any_time_loses_and_doubles_no_word(moment: float, stop: str) -> None:
    pipeline = lane(Listener(TALK), stop)
    fresh = Listener(TALK)
    updates = play(pipeline, moment)
    updates += pipeline.swap(fresh)
    updates += play(pipeline, 10.0, start=round(moment * SAMPLE_RATE) / SAMPLE_RATE)
    updates += pipeline.end()
    check_laws(updates)
    assert texts(final_words(updates)) == texts([word for word in TALK if word.end <= 10.0])


@CALM
@given(st.floats(0.1, 9.0), st.floats(0.001, 3.0), st.sampled_from(NAMES))
def test_lost_sound_ends_the_line_and_shifts_no_time(
    moment: float, missing: float, stop: str
) -> None:
    pipeline = lane(Listener(TALK), stop)
    updates = play(pipeline, moment)
    before = round(moment * SAMPLE_RATE)
    gap = round(missing * SAMPLE_RATE)
    updates += pipeline.skip(gap)
    assert not pipeline.lines.is_open
    assert pipeline.heard_s == pytest.approx((before + gap) / SAMPLE_RATE)
    updates += play(pipeline, 14.0, start=(before + gap) / SAMPLE_RATE)
    updates += pipeline.end()
    check_laws(updates)
    words = final_words(updates)
    assert texts(words) == [word.text for word in TALK if heard(word, before, before + gap)]
    ends = {word.text: word.end for word in TALK}
    for word in words:
        assert word.end == pytest.approx(ends[word.text], abs=0.002), word.text


def heard(word: Said, gap_begin: int, gap_end: int) -> bool:
    """Whether the listener can hear a word although the samples of a gap are missing."""
    start, end = round(word.start * SAMPLE_RATE), round(word.end * SAMPLE_RATE)
    if end > 14.0 * SAMPLE_RATE:
        return False
    if end <= gap_begin:
        return True
    # Behind the gap nothing from before it is in the window.
    return end > gap_end and end - max(start, gap_end) > 0.6 * (end - start)


def test_three_hours_in_the_times_are_true() -> None:
    # Samples can say where they are for 17 minutes only: the words lie there, hours are lost.
    listener = Listener(TALK)
    pipeline = lane(listener)
    hours = 3 * 3600 * SAMPLE_RATE
    play(pipeline, 0.2)
    pipeline.skip(hours)
    updates = play(pipeline, 4.5, start=0.2) + pipeline.end()
    ends = [word.end for word in final_words(updates)]
    assert ends == pytest.approx([word.end + 3 * 3600 for word in TALK[:6]], abs=0.002)


@pytest.mark.parametrize("stop", NAMES)
def test_a_pause_ends_the_line(stop: str) -> None:
    pipeline = lane(Listener(TALK), stop)
    updates = play(pipeline, 5.5)
    assert not pipeline.lines.is_open, "speech ended 2.4 s ago"
    assert " ".join(update.stable for update in updates if update.is_final).endswith("five six.")


def test_silence_asks_the_recogniser_nothing() -> None:
    listener = Listener(TALK)
    pipeline = lane(listener, speech=[])
    assert play(pipeline, 20.0) == []
    assert pipeline.end() == []
    assert listener.asks == []


def test_after_a_pause_the_recogniser_is_left_alone() -> None:
    listener = Listener(TALK)
    pipeline = lane(listener)
    play(pipeline, 4.5)
    asked = len(listener.asks)
    play(pipeline, 5.9, start=4.5)
    assert len(listener.asks) == asked


def test_a_long_pause_is_left_out_of_the_window() -> None:
    listener = Listener(TALK)
    pipeline = lane(listener)
    pipeline.policy = at("balanced", endpoint=3.0, context=99.0)
    updates = play(pipeline, 8.6) + pipeline.end()
    # Heard: 1.5 s, 0.7 s and 2.3 s of speech, the sound before it and what follows each.
    assert max(ask.window_s for ask in listener.asks) < 7.5
    ends = [word.end for word in final_words(updates)]
    assert ends == pytest.approx([word.end for word in TALK[:12]], abs=0.002)


def test_the_beginning_of_a_word_is_heard_though_the_detector_is_late() -> None:
    listener = Listener(TALK)
    pipeline = lane(listener, speech=[(0.6, 1.95)])
    updates = play(pipeline, 2.2) + pipeline.end()
    assert texts(final_words(updates))[0] == "one"


def test_without_time_for_partials_the_line_still_comes_whole() -> None:
    listener = Listener(TALK)
    pipeline = lane(listener)
    updates: list[CaptionUpdate] = []
    stream = seconds(0.0, 9.5)
    for place in range(0, stream.size, FRAME):
        updates += pipeline.push(stream[place : place + FRAME], decode=False)
    updates += pipeline.end()
    assert texts(final_words(updates)) == texts(TALK[:12])
    assert len(listener.asks) == 2, "once for each line, when it ends"


def test_a_wider_stride_asks_less_often() -> None:
    counts = []
    for stride in (1.0, 3.0):
        listener = Listener(TALK)
        pipeline = lane(listener)
        for block in np.array_split(seconds(0.0, 9.5), 100):
            pipeline.push(block, stride=stride)
        counts.append(len(listener.asks))
    assert counts[1] < 0.6 * counts[0]


def test_an_end_may_be_followed_by_more_sound() -> None:
    pipeline = lane(Listener(TALK))
    updates = play(pipeline, 1.2) + pipeline.end()
    assert pipeline.end() == []
    updates += play(pipeline, 4.5, start=1.2) + pipeline.end()
    check_laws(updates)
    said = texts(final_words(updates))
    assert said[0] == "one"
    assert said[-3:] == ["four", "five", "six."]


def test_an_empty_stream_is_nothing() -> None:
    pipeline = lane(Listener(TALK))
    assert pipeline.push(np.zeros(0, np.float32)) == []
    assert pipeline.end() == []


def test_updates_say_when_they_were_heard() -> None:
    pipeline = lane(Listener(TALK))
    stream = seconds(0.0, 4.5)
    for number, block in enumerate(np.array_split(stream, 45)):
        for update in pipeline.push(block, heard_at=float(number)):
            assert update.heard_at == float(number)
