from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from engine.errors import SourceError
from engine.ring import SampleRing
from engine.types import AudioChunk, Samples


def _count(begin: int, frames: int, channels: int = 1) -> Samples:
    """Samples that say where they stand: exact in float32 up to 2**24."""
    row = np.arange(begin, begin + frames, dtype=np.float32)
    return np.repeat(row[:, np.newaxis], channels, axis=1)


def _read_all(ring: SampleRing, max_frames: int = 10_000) -> list[AudioChunk]:
    chunks = []
    while (chunk := ring.read(max_frames)) is not None:
        chunks.append(chunk)
    return chunks


def test_what_is_written_is_read_in_order() -> None:
    ring = SampleRing(1000, 1, 1.0)
    for begin in range(0, 900, 30):
        ring.write(_count(begin, 30), 0.0)
    assert ring.pending == 900
    chunks = _read_all(ring, 64)
    assert [len(chunk.samples) for chunk in chunks] == [64] * 14 + [4]
    assert np.array_equal(np.concatenate([each.samples for each in chunks]), _count(0, 900)[:, 0])
    assert [chunk.first_sample for chunk in chunks] == list(range(0, 900, 64))
    assert (ring.pending, ring.lost, ring.written) == (0, 0, 900)
    assert ring.read(10) is None


def test_it_wraps_round_at_a_ragged_place() -> None:
    ring = SampleRing(100, 2, 1.0)
    position = 0
    for frames in [7, 93, 41, 99, 100, 1, 63] * 5:
        ring.write(_count(position, frames, 2), 0.0)
        chunk = ring.read(1000)
        assert chunk is not None
        assert np.array_equal(chunk.samples, _count(position, frames)[:, 0])
        assert chunk.first_sample == position
        position += frames
    assert ring.lost == 0


def test_channels_are_averaged_to_float32() -> None:
    ring = SampleRing(100, 2)
    ring.write(np.array([[1.0, 0.0], [-0.5, -0.25]], np.float32), 0.0)
    chunk = ring.read(10)
    assert chunk is not None
    assert chunk.samples.dtype == np.float32
    assert chunk.samples.tolist() == [0.5, -0.375]


def test_infinities_of_both_signs_raise_no_warning() -> None:
    ring = SampleRing(100, 2)
    ring.write(np.array([[np.inf, -np.inf], [3e38, 3e38]], np.float32), 0.0)
    assert ring.read(10) is not None


def test_a_full_ring_overwrites_the_oldest_and_counts_it() -> None:
    ring = SampleRing(100, 1, 1.0)
    for begin in range(0, 250, 10):
        ring.write(_count(begin, 10), 0.0)
    assert (ring.pending, ring.lost, ring.written) == (100, 150, 250)
    chunk = ring.read(1000)
    assert chunk is not None
    assert (chunk.first_sample, chunk.lost_before, len(chunk.samples)) == (150, 150, 100)
    assert np.array_equal(chunk.samples, _count(150, 100)[:, 0])
    assert ring.lost == 150
    ring.write(_count(250, 10), 0.0)
    chunk = ring.read(1000)
    assert chunk is not None
    assert chunk.lost_before == 0


def test_half_a_block_can_be_overwritten() -> None:
    ring = SampleRing(100, 1, 1.0)
    ring.write(_count(0, 90), 0.0)
    ring.write(_count(90, 60), 0.0)
    chunk = ring.read(1000)
    assert chunk is not None
    assert (chunk.first_sample, chunk.lost_before) == (50, 50)
    assert np.array_equal(chunk.samples, _count(50, 100)[:, 0])


def test_a_block_larger_than_the_ring_keeps_its_end() -> None:
    ring = SampleRing(100, 1, 1.0)
    ring.write(_count(0, 30), 0.0)
    ring.write(_count(30, 250), 0.0)
    chunk = ring.read(1000)
    assert chunk is not None
    assert (chunk.first_sample, chunk.lost_before) == (180, 180)
    assert np.array_equal(chunk.samples, _count(180, 100)[:, 0])
    assert ring.written == 280 == ring.lost + 100


def test_more_tiny_blocks_than_it_keeps_times_for_are_counted() -> None:
    ring = SampleRing(1000, 1, 0.1)
    for begin in range(90):
        ring.write(_count(begin, 1), 0.0)
    samples = _read_all(ring)
    read = sum(len(chunk.samples) for chunk in samples)
    assert np.array_equal(samples[-1].samples, _count(90 - read, read)[:, 0])
    assert ring.written == 90 == read + ring.lost


def test_a_marked_loss_moves_the_clock_and_splits_the_chunk() -> None:
    ring = SampleRing(100, 1, 1.0)
    ring.write(_count(0, 20), 0.0)
    ring.mark_lost(1000)
    ring.write(_count(20, 20), 0.0)
    first, second = _read_all(ring)
    assert (first.first_sample, len(first.samples), first.lost_before) == (0, 20, 0)
    assert (second.first_sample, len(second.samples), second.lost_before) == (1020, 20, 1000)
    # A long loss pushes nothing out that was not read yet.
    assert np.array_equal(second.samples, _count(20, 20)[:, 0])
    assert ring.written == 1040 == 40 + ring.lost


def test_marked_and_overwritten_losses_add_up() -> None:
    ring = SampleRing(100, 1, 1.0)
    ring.mark_lost(5)
    ring.write(_count(0, 80), 0.0)
    ring.mark_lost(7)
    ring.write(_count(80, 80), 0.0)
    chunks = _read_all(ring)
    assert [chunk.first_sample for chunk in chunks] == [65, 92]
    assert [chunk.lost_before for chunk in chunks] == [65, 7]
    assert ring.lost == 72
    assert ring.written == 172 == ring.lost + sum(len(chunk.samples) for chunk in chunks)


def test_capture_times_belong_to_the_last_sample_returned() -> None:
    ring = SampleRing(1000, 1, 1.0)
    ring.write(_count(0, 100), 5.1)
    ring.write(_count(100, 100), 5.25)
    chunks = _read_all(ring, 75)
    assert [chunk.first_sample for chunk in chunks] == [0, 75, 150]
    assert [chunk.captured_at for chunk in chunks] == pytest.approx([5.075, 5.2, 5.25])


def test_closing_keeps_what_is_unread_and_the_first_reason() -> None:
    ring = SampleRing(100, 1)
    ring.write(_count(0, 10), 0.0)
    reason = SourceError("the cable is out")
    before = ring.closed
    ring.close(reason)
    ring.close()
    assert (before, ring.closed, ring.error) == (False, True, reason)
    assert len(_read_all(ring)) == 1


def test_a_waiting_writer_loses_nothing_and_wakes_the_reader() -> None:
    wake = threading.Event()
    ring = SampleRing(1000, 1, 0.1, wake=wake)
    total = 5003
    done: list[bool] = []

    def write() -> None:
        never = threading.Event()
        done.extend(
            ring.write_waiting(_count(begin, min(77, total - begin)), 0.0, never)
            for begin in range(0, total, 77)
        )
        # Larger than the whole ring: goes in piece by piece.
        done.append(ring.write_waiting(_count(total, 350), 0.0, never))
        ring.close()

    writer = threading.Thread(target=write)
    writer.start()
    got: list[Samples] = []
    while True:
        assert wake.wait(10), "the writer wrote or closed without waking the reader"
        wake.clear()
        closed = ring.closed
        got += [chunk.samples for chunk in _read_all(ring)]
        if closed:
            break
    writer.join()
    assert all(done)
    assert np.array_equal(np.concatenate(got), _count(0, total + 350)[:, 0])
    assert ring.lost == 0


@pytest.mark.parametrize("how", ["stop", "close"])
def test_a_waiting_writer_gives_up_when_told(how: str) -> None:
    ring = SampleRing(1000, 1, 0.1)
    stop = threading.Event()
    ring.write(_count(0, 100), 0.0)
    done: list[bool] = []
    writer = threading.Thread(
        target=lambda: done.append(ring.write_waiting(_count(100, 10), 0.0, stop))
    )
    writer.start()
    if how == "stop":
        stop.set()
    else:
        ring.close()
    writer.join(10)
    assert done == [False]
    assert ring.lost == 0
    assert ring.pending == 100


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Let threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.parametrize("waiting", [False, True])
def test_under_stress_no_sound_is_torn_and_every_sample_is_accounted_for(waiting: bool) -> None:
    """A small ring, a writer and a reader both at full speed, over and over round the ring.

    Every sample carries its own number, so that a torn read breaks the sequence within a chunk.
    """
    ring = SampleRing(1000, 2, 0.512)
    end = threading.Event()
    sizes = np.random.default_rng(7).integers(1, 200, 4096).tolist()
    numbers = 2**20
    source = np.repeat((np.arange(numbers + 1000) % numbers).astype(np.float32)[:, None], 2, axis=1)

    def write() -> None:
        position = blocks = 0
        while not end.is_set():
            frames = sizes[blocks % len(sizes)]
            block = source[position % numbers :][:frames]
            blocks += 1
            position += frames
            if waiting:
                ring.write_waiting(block, 0.0, end)
            else:
                ring.write(block, 0.0)
                if blocks % 97 == 0:
                    ring.mark_lost(3)
        ring.close()

    writer = threading.Thread(target=write)
    writer.start()
    chunks: list[tuple[int, int]] = []
    torn = clock = 0
    deadline = time.monotonic() + 1.0
    while True:
        closed = ring.closed
        chunk = ring.read(sizes[len(chunks) % len(sizes)] * 3)
        if time.monotonic() > deadline:
            end.set()
        if chunk is None:
            if closed:
                break
            continue
        frames = len(chunk.samples)
        torn += not np.array_equal(chunk.samples, source[int(chunk.samples[0]) :][:frames, 0])
        assert chunk.first_sample == clock + chunk.lost_before
        clock = chunk.first_sample + frames
        chunks.append((frames, chunk.lost_before))
    writer.join()
    assert len(chunks) > 100
    assert torn == 0
    assert ring.written == sum(frames for frames, _ in chunks) + ring.lost
    # A loss marked after the very last block stands before no chunk.
    assert ring.lost - sum(lost for _, lost in chunks) in (0, 3)
    assert (ring.lost == 0) is waiting


def test_the_beginning_is_told_by_the_blocks_that_came_soonest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrivals = iter([100.05, 100.06, 100.061, 100.13, 100.1])
    monkeypatch.setattr("engine.ring.time", SimpleNamespace(monotonic=lambda: next(arrivals)))
    ring = SampleRing(16_000, 1)
    began = []
    for _ in range(5):
        ring.write(np.zeros((320, 1), np.float32), 0.0)
        began.append(ring.began_at)
    assert began == pytest.approx([100.03, 100.02, 100.001, 100.001, 100.0])


def test_a_burst_of_sound_not_yet_played_does_not_move_the_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.ring.time", SimpleNamespace(monotonic=lambda: 100.0))
    ring = SampleRing(16_000, 1)
    for _ in range(5):
        ring.write(np.zeros((8_000, 1), np.float32), 0.0)
    assert ring.began_at == pytest.approx(99.5)
