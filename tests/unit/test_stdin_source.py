from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pytest

from engine.errors import SourceError
from engine.ring import SampleRing
from engine.sources.stdin import StdinSource
from engine.types import Samples


@pytest.fixture
def pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """A pipe: what a program reads its standard input from, and the end that writes into it."""
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader, open(write_end, "wb", buffering=0) as writer:  # noqa: PTH123
        yield reader, writer


def _numbers(frames: int) -> Samples:
    return (np.arange(frames) % 30_000 - 15_000).astype("<i2")


def _read(source: StdinSource, ring: SampleRing) -> Samples:
    pieces = []
    while True:
        closed = ring.closed
        chunk = ring.read(100_000)
        if chunk is not None:
            pieces.append(chunk.samples)
        elif closed:
            break
    source.stop()
    return np.concatenate([*pieces, np.empty(0, np.float32)])


def test_bytes_become_samples() -> None:
    data = np.array([0, 16_384, -32_768, 32_767], "<i2").tobytes()
    source = StdinSource(io.BytesIO(data))
    assert (source.sample_rate, source.channels, source.live) == (16_000, 1, False)
    ring = SampleRing(16_000, 1)
    source.start(ring)
    assert _read(source, ring).tolist() == [0.0, 0.5, -1.0, 32_767 / 32_768]
    assert ring.error is None


def test_a_long_input_waits_for_the_reader() -> None:
    numbers = _numbers(100_000)
    source = StdinSource(io.BytesIO(numbers.tobytes()))
    ring = SampleRing(16_000, 1, 0.5)
    source.start(ring)
    assert np.array_equal(_read(source, ring) * 32_768, numbers)
    assert ring.lost == 0


def test_samples_cut_in_two_by_the_pipe_are_joined(pipe: tuple[BinaryIO, BinaryIO]) -> None:
    reader, writer = pipe
    numbers = _numbers(2000)
    data = numbers.tobytes()
    source = StdinSource(reader)
    ring = SampleRing(16_000, 1)
    source.start(ring)
    at = 0
    for size in [1, 1, 3, 997, 1, 1001, 5, len(data)]:
        writer.write(data[at : at + size])
        at += size
        # Let the reader take just this piece.
        deadline = time.monotonic() + 20
        while ring.written < min(at, len(data)) // 2 and time.monotonic() < deadline:
            time.sleep(0.001)
    writer.write(b"\x07")
    writer.close()
    assert np.array_equal(_read(source, ring) * 32_768, numbers)


def test_nothing_at_all_is_a_stream_that_ends() -> None:
    source = StdinSource(io.BytesIO(b""))
    ring = SampleRing(16_000, 1)
    source.start(ring)
    assert len(_read(source, ring)) == 0
    assert ring.error is None


def test_it_can_be_stopped_while_the_pipe_says_nothing(pipe: tuple[BinaryIO, BinaryIO]) -> None:
    source = StdinSource(pipe[0])
    ring = SampleRing(16_000, 1)
    source.start(ring)
    source.stop()
    assert ring.closed
    assert ring.error is None
    assert not [each for each in threading.enumerate() if each.name == "stdin"]


def test_it_can_be_stopped_while_nobody_reads(pipe: tuple[BinaryIO, BinaryIO]) -> None:
    source = StdinSource(pipe[0])
    ring = SampleRing(16_000, 1, 0.1)
    source.start(ring)
    pipe[1].write(bytes(20_000))
    source.stop()
    assert ring.closed
    assert ring.lost == 0


def test_live_input_overwrites_what_nobody_reads() -> None:
    source = StdinSource(io.BytesIO(_numbers(8_000).tobytes()), live=True)
    ring = SampleRing(16_000, 1, 0.1)
    source.start(ring)
    deadline = time.monotonic() + 20
    while not ring.closed and time.monotonic() < deadline:
        time.sleep(0.001)
    source.stop()
    assert (ring.written, ring.pending, ring.lost) == (8_000, 1_600, 6_400)


def test_a_stream_that_fails_ends_with_an_error() -> None:
    class Broken(io.BytesIO):
        def read(self, _: int | None = None) -> bytes:
            raise OSError(5, "Input/output error")

    source = StdinSource(Broken())
    ring = SampleRing(16_000, 1)
    source.start(ring)
    _read(source, ring)
    assert isinstance(ring.error, SourceError)
    assert "Input/output error" in str(ring.error)
