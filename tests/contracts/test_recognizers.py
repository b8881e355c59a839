"""What every family in ``engine/recognizers`` keeps to, whichever files are there. Each is tried
with a model of the catalogue that is installed here."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from damage import damages
from fixtures_recordings import Recordings

from engine.bench.metrics import normalised, score
from engine.errors import RecognizerError
from engine.recognizers.base import (
    Hypothesis,
    Recognizer,
    families,
    is_incremental,
    is_prefixed,
    load,
    load_family,
)
from engine.types import SAMPLE_RATE, Samples
from models import catalogue
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

FAMILIES = families()


def model_of(family: str) -> ModelSpec | None:
    """The default model where it is of that family, else the smallest one that is and hears
    English, in which the recording is."""
    known = catalogue.load()
    specs = [
        spec for spec in known.recognizers() if spec.family == family and "en" in spec.languages
    ]
    specs.sort(key=lambda spec: (spec.id != known.get(known.default).id, spec.size))
    return specs[0] if specs else None


# -- without any weights --------------------------------------------------------------------


def test_there_is_a_family_for_every_recogniser_of_the_catalogue() -> None:
    assert {spec.family for spec in catalogue.load().recognizers()} <= set(FAMILIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_a_module_with_a_load(name: str) -> None:
    assert callable(load_family(name).load)


@pytest.mark.parametrize("name", ["nonesuch", "base", "moonshine_graph", "..policy", "", "os"])
def test_an_unknown_family_is_one_clear_error(name: str) -> None:
    with pytest.raises(RecognizerError) as caught:
        load_family(name)
    assert one_line(caught.value)


def test_a_model_of_an_unknown_family_is_one_clear_error(tmp_path: Path) -> None:
    spec = replace(catalogue.load().get("moonshine-tiny-en"), family="parrot")
    with pytest.raises(RecognizerError, match="parrot") as caught:
        load(ModelFiles(spec, tmp_path))
    assert one_line(caught.value)


def one_line(error: RecognizerError) -> bool:
    return bool(error.message and error.remedy) and "\n" not in str(error)


# -- with real weights and real speech ------------------------------------------------------


@pytest.fixture(scope="module", params=FAMILIES)
def files(request: pytest.FixtureRequest) -> ModelFiles:
    spec = model_of(request.param)
    if spec is None:
        pytest.skip(f"the catalogue has no model of the family {request.param}")
    store = ModelStore()
    if not store.installed(spec):
        pytest.skip(f"{spec.id} is not installed: captionglass models get {spec.id}")
    return store.files(spec)


@pytest.fixture(scope="module")
def model(files: ModelFiles) -> Recognizer:
    recognizer = load(files, "cpu")
    if is_incremental(recognizer):
        pytest.skip("it hears every sound once: see test_incremental_recognizers.py")
    return recognizer


@dataclass(frozen=True)
class Speech:
    """A recording and its transcript."""

    samples: Samples
    transcript: str

    @property
    def seconds(self) -> float:
        return self.samples.size / SAMPLE_RATE


@pytest.fixture(scope="module")
def speech(recordings: Recordings) -> Speech:
    recording = recordings.named("ljspeech_LJ001-0011")
    return Speech(soundfile.read(recording.path, dtype="float32")[0], recording.transcript)


@pytest.fixture(scope="module")
def heard(model: Recognizer, speech: Speech) -> Hypothesis:
    return model.stream().decode(speech.samples)


def ids(hypothesis: Hypothesis) -> list[int]:
    return [token.id for token in hypothesis.tokens]


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@pytest.mark.slow
class TestDecode:
    """One window of sound."""

    def test_speech_is_understood(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        said = normalised(speech.transcript)
        assert score(said, normalised(model.text(ids(heard)))).errors <= len(said) // 8
        assert heard.complete

    @pytest.mark.parametrize("count", [0, 1, 100, 1_000, 1_599])
    def test_hardly_any_sound_gives_nothing(self, model: Recognizer, count: int) -> None:
        assert model.stream().decode(np.zeros(count, np.float32)).tokens == ()

    @pytest.mark.parametrize("count", [1_600, 1_601, 2_000, 3_000, 5_000])
    def test_a_scrap_of_sound_breaks_nothing(
        self, model: Recognizer, speech: Speech, count: int
    ) -> None:
        stream = model.stream()
        for samples in (speech.samples[:count], np.zeros(count, np.float32)):
            assert len(stream.decode(samples).tokens) < 20

    def test_clipped_and_tiny_sound_breaks_nothing(self, model: Recognizer, speech: Speech) -> None:
        for gain in (1e-7, 1e3):
            hypothesis = model.stream().decode(speech.samples[:32_000] * np.float32(gain))
            assert all(np.isfinite(token.logp) for token in hypothesis.tokens)

    def test_every_token_carries_what_it_says(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        assert heard.end_logp <= 0
        assert heard.tokens[0].starts_word
        for token in heard.tokens:
            assert token.logp <= 0
            assert (token.time is not None) == model.aligned
            assert token.time is None or 0.0 <= token.time <= speech.seconds

    def test_words_are_said_where_they_were_said(
        self, model: Recognizer, recordings: Recordings, heard: Hypothesis
    ) -> None:
        if not model.aligned:
            pytest.skip(f"{model.spec.id} tells no times")
        ends = [end for _, end in recordings.named("ljspeech_LJ001-0011").words]
        reached: list[float] = []
        for token in heard.tokens:
            if token.starts_word:
                reached.append(0.0)
            reached[-1] = max(reached[-1], token.time or 0.0)
        assert len(reached) == len(ends)
        assert abs(np.median(np.array(reached) - ends)) < 0.08
        assert np.abs(np.array(reached) - ends).max() < 0.4

    def test_text_has_no_space_around_it(self, model: Recognizer, heard: Hypothesis) -> None:
        assert model.text([]) == ""
        for place in range(len(heard.tokens)):
            piece = model.text(ids(heard)[place:])
            assert piece == piece.strip()
        joined = "".join(
            (" " if token.starts_word else "") + model.text([token.id]) for token in heard.tokens
        )
        assert joined.strip() == model.text(ids(heard))


@pytest.mark.slow
class TestPrefixAndDraft:
    """What is settled, and what was thought last time."""

    @pytest.fixture(autouse=True)
    def told(self, model: Recognizer) -> None:
        if not is_prefixed(model):
            pytest.skip(f"{model.spec.id} cannot be told what was said: see test_matching.py")

    def test_what_follows_a_prefix_is_the_rest(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        said = ids(heard)
        stream = model.stream()
        for place in (1, len(said) // 2, len(said) - 1, len(said)):
            rest = stream.decode(speech.samples, prefix=said[:place])
            assert ids(rest) == said[place:]
            assert rest.complete

    def test_a_prefix_is_taken_as_said_though_it_was_not(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        said = ids(heard)
        # Its first two tokens again: nothing can be taken back, and the sound still tells the rest.
        hypothesis = model.stream().decode(speech.samples, prefix=[*said[:2], *said[:2]])
        assert ids(hypothesis)[-4:] == said[-4:]

    def test_a_draft_that_is_right_changes_nothing(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        again = model.stream().decode(speech.samples, draft=ids(heard))
        assert ids(again) == ids(heard)
        assert again.complete
        for one, other in zip(again.tokens, heard.tokens, strict=True):
            assert one.logp == pytest.approx(other.logp, abs=0.5)
            assert one.time == pytest.approx(other.time, abs=0.15)

    def test_a_draft_that_is_wrong_changes_nothing(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        said = ids(heard)
        stream = model.stream()
        for draft in (said[3:], said[::-1], [*said, *said], [said[0]] * 50):
            assert ids(stream.decode(speech.samples, draft=draft)) == said

    def test_a_draft_may_follow_a_prefix(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        said = ids(heard)
        rest = model.stream().decode(speech.samples, prefix=said[:5], draft=said[5:])
        assert ids(rest) == said[5:]

    def test_tolerance_keeps_more_of_a_draft_and_none_keeps_none(
        self, model: Recognizer, speech: Speech
    ) -> None:
        stream = model.stream()
        draft: list[int] = []
        kept = [0, 0]
        for count in range(12_000, speech.samples.size, 4_000):
            window = speech.samples[:count]
            plain = ids(stream.decode(window, draft=draft))
            sticky = ids(stream.decode(window, draft=draft, tolerance=[20.0] * len(draft)))
            assert shared(draft, sticky) >= shared(draft, plain)
            kept[0] += shared(draft, plain)
            kept[1] += shared(draft, sticky)
            draft = plain
        assert kept[1] > kept[0]


@pytest.mark.slow
class TestStreams:
    """One lane each."""

    def test_a_window_that_grows_gives_what_a_fresh_one_does(
        self, model: Recognizer, speech: Speech
    ) -> None:
        stream = model.stream()
        for count in (20_000, 20_100, 41_234, 50_000, speech.samples.size):
            grown = ids(stream.decode(speech.samples[:count]))
            fresh = ids(model.stream().decode(speech.samples[:count]))
            # What a model guesses of a word cut in its middle hangs on the last bit of a sum.
            sure = len(fresh) if count == speech.samples.size else len(fresh) - 3
            assert grown[:sure] == fresh[:sure]

    def test_two_lanes_do_not_disturb_each_other(
        self, model: Recognizer, speech: Speech, heard: Hypothesis
    ) -> None:
        one, other = model.stream(), model.stream()
        half = speech.samples.size // 2
        alone = ids(model.stream().decode(speech.samples[half:]))
        one.decode(speech.samples[:half])
        assert ids(other.decode(speech.samples[half:])) == alone
        assert ids(one.decode(speech.samples)) == ids(heard)

    def test_the_sound_it_is_given_is_left_as_it_was(
        self, model: Recognizer, speech: Speech
    ) -> None:
        window = speech.samples[:32_000].copy()
        stream = model.stream()
        stream.decode(window)
        np.testing.assert_array_equal(window, speech.samples[:32_000])
        # Nor does it hold on to it: the window's memory is used again.
        expected = ids(model.stream().decode(speech.samples[16_000:48_000]))
        window[:] = speech.samples[16_000:48_000]
        assert ids(stream.decode(window)) == expected


@pytest.fixture
def copied(files: ModelFiles, tmp_path: Path) -> ModelFiles:
    """The model in a folder whose name is hard on programs, with nothing prepared."""
    folder = tmp_path / "my models 模型 🎧"
    folder.mkdir()
    for file in files.spec.files:
        shutil.copy(files.path(file.name), folder / file.name)
    return replace(files, folder=folder, writable_folder=None)


@pytest.mark.slow
def test_any_name_of_a_folder_will_do(
    copied: ModelFiles, speech: Speech, heard: Hypothesis
) -> None:
    for _ in range(2):  # at first nothing is prepared there, then all is
        fresh = load(copied, "cpu")
        assert fresh.spec == copied.spec
        assert fresh.provider == "cpu"
        assert ids(fresh.stream().decode(speech.samples)) == ids(heard)


@pytest.mark.slow
def test_damaged_weights_are_one_clear_error(copied: ModelFiles) -> None:
    for file in copied.spec.files:
        path = copied.path(file.name)
        for _ in damages(path):
            with pytest.raises(RecognizerError) as caught:
                load(copied, "cpu")
            assert one_line(caught.value), (file.name, str(caught.value))
    load(copied, "cpu")


@pytest.mark.slow
def test_weights_of_something_else_are_one_clear_error(copied: ModelFiles) -> None:
    first, second = (copied.path(file.name) for file in copied.spec.files[:2])
    shutil.copy(second, first)
    with pytest.raises(RecognizerError) as caught:
        load(copied, "cpu")
    assert one_line(caught.value), str(caught.value)
