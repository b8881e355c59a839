"""Streaming k2 exports: the encoder against the same network in numpy, everything against
sherpa-onnx on the very same files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sherpa_onnx
import zipformer_export as exports
from zipformer_graphs import Shape, Weights
from zipformer_loaded import Build, heard, model, part
from zipformer_numpy import Reference

from engine.recognizers.base import Token
from engine.recognizers.zipformer import ZipformerRecognizer
from engine.recognizers.zipformer_features import Filterbank
from engine.types import Samples
from models.spec import ModelFiles

pytest_plugins = ["fixtures_zipformer"]

FRAME_S = 0.04


# -- the network ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zipformer2", pytest.param("ctc", marks=pytest.mark.slow)])
def test_the_encoder_gives_what_the_same_network_in_numpy_does(
    built: Build, speech: Samples, kind: str
) -> None:
    encoder = model(built(kind)).encoders[0]
    bank = Filterbank(80)
    bank.add(speech)
    reference = Reference(Shape(), Weights(exports.SEED), encoder.width, ctc=kind == "ctc")
    states = list(encoder.fresh)
    for step in range(3):  # beyond the left context
        window = bank.frames(step * encoder.shift, encoder.window)
        frames, states = encoder.step(window, states)
        np.testing.assert_allclose(frames, reference.step(window), rtol=2e-3, atol=2e-4)


# -- sherpa-onnx on the same files ----------------------------------------------------------


def sherpa(
    files: ModelFiles, speech: Samples, *, hotwords: str = "", **options: Any
) -> tuple[list[str], list[float]]:
    """Tokens and their times by ``sherpa_onnx``."""
    tokens = str(files.folder / "tokens.txt")
    if any(file.name.startswith("ctc") for file in files.spec.files):
        recognizer = sherpa_onnx.OnlineRecognizer.from_zipformer2_ctc(
            tokens=tokens, model=part(files, "ctc"), num_threads=1, **options
        )
    else:
        if hotwords:
            path = files.folder.parent / "hotwords.txt"
            path.write_text(hotwords, encoding="utf-8")
            options["hotwords_file"] = str(path)
        recognizer = sherpa_onnx.OnlineRecognizer.from_transducer(
            tokens=tokens,
            encoder=part(files, "encoder"),
            decoder=part(files, "decoder"),
            joiner=part(files, "joiner"),
            num_threads=1,
            **options,
        )
    stream = recognizer.create_stream()
    # It waits for one frame more than it looks at.
    stream.accept_waveform(16_000, np.concatenate((speech, np.zeros(160, np.float32))))
    while recognizer.is_ready(stream):
        recognizer.decode_stream(stream)
    return recognizer.tokens(stream), recognizer.timestamps(stream)


def same(
    recognizer: ZipformerRecognizer,
    ours: Sequence[Token],
    theirs: tuple[list[str], list[float]],
) -> bool:
    """Also that there is something to compare. Their times are those of the frames' beginnings."""
    pieces = _pieces(recognizer)
    assert [pieces[token.id] for token in ours] == theirs[0]
    times = [(token.time or 0.0) - FRAME_S for token in ours]
    assert times == pytest.approx(theirs[1], abs=1e-3)
    return len(ours) >= 5


def _pieces(recognizer: ZipformerRecognizer) -> list[str]:
    vocabulary = recognizer.vocabulary
    spelled = [vocabulary._pieces[token] for token in range(len(vocabulary))]
    return [piece.replace("\u2581", " ") for piece in spelled]


TRANSDUCERS = [
    pytest.param("zipformer2", "bpe", marks=pytest.mark.slow),
    pytest.param("zipformer2", "mixed", marks=pytest.mark.slow),
    ("zipformer", "bpe"),
    ("zipformer", "zh"),
    ("lstm", "bpe"),
]


KINDS = [*TRANSDUCERS, pytest.param("ctc", "zh", marks=pytest.mark.slow)]


@pytest.mark.parametrize(("kind", "vocabulary"), KINDS)
def test_greedy_says_what_sherpa_says_when_sherpa_says_it(
    built: Build, speech: Samples, kind: str, vocabulary: str
) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    assert same(recognizer, heard(recognizer, speech), sherpa(files, speech))


@pytest.mark.parametrize(("kind", "vocabulary"), TRANSDUCERS)
def test_so_does_the_beam_search(built: Build, speech: Samples, kind: str, vocabulary: str) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    theirs = sherpa(files, speech, decoding_method="modified_beam_search", max_active_paths=4)
    assert same(recognizer, heard(recognizer, speech, effort=0.5), theirs)


@pytest.mark.parametrize("method", ["greedy_search", "modified_beam_search"])
def test_so_does_a_penalty_on_blanks(built: Build, speech: Samples, method: str) -> None:
    files = built("lstm", "bpe")
    recognizer = model(files)
    recognizer.blank_penalty = 3.0
    effort = 0.0 if method == "greedy_search" else 0.5
    ours = heard(recognizer, speech, effort)
    theirs = sherpa(files, speech, decoding_method=method, blank_penalty=3.0)
    assert same(recognizer, ours, theirs)
    recognizer.blank_penalty = 0.0
    assert len(ours) > len(heard(recognizer, speech, effort))


@pytest.mark.parametrize(
    ("kind", "vocabulary", "unit", "phrases"),
    [
        ("zipformer", "zh", "cjkchar", ["中国", "大家", "自己的", "不", "他", "要下"]),
        ("lstm", "bpe", "bpe", ["WHICH WOULD", "BEEN", "THEIRS", "NOT DOING"]),
    ],
)
def test_favoured_phrases_weigh_what_they_weigh_with_sherpa(
    built: Build, speech: Samples, kind: str, vocabulary: str, unit: str, phrases: list[str]
) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    plain = heard(recognizer, speech, 0.5)
    unknown = recognizer.favour(phrases, 4.0)
    ours = heard(recognizer, speech, 0.5)
    theirs = sherpa(
        files,
        speech,
        hotwords="\n".join(phrase for phrase in phrases if phrase not in unknown),
        hotwords_score=4.0,
        modeling_unit=unit,
        bpe_vocab=str(files.folder / "bpe.vocab"),
        decoding_method="modified_beam_search",
        max_active_paths=4,
    )
    assert same(recognizer, ours, theirs)
    assert [token.id for token in ours] != [token.id for token in plain]
    assert recognizer.favour([]) == []
    assert heard(recognizer, speech, 0.5) == plain
