"""Models that onnx-asr runs, on small exports with the true layouts: what is heard, and when."""

from __future__ import annotations

import functools
import itertools
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx_asr
import onnx_asr_export as export
import pytest
from caption_laws import check_laws
from damage import damages

from engine.config import STOPS, LatencyProfile
from engine.errors import RecognizerError
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import Recognizer, Token, is_multilingual, is_prefixed, load
from engine.recognizers.onnx_asr_folder import KINDS, layout_of
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples
from models import catalogue
from models.spec import ModelFiles

SENTENCE = (0, 1, 2, 3, 4, 0, 1, 2, 5)  # "the cat sat on the cat."
LETTERS = (1, 2, 3, 0, 1, 4, 3, 0, 5)  # "кот кит а"

Make = Callable[[Path], Path]
TIMED: dict[str, tuple[Make, Sequence[int], str]] = {
    "nemo-conformer-ctc": (export.nemo_ctc, SENTENCE, "the cat sat on the cat."),
    "nemo-conformer-tdt": (export.parakeet, SENTENCE, "the cat sat on the cat."),
    "nemo-conformer-rnnt": (
        lambda folder: export.parakeet(folder, "rnnt", ""),
        SENTENCE,
        "the cat sat on the cat.",
    ),
    "gigaam-v2-ctc": (export.gigaam_v2_ctc, LETTERS, "кот кит а"),
}
UNTIMED: dict[str, Make] = {"nemo-conformer-aed": export.canary, "whisper": export.whisper}
EVERY = {**{name: made[0] for name, made in TIMED.items()}, **UNTIMED}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One of each layout, in a folder whose name is hard on programs."""
    root = tmp_path_factory.mktemp("models 模型 🎧")
    made = {}
    for name, make in EVERY.items():
        made[name] = root / name
        made[name].mkdir()
        make(made[name])
    return made


@pytest.fixture(scope="module")
def loaded(folders: dict[str, Path]) -> Callable[[str], Recognizer]:
    """The model of each layout, loaded once."""
    return functools.cache(lambda name: load(export.files_in(folders[name]), "cpu"))


@pytest.fixture(params=TIMED)
def timed(
    request: pytest.FixtureRequest, loaded: Callable[[str], Recognizer]
) -> tuple[str, Recognizer]:
    return request.param, loaded(request.param)


@pytest.fixture(params=UNTIMED)
def untimed(
    request: pytest.FixtureRequest, loaded: Callable[[str], Recognizer]
) -> tuple[str, Recognizer]:
    return request.param, loaded(request.param)


def hear(model: Recognizer, samples: Samples, language: str = "") -> tuple[Token, ...]:
    stream = model.stream(language) if language else model.stream()  # type: ignore[call-arg]
    hypothesis = stream.decode(samples)  # type: ignore[union-attr]
    assert hypothesis.complete
    return tuple(hypothesis.tokens)


def text(model: Recognizer, tokens: Sequence[Token]) -> str:
    return model.text([token.id for token in tokens])


def one_line(error: RecognizerError) -> bool:
    return bool(error.message and error.remedy) and "\n" not in str(error)


class TestHearing:
    """Against what onnx-asr itself says of the same sound."""

    def test_it_says_what_was_said(self, timed: tuple[str, Recognizer]) -> None:
        name, model = timed
        _, said, expected = TIMED[name]
        assert text(model, hear(model, export.speech(said)[0])) == expected

    def test_tokens_times_and_probabilities_are_onnx_asr_s_own(
        self, timed: tuple[str, Recognizer], folders: dict[str, Path]
    ) -> None:
        name, model = timed
        precision = "int8" if name == "nemo-conformer-tdt" else None
        theirs = onnx_asr.load_model(name, folders[name], quantization=precision)
        _, said, _ = TIMED[name]
        samples, _ = export.speech(said)
        for count in range(8_000, samples.size + 1, 5_000):
            window = samples[:count]
            result = theirs.with_timestamps().recognize(window)
            tokens = hear(model, window)
            assert text(model, tokens) == result.text.strip()
            spaces = [piece == " " for piece in result.tokens]
            told = [
                (time, logp)
                for time, logp, space in zip(
                    result.timestamps, result.logprobs, spaces, strict=True
                )
                if not space
            ]
            assert len(tokens) == len(told)
            for token, (time, logp) in zip(tokens, told, strict=True):
                assert token.logp == pytest.approx(logp, abs=1e-6)
                assert time <= (token.time or 0.0) <= time + 0.3 + 1e-9

    def test_a_token_ends_about_with_its_tone(self, timed: tuple[str, Recognizer]) -> None:
        name, model = timed
        _, said, _ = TIMED[name]
        samples, ends = export.speech(said)
        if name.startswith("gigaam"):
            ends = [end for token, end in zip(said, ends, strict=True) if token]
        times = [token.time or 0.0 for token in hear(model, samples)]
        assert all(abs(time - end) < 0.17 for time, end in zip(times, ends, strict=True))

    def test_spaces_are_where_words_begin(self, timed: tuple[str, Recognizer]) -> None:
        name, model = timed
        _, said, expected = TIMED[name]
        tokens = hear(model, export.speech(said)[0])
        joined = "".join(
            (" " if token.starts_word else "") + text(model, [token]) for token in tokens
        )
        assert joined.strip() == expected

    def test_what_has_no_times_says_so(self, untimed: tuple[str, Recognizer]) -> None:
        _, model = untimed
        tokens = hear(model, export.speech(SENTENCE)[0])
        assert text(model, tokens) == "the cat sat."
        assert {token.time for token in tokens} == {None}
        assert not model.aligned  # type: ignore[union-attr]
        assert is_multilingual(model)  # type: ignore[arg-type]

    def test_none_is_told_what_was_said(self, timed: tuple[str, Recognizer]) -> None:
        _, model = timed
        assert not is_prefixed(model)  # type: ignore[arg-type]
        samples, _ = export.speech(SENTENCE)
        stream = model.stream()
        plain = stream.decode(samples)  # type: ignore[union-attr]
        ids = [token.id for token in plain.tokens]
        assert stream.decode(samples, ids[:2], ids[2:]) == plain  # type: ignore[union-attr]

    @pytest.mark.parametrize("count", [0, 1, 1_599, 1_600, 1_601, 3_000])
    def test_a_scrap_of_sound_breaks_nothing(
        self, timed: tuple[str, Recognizer], count: int
    ) -> None:
        _, model = timed
        for gain in (0.0, 1e-7, 1.0, 1e3):
            samples = (export.speech(SENTENCE)[0][8_000 : 8_000 + count] * gain).astype(np.float32)
            tokens = hear(model, samples)
            assert len(tokens) < 20
            assert all(np.isfinite(token.logp) and token.logp <= 0 for token in tokens)


class TestLanguage:
    """Canary and Whisper can be told the language."""

    def test_it_is_passed_on(self, folders: dict[str, Path]) -> None:
        files = export.files_in(folders["nemo-conformer-aed"], languages=("en", "de"))
        model = load(files, "cpu")
        samples, _ = export.speech(SENTENCE)
        assert text(model, hear(model, samples, "de")) == "the cat."
        assert text(model, hear(model, samples, "en")) == "the cat sat."
        assert text(model, hear(model, samples)) == "the cat sat."

    def test_the_only_one_there_is_is_taken(self, folders: dict[str, Path]) -> None:
        model = load(export.files_in(folders["nemo-conformer-aed"], languages=("de",)), "cpu")
        assert text(model, hear(model, export.speech(SENTENCE)[0])) == "the cat."

    @pytest.mark.parametrize("name", UNTIMED)
    def test_a_folder_of_no_language_is_heard_all_the_same(
        self, name: str, folders: dict[str, Path]
    ) -> None:
        model = load(export.files_in(folders[name], languages=("und",)), "cpu")
        assert text(model, hear(model, export.speech(SENTENCE)[0])) == "the cat sat."

    def test_an_unknown_one_is_one_clear_error(self, folders: dict[str, Path]) -> None:
        model = load(export.files_in(folders["whisper"], languages=("en", "de")), "cpu")
        with pytest.raises(RecognizerError, match="fr") as caught:
            model.stream("fr")  # type: ignore[call-arg]
        assert one_line(caught.value)


def _space(name: str) -> tuple[int, ...]:
    """The space that ends a sentence, where it is a sound of its own."""
    return (0,) if name.startswith("gigaam") else ()


class Ear:
    """Hears speech wherever it is loud."""

    def probability(self, frame: Samples) -> float:
        return float(np.abs(frame).max() > 0.05)

    def reset(self) -> None:
        pass


def captions(model: Recognizer, samples: Samples, stop: str) -> list[CaptionUpdate]:
    policy = Policy.at(LatencyProfile.parse(stop))
    lane = LanePipeline("mic", model, Ear(), policy, itertools.count().__next__)
    updates: list[CaptionUpdate] = []
    for place in range(0, samples.size, 1_600):
        updates += lane.push(samples[place : place + 1_600])
    return [*updates, *lane.end()]


class TestCaptions:
    """The same models through the whole policy, on sound that comes piece by piece."""

    def test_every_word_is_captioned_once(self, loaded: Callable[[str], Recognizer]) -> None:
        self.check("gigaam-v2-ctc", loaded, "balanced")

    @pytest.mark.slow
    @pytest.mark.parametrize("stop", STOPS)
    @pytest.mark.parametrize("name", ["nemo-conformer-ctc", "nemo-conformer-tdt"])
    def test_at_every_stop(self, name: str, loaded: Callable[[str], Recognizer], stop: str) -> None:
        self.check(name, loaded, stop)

    def check(self, name: str, loaded: Callable[[str], Recognizer], stop: str) -> None:
        model, (_, said, expected) = loaded(name), TIMED[name]
        said = (*said, *_space(name))
        # Longer than the window, so that it is cut on the way; a pause in the middle.
        part, ends = export.speech([*said, *said])
        samples = np.concatenate((part, np.zeros(SAMPLE_RATE, np.float32), part, part))
        updates = captions(model, samples, stop)
        check_laws(updates)
        finals = " ".join(update.stable for update in updates if update.is_final)
        assert finals.replace(".", "") == " ".join([expected.replace(".", "")] * 6)
        first = next(word for update in updates if update.is_final for word in update.words)
        assert ends[0] - 0.2 < first.end < ends[len(first.text) - 1] + 0.2

    @pytest.mark.parametrize("stop", ["fastest", "steady", "accurate"])
    def test_without_times_too(self, untimed: tuple[str, Recognizer], stop: str) -> None:
        _, model = untimed
        samples, _ = export.speech(SENTENCE)
        updates = captions(model, samples, stop)
        check_laws(updates)
        assert [update.stable for update in updates if update.is_final] == ["the cat sat."]


class TestFolders:
    """What is recognised, and what is refused in one line."""

    def test_every_kind_is_one_of_onnx_asr_s(self) -> None:
        from onnx_asr.loader import create_asr_resolver

        for kind in KINDS:
            assert create_asr_resolver(kind.type, ".", offline=True).model_type

    @pytest.mark.parametrize("name", EVERY)
    def test_a_folder_is_recognised_by_its_names(self, name: str, folders: dict[str, Path]) -> None:
        files = export.files_in(folders[name])
        config = folders[name] / "config.json"
        layout = layout_of(
            [file.name for file in files.spec.files],
            json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {},
        )
        assert layout is not None
        assert layout.kind.type == name

    def test_of_several_precisions_that_for_the_processor_is_taken(self, tmp_path: Path) -> None:
        for precision in ("", ".int8", ".fp16"):
            export.nemo_ctc(tmp_path, precision)
        names = [path.name for path in tmp_path.iterdir()]
        layout = layout_of(names, {"model_type": "nemo-conformer-ctc"})
        assert layout is not None
        assert layout.precision == "int8"
        model = load(export.files_in(tmp_path), "cpu")
        heard = hear(model, export.speech(SENTENCE)[0])
        assert text(model, heard) == "the cat sat on the cat."

    @pytest.mark.parametrize(
        "names",
        [
            [],
            ["model.onnx"],
            ["vocab.txt", "config.json"],
            ["encoder-model.int8.onnx", "decoder-model.onnx", "vocab.txt"],
            ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.json"],
            ["v3_ctc.onnx", "v3_vocab.txt"],  # whose features nothing tells
        ],
    )
    def test_what_is_none_is_not(self, names: list[str]) -> None:
        assert layout_of(names, {}) is None

    @pytest.mark.parametrize("name", EVERY)
    def test_damage_is_one_clear_error(
        self, name: str, folders: dict[str, Path], tmp_path: Path
    ) -> None:
        folder = tmp_path / "damaged"
        shutil.copytree(folders[name], folder)
        files = export.files_in(folder)
        for file in files.spec.files:
            path = files.path(file.name)
            for _ in damages(path, rubbish=20, share=3):
                with pytest.raises(RecognizerError) as caught:
                    load(files, "cpu")
                assert one_line(caught.value), (file.name, str(caught.value))
                assert "tones" in str(caught.value)
        load(files, "cpu")

    def test_a_vocabulary_of_another_model_is_one_clear_error(
        self, folders: dict[str, Path], tmp_path: Path
    ) -> None:
        folder = tmp_path / "mixed"
        shutil.copytree(folders["nemo-conformer-ctc"], folder)
        (folder / "vocab.txt").write_text("▁the 0\n<blk> 1", encoding="utf-8")
        with pytest.raises(RecognizerError, match="do not belong together") as caught:
            load(export.files_in(folder), "cpu")
        assert one_line(caught.value)

    def test_a_folder_of_something_else_is_one_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "readme.txt").write_text("nothing", encoding="utf-8")
        with pytest.raises(RecognizerError, match="tones") as caught:
            load(export.files_in(tmp_path), "cpu")
        assert one_line(caught.value)

    def test_it_has_gone(self, folders: dict[str, Path], tmp_path: Path) -> None:
        files: ModelFiles = export.files_in(folders["whisper"])
        with pytest.raises(RecognizerError) as caught:
            load(replace(files, folder=tmp_path / "gone"), "cpu")
        assert one_line(caught.value)


def test_every_entry_of_the_catalogue_is_recognised() -> None:
    for spec in catalogue.load().recognizers():
        if spec.family == "onnx_asr":
            layout = layout_of([file.name for file in spec.files], {})
            assert layout is not None, spec.id
            assert layout.precision in ("", "int8")
