"""A small punctuation model with the true layout: metadata, inputs, output. Its weights are seeded.

``reference`` is the same network in numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from models.spec import ModelFile, ModelFiles, ModelSpec

MARKS = ("<unk>", "_", "，", "。", "？", "、")
CHARACTERS = "今天气很好我们去公园吧你要不要一起来吗了的是他她说话人大家想知道什么时候"
ENGLISH = ("we", "go", "home", "today", "hello", "world", "what", "is", "that", "it's")
TOKENS = ("<unk>", *dict.fromkeys(CHARACTERS), *ENGLISH)
_WIDTH = 16

Weights = dict[str, NDArray[np.float32]]


def seeded(seed: int = 3) -> Weights:
    """Random weights; ends of sentences are made rare."""
    rng = np.random.default_rng(seed)

    def matrix(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0.0, 1.0, shape).astype(np.float32)

    return {
        "embed": matrix(len(TOKENS), _WIDTH),
        "query": matrix(_WIDTH, _WIDTH) / 2,
        "key": matrix(_WIDTH, _WIDTH) / 2,
        "value": matrix(_WIDTH, _WIDTH) / 2,
        "out": matrix(_WIDTH, len(MARKS)),
        "bias": np.array([-9, 3, 1, -2.5, -2.5, 0], np.float32),
    }


def obeying(behind: dict[str, str]) -> Weights:
    """Weights that put a mark behind certain tokens and none behind others, whatever else is said.

    Args:
        behind: token to mark.
    """
    embed = np.zeros((len(TOKENS), _WIDTH), np.float32)
    for number, token in enumerate(TOKENS):
        embed[number, MARKS.index(behind.get(token, "_"))] = 8.0
    zero = np.zeros((_WIDTH, _WIDTH), np.float32)
    out = np.eye(_WIDTH, len(MARKS), dtype=np.float32)
    bias = np.zeros(len(MARKS), np.float32)
    return {"embed": embed, "query": zero, "key": zero, "value": zero, "out": out, "bias": bias}


def reference(weights: Weights, ids: Sequence[int]) -> NDArray[np.float32]:
    """Logits of shape (n, marks)."""
    x = weights["embed"][list(ids)]
    query, key, value = (x @ weights[name] for name in ("query", "key", "value"))
    scores = query @ key.T / np.float32(np.sqrt(_WIDTH))
    share = np.exp(scores - scores.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    return np.asarray((x + share @ value) @ weights["out"] + weights["bias"], np.float32)


def export(folder: Path, weights: Weights, **metadata: str) -> ModelFiles:
    """Write ``model.onnx``; ``metadata`` replaces what it says of itself."""
    nodes: list[Any] = [
        helper.make_node("Gather", ["embed", "inputs"], ["x"]),
        helper.make_node("MatMul", ["x", "query"], ["q"]),
        helper.make_node("MatMul", ["x", "key"], ["k"]),
        helper.make_node("MatMul", ["x", "value"], ["v"]),
        helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "kt"], ["raw"]),
        helper.make_node("Mul", ["raw", "scale"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["share"], axis=-1),
        helper.make_node("MatMul", ["share", "v"], ["heard"]),
        helper.make_node("Add", ["x", "heard"], ["h"]),
        helper.make_node("MatMul", ["h", "out"], ["unbiased"]),
        helper.make_node("Add", ["unbiased", "bias"], ["logits"]),
    ]
    constants = weights | {"scale": np.array(1 / np.sqrt(_WIDTH), np.float32)}
    graph = helper.make_graph(
        nodes,
        "punctuation",
        [
            helper.make_tensor_value_info("inputs", TensorProto.INT32, ["N", "T"]),
            helper.make_tensor_value_info("text_lengths", TensorProto.INT32, ["N"]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", "T", len(MARKS)])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    said = {
        "tokens": "|".join(TOKENS),
        "vocab_size": str(len(TOKENS)),
        "punctuations": "|".join(MARKS),
        "unk_symbol": "<unk>",
        "model_type": "ct_transformer",
    }
    helper.set_model_props(model, said | metadata)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.onnx"
    onnx.save(model, path)
    content = path.read_bytes()
    file = ModelFile("model.onnx", (), len(content), hashlib.sha256(content).hexdigest())
    spec = ModelSpec(
        "small-punctuation",
        "Small punctuation",
        "ct_transformer",
        "punctuator",
        (),
        "MIT",
        "nobody",
        (file,),
    )
    return ModelFiles(spec, folder)
