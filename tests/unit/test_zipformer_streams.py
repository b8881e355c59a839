"""Streams over k2 exports: however the sound is cut, and at every chunk size, the same is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import zipformer_export as exports
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from zipformer_loaded import SMALL, Build, heard, model, part

from engine.recognizers.base import Token
from engine.types import Samples

pytest_plugins = ["fixtures_zipformer"]

CALM = settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@CALM
@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=8), st.sampled_from([0.0, 0.5, 1.0]))
def test_however_the_sound_is_cut_the_tokens_are_the_same(
    built: Build, speech: Samples, cuts: list[int], effort: float
) -> None:
    recognizer = model(built("lstm"))
    whole = recognizer.stream()
    whole.tune(effort)
    whole.accept(speech)
    stream = recognizer.stream()
    stream.tune(effort)
    place = 0
    for cut in cuts:
        stream.accept(speech[place : place + cut])
        stream.hypothesis()
        place += cut
    stream.accept(speech[place:])
    assert stream.hypothesis() == whole.hypothesis()
    assert stream.finish() == whole.finish()


def test_blocks_of_a_device_give_the_same_to_a_real_encoder(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    expected = heard(recognizer, speech)
    stream = recognizer.stream()
    seen: tuple[Token, ...] = ()
    for place in range(0, speech.size, 320):
        stream.accept(speech[place : place + 320])
        running = stream.hypothesis()
        assert running.tokens[: len(seen)] == seen, "greedy tokens never change"
        assert running.stable == len(running.tokens)
        assert running.heard_s <= (place + 320) / 16_000
        seen = running.tokens
    assert seen == expected


@CALM
@given(st.data(), st.sampled_from([0.0, 0.5, 1.0]))
def test_what_is_settled_is_never_contradicted(
    built: Build, speech: Samples, data: st.DataObject, effort: float
) -> None:
    recognizer = model(built("lstm"))
    stream = recognizer.stream()
    stream.tune(effort)
    settled: list[int] = []
    agreed: list[int] = []
    for place in range(0, speech.size, 6_400):
        stream.accept(speech[place : place + 6_400])
        running = stream.hypothesis()
        whole = settled + [token.id for token in running.tokens]
        assert whole[: len(agreed)] == agreed
        agreed = whole[: len(settled) + running.stable]
        count = data.draw(st.integers(0, len(running.tokens)))
        stream.settle(count)
        settled = whole[: len(settled) + count]
    final = stream.finish()
    assert final.stable <= len(final.tokens)


def test_silence_between_lines_is_in_no_time(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    stream = recognizer.stream()
    spoken = 0.0
    ends: list[float] = []
    for _ in range(4):
        stream.accept(speech[:20_000])
        running = stream.finish()
        times = [token.time or 0.0 for token in running.tokens]
        assert times == sorted(times)
        assert all(spoken <= time <= spoken + 1.25 for time in times)
        spoken += 1.25
        ends += times
        stream.settle(len(times))
    assert len(ends) > 4
    stream.reset()
    stream.accept(speech[:20_000])
    assert all((token.time or 0.0) <= 1.25 for token in stream.finish().tokens)


def test_all_sound_of_a_line_is_heard_at_its_end(built: Build) -> None:
    recognizer = model(built("zipformer2"))
    for count in (0, 1, 159, 160, 7_000, 16_001):
        stream = recognizer.stream()
        stream.accept(np.zeros(count, np.float32))
        assert stream.finish().heard_s == pytest.approx(count / 16_000)


def test_a_reset_forgets_everything(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    expected = heard(recognizer, speech)
    stream = recognizer.stream()
    stream.accept(speech[::-1].copy())
    stream.finish()
    stream.reset()
    stream.accept(speech)
    assert stream.hypothesis().tokens == expected


def test_two_lanes_do_not_disturb_each_other(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer"))
    expected = heard(recognizer, speech)
    one, other = recognizer.stream(), recognizer.stream()
    for place in range(0, speech.size, 4_000):
        one.accept(speech[place : place + 4_000])
        other.accept(speech[::-1][place : place + 4_000].copy())
        one.hypothesis()
        other.hypothesis()
    assert one.hypothesis().tokens == expected


class TestChunkSizes:
    """A folder with the same model at several chunk sizes."""

    def test_each_is_a_place_on_the_slider(self, built: Build) -> None:
        recognizer = model(built("zipformer2", chunks=(32, 8, 16), **SMALL))
        assert recognizer.chunks_s == (0.16, 0.32, 0.64)
        stream = recognizer.stream()
        chunks = []
        for effort in (0.0, 0.3, 0.5, 0.8, 1.0):
            stream.tune(effort)
            chunks.append(stream.chunk_s)
        assert chunks == [0.16, 0.32, 0.32, 0.64, 0.64]

    def test_a_move_goes_on_with_what_was_heard(self, built: Build, speech: Samples) -> None:
        recognizer = model(built("zipformer2", chunks=(32, 8, 16), **SMALL))
        stream = recognizer.stream()
        said: list[int] = []
        for place, effort in zip(range(0, speech.size, 8_000), (0.0, 0.3, 1.0) * 2, strict=True):
            stream.tune(effort)
            stream.accept(speech[place : place + 8_000])
            running = stream.hypothesis()
            assert running.heard_s > (place + 8_000) / 16_000 - stream.chunk_s - 0.2
            # A greedy search has one path; a wide one may still differ from it.
            stream.settle(len(running.tokens))
            said += [token.id for token in running.tokens]
        assert len(said) > 5

    def test_other_states_wait_for_the_end_of_the_line(
        self, built: Build, speech: Samples, tmp_path: Path
    ) -> None:
        short = built("zipformer2", **SMALL)
        long = built("zipformer2", chunks=(32,), left=64, **SMALL)
        folder = tmp_path / "both"
        shutil.copytree(short.folder, folder)
        shutil.copy(part(long, "encoder"), folder)
        stream = model(exports.files_of(folder)).stream()
        stream.accept(speech[:24_000])
        stream.hypothesis()
        stream.tune(1.0)
        assert stream.chunk_s == 0.32
        stream.finish()
        assert stream.chunk_s == 0.64
        stream.accept(speech[24_000:])
        assert stream.finish().heard_s == pytest.approx(3.0)
