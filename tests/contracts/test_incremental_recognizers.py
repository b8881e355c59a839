"""What every family keeps to whose models hear each sound once: on small models with the true
layout and random weights, which say nothing sensible, but must always say the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import zipformer_export
from damage import damages
from fixtures_recordings import Recordings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import RecognizerError
from engine.recognizers.base import (
    IncrementalRecognizer,
    families,
    is_incremental,
    load,
    load_family,
)
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles

SMALL: dict[str, Callable[[Path], ModelFiles]] = {
    "zipformer": lambda folder: zipformer_export.write(folder, "zipformer"),
}
"""How a small model of each such family is written."""

CALM = settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def incremental() -> list[str]:
    """The families that hear every sound once."""
    return [
        name
        for name in families()
        if any(getattr(each, "incremental", False) for each in vars(load_family(name)).values())
    ]


@pytest.fixture(scope="module", params=incremental())
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    assert request.param in SMALL, "say here how a small model of this family is written"
    return SMALL[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def model(files: ModelFiles) -> IncrementalRecognizer:
    recognizer = load(files, "cpu")
    assert is_incremental(recognizer)
    return recognizer


@pytest.fixture(scope="module")
def speech(recordings: Recordings) -> Samples:
    samples, _ = soundfile.read(recordings.named("jfk_ask_not").path, dtype="float32")
    return np.asarray(samples[:40_000])


def test_it_says_what_it_is(model: IncrementalRecognizer, files: ModelFiles) -> None:
    assert model.spec == files.spec
    assert model.provider == "cpu"
    assert model.chunks_s
    assert list(model.chunks_s) == sorted(model.chunks_s)
    assert all(0.0 < chunk <= 5.0 for chunk in model.chunks_s)
    assert model.stream().chunk_s in model.chunks_s
    assert model.text([]) == ""


@pytest.mark.parametrize("count", [0, 1, 100, 1_599])
def test_hardly_any_sound_gives_nothing(model: IncrementalRecognizer, count: int) -> None:
    stream = model.stream()
    assert (stream.hypothesis().tokens, stream.hypothesis().heard_s) == ((), 0.0)
    stream.accept(np.zeros(count, np.float32))
    running = stream.hypothesis()
    assert running.tokens == ()
    assert running.heard_s <= count / SAMPLE_RATE


def test_every_token_carries_what_it_says(model: IncrementalRecognizer, speech: Samples) -> None:
    stream = model.stream()
    stream.accept(speech)
    running = stream.finish()
    assert running.tokens, "this says nothing about anything"
    times = [token.time for token in running.tokens if token.time is not None]
    assert len(times) == len(running.tokens)
    assert times == sorted(times)
    assert times[0] >= 0.0
    assert times[-1] <= speech.size / SAMPLE_RATE
    assert running.heard_s == pytest.approx(speech.size / SAMPLE_RATE)
    assert 0 <= running.stable <= len(running.tokens)
    assert all(token.logp <= 0.0 for token in running.tokens)
    said = [token.id for token in running.tokens]
    for place in range(len(said)):
        piece = model.text(said[place:])
        assert piece == piece.strip()


def test_clipped_and_tiny_sound_breaks_nothing(
    model: IncrementalRecognizer, speech: Samples
) -> None:
    for gain in (1e-7, 1e3):
        stream = model.stream()
        stream.accept(speech[:16_000] * np.float32(gain))
        assert all(np.isfinite(token.logp) for token in stream.finish().tokens)


@CALM
@given(st.lists(st.integers(0, 16_000), min_size=1, max_size=8), st.floats(0.0, 1.0))
def test_however_the_sound_is_cut_the_answer_is_the_same(
    model: IncrementalRecognizer, speech: Samples, cuts: list[int], effort: float
) -> None:
    whole, cut = model.stream(), model.stream()
    for stream in (whole, cut):
        stream.tune(effort)
    whole.accept(speech)
    place = 0
    for size in cuts:
        cut.accept(speech[place : place + size])
        cut.hypothesis()
        place += size
    cut.accept(speech[place:])
    assert cut.hypothesis() == whole.hypothesis()
    assert cut.finish() == whole.finish()


@CALM
@given(st.data())
def test_what_is_stable_or_settled_is_never_taken_back(
    model: IncrementalRecognizer, speech: Samples, data: st.DataObject
) -> None:
    stream = model.stream()
    stream.tune(data.draw(st.floats(0.0, 1.0)))
    settled: list[int] = []
    kept: list[int] = []
    reached = 0.0
    for place in range(0, speech.size, 5_000):
        stream.accept(speech[place : place + 5_000])
        ends = place + 5_000 >= speech.size
        running = stream.finish() if ends else stream.hypothesis()
        assert running.heard_s >= reached
        reached = running.heard_s
        whole = settled + [token.id for token in running.tokens]
        assert whole[: len(kept)] == kept
        count = data.draw(st.integers(0, len(running.tokens)))
        stream.settle(count)
        settled = whole[: len(settled) + count]
        kept = whole[: max(len(settled), len(settled) - count + running.stable)]


def test_times_run_on_behind_a_line_and_begin_anew_behind_a_reset(
    model: IncrementalRecognizer, speech: Samples
) -> None:
    stream, length = model.stream(), speech.size / SAMPLE_RATE
    for turn in range(3):
        stream.accept(speech)
        running = stream.finish()
        assert running.heard_s == pytest.approx((turn + 1) * length)
        for token in running.tokens:
            assert token.time is not None
            assert turn * length <= token.time <= (turn + 1) * length
        stream.settle(len(running.tokens))
    stream.reset()
    fresh = model.stream()
    for each in (stream, fresh):
        each.accept(speech)
    assert stream.finish() == fresh.finish()


def test_effort_may_change_at_any_time(model: IncrementalRecognizer, speech: Samples) -> None:
    stream = model.stream()
    for place in range(0, speech.size, 2_000):
        stream.tune(place / speech.size)
        stream.accept(speech[place : place + 2_000])
        stream.hypothesis()
    assert stream.finish().heard_s == pytest.approx(speech.size / SAMPLE_RATE)


def test_two_lanes_do_not_disturb_each_other(model: IncrementalRecognizer, speech: Samples) -> None:
    alone, one, other = model.stream(), model.stream(), model.stream()
    alone.accept(speech)
    for place in range(0, speech.size, 4_000):
        one.accept(speech[place : place + 4_000])
        other.accept(speech[::-1][place : place + 4_000].copy())
        one.hypothesis()
        other.hypothesis()
    assert one.finish() == alone.finish()


def test_the_sound_it_is_given_is_left_as_it_was_and_not_held_on_to(
    model: IncrementalRecognizer, speech: Samples
) -> None:
    expected, stream = model.stream(), model.stream()
    expected.accept(speech)
    block = np.empty(4_000, np.float32)
    for place in range(0, speech.size, 4_000):
        block[:] = speech[place : place + 4_000]
        stream.accept(block)
        np.testing.assert_array_equal(block, speech[place : place + 4_000])
    block[:] = 1.0
    assert stream.finish() == expected.finish()


@pytest.fixture
def copied(files: ModelFiles, tmp_path: Path) -> ModelFiles:
    """The model in a folder whose name is hard on programs."""
    folder = tmp_path / "my models 模型 🎧"
    shutil.copytree(files.folder, folder)
    return replace(files, folder=folder)


def test_any_name_of_a_folder_will_do(
    copied: ModelFiles, model: IncrementalRecognizer, speech: Samples
) -> None:
    fresh = load(copied, "cpu")
    assert is_incremental(fresh)
    one, other = fresh.stream(), model.stream()
    for stream in (one, other):
        stream.accept(speech)
    assert one.finish() == other.finish()


def test_damaged_weights_are_one_clear_error(copied: ModelFiles) -> None:
    for file in copied.spec.files:
        if not file.name.endswith((".onnx", "tokens.txt")):
            continue  # what may be missing
        path = copied.path(file.name)
        for _ in damages(path):
            with pytest.raises(RecognizerError) as caught:
                load(copied, "cpu")
            error = caught.value
            assert error.message, file.name
            assert error.remedy, (file.name, error.message)
            assert "\n" not in str(error), file.name
    load(copied, "cpu")
