"""A small Moonshine v2 model: the published files, tensor names and shapes, random weights.

``write`` makes the folder; ``Reference`` is the same network in plain numpy, on a whole window at
once: no chunks, no caches, no onnxruntime.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.recognizers.moonshine_layers import LayerGraph, value
from models.spec import ModelFile, ModelFiles, ModelSpec

Array = NDArray[np.float32]

FRAME_LEN = 80
WINDOWS = ((16, 4), (16, 0), (16, 4))
"""Frames that each layer of the encoder looks behind and ahead, itself aside."""
BEGIN, END = 1, 2


@dataclass(frozen=True)
class Sizes:
    """Of the network; the published ones differ in these alone."""

    encoder: int = 24
    decoder: int = 16
    heads: int = 2
    head: int = 8
    depth: int = 3
    vocabulary: int = 60
    positions: int = 4096


@dataclass
class Weights:
    """Random, the same for the same seed."""

    sizes: Sizes = field(default_factory=Sizes)
    seed: int = 226

    def __post_init__(self) -> None:
        self._known: dict[str, Array] = {}

    def __call__(self, name: str, *shape: int, scale: float | None = None) -> Array:
        if name not in self._known:
            code = [ord(character) for character in name]
            random = np.random.default_rng([self.seed, *code])
            size = 1.0 / np.sqrt(shape[0]) if scale is None else scale
            self._known[name] = (random.normal(0.0, size, shape)).astype(np.float32)
        return self._known[name]


# -- the folder -----------------------------------------------------------------------------


def write(folder: Path, weights: Weights, *, attention: bool = True, ending: str = ".ort") -> Path:
    """All files of the model."""
    folder.mkdir(parents=True, exist_ok=True)
    decoder = "decoder_kv_with_attention" if attention else "decoder_kv"
    graphs = {
        "frontend": frontend(weights),
        "encoder": encoder(weights),
        "adapter": adapter(weights),
        "cross_kv": cross_kv(weights),
        decoder: decoder_kv(weights, attention=attention),
    }
    for name, graph in graphs.items():
        (folder / f"{name}{ending}").write_bytes(_as_ort(graph) if ending == ".ort" else graph)
    sizes = weights.sizes
    config = {
        "encoder_dim": sizes.encoder,
        "decoder_dim": sizes.decoder,
        "depth": sizes.depth,
        "nheads": sizes.heads,
        "head_dim": sizes.head,
        "vocab_size": sizes.vocabulary,
        "bos_id": BEGIN,
        "eos_id": END,
        "frame_len": FRAME_LEN,
        "total_lookahead": sum(ahead for _, ahead in WINDOWS),
        "d_model_frontend": sizes.encoder,
        "c1": 2 * sizes.encoder,
        "c2": sizes.encoder,
        "frontend_state_shapes": {
            "sample_buffer": [1, FRAME_LEN - 1],
            "sample_len": [1],
            "conv1_buffer": [1, sizes.encoder, 4],
            "conv2_buffer": [1, 2 * sizes.encoder, 4],
            "frame_count": [1],
        },
    }
    (folder / "streaming_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    (folder / "tokenizer.bin").write_bytes(b"".join(_counted(piece) for piece in pieces(sizes)))
    return folder


def _as_ort(graph: bytes) -> bytes:
    """A graph in onnxruntime's own format."""
    import onnxruntime as ort

    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "graph.ort"
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(path)
        options.add_session_config_entry("session.save_model_format", "ORT")
        options.log_severity_level = 4
        ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        return path.read_bytes()


def pieces(sizes: Sizes) -> list[bytes]:
    """The vocabulary: three special tokens, a byte, a piece longer than 127 bytes, syllables."""
    made = ["<unk>", "<s>", "</s>", "<0x41>", "▁" + "long" * 40]
    syllables = [f"{'▁' if number % 2 else ''}{a}{b}" for number, (a, b) in enumerate(
        (a, b) for a in "bdfgklmnprst" for b in "aeiou"
    )]  # fmt: skip
    return [piece.encode() for piece in (*made, *syllables)][: sizes.vocabulary]


def _counted(piece: bytes) -> bytes:
    size = len(piece)
    return bytes([size] if size < 128 else [128 + size % 128, size // 128]) + piece


def files_in(folder: Path) -> ModelFiles:
    """All files of a folder as an installed model of the family."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    spec = ModelSpec(
        id="moonshine-small",
        title="Small Moonshine",
        family="moonshine_streaming",
        kind="recognizer",
        languages=("en",),
        licence="MIT",
        attribution="nobody",
        files=tuple(ModelFile(name, (), (folder / name).stat().st_size, "") for name in names),
    )
    return ModelFiles(spec, folder)


# -- the graphs -----------------------------------------------------------------------------


def frontend(weights: Weights) -> bytes:
    """Sound and what was carried over -> features, and what is carried on."""
    width = weights.sizes.encoder
    graph = LayerGraph("float")
    zero, first = graph.const([0], np.int64), graph.const([1], np.int64)
    most, long = graph.const([FRAME_LEN - 1], np.int64), graph.const([FRAME_LEN], np.int64)
    keep = graph.op("Min", "sample_len", most)
    kept = graph.op("Slice", "sample_buffer", zero, keep, first)
    sound = graph.op("Concat", kept, "audio_chunk", axis=1)
    count = graph.op("Div", graph.op("Shape", sound, start=1), long)
    used = graph.op("Mul", count, long)
    whole = graph.op("Slice", sound, zero, used, first)
    frames = graph.op("Reshape", whole, graph.const([1, -1, FRAME_LEN], np.int64))
    last = graph.const([-1], np.int64)
    centred = graph.op("Sub", frames, graph.op("ReduceMean", frames, last))
    power = graph.op("ReduceMean", graph.op("Mul", centred, centred), last)
    level = graph.op("Sqrt", graph.op("Add", power, graph.const(1e-6, np.float32)))
    pressed = graph.op(
        "Asinh", graph.op("Mul", graph.op("Div", centred, level), graph.const(0.75, np.float32))
    )
    seen = _silu(graph, graph.op("MatMul", pressed, graph.const(weights("lin", FRAME_LEN, width))))
    hidden = graph.op("Transpose", seen, perm=[0, 2, 1])
    conv1_in = graph.op("Concat", "conv1_buffer", hidden, axis=2)
    conv1 = _silu(graph, _conv(graph, weights, "conv1", conv1_in, width, 2 * width))
    conv2_in = graph.op("Concat", "conv2_buffer", conv1, axis=2)
    conv2 = _conv(graph, weights, "conv2", conv2_in, 2 * width, width)
    graph.alias(graph.op("Transpose", conv2, perm=[0, 2, 1]), "features")
    end = graph.const([1 << 40], np.int64)
    rest = graph.op("Slice", sound, used, end, first)
    padded = graph.op("Concat", rest, graph.const(np.zeros((1, 79)), np.float32), axis=1)
    graph.alias(graph.op("Slice", padded, zero, most, first), "sample_buffer_out")
    graph.alias(graph.op("Shape", rest, start=1), "sample_len_out")
    four, two = graph.const([-4], np.int64), graph.const([2], np.int64)
    graph.alias(graph.op("Slice", hidden, four, end, two), "conv1_buffer_out")
    graph.alias(graph.op("Slice", conv1, four, end, two), "conv2_buffer_out")
    graph.alias(graph.op("Add", "frame_count", count), "frame_count_out")
    state = [
        ("sample_buffer", np.float32, [1, 79]),
        ("sample_len", np.int64, [1]),
        ("conv1_buffer", np.float32, [1, width, 4]),
        ("conv2_buffer", np.float32, [1, 2 * width, 4]),
        ("frame_count", np.int64, [1]),
    ]
    return graph.model(
        [value("audio_chunk", np.float32, [1, "chunk_len"]), *(value(*each) for each in state)],
        [
            value("features", np.float32, [1, "feat_len", width]),
            *(value(f"{name}_out", dtype, shape) for name, dtype, shape in state),
        ],
    )


def encoder(weights: Weights) -> bytes:
    """Features -> encoded; each layer looks at its own window."""
    width = weights.sizes.encoder
    graph = LayerGraph("float")
    length = graph.op("Squeeze", graph.op("Shape", "features", start=1, end=2))
    one, none = graph.const(1, np.int64), graph.const(0, np.int64)
    places = graph.op("Range", none, length, one)
    rows = graph.op("Unsqueeze", places, graph.const([1], np.int64))
    columns = graph.op("Unsqueeze", places, graph.const([0], np.int64))
    distance = graph.op("Sub", rows, columns)
    hidden = "features"
    for layer, (behind, ahead) in enumerate(WINDOWS):
        name = f"enc{layer}"
        near = graph.op("LessOrEqual", distance, graph.const(behind, np.int64))
        soon = graph.op("GreaterOrEqual", distance, graph.const(-ahead, np.int64))
        mask = graph.op(
            "Where",
            graph.op("And", near, soon),
            graph.const(0.0, np.float32),
            graph.const(-3e38, np.float32),
        )
        normed = _norm(graph, weights, f"{name}.norm1", hidden, width, unit=1.0)
        query, key, val = (
            _heads(graph, _dense(graph, weights, f"{name}.{part}", normed, width), weights, width)
            for part in "qkv"
        )
        attended, _ = _attention(graph, query, key, val, mask, width // weights.sizes.heads)
        hidden = graph.op(
            "Add",
            hidden,
            _dense(graph, weights, f"{name}.o", _merged(graph, attended, width), width),
        )
        normed = _norm(graph, weights, f"{name}.norm2", hidden, width, unit=1.0)
        wide = _dense(graph, weights, f"{name}.fc1", normed, 4 * width, inputs=width, bias=True)
        wide = _gelu(graph, wide)
        narrow = _dense(graph, weights, f"{name}.fc2", wide, width, inputs=4 * width, bias=True)
        hidden = graph.op("Add", hidden, narrow)
    graph.alias(_norm(graph, weights, "enc.norm", hidden, width, unit=1.0), "encoded")
    return graph.model(
        [value("features", np.float32, [1, "feat_len", width])],
        [value("encoded", np.float32, [1, "feat_len", width])],
    )


def adapter(weights: Weights) -> bytes:
    """Encoded frames and the place of the first -> memory."""
    sizes = weights.sizes
    graph = LayerGraph("float")
    table = graph.const(weights("pos", sizes.positions, sizes.encoder, scale=0.5))
    length = graph.op("Squeeze", graph.op("Shape", "encoded", start=1, end=2))
    places = graph.op("Range", graph.const(0, np.int64), length, graph.const(1, np.int64))
    rows = graph.op("Gather", table, graph.op("Add", places, "pos_offset"))
    placed = graph.op("Add", "encoded", graph.op("Unsqueeze", rows, graph.const([0], np.int64)))
    graph.alias(
        graph.op("MatMul", placed, graph.const(weights("proj", sizes.encoder, sizes.decoder))),
        "memory",
    )
    return graph.model(
        [
            value("encoded", np.float32, [1, "enc_len", sizes.encoder]),
            value("pos_offset", np.int64, [1]),
        ],
        [value("memory", np.float32, [1, "enc_len", sizes.decoder])],
    )


def cross_kv(weights: Weights) -> bytes:
    """Memory -> the keys and values of every layer of the decoder."""
    sizes = weights.sizes
    graph = LayerGraph("float")
    front = graph.const([0], np.int64)
    for part, output in (("k", "k_cross"), ("v", "v_cross")):
        layers = []
        for layer in range(sizes.depth):
            made = _dense(graph, weights, f"dec{layer}.cross_{part}", "memory", sizes.decoder)
            heads = _heads(graph, made, weights, sizes.decoder)
            layers.append(graph.op("Unsqueeze", heads, front))
        graph.alias(graph.op("Concat", *layers, axis=0), output)
    shape = [sizes.depth, 1, sizes.heads, "mem_len", sizes.decoder // sizes.heads]
    return graph.model(
        [value("memory", np.float32, [1, "mem_len", sizes.decoder])],
        [value("k_cross", np.float32, shape), value("v_cross", np.float32, shape)],
    )


def decoder_kv(weights: Weights, *, attention: bool) -> bytes:
    """Tokens and what was before them -> logits, and what is before the next."""
    sizes = weights.sizes
    width, head = sizes.decoder, sizes.head
    graph = LayerGraph("float")
    embedding = graph.const(weights("embed", sizes.vocabulary, width, scale=1.0))
    hidden = graph.op("Gather", embedding, "token")
    one, none = graph.const(1, np.int64), graph.const(0, np.int64)
    count = graph.op("Squeeze", graph.op("Shape", "token", start=1, end=2))
    cached = graph.op("Squeeze", graph.op("Shape", "k_self", start=3, end=4))
    total = graph.op("Add", cached, count)
    queries = graph.op("Range", cached, total, one)
    keys = graph.op("Range", none, total, one)
    rows = graph.op("Unsqueeze", queries, graph.const([1], np.int64))
    columns = graph.op("Unsqueeze", keys, graph.const([0], np.int64))
    mask = graph.op(
        "Where",
        graph.op("GreaterOrEqual", rows, columns),
        graph.const(0.0, np.float32),
        graph.const(-3e38, np.float32),
    )
    cosine, sine = (graph.const(table) for table in rotary_tables(head))
    turn = (graph.op("Gather", cosine, queries), graph.op("Gather", sine, queries))
    new_keys, new_values, looks = [], [], []
    front = graph.const([0], np.int64)
    for layer in range(sizes.depth):
        name, place = f"dec{layer}", graph.const(layer, np.int64)
        normed = _norm(graph, weights, f"{name}.norm1", hidden, width)
        query, key, val = (
            _heads(graph, _dense(graph, weights, f"{name}.{part}", normed, width), weights, width)
            for part in "qkv"
        )
        query, key = _turned(graph, query, turn, head), _turned(graph, key, turn, head)
        key = graph.op("Concat", graph.op("Gather", "k_self", place), key, axis=2)
        val = graph.op("Concat", graph.op("Gather", "v_self", place), val, axis=2)
        new_keys.append(graph.op("Unsqueeze", key, front))
        new_values.append(graph.op("Unsqueeze", val, front))
        attended, _ = _attention(graph, query, key, val, mask, head)
        hidden = graph.op(
            "Add",
            hidden,
            _dense(graph, weights, f"{name}.o", _merged(graph, attended, width), width),
        )
        normed = _norm(graph, weights, f"{name}.norm2", hidden, width)
        query = _heads(
            graph, _dense(graph, weights, f"{name}.cross_q", normed, width), weights, width
        )
        attended, look = _attention(
            graph,
            query,
            graph.op("Gather", "out_k_cross", place),
            graph.op("Gather", "out_v_cross", place),
            None,
            head,
        )
        looks.append(look)
        merged = _merged(graph, attended, width)
        hidden = graph.op("Add", hidden, _dense(graph, weights, f"{name}.cross_o", merged, width))
        normed = _norm(graph, weights, f"{name}.norm3", hidden, width)
        wide = _dense(graph, weights, f"{name}.fc1", normed, 8 * width, inputs=width, bias=True)
        left, gate = graph.op_many(
            "Split", 2, wide, graph.const([4 * width] * 2, np.int64), axis=-1
        )
        gated = graph.op("Mul", _silu(graph, gate), left)
        narrow = _dense(graph, weights, f"{name}.fc2", gated, width, inputs=4 * width, bias=True)
        hidden = graph.op("Add", hidden, narrow)
    hidden = _norm(graph, weights, "dec.norm", hidden, width)
    head_matrix = graph.const(weights("head", width, sizes.vocabulary, scale=1.0))
    graph.alias(graph.op("MatMul", hidden, head_matrix), "logits")
    graph.alias(graph.op("Concat", *new_keys, axis=0), "out_k_self")
    graph.alias(graph.op("Concat", *new_values, axis=0), "out_v_self")
    shape = [sizes.depth, 1, sizes.heads, "cache_len", head]
    cross = [sizes.depth, 1, sizes.heads, "memory_len", head]
    behind = [sizes.depth, 1, sizes.heads, "new_len", head]
    outputs = [
        value("logits", np.float32, [1, "token_len", sizes.vocabulary]),
        value("out_k_self", np.float32, behind),
        value("out_v_self", np.float32, behind),
    ]
    if attention:
        for layer, look in enumerate(looks):
            graph.alias(look, f"cross_attentions.{layer}")
            seen = [1, sizes.heads, "token_len", "memory_len"]
            outputs.append(value(f"cross_attentions.{layer}", np.float32, seen))
    return graph.model(
        [
            value("token", np.int64, [1, "token_len"]),
            value("k_self", np.float32, shape),
            value("v_self", np.float32, shape),
            value("out_k_cross", np.float32, cross),
            value("out_v_cross", np.float32, cross),
        ],
        outputs,
    )


def rotary_tables(head: int, longest: int = 512) -> tuple[Array, Array]:
    """Cosines and sines for the first four fifths of a head, each twice: (longest, rotary)."""
    rotary = int(head * 0.8) // 2 * 2
    rate = 10_000.0 ** (-np.arange(0, rotary, 2) / rotary)
    angle = np.repeat(np.arange(longest)[:, None] * rate[None], 2, axis=1)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def _silu(graph: LayerGraph, x: str) -> str:
    return graph.op("Mul", x, graph.op("Sigmoid", x))


def _gelu(graph: LayerGraph, x: str) -> str:
    scaled = graph.op("Mul", x, graph.const(1.0 / np.sqrt(2.0), np.float32))
    half = graph.op("Mul", x, graph.const(0.5, np.float32))
    return graph.op(
        "Mul", half, graph.op("Add", graph.op("Erf", scaled), graph.const(1, np.float32))
    )


def _conv(graph: LayerGraph, weights: Weights, name: str, x: str, inputs: int, outputs: int) -> str:
    kernel = graph.const(weights(f"{name}.w", outputs, inputs, 5, scale=1 / np.sqrt(5 * inputs)))
    bias = graph.const(weights(f"{name}.b", outputs, scale=0.1))
    return graph.op("Conv", x, kernel, bias, strides=[2])


def _dense(
    graph: LayerGraph,
    weights: Weights,
    name: str,
    x: str,
    outputs: int,
    *,
    inputs: int | None = None,
    bias: bool = False,
) -> str:
    made = graph.op("MatMul", x, graph.const(weights(f"{name}.w", inputs or outputs, outputs)))
    if not bias:
        return made
    return graph.op("Add", made, graph.const(weights(f"{name}.b", outputs, scale=0.1)))


def _norm(
    graph: LayerGraph, weights: Weights, name: str, x: str, width: int, unit: float = 0.0
) -> str:
    gamma = weights(f"{name}.g", width, scale=0.1) + (unit or 1.0)
    return graph.norm(x, gamma.astype(np.float32))


def _heads(graph: LayerGraph, x: str, weights: Weights, width: int) -> str:
    heads = weights.sizes.heads
    split = graph.op("Reshape", x, graph.const([1, -1, heads, width // heads], np.int64))
    return graph.op("Transpose", split, perm=[0, 2, 1, 3])


def _merged(graph: LayerGraph, x: str, width: int) -> str:
    turned = graph.op("Transpose", x, perm=[0, 2, 1, 3])
    return graph.op("Reshape", turned, graph.const([1, -1, width], np.int64))


def _attention(
    graph: LayerGraph, query: str, key: str, val: str, mask: str | None, head: int
) -> tuple[str, str]:
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
    scores = graph.op("Mul", scores, graph.const(head**-0.5, np.float32))
    if mask is not None:
        scores = graph.op("Add", scores, mask)
    shares = graph.op("Softmax", scores, axis=-1)
    return graph.op("MatMul", shares, val), shares


def _turned(graph: LayerGraph, x: str, turn: tuple[str, str], head: int) -> str:
    """Rotary positions on the first dimensions of a head, in pairs."""
    rotary = int(head * 0.8) // 2 * 2
    moved, rest = graph.op_many(
        "Split", 2, x, graph.const([rotary, head - rotary], np.int64), axis=-1
    )
    swap = np.zeros((rotary, rotary), np.float32)
    for pair in range(0, rotary, 2):
        swap[pair + 1, pair], swap[pair, pair + 1] = -1.0, 1.0
    crossed = graph.op("MatMul", moved, graph.const(swap))
    turned = graph.op("Add", graph.op("Mul", moved, turn[0]), graph.op("Mul", crossed, turn[1]))
    return graph.op("Concat", turned, rest, axis=-1)


# -- the same in numpy ----------------------------------------------------------------------


class Reference:
    """The network on a whole window.

    Args:
        weights: those of the folder.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.sizes = weights.sizes

    def features(self, audio: Array) -> Array:
        """(n, encoder) of all whole frames of sound."""
        frames = audio[: audio.size // FRAME_LEN * FRAME_LEN].reshape(-1, FRAME_LEN)
        centred = frames - frames.mean(axis=1, keepdims=True)
        level = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-6)
        width = self.sizes.encoder
        hidden = silu(np.arcsinh(0.75 * centred / level) @ self.weights("lin", FRAME_LEN, width))
        hidden = silu(self._conv("conv1", hidden, width, 2 * width))
        return self._conv("conv2", hidden, 2 * width, width)

    def memory(self, features: Array) -> Array:
        """(n, decoder) of all frames."""
        width, count = self.sizes.encoder, features.shape[0]
        distance = np.arange(count)[:, None] - np.arange(count)[None]
        hidden = features
        for layer, (behind, ahead) in enumerate(WINDOWS):
            name = f"enc{layer}"
            normed = self._norm(f"{name}.norm1", hidden)
            query, key, val = (self._heads(f"{name}.{part}", normed, width) for part in "qkv")
            mask = np.where((distance <= behind) & (distance >= -ahead), 0.0, -3e38)
            attended, _ = attention(query, key, val, mask)
            hidden = hidden + merged(attended) @ self.weights(f"{name}.o.w", width, width)
            normed = self._norm(f"{name}.norm2", hidden)
            wide = normed @ self.weights(f"{name}.fc1.w", width, 4 * width)
            wide = gelu(wide + self.weights(f"{name}.fc1.b", 4 * width, scale=0.1))
            narrow = wide @ self.weights(f"{name}.fc2.w", 4 * width, width)
            hidden = hidden + narrow + self.weights(f"{name}.fc2.b", width, scale=0.1)
        encoded = self._norm("enc.norm", hidden)
        table = self.weights("pos", self.sizes.positions, width, scale=0.5)
        return (encoded + table[:count]) @ self.weights("proj", width, self.sizes.decoder)

    def logits(self, ids: Sequence[int], memory: Array) -> tuple[Array, Array]:
        """Logits after each token, and what each looked at: (layers, heads, tokens, frames)."""
        sizes = self.sizes
        width = sizes.decoder
        embedding = self.weights("embed", sizes.vocabulary, width, scale=1.0)
        hidden = embedding[list(ids)]
        count = len(ids)
        mask = np.where(np.arange(count)[:, None] >= np.arange(count)[None], 0.0, -3e38)
        looks = []
        for layer in range(sizes.depth):
            name = f"dec{layer}"
            normed = self._norm(f"{name}.norm1", hidden)
            query, key, val = (self._heads(f"{name}.{part}", normed, width) for part in "qkv")
            attended, _ = attention(turned(query), turned(key), val, mask)
            hidden = hidden + merged(attended) @ self.weights(f"{name}.o.w", width, width)
            query = self._heads(f"{name}.cross_q", self._norm(f"{name}.norm2", hidden), width)
            key = self._heads(f"{name}.cross_k", memory, width)
            val = self._heads(f"{name}.cross_v", memory, width)
            attended, look = attention(query, key, val, 0.0)
            looks.append(look)
            hidden = hidden + merged(attended) @ self.weights(f"{name}.cross_o.w", width, width)
            wide = self._norm(f"{name}.norm3", hidden) @ self.weights(
                f"{name}.fc1.w", width, 8 * width
            )
            wide = wide + self.weights(f"{name}.fc1.b", 8 * width, scale=0.1)
            gated = silu(wide[:, 4 * width :]) * wide[:, : 4 * width]
            narrow = gated @ self.weights(f"{name}.fc2.w", 4 * width, width)
            hidden = hidden + narrow + self.weights(f"{name}.fc2.b", width, scale=0.1)
        head = self.weights("head", width, sizes.vocabulary, scale=1.0)
        return self._norm("dec.norm", hidden) @ head, np.stack(looks)

    def greedy(self, memory: Array, prefix: Sequence[int], most: int) -> list[int]:
        """What follows a prefix, up to the end of the text or ``most`` tokens of it all."""
        ids = [BEGIN, *prefix]
        while len(ids) - 1 < most:
            token = int(self.logits(ids, memory)[0][-1].argmax())
            if token == END:
                break
            ids.append(token)
        return ids[1 + len(prefix) :]

    def _conv(self, name: str, x: Array, inputs: int, outputs: int) -> Array:
        kernel = self.weights(f"{name}.w", outputs, inputs, 5, scale=1 / np.sqrt(5 * inputs))
        padded = np.concatenate((np.zeros((4, inputs), np.float32), x))
        places = range(0, padded.shape[0] - 4, 2)
        rows = [np.einsum("ti,oit->o", padded[at : at + 5], kernel) for at in places]
        return np.array(rows, np.float32) + self.weights(f"{name}.b", outputs, scale=0.1)

    def _norm(self, name: str, x: Array) -> Array:
        gamma = self.weights(f"{name}.g", x.shape[-1], scale=0.1) + 1.0
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * gamma

    def _heads(self, name: str, x: Array, width: int) -> Array:
        made = x @ self.weights(f"{name}.w", width, width)
        return made.reshape(x.shape[0], self.sizes.heads, -1).transpose(1, 0, 2)


def silu(x: Array) -> Array:
    return x / (1.0 + np.exp(-x))


def gelu(x: Array) -> Array:
    from math import erf

    return (0.5 * x * (1.0 + np.vectorize(erf)(x / np.sqrt(2.0)))).astype(np.float32)


def attention(query: Array, key: Array, val: Array, mask: Any) -> tuple[Array, Array]:
    """(heads, n, head) and the shares (heads, n, m)."""
    scores = query @ key.transpose(0, 2, 1) * query.shape[-1] ** -0.5 + mask
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    return shares @ val, shares


def merged(x: Array) -> Array:
    return x.transpose(1, 0, 2).reshape(x.shape[1], -1)


def turned(x: Array) -> Array:
    """Rotary positions, from 0 on."""
    cosine, sine = (table[: x.shape[1]] for table in rotary_tables(x.shape[-1]))
    rotary = cosine.shape[1]
    moved = x[..., :rotary]
    crossed = np.stack((-moved[..., 1::2], moved[..., 0::2]), axis=-1).reshape(moved.shape)
    return np.concatenate((moved * cosine + crossed * sine, x[..., rotary:]), axis=-1)
