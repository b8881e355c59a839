"""Moonshine v2 on a small export with the published layout, against the same network in numpy."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import moonshine_streaming_export as export
import numpy as np
import pytest
from caption_laws import check_laws
from damage import damages
from fake_recognizer import ScriptedDetector
from fixtures_recordings import Recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import LatencyProfile
from engine.errors import RecognizerError
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import Hypothesis, load
from engine.recognizers.moonshine_streaming import (
    MoonshineStreamingRecognizer,
    MoonshineStreamingStream,
    in_order,
)
from engine.recognizers.moonshine_tokens import Vocabulary
from engine.types import CaptionUpdate, Samples

CALM = settings(deadline=None, max_examples=25)
LOOKAHEAD = 8
AUDIO = np.random.default_rng(1).normal(0.0, 0.1, 48_000).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model, in a folder whose name is hard on programs."""
    return export.write(tmp_path_factory.mktemp("模型 🎧") / "small model", export.Weights())


@pytest.fixture(scope="module")
def model(folder: Path) -> MoonshineStreamingRecognizer:
    loaded = load(export.files_in(folder), "cpu")
    assert isinstance(loaded, MoonshineStreamingRecognizer)
    return loaded


@pytest.fixture(scope="module")
def reference() -> export.Reference:
    return export.Reference(export.Weights())


@pytest.fixture(scope="module")
def heard(model: MoonshineStreamingRecognizer) -> Hypothesis:
    """What it makes of the whole of ``AUDIO``: some twenty tokens and an end."""
    found = model.stream().decode(AUDIO)
    assert found.complete
    assert len({token.id for token in found.tokens}) > 8
    return found


def ids(hypothesis: Hypothesis) -> list[int]:
    return [token.id for token in hypothesis.tokens]


def one_line(error: RecognizerError) -> bool:
    return bool(error.message and error.remedy) and "\n" not in str(error)


def remembered(stream: MoonshineStreamingStream) -> tuple[export.Array, export.Array]:
    """Keys and values (layers, heads, frames, head) of the window."""
    assert stream._memory is not None
    return stream._memory[0][:, 0], stream._memory[1][:, 0]


class TestNetwork:
    """Each part of the way, step by step, against numpy on the whole window."""

    @pytest.mark.parametrize("seed", [226, 168])
    def test_features_memory_and_text_are_the_same(self, seed: int, tmp_path: Path) -> None:
        weights = export.Weights(seed=seed)
        model = load(export.files_in(export.write(tmp_path, weights)), "cpu")
        assert isinstance(model, MoonshineStreamingRecognizer)
        plain = export.Reference(weights)
        stream = model.stream()
        found = stream.decode(AUDIO)
        features = plain.features(AUDIO)
        np.testing.assert_allclose(stream._features, features, atol=1e-5)
        memory = plain.memory(features)
        for made, part in zip(remembered(stream), "kv", strict=True):
            for layer in range(plain.sizes.depth):
                expected = plain._heads(f"dec{layer}.cross_{part}", memory, plain.sizes.decoder)
                np.testing.assert_allclose(made[layer], expected, atol=1e-4)
        assert ids(found) == plain.greedy(memory, [], 30)

    def test_logits_and_looks_are_the_same(
        self, model: MoonshineStreamingRecognizer, reference: export.Reference
    ) -> None:
        stream = model.stream()
        stream.decode(AUDIO)
        said = [export.BEGIN, 7, 40, 3, 22, 22, 9]
        logits, looks = reference.logits(said, reference.memory(reference.features(AUDIO)))
        assert stream._memory is not None
        whole, where, _ = model.step(said, stream._memory, None)
        np.testing.assert_allclose(whole, logits, atol=2e-4)
        heads = looks.reshape(-1, *looks.shape[-2:])
        scaled = (heads - heads.mean(-1, keepdims=True)) / heads.std(-1, keepdims=True)
        np.testing.assert_allclose(where, scaled.mean(axis=0), atol=1e-3)
        # One by one, through the cache, as well.
        past = None
        for place, token in enumerate(said):
            one, _, past = model.step([token], stream._memory, past)
            np.testing.assert_allclose(one[0], logits[place], atol=2e-4)

    def test_probabilities_are_the_logits(
        self, reference: export.Reference, heard: Hypothesis
    ) -> None:
        memory = reference.memory(reference.features(AUDIO))
        logits, _ = reference.logits([export.BEGIN, *ids(heard)], memory)
        chances = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        for place, token in enumerate(heard.tokens):
            assert token.logp == pytest.approx(chances[place, token.id], abs=1e-3)
        assert heard.end_logp == pytest.approx(chances[-1, export.END], abs=1e-3)


class TestWindow:
    """A window that grows is heard as if it were heard at once, at the price of what is new."""

    @CALM
    @given(st.lists(st.integers(1, 16_000), max_size=12))
    def test_it_may_grow_in_any_steps(
        self, model: MoonshineStreamingRecognizer, steps: list[int]
    ) -> None:
        stream = model.stream()
        count = 0
        for step in steps:
            count = min(AUDIO.size, count + step)
            stream.decode(AUDIO[:count])
        grown = stream.decode(AUDIO)
        fresh = model.stream()
        assert ids(grown) == ids(fresh.decode(AUDIO))
        for one, other in zip(remembered(stream), remembered(fresh), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4)

    def test_what_is_final_stays(self, model: MoonshineStreamingRecognizer) -> None:
        stream, whole = model.stream(), model.stream()
        whole.decode(AUDIO)
        for count in range(3_200, 48_000, 3_200):
            stream.decode(AUDIO[:count])
            final = count // 640 * 2 - LOOKAHEAD
            for made, expected in zip(remembered(stream), remembered(whole), strict=True):
                np.testing.assert_allclose(made[:, :, :final], expected[:, :, :final], atol=1e-4)

    def test_a_step_costs_what_is_new(
        self, model: MoonshineStreamingRecognizer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[tuple[int, int]] = []
        whole = model.remember

        def counted(features: export.Array, first: int, place: int) -> tuple[export.Array, ...]:
            asked.append((features.shape[0], features.shape[0] - first))
            return whole(features, first, place)

        monkeypatch.setattr(model, "remember", counted)
        stream = model.stream()
        for count in range(16_000, 48_001, 1_600):
            stream.decode(AUDIO[:count])
        context = model.config["total_left_context"]
        assert max(length for length, _ in asked[1:]) <= context + LOOKAHEAD + 6
        assert max(fresh for _, fresh in asked[1:]) <= LOOKAHEAD + 6
        asked.clear()
        stream.decode(AUDIO[:48_000])
        assert asked == []

    def test_a_window_cut_at_its_front_is_heard_anew(
        self, model: MoonshineStreamingRecognizer
    ) -> None:
        stream = model.stream()
        stream.decode(AUDIO[:32_000])
        for start, stop in ((12_345, 40_000), (12_345, 44_000), (0, 20_000)):
            expected = model.stream().decode(AUDIO[start:stop])
            assert ids(stream.decode(AUDIO[start:stop])) == ids(expected)

    def test_the_sound_it_is_given_is_left_as_it_was_and_not_held_on_to(
        self, model: MoonshineStreamingRecognizer
    ) -> None:
        window = AUDIO[:32_000].copy()
        stream = model.stream()
        stream.decode(window)
        np.testing.assert_array_equal(window, AUDIO[:32_000])
        window[:] = AUDIO[16_000:]
        assert ids(stream.decode(window)) == ids(model.stream().decode(AUDIO[16_000:]))

    def test_lanes_do_not_disturb_each_other(self, model: MoonshineStreamingRecognizer) -> None:
        one, other = model.stream(), model.stream()
        one.decode(AUDIO[:24_000])
        expected = ids(model.stream().decode(AUDIO[24_000:]))
        assert ids(other.decode(AUDIO[24_000:])) == expected
        assert ids(one.decode(AUDIO)) == ids(model.stream().decode(AUDIO))

    @pytest.mark.parametrize("count", [0, 1, 639, 1_599, 1_600, 1_601, 2_559, 2_560])
    def test_a_scrap_of_sound_breaks_nothing(
        self, model: MoonshineStreamingRecognizer, count: int
    ) -> None:
        for gain in (0.0, 1e-7, 1.0, 1e3):
            found = model.stream().decode(AUDIO[:count] * np.float32(gain))
            assert len(found.tokens) < 20
            assert all(np.isfinite(token.logp) for token in found.tokens)


class TestPrefixAndDraft:
    """What is settled, and what was thought last time."""

    def test_what_follows_a_prefix_is_what_numpy_says_follows(
        self,
        model: MoonshineStreamingRecognizer,
        reference: export.Reference,
        heard: Hypothesis,
    ) -> None:
        memory = reference.memory(reference.features(AUDIO))
        said = ids(heard)
        stream = model.stream()
        for prefix in (said[:1], said[:9], said, [5, 30, 41], said[::-1]):
            expected = reference.greedy(memory, prefix, 25)
            found = ids(stream.decode(AUDIO, prefix=prefix))
            assert found[: len(expected)] == expected[: len(found)]
            assert found or not expected

    def test_a_draft_changes_nothing_right_or_wrong(
        self, model: MoonshineStreamingRecognizer, heard: Hypothesis
    ) -> None:
        said = ids(heard)
        stream = model.stream()
        for draft in (said, said[:5], said[3:], said[::-1], [*said, *said], [said[0]] * 40):
            again = stream.decode(AUDIO, draft=draft)
            assert ids(again) == said
            assert again.complete
            for one, other in zip(again.tokens, heard.tokens, strict=True):
                assert one.logp == pytest.approx(other.logp, abs=1e-3)
                assert one.time == other.time
        rest = stream.decode(AUDIO, prefix=said[:4], draft=said[4:])
        assert ids(rest) == said[4:]

    def test_tolerance_keeps_a_draft_that_is_less_probable(
        self, model: MoonshineStreamingRecognizer, heard: Hypothesis
    ) -> None:
        draft = [*ids(heard)[:3], 44]
        stream = model.stream()
        assert ids(stream.decode(AUDIO, draft=draft))[:4] == ids(heard)[:4]
        assert ids(stream.decode(AUDIO, draft=draft, tolerance=[50.0] * 4))[:4] == draft
        assert ids(stream.decode(AUDIO, draft=draft, tolerance=[50.0] * 3))[:4] == ids(heard)[:4]


class TestTimes:
    """When a token was said: where the decoder looks, in order."""

    def test_they_rise_and_lie_in_the_window(self, heard: Hypothesis) -> None:
        times = [token.time or 0.0 for token in heard.tokens]
        assert times == sorted(times)
        assert times[0] > 0.0
        assert times[-1] <= 3.0

    def test_a_decoder_that_does_not_show_where_it_looks_tells_none(
        self, heard: Hypothesis, tmp_path: Path
    ) -> None:
        blind = load(
            export.files_in(export.write(tmp_path, export.Weights(), attention=False)), "cpu"
        )
        assert isinstance(blind, MoonshineStreamingRecognizer)
        assert not blind.aligned
        found = blind.stream().decode(AUDIO)
        assert ids(found) == ids(heard)
        assert {token.time for token in found.tokens} == {None}

    def test_of_two_decoders_the_one_that_shows_it_is_taken(
        self, folder: Path, tmp_path: Path
    ) -> None:
        both = tmp_path / "both"
        shutil.copytree(folder, both)
        export.write(both, export.Weights(), attention=False)
        model = load(export.files_in(both), "cpu")
        assert isinstance(model, MoonshineStreamingRecognizer)
        assert model.aligned

    @CALM
    @given(st.integers(1, 4), st.integers(1, 6), st.integers(0, 1 << 30))
    def test_the_best_rising_path_is_found(self, tokens: int, frames: int, seed: int) -> None:
        looks = np.random.default_rng(seed).normal(size=(tokens, frames)).astype(np.float32)
        path = in_order(looks)
        assert list(path) == sorted(path)
        best = max(
            sum(float(looks[token, frame]) for token, frame in enumerate(choice))
            for choice in itertools.combinations_with_replacement(range(frames), tokens)
        )
        found = sum(float(looks[token, frame]) for token, frame in enumerate(path))
        assert found == pytest.approx(best, abs=1e-5)

    def test_words_that_are_looked_at_in_turn_are_found_there(self) -> None:
        frames = np.arange(100)
        centres = [10, 22, 40, 41, 75]
        looks = np.stack([np.exp(-0.5 * ((frames - centre) / 3.0) ** 2) for centre in centres])
        looks[2, 90] = 0.9  # a glance ahead
        looks = looks + np.random.default_rng(2).normal(0.0, 0.02, looks.shape)
        assert np.abs(in_order(looks.astype(np.float32)) - centres).max() <= 2


class TestCaptions:
    """Through the whole policy: nonsense, but lawful."""

    @pytest.mark.parametrize("stop", ["fastest", "accurate"])
    def test_the_laws_hold(
        self, model: MoonshineStreamingRecognizer, recordings: Recordings, stop: str
    ) -> None:
        import soundfile

        samples: Samples = soundfile.read(
            recordings.named("ljspeech_LJ001-0011").path, dtype="float32"
        )[0]
        policy = Policy.at(LatencyProfile.parse(stop))
        lane = LanePipeline("mic", model, Everything(), policy, itertools.count().__next__)
        updates: list[CaptionUpdate] = []
        for place in range(0, samples.size, 1_600):
            updates += lane.push(samples[place : place + 1_600])
        check_laws([*updates, *lane.end()])


class Everything(ScriptedDetector):
    """Takes all for speech."""

    def __init__(self) -> None:
        super().__init__(None)


class TestVocabulary:
    """Its two forms."""

    def test_text(self, model: MoonshineStreamingRecognizer) -> None:
        pieces = export.pieces(export.Sizes())
        syllables = [number for number, piece in enumerate(pieces) if piece == "▁be".encode()]
        assert model.text([]) == ""
        assert model.text([1, *syllables, 3, 2]) == "beA"
        assert model.text([4]) == "long" * 40
        assert model.starts_word(4)
        assert not model.starts_word(3)

    def test_both_forms_are_the_same(self, folder: Path, tmp_path: Path) -> None:
        pieces = [piece.decode() for piece in export.pieces(export.Sizes())]
        content = {
            "model": {
                "vocab": {piece: number for number, piece in enumerate(pieces) if number > 2}
            },
            "added_tokens": [{"id": number, "content": pieces[number]} for number in range(3)],
        }
        (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
        one = Vocabulary.read(folder / "tokenizer.bin")
        other = Vocabulary.read(tmp_path / "tokenizer.json")
        assert len(one) == len(other) == len(pieces)
        for token in range(len(pieces)):
            assert one.text([token]) == other.text([token])
            assert one.starts_word(token) == other.starts_word(token)

    @pytest.mark.parametrize("blob", [b"", b"\x05abc", b"\xff", b"\x81\x01a"])
    def test_a_damaged_one_is_refused(self, blob: bytes, tmp_path: Path) -> None:
        (tmp_path / "tokenizer.bin").write_bytes(blob)
        with pytest.raises(ValueError, match="it "):
            Vocabulary.read(tmp_path / "tokenizer.bin")


class TestFolders:
    """What is taken, and what is refused in one line."""

    def test_graphs_may_be_called_onnx(self, heard: Hypothesis, tmp_path: Path) -> None:
        model = load(
            export.files_in(export.write(tmp_path, export.Weights(), ending=".onnx")), "cpu"
        )
        assert isinstance(model, MoonshineStreamingRecognizer)
        assert ids(model.stream().decode(AUDIO)) == ids(heard)

    def test_damage_is_one_clear_error(self, folder: Path, tmp_path: Path) -> None:
        copy = tmp_path / "damaged"
        shutil.copytree(folder, copy)
        files = export.files_in(copy)
        for file in files.spec.files:
            path = files.path(file.name)
            for _ in damages(path, rubbish=20):
                with pytest.raises(RecognizerError) as caught:
                    load(files, "cpu")
                assert one_line(caught.value), (file.name, str(caught.value))
        load(files, "cpu")

    def test_a_graph_of_another_size_is_one_clear_error(self, folder: Path, tmp_path: Path) -> None:
        other = export.write(tmp_path / "other", export.Weights(export.Sizes(decoder=32, head=16)))
        for name in ("encoder.ort", "cross_kv.ort", "decoder_kv_with_attention.ort"):
            mixed = tmp_path / name
            shutil.copytree(folder, mixed)
            wrong = "adapter.ort" if name == "encoder.ort" else name
            shutil.copy(other / wrong, mixed / name)
            with pytest.raises(RecognizerError, match="do not belong together") as caught:
                load(export.files_in(mixed), "cpu")
            assert one_line(caught.value)

    @pytest.mark.parametrize(
        "missing", ["frontend.ort", "decoder_kv_with_attention.ort", "streaming_config.json"]
    )
    def test_a_folder_that_lacks_a_file_is_one_clear_error(
        self, missing: str, folder: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "lacking"
        shutil.copytree(folder, copy)
        (copy / missing).unlink()
        with pytest.raises(RecognizerError) as caught:
            load(export.files_in(copy), "cpu")
        assert one_line(caught.value)

    @pytest.mark.parametrize(
        "change",
        [{"depth": None}, {"nheads": "many"}, {"vocab_size": 4096}, {"depth": 2}, {"head_dim": 5}],
    )
    def test_a_configuration_that_does_not_fit_is_one_clear_error(
        self, change: dict[str, object], folder: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "changed"
        shutil.copytree(folder, copy)
        path = copy / "streaming_config.json"
        content: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**content, **change}), encoding="utf-8")
        with pytest.raises(RecognizerError) as caught:
            load(export.files_in(copy), "cpu")
        assert one_line(caught.value)


def test_rows_are_logarithms_of_shares(heard: Hypothesis) -> None:
    shares: Sequence[float] = [token.logp for token in heard.tokens]
    assert all(share <= 0.0 for share in shares)
