"""Small models in the layouts that onnx-asr runs: true file names, tensor names and shapes.

Their "speech" is made of tones: each token of the vocabulary has its own, and the graphs hear them
through onnx-asr's own features. So what is said, and when, is known to the sample. The layouts
whose tokens have no times (Canary, Whisper) say the same text whatever they hear.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFile, ModelFiles, ModelSpec

TONES = (500.0, 800.0, 1200.0, 1750.0, 2500.0, 3500.0)
"""Hz, of the first tokens of a vocabulary."""
PIECES = ("▁the", "▁ca", "t", "▁sat", "▁on", ".")
LETTERS = ("▁", "к", "о", "т", "и", "а")
_GAIN, _SILENCE = 6.0, 7.2


def speech(
    said: Sequence[int], *, start: float = 0.5, length: float = 0.16, gap: float = 0.08
) -> tuple[Samples, list[float]]:
    """Tokens as tones, one after the other, over a soft noise.

    Returns:
        Samples at 16 kHz, and when each tone ends, seconds.
    """
    ends = [start + number * (length + gap) + length for number in range(len(said))]
    total = round(((ends[-1] if ends else start) + 0.5) * SAMPLE_RATE)
    samples = np.random.default_rng(5).normal(0.0, 1e-3, total)
    time = np.arange(round(length * SAMPLE_RATE)) / SAMPLE_RATE
    fade = np.minimum(1.0, np.minimum(time, time[::-1]) / 0.01)
    for token, end in zip(said, ends, strict=True):
        first = round((end - length) * SAMPLE_RATE)
        samples[first : first + time.size] += 0.3 * fade * np.sin(2 * np.pi * TONES[token] * time)
    return samples.astype(np.float32), ends


def files_in(folder: Path, *, languages: tuple[str, ...] = ("en",)) -> ModelFiles:
    """All files of a folder as an installed model of the family."""
    names = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    spec = ModelSpec(
        id="tones",
        title="Tones",
        family="onnx_asr",
        kind="recognizer",
        languages=languages,
        licence="MIT",
        attribution="nobody",
        files=tuple(ModelFile(name, (), (folder / name).stat().st_size, "") for name in names),
    )
    return ModelFiles(spec, folder)


# -- layouts --------------------------------------------------------------------------------


def nemo_ctc(folder: Path, precision: str = "") -> Path:
    """NeMo Conformer CTC: 80 mels, a frame for 80 ms."""
    bins = _bins("nemo80", 80)
    _save(folder / f"model{precision}.onnx", _ctc("audio_signal", "length", "logprobs", bins, 8))
    _vocabulary(folder / "vocab.txt", PIECES)
    _config(folder, model_type="nemo-conformer-ctc", features_size=80)
    return folder


def gigaam_v2_ctc(folder: Path, precision: str = "") -> Path:
    """GigaAM v2 CTC: letters, the space one of them, a frame for 40 ms."""
    bins = _bins("gigaam_v2", 64)
    graph = _ctc("features", "feature_lengths", "log_probs", bins, 4)
    _save(folder / f"v2_ctc{precision}.onnx", graph)
    _vocabulary(folder / "v2_vocab.txt", LETTERS)
    return folder


def parakeet(folder: Path, kind: str = "tdt", precision: str = ".int8") -> Path:
    """Parakeet TDT (or RNN-T): 128 mels, an encoder and a decoder with a joint network."""
    bins = _bins("nemo128", 128)
    _save(folder / f"encoder-model{precision}.onnx", _encoder(bins, 8))
    _save(folder / f"decoder_joint-model{precision}.onnx", _joint(durations=kind == "tdt"))
    _vocabulary(folder / "vocab.txt", PIECES)
    _config(folder, model_type=f"nemo-conformer-{kind}", features_size=128, subsampling_factor=8)
    return folder


CANARY = (
    " ", "<|startofcontext|>", "<|startoftranscript|>", "<|emo:undefined|>", "<|en|>", "<|de|>",
    "<|pnc|>", "<|noitn|>", "<|notimestamp|>", "<|nodiarize|>", "<|endoftext|>", "▁the", "▁cat",
    "▁sat", ".",
)  # fmt: skip


def canary(folder: Path) -> Path:
    """Canary: an encoder and a decoder with memories; says "the cat sat." in English, "the cat."
    in German."""
    _save(folder / "encoder-model.onnx", _canary_encoder())
    _save(folder / "decoder-model.onnx", _canary_decoder())
    lines = [f"{piece.replace(' ', '▁')} {number}" for number, piece in enumerate(CANARY)]
    (folder / "vocab.txt").write_text("\n".join(lines), encoding="utf-8")
    _config(folder, model_type="nemo-conformer-aed", features_size=128)
    return folder


WHISPER = ("Ġthe", "Ġcat", "Ġsat", ".")
_SPECIAL = (
    "<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"
)  # fmt: skip


def whisper(folder: Path) -> Path:
    """Whisper as optimum exports it; says "the cat sat."."""
    (folder / "onnx").mkdir(parents=True)
    _save(folder / "onnx" / "encoder_model_int8.onnx", _whisper_encoder())
    _save(folder / "onnx" / "decoder_model_merged_int8.onnx", _whisper_decoder())
    vocabulary = {piece: number for number, piece in enumerate(WHISPER)}
    added = {piece: len(WHISPER) + number for number, piece in enumerate(_SPECIAL)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (folder / "added_tokens.json").write_text(json.dumps(added), encoding="utf-8")
    _config(folder, model_type="whisper", num_mel_bins=80)
    return folder


# -- graphs ---------------------------------------------------------------------------------


def _bins(features: str, count: int) -> list[int]:
    """In which of ``count`` mel bands each tone is loudest."""
    from onnx_asr.preprocessors.numpy_preprocessor import (
        GigaamPreprocessorNumpy,
        NemoPreprocessorNumpy,
    )

    make = GigaamPreprocessorNumpy if features.startswith("gigaam") else NemoPreprocessorNumpy
    found = []
    for token in range(len(TONES)):
        samples, _ = speech([token])
        values, _ = make(features)(samples[None], np.array([samples.size]))
        assert values.shape[1] == count
        middle = values[0][:, 52:64].mean(axis=1) - values[0][:, :40].mean(axis=1)
        found.append(int(middle.argmax()))
    assert len(set(found)) == len(found)
    return found


def _classifier(bins: Sequence[int], count: int, step: int, scale: float) -> tuple[Any, Any]:
    """Convolution that gives each token the loudness of its band, and the blank a threshold."""
    weight = np.zeros((len(bins) + 1, count, step), np.float32)
    for token, band in enumerate(bins):
        weight[token, band] = scale / step
    bias = np.zeros(len(bins) + 1, np.float32)
    return weight, bias


def _logits(bins: Sequence[int], source: str, step: int) -> tuple[list[Any], list[Any], int]:
    # NeMo's features have zero mean over the window; GigaAM's are plain logarithms.
    nemo = source == "audio_signal"
    count = (128 if step == 8 and max(bins) > 79 else 80) if nemo else 64
    weight, bias = _classifier(bins, count, step, _GAIN if nemo else 1.0)
    bias[-1] = _SILENCE if nemo else 0.0
    nodes = [
        helper.make_node(
            "Conv", [source, "weight", "bias"], ["heard"], strides=[step], pads=[0, step - 1]
        )
    ]
    return nodes, [_tensor("weight", weight), _tensor("bias", bias)], count


def _ctc(source: str, length: str, output: str, bins: Sequence[int], step: int) -> Any:
    nodes, tensors, count = _logits(bins, source, step)
    nodes += [
        helper.make_node("Transpose", ["heard"], ["frames"], perm=[0, 2, 1]),
        helper.make_node("LogSoftmax", ["frames"], [output], axis=-1),
    ]
    return _model(
        nodes,
        [_float(source, ["b", count, "t"]), _int(length, ["b"])],
        [_float(output, ["b", "f", len(bins) + 1])],
        tensors,
    )


def _encoder(bins: Sequence[int], step: int) -> Any:
    weight, bias = _classifier(bins, 128, step, _GAIN)
    bias[-1] = _SILENCE
    nodes = [
        helper.make_node(
            "Conv",
            ["audio_signal", "weight", "bias"],
            ["outputs"],
            strides=[step],
            pads=[0, step - 1],
        ),
        helper.make_node("Add", ["length", "rest"], ["more"]),
        helper.make_node("Div", ["more", "step"], ["encoded_lengths"]),
    ]
    tensors = [
        _tensor("weight", weight),
        _tensor("bias", bias),
        _tensor("rest", np.array([step - 1], np.int64)),
        _tensor("step", np.array([step], np.int64)),
    ]
    return _model(
        nodes,
        [_float("audio_signal", ["b", 128, "t"]), _int("length", ["b"])],
        [_float("outputs", ["b", len(bins) + 1, "f"]), _int("encoded_lengths", ["b"])],
        tensors,
    )


def _joint(*, durations: bool) -> Any:
    """A token that was just said is not said again; TDT goes on by one frame."""
    width = len(TONES) + 1
    nodes = [
        helper.make_node("Transpose", ["encoder_outputs"], ["frame"], perm=[0, 2, 1]),
        helper.make_node("Cast", ["targets"], ["last"], to=TensorProto.INT64),
        helper.make_node("OneHot", ["last", "depth", "values"], ["said"]),
        helper.make_node("Mul", ["said", "not_blank"], ["against"]),
        helper.make_node("Add", ["frame", "against"], ["here"]),
        helper.make_node("Unsqueeze", ["here", "axis"], ["plain" if durations else "outputs"]),
        helper.make_node("Identity", ["input_states_1"], ["output_states_1"]),
        helper.make_node("Identity", ["input_states_2"], ["output_states_2"]),
        helper.make_node("Identity", ["target_length"], ["prednet_lengths"]),
    ]
    not_blank = np.ones((1, 1, width), np.float32)
    not_blank[..., -1] = 0.0
    tensors = [
        _tensor("depth", np.array(width, np.int64)),
        _tensor("values", np.array([0.0, -99.0], np.float32)),
        _tensor("not_blank", not_blank),
        _tensor("axis", np.array([1], np.int64)),
    ]
    if durations:
        nodes.append(helper.make_node("Concat", ["plain", "steps"], ["outputs"], axis=-1))
        steps = np.array([0.0, 1.0, 0.0, 0.0, 0.0], np.float32)
        tensors.append(_tensor("steps", steps[None, None, None]))
        width += steps.size
    state = [2, 1, 640]
    return _model(
        nodes,
        [
            _float("encoder_outputs", [1, len(TONES) + 1, 1]),
            helper.make_tensor_value_info("targets", TensorProto.INT32, [1, 1]),
            helper.make_tensor_value_info("target_length", TensorProto.INT32, [1]),
            _float("input_states_1", state),
            _float("input_states_2", state),
        ],
        [
            _float("outputs", [1, 1, 1, width]),
            helper.make_tensor_value_info("prednet_lengths", TensorProto.INT32, [1]),
            _float("output_states_1", state),
            _float("output_states_2", state),
        ],
        tensors,
    )


def _canary_encoder() -> Any:
    weight = np.zeros((4, 128, 8), np.float32)
    nodes = [
        helper.make_node("Conv", ["audio_signal", "weight"], ["c"], strides=[8], pads=[0, 7]),
        helper.make_node("Transpose", ["c"], ["encoder_embeddings"], perm=[0, 2, 1]),
        helper.make_node("ReduceMax", ["encoder_embeddings"], ["r"], axes=[2], keepdims=0),
        helper.make_node("Cast", ["r"], ["zero"], to=TensorProto.INT64),
        helper.make_node("Add", ["zero", "one"], ["encoder_mask"]),
    ]
    return _model(
        nodes,
        [_float("audio_signal", ["b", 128, "t"]), _int("length", ["b"])],
        [_float("encoder_embeddings", ["b", "f", 4]), _int("encoder_mask", ["b", "f"])],
        [_tensor("weight", weight), _tensor("one", np.array([1], np.int64))],
        opset=17,
    )


def _canary_decoder() -> Any:
    """The token at each place behind the prompt; in German, known by its memory, one fewer."""
    width = len(CANARY)
    english = [CANARY.index(piece) for piece in ("▁the", "▁cat", "▁sat", ".", "<|endoftext|>")]
    german = [CANARY.index(piece) for piece in ("▁the", "▁cat", ".", *["<|endoftext|>"] * 2)]
    table = np.array([english, german], np.int64)
    nodes = [
        # Memories: what was fed so far, one number each.
        helper.make_node("Cast", ["input_ids"], ["fed"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["fed", "ends"], ["fresh"]),
        helper.make_node("Concat", ["decoder_mems", "fresh"], ["decoder_hidden_states"], axis=2),
        helper.make_node("Shape", ["decoder_hidden_states"], ["shape"]),
        helper.make_node("Gather", ["shape", "two"], ["seen"]),
        helper.make_node("Sub", ["seen", "prompt"], ["place"]),
        helper.make_node("Gather", ["decoder_hidden_states", "four"], ["language"], axis=2),
        helper.make_node("Reshape", ["language", "flat"], ["spoken"]),
        helper.make_node("Cast", ["spoken"], ["code"], to=TensorProto.INT64),
        helper.make_node("Sub", ["code", "en"], ["row"]),
        helper.make_node("Concat", ["row", "place"], ["pair"], axis=0),
        helper.make_node("Unsqueeze", ["pair", "first"], ["cell"]),
        helper.make_node("GatherND", ["table", "cell"], ["next"]),
        helper.make_node("OneHot", ["next", "depth", "values"], ["row_of_logits"]),
        helper.make_node("Reshape", ["row_of_logits", "three"], ["logits"]),
    ]
    tensors = [
        _tensor("first", np.array([0], np.int64)),
        _tensor("ends", np.array([0, 3], np.int64)),
        _tensor("two", np.array([2], np.int64)),
        _tensor("four", np.array([4], np.int64)),
        _tensor("prompt", np.array([10], np.int64)),
        _tensor("flat", np.array([-1], np.int64)),
        _tensor("en", np.array([CANARY.index("<|en|>")], np.int64)),
        _tensor("table", table),
        _tensor("depth", np.array(width, np.int64)),
        _tensor("values", np.array([-9.0, -0.25], np.float32)),
        _tensor("three", np.array([1, 1, width], np.int64)),
    ]
    return _model(
        nodes,
        [
            _int("input_ids", [1, "n"]),
            _float("encoder_embeddings", [1, "f", 4]),
            _int("encoder_mask", [1, "f"]),
            _float("decoder_mems", [1, 1, "m", 1]),
        ],
        [_float("logits", [1, 1, width]), _float("decoder_hidden_states", [1, 1, "k", 1])],
        tensors,
    )


def _whisper_encoder() -> Any:
    nodes = [
        helper.make_node(
            "AveragePool", ["input_features"], ["pooled"], kernel_shape=[2], strides=[2]
        ),
        helper.make_node("Transpose", ["pooled"], ["last_hidden_state"], perm=[0, 2, 1]),
    ]
    return _model(
        nodes,
        [_float("input_features", ["b", 80, 3000])],
        [_float("last_hidden_state", ["b", 1500, 80])],
        [],
    )


def _whisper_decoder() -> Any:
    special = {piece: len(WHISPER) + number for number, piece in enumerate(_SPECIAL)}
    # The token that follows so many tokens: the language, then the text behind the prompt.
    table = [0, special["<|en|>"], 0, 0, 0, 1, 2, 3, special["<|endoftext|>"]]
    width = len(WHISPER) + len(_SPECIAL)
    nodes = [
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["count"]),
        helper.make_node("Gather", ["table", "count"], ["next"]),
        helper.make_node("OneHot", ["next", "depth", "values"], ["row"]),
        helper.make_node("Reshape", ["row", "three"], ["logits"]),
    ]
    tensors = [
        _tensor("one", np.array([1], np.int64)),
        _tensor("table", np.array(table, np.int64)),
        _tensor("depth", np.array(width, np.int64)),
        _tensor("values", np.array([0.0, 9.0], np.float32)),
        _tensor("three", np.array([1, 1, width], np.int64)),
    ]
    return _model(
        nodes,
        [_int("input_ids", [1, "n"]), _float("encoder_hidden_states", [1, 1500, 80])],
        [_float("logits", [1, 1, width])],
        tensors,
    )


# -- small parts ----------------------------------------------------------------------------


def _float(name: str, shape: Sequence[Any]) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _int(name: str, shape: Sequence[Any]) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.INT64, shape)


def _tensor(name: str, value: Any) -> Any:
    return numpy_helper.from_array(value, name)


def _model(
    nodes: Sequence[Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    tensors: Sequence[Any],
    opset: int = 18,
) -> Any:
    graph = helper.make_graph(nodes, "small", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def _save(path: Path, model: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _vocabulary(path: Path, pieces: Sequence[str]) -> None:
    lines = [f"{piece} {number}" for number, piece in enumerate((*pieces, "<blk>"))]
    path.write_text("\n".join(lines), encoding="utf-8")


def _config(folder: Path, **values: Any) -> None:
    (folder / "config.json").write_text(json.dumps(values), encoding="utf-8")
