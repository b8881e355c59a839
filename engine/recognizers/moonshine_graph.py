"""Moonshine v1 as three lean ONNX graphs, written around the published weights.

Architecture: Jeffries et al. 2024, "Moonshine: Speech Recognition for Live Transcription and Voice
Commands" (arXiv 2410.15608): three convolutions, a pre-norm transformer encoder, a pre-norm decoder
with SwiGLU, rotary positions on 32 of every head's 36 dimensions.

``frontend``: ``audio`` float32 (1, n) at 16 kHz ->
    ``features`` float32 (1, 576, t2), one for 192 samples; ``sums`` and ``squares`` float32 (t1,),
    one for 64 samples: the first two moments of what group normalisation will want, and
    ``GROUP_CHANNELS`` values went into each.
``encoder``: ``features``, ``inverse_deviation``, ``scaled_mean`` (mean / deviation) float32 () ->
    ``keys`` float32 (layers, heads, head, t) and ``values`` float32 (layers, heads, t, head):
    what the decoder's cross-attention needs of each frame of 384 samples.
``decoder``: ``ids`` int64 (1, n), ``positions`` int64 (1, n), ``rows`` int64 (m,),
    ``mask`` float32 (n, p + n) added to self-attention, ``past`` float32
    (layers, 2, heads, p, head), ``keys``, ``values`` as above ->
    ``logp`` float32 (m, k) and ``top`` int64 (m, k): the k most probable next tokens after each of
    ``rows``; ``attention`` float32 (aligned heads, n, t); ``present`` float32
    (layers, 2, heads, p + n, head).

The matrix products are done in one of three arithmetics: ``unsigned`` 8-bit weights with
activations quantised on the fly, as published; the same numbers stored ``signed``, which
processors with 8-bit dot products run twice as fast and older ones may saturate (see
``signed_probe``); or ``float``, which GPU providers want.
"""

from __future__ import annotations

import numpy as np

from engine.errors import RecognizerError
from engine.recognizers.moonshine_layers import HEADS, Arithmetic, LayerGraph, value
from engine.recognizers.moonshine_weights import Array, PublishedGraph, Quantized

ALIGNED_HEADS = ((3, 5), (3, 6), (4, 3), (4, 7))
"""Cross-attention heads (layer, head) of the tiny English model that follow the speech."""

GROUP_CHANNELS = 288
"""Values behind each entry of ``sums`` and ``squares``."""

TOP = 4
"""Alternatives the decoder gives for each position."""


def frontend(source: PublishedGraph) -> bytes:
    """The part of the encoder that looks at one place at a time: its result can be kept.

    Group normalisation needs the mean and variance of the whole window, but it is linear but for
    those two numbers, and so is the convolution behind it: that convolution is done here on the
    plain features, and the two numbers are applied to its result in ``encoder``. The outcome is
    the published network's, to rounding, and a window that grew by 0.2 s costs 0.2 s.

    Args:
        source: the published encoder.

    Returns:
        A serialised ONNX model.

    Raises:
        RecognizerError: the file is not a Moonshine v1 model.
    """
    g = LayerGraph("float")
    first = source.tensor("conv1.weight_add_tensor", "conv1.weight")
    x = g.op("Unsqueeze", "audio", g.const([1], np.int64))
    x = g.op("Tanh", g.op("Conv", x, g.const(first), strides=[64]))
    axes = g.const([0, 1], np.int64)
    g.alias(g.op("ReduceSum", x, axes, keepdims=0), "sums")
    g.alias(g.op("ReduceSum", g.op("Mul", x, x), axes, keepdims=0), "squares")
    gain = source.constant_of("/groupnorm/Mul").reshape(1, -1, 1)
    kernel = source.tensor("conv2.weight_add_tensor", "conv2.weight") * gain
    g.alias(g.op("Conv", x, g.const(kernel, np.float32), strides=[3]), "features")
    return g.model(
        [value("audio", np.float32, [1, "samples"])],
        [
            value("features", np.float32, [1, kernel.shape[0], "t2"]),
            value("sums", np.float32, ["t1"]),
            value("squares", np.float32, ["t1"]),
        ],
    )


def encoder(source: PublishedGraph, decoder: PublishedGraph, *, arithmetic: Arithmetic) -> bytes:
    """The rest of the encoder, the decoder's cross-attention keys and values included.

    Args:
        source: the published encoder.
        decoder: the published decoder, for the cross-attention projections.
        arithmetic: of the matrix products.

    Returns:
        A serialised ONNX model.

    Raises:
        RecognizerError: the files are not a Moonshine v1 model.
    """
    g = LayerGraph(arithmetic)
    layers = _layer_count(source, "layers.{}.input_layernorm.weight")
    width = source.tensor("layer_norm.weight").shape[0]
    head = width // HEADS
    kernel = source.tensor("conv2.weight_add_tensor", "conv2.weight")
    gain = source.constant_of("/groupnorm/Mul").reshape(1, -1, 1)
    offset = source.constant_of("/groupnorm/Add").reshape(1, -1, 1)
    pull = (kernel * gain).sum(axis=(1, 2)).reshape(1, -1, 1)
    push = (kernel * offset).sum(axis=(1, 2)) + source.tensor("conv2.bias")
    x = g.op("Mul", "features", "inverse_deviation")
    x = g.op("Sub", x, g.op("Mul", g.const(pull, np.float32), "scaled_mean"))
    x = g.op("Add", x, g.const(push.reshape(1, -1, 1), np.float32))
    x = g.op("Gelu", x, domain="com.microsoft")
    last = g.const(source.tensor("conv3.weight_add_tensor", "conv3.weight"))
    x = g.op("Conv", x, last, g.const(source.tensor("conv3.bias")), strides=[2])
    x = g.op("Gelu", x, domain="com.microsoft")
    x = g.op("Transpose", x, perm=[0, 2, 1])
    frames = g.op("Slice", g.op("Shape", x), *(g.const([i], np.int64) for i in (1, 2)))
    count = g.op("Squeeze", frames)
    positions = g.op("Range", g.const(0, np.int64), count, g.const(1, np.int64))
    positions = g.op("Unsqueeze", positions, g.const([0], np.int64))
    tables = g.rotary_tables()
    for i in range(layers):
        at = f"/layers.{i}"
        y = g.norm(x, source.tensor(f"layers.{i}.input_layernorm.weight"))
        qkv = Quantized.side_by_side(
            *(source.matrix(f"{at}/self_attn/{p}_proj/MatMul_quant") for p in "qkv")
        )
        q, k, v = g.thirds(g.dense(y, qkv), width)
        q, k = (g.rotary(part, positions, tables) for part in (q, k))
        y = g.op("MultiHeadAttention", q, k, v, domain="com.microsoft", num_heads=HEADS)
        y = g.dense(y, source.matrix(f"{at}/self_attn/o_proj/MatMul_quant"))
        x = g.op("Add", x, y)
        y = g.norm(x, source.tensor(f"layers.{i}.post_attention_layernorm.weight"))
        for part in ("fc1", "fc2"):
            bias = source.tensor(f"layers.{i}.mlp.{part}.bias")
            y = g.dense(y, source.matrix(f"{at}/mlp/{part}/MatMul_quant"), bias)
            if part == "fc1":
                y = g.op("Gelu", y, domain="com.microsoft")
        x = g.op("Add", x, y)
    x = g.norm(x, source.tensor("layer_norm.weight"))
    depth = _layer_count(decoder, "model.decoder.layers.{}.input_layernorm.weight_merged_0")
    for part, perm in (("k", [1, 2, 3, 0]), ("v", [1, 2, 0, 3])):
        stack = Quantized.side_by_side(
            *(
                decoder.matrix(f"/model/decoder/layers.{i}/encoder_attn/{part}_proj/MatMul_quant")
                for i in range(depth)
            )
        )
        y = g.op("Reshape", g.dense(x, stack), g.const([-1, depth, HEADS, head], np.int64))
        g.alias(g.op("Transpose", y, perm=perm), "keys" if part == "k" else "values")
    return g.model(
        [
            value("features", np.float32, [1, kernel.shape[0], "t2"]),
            value("inverse_deviation", np.float32, []),
            value("scaled_mean", np.float32, []),
        ],
        [
            value("keys", np.float32, [depth, HEADS, head, "t"]),
            value("values", np.float32, [depth, HEADS, "t", head]),
        ],
    )


def decoder(source: PublishedGraph, *, arithmetic: Arithmetic) -> bytes:
    """The decoder's graph: any number of tokens after any number of remembered ones.

    Args:
        source: the published decoder.
        arithmetic: of the matrix products.

    Returns:
        A serialised ONNX model.

    Raises:
        RecognizerError: the file is not a Moonshine v1 model.
    """
    g = LayerGraph(arithmetic)
    depth = _layer_count(source, "model.decoder.layers.{}.input_layernorm.weight_merged_0")
    table = source.tensor("model.decoder.embed_tokens.weight_merged_0_quantized")
    width = table.shape[1]
    head = width // HEADS
    embedded = g.op("Gather", g.const(table), "ids")
    x = g.op(
        "DequantizeLinear",
        embedded,
        g.const(source.tensor("model.decoder.embed_tokens.weight_merged_0_scale")),
        g.const(source.tensor("model.decoder.embed_tokens.weight_merged_0_zero_point")),
    )
    tables = g.rotary_tables()
    scale = g.const(head**-0.5, np.float32)
    back = g.const([1, -1, width], np.int64)
    zero = g.const([0], np.int64)
    attention: dict[int, str] = {}
    present: list[str] = []
    for i in range(depth):
        at = f"/model/decoder/layers.{i}"

        def weight(name: str, layer: int = i) -> Array:
            return source.tensor(f"model.decoder.layers.{layer}.{name}_merged_0")

        y = g.norm(x, weight("input_layernorm.weight"))
        qkv = Quantized.side_by_side(
            *(source.matrix(f"{at}/self_attn/{p}_proj/MatMul_quant") for p in "qkv")
        )
        q, k, v = g.thirds(g.dense(y, qkv), width)
        q, k = (g.heads(g.rotary(part, "positions", tables), head) for part in (q, k))
        v = g.heads(v, head)
        joined = []
        for slot, fresh in enumerate((k, v)):
            old = g.op("Gather", "past", g.const([i], np.int64), axis=0)
            old = g.op("Gather", old, g.const(slot, np.int64), axis=1)
            joined.append(g.op("Concat", old, fresh, axis=2))
        pair = [g.op("Unsqueeze", part, g.const([1], np.int64)) for part in joined]
        present.append(g.op("Concat", *pair, axis=1))
        scores = g.op(
            "MatMul", g.op("Mul", q, scale), g.op("Transpose", joined[0], perm=[0, 1, 3, 2])
        )
        chance = g.op("Softmax", g.op("Add", scores, "mask"), axis=-1)
        y = g.op("Transpose", g.op("MatMul", chance, joined[1]), perm=[0, 2, 1, 3])
        y = g.dense(g.op("Reshape", y, back), source.matrix(f"{at}/self_attn/o_proj/MatMul_quant"))
        x = g.op("Add", x, y)

        y = g.norm(x, weight("post_attention_layernorm.weight"))
        q = g.heads(g.dense(y, source.matrix(f"{at}/encoder_attn/q_proj/MatMul_quant")), head)
        layer_keys = g.op("Gather", "keys", g.const([i], np.int64), axis=0)
        layer_values = g.op("Gather", "values", g.const([i], np.int64), axis=0)
        chance = g.op("Softmax", g.op("MatMul", g.op("Mul", q, scale), layer_keys), axis=-1)
        attention[i] = chance
        y = g.op("Transpose", g.op("MatMul", chance, layer_values), perm=[0, 2, 1, 3])
        y = g.dense(
            g.op("Reshape", y, back), source.matrix(f"{at}/encoder_attn/o_proj/MatMul_quant")
        )
        x = g.op("Add", x, y)

        y = g.norm(x, weight("final_layernorm.weight"))
        y = g.dense(y, source.matrix(f"{at}/mlp/fc1/MatMul_quant"), weight("mlp.fc1.bias"))
        inner, gate = g.op_many("Split", 2, y, axis=-1, num_outputs=2)
        y = g.op("Mul", g.op("QuickGelu", gate, domain="com.microsoft", alpha=1.0), inner)
        y = g.dense(y, source.matrix(f"{at}/mlp/fc2/MatMul_quant"), weight("mlp.fc2.bias"))
        x = g.op("Add", x, y)
    x = g.norm(x, source.tensor("model.decoder.norm.weight_merged_0"))
    # Projecting onto 32,768 tokens costs as much as a layer: only where it is asked for.
    x = g.op("Gather", g.op("Squeeze", x, zero), "rows", axis=0)
    logits = g.dense(x, source.matrix("/proj_out/MatMul_quant"))
    logp = g.op("LogSoftmax", logits, axis=-1)
    best, top = g.op_many("TopK", 2, logp, g.const([TOP], np.int64), axis=-1)
    g.alias(best, "logp")
    g.alias(top, "top")
    picked = [
        g.op("Gather", attention[layer], g.const([index], np.int64), axis=1)
        for layer, index in ALIGNED_HEADS
    ]
    g.alias(g.op("Squeeze", g.op("Concat", *picked, axis=1), zero), "attention")
    g.alias(g.op("Concat", *present, axis=0), "present")
    return g.model(
        [
            value("ids", np.int64, [1, "n"]),
            value("positions", np.int64, [1, "n"]),
            value("rows", np.int64, ["m"]),
            value("mask", np.float32, ["n", "total"]),
            value("past", np.float32, [depth, 2, HEADS, "p", head]),
            value("keys", np.float32, [depth, HEADS, head, "t"]),
            value("values", np.float32, [depth, HEADS, "t", head]),
        ],
        [
            value("logp", np.float32, ["m", TOP]),
            value("top", np.int64, ["m", TOP]),
            value("attention", np.float32, [len(ALIGNED_HEADS), "n", "t"]),
            value("present", np.float32, [depth, 2, HEADS, "total", head]),
        ],
    )


def signed_probe() -> bytes:
    """One product, ``probe`` float32 (1, 64) by 64 weights of 127 -> ``product`` float32 (1, 1).

    With ``probe`` all ones it is 64 * 127 exactly, unless the processor adds pairs of 8-bit
    products in 16 bits with saturation (x86 without VNNI): then it falls short, and ``signed``
    must not be used there.
    """
    g = LayerGraph("signed")
    column = np.full((64, 1), 255, np.uint8)
    weight = Quantized(column, np.ones(1, np.float32), np.full(1, 128, np.uint8))
    g.alias(g.dense("probe", weight), "product")
    return g.model([value("probe", np.float32, [1, 64])], [value("product", np.float32, [1, 1])])


def _layer_count(graph: PublishedGraph, pattern: str) -> int:
    count = 0
    while True:
        try:
            graph.tensor(pattern.format(count))
        except RecognizerError:
            if count == 0:
                raise
            return count
        count += 1
