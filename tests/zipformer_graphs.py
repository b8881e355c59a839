"""The graphs of small streaming exports, as k2's own scripts would write them.

The Zipformer 2 encoder is the whole network, only narrow and shallow: convolutional subsampling
with its ConvNeXt block, stacks at several frame rates with relative-position attention, nonlinear
attention, chunk-causal convolutions, and all of their cached states. The older Zipformer and the
LSTM have the true states around simpler arithmetic. ``zipformer_numpy.py`` says the same in numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
OPSET = 13
BINS = 80


@dataclass(frozen=True)
class Stack:
    """One stack of a Zipformer 2."""

    dim: int
    layers: int
    downsample: int
    kernel: int
    query: int = 8  # of each head
    position: int = 4
    value: int = 6
    heads: int = 4
    feedforward: int = 32


@dataclass(frozen=True)
class Shape:
    """A whole encoder.

    Attributes:
        chunk: frames at 50 Hz taken at a time.
        left: frames at 50 Hz of left context.
    """

    chunk: int = 16
    left: int = 32
    joiner: int = 24
    context: int = 2
    positions: int = 16
    stacks: tuple[Stack, ...] = (
        Stack(16, 1, 1, 15),
        Stack(24, 2, 2, 15),
        Stack(20, 1, 4, 7),
    )

    @property
    def window(self) -> int:
        """Feature frames."""
        return 2 * self.chunk + 7 + 2 * 3


class Weights:
    """Random, but the same for the same name and seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, name: str, *shape: int, scale: float | None = None) -> Array:
        digest = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "little"))
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        size = scale if scale is not None else (1.0 / np.sqrt(fan) if len(shape) > 1 else 0.1)
        return np.asarray(rng.standard_normal(shape) * size, np.float32)


class Net:
    """A graph under construction. Values are names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._count = 0

    def op(self, kind: str, *inputs: str | Array, **attributes: Any) -> str:
        """One node with one output."""
        name = self._name(kind)
        self.nodes.append(
            helper.make_node(kind, [self.value(each) for each in inputs], [name], **attributes)
        )
        return name

    def named(self, value: str, name: str) -> str:
        """A value under another name."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        return name

    def value(self, value: str | Array) -> str:
        if isinstance(value, str):
            return value
        name = self._name("c")
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def linear(self, x: str, weight: Array, bias: Array | None = None) -> str:
        y = self.op("MatMul", x, weight.T.copy())
        return y if bias is None else self.op("Add", y, bias)

    def slice(self, x: str, axis: int, start: int, stop: int) -> str:
        return self.op("Slice", x, ints(start), ints(stop), ints(axis))

    def cat(self, parts: Sequence[str], axis: int) -> str:
        return self.op("Concat", *parts, axis=axis)

    def reshape(self, x: str, *shape: int) -> str:
        return self.op("Reshape", x, ints(*shape))

    def transpose(self, x: str, *perm: int) -> str:
        return self.op("Transpose", x, perm=perm)

    def swoosh(self, x: str, offset: float, constant: float) -> str:
        soft = self.op("Softplus", self.op("Sub", x, f32(offset)))
        return self.op("Sub", self.op("Sub", soft, self.op("Mul", x, f32(0.08))), f32(constant))

    def swoosh_l(self, x: str) -> str:
        return self.swoosh(x, 4.0, 0.035)

    def swoosh_r(self, x: str) -> str:
        return self.swoosh(x, 1.0, 0.313261687)

    def bias_norm(self, x: str, bias: Array, log_scale: float) -> str:
        centred = self.op("Sub", x, bias)
        mean = self.op("ReduceMean", self.op("Mul", centred, centred), axes=[-1], keepdims=1)
        return self.op("Mul", x, self.op("Div", f32(np.exp(log_scale)), self.op("Sqrt", mean)))

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def f32(value: float) -> Array:
    return np.array(value, np.float32)


@dataclass
class States:
    """The states of an encoder under construction: inputs and outputs, in order."""

    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)

    def add(
        self, net: Net, name: str, shape: Sequence[int], batch: int, follow: Callable[[str], str],
        kind: int = TensorProto.FLOAT,
    ) -> None:  # fmt: skip
        """One more; ``follow`` gives the value that is its successor."""
        axes: list[int | str] = list(shape)
        axes[batch] = "N"
        self.inputs.append(helper.make_tensor_value_info(name, kind, axes))
        net.named(follow(name), f"new_{name}")
        self.outputs.append(helper.make_tensor_value_info(f"new_{name}", kind, axes))

    def order(self) -> None:
        """Layer by layer, each with its six in the order of the real exports."""
        kinds = ("key", "nonlin_attn", "val1", "val2", "conv1", "conv2")

        def place(info: Any) -> tuple[int, int]:
            kind, _, layer = info.name.partition("cached_")[2].rpartition("_")
            return int(layer), kinds.index(kind)

        self.inputs.sort(key=place)
        self.outputs.sort(key=place)


def position_codes(left: int, frames: int, dim: int) -> Array:
    """Compact relative positions, from ``-(frames + left - 1)`` to ``frames - 1``."""
    offsets = np.arange(-(frames + left - 1), frames, dtype=np.float64)[:, None]
    stretch = np.sqrt(dim)
    near = stretch * np.sign(offsets) * (np.log(np.abs(offsets) + stretch) - np.log(stretch))
    angles = np.arctan(near * 2.0 * np.pi / dim) * np.arange(1, dim // 2 + 1)
    codes = np.empty((offsets.size, dim), np.float32)
    codes[:, 0::2], codes[:, 1::2] = np.cos(angles), np.sin(angles)
    codes[:, -1] = 1.0
    return codes


class Zipformer2:
    """Builds the encoder graph."""

    def __init__(self, shape: Shape, weights: Weights) -> None:
        self.shape = shape
        self.w = weights
        self.net = Net()
        self.states = States()

    def build(self, head: str, vocabulary: int) -> onnx.ModelProto:
        """The model.

        Args:
            head: ``transducer`` or ``ctc``.
            vocabulary: tokens, for CTC.
        """
        net, shape = self.net, self.shape
        embed: list[tuple[str, str]] = []
        x = self._embed("x", embed)
        mask = self._mask()
        x = net.transpose(x, 1, 0, 2)
        outputs = []
        layer = 0
        for number, stack in enumerate(shape.stacks):
            x = self._convert(x, shape.stacks[number - 1].dim if number else stack.dim, stack.dim)
            x, layer = self._stack(x, number, stack, layer, mask)
            outputs.append(x)
        x = self._widest(outputs)
        x = self._downsample(x, 2, shape.chunk, max(s.dim for s in shape.stacks), "output")
        x = net.transpose(x, 1, 0, 2)
        widest = max(stack.dim for stack in shape.stacks)
        name, width = ("encoder_out", shape.joiner) if head == "transducer" else (
            "log_probs", vocabulary)  # fmt: skip
        # The narrow network says little: its head makes up for that, so that one token stands out.
        x = net.linear(x, self.w("head", width, widest, scale=1.5), self.w("head.bias", width))
        if head == "ctc":
            bias = np.zeros(width, np.float32)
            bias[:2] = 5.0, -20.0
            x = net.op("LogSoftmax", net.op("Add", x, bias), axis=-1)
        net.named(x, name)
        self.states.order()
        self.states.add(net, "embed_states", (1, 128, 3, 19), 0, lambda _: embed[0][1])
        self.states.add(
            net, "processed_lens", (1,), 0,
            lambda lens: net.op("Add", lens, ints(shape.chunk)), TensorProto.INT64,
        )  # fmt: skip
        return _model(
            net,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", shape.window, BINS]),
             *self.states.inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", shape.chunk // 2, width]),
             *self.states.outputs],
            self._metadata(),
        )  # fmt: skip

    def _metadata(self) -> dict[str, str]:
        shape = self.shape

        def column(value: Callable[[Stack], int]) -> str:
            return ",".join(str(value(stack)) for stack in shape.stacks)

        return {
            "model_type": "zipformer2",
            "version": "1",
            "model_author": "k2-fsa",
            "comment": "streaming zipformer2",
            "decode_chunk_len": str(2 * shape.chunk),
            "T": str(shape.window),
            "num_encoder_layers": column(lambda s: s.layers),
            "encoder_dims": column(lambda s: s.dim),
            "cnn_module_kernels": column(lambda s: s.kernel),
            "left_context_len": column(lambda s: shape.left // s.downsample),
            "query_head_dims": column(lambda s: s.query),
            "value_head_dims": column(lambda s: s.value),
            "num_heads": column(lambda s: s.heads),
        }

    def _embed(self, x: str, states: list[tuple[str, str]]) -> str:
        net, w, chunk = self.net, self.w, self.shape.chunk
        x = net.op("Unsqueeze", x, ints(1))
        for number, (inner, outer, strides, pads) in enumerate(
            ((1, 8, (1, 1), (0, 1, 0, 1)), (8, 32, (2, 2), (0,) * 4), (32, 128, (1, 2), (0,) * 4))
        ):
            x = net.op(
                "Conv", x, w(f"embed.conv{number}", outer, inner, 3, 3),
                w(f"embed.conv{number}.bias", outer), strides=strides, pads=pads,
            )  # fmt: skip
            x = net.swoosh_r(x)
        bypass = net.slice(x, 2, 0, chunk)
        x = net.cat(["embed_states", x], 2)
        states.append(("embed_states", net.slice(x, 2, chunk, chunk + 3)))
        x = net.op("Conv", x, w("embed.depthwise", 128, 1, 7, 7), w("embed.depthwise.bias", 128),
                   group=128, pads=(0, 3, 0, 3))  # fmt: skip
        x = net.op(
            "Conv", x, w("embed.pointwise1", 384, 128, 1, 1), w("embed.pointwise1.bias", 384)
        )
        x = net.swoosh_l(x)
        x = net.op(
            "Conv", x, w("embed.pointwise2", 128, 384, 1, 1), w("embed.pointwise2.bias", 128)
        )
        x = net.op("Add", bypass, x)
        x = net.reshape(net.transpose(x, 0, 2, 1, 3), 1, chunk, 128 * 19)
        dim = self.shape.stacks[0].dim
        x = net.linear(x, w("embed.out", dim, 128 * 19), w("embed.out.bias", dim))
        return net.bias_norm(x, w("embed.norm", dim), 0.2)

    def _mask(self) -> str:
        """True where there was no sound yet, shape (1, left + chunk)."""
        net, shape = self.net, self.shape
        places = np.arange(shape.left, dtype=np.int64)[None, ::-1].copy()
        lens = net.reshape("processed_lens", 1, 1)
        # Opset 13 has LessOrEqual.
        early = net.op("LessOrEqual", lens, places)
        return net.cat([early, net.value(np.zeros((1, shape.chunk), np.bool_))], 1)

    def _convert(self, x: str, have: int, want: int) -> str:
        if want <= have:
            return self.net.slice(x, 2, 0, want)
        zeros = np.zeros((self.shape.chunk, 1, want - have), np.float32)
        return self.net.cat([x, self.net.value(zeros)], 2)

    def _stack(self, x: str, number: int, stack: Stack, layer: int, mask: str) -> tuple[str, int]:
        net, w, factor = self.net, self.w, stack.downsample
        frames, left = self.shape.chunk // factor, self.shape.left // factor
        before = x
        if factor > 1:
            x = self._downsample(x, factor, self.shape.chunk, stack.dim, f"stack{number}")
            mask = net.op("Slice", mask, ints(0), ints(self.shape.left + self.shape.chunk), ints(1),
                          ints(factor))  # fmt: skip
        codes = position_codes(left, frames, self.shape.positions)
        for _ in range(stack.layers):
            x = self._layer(x, layer, stack, frames, left, codes, mask)
            layer += 1
        if factor > 1:
            x = net.op("Unsqueeze", x, ints(1))
            x = net.op("Expand", x, ints(frames, factor, 1, stack.dim))
            x = net.reshape(x, self.shape.chunk, 1, stack.dim)
            x = self._bypass(before, x, w(f"stack{number}.combine", stack.dim, scale=0.3) + 0.5)
        return x, layer

    def _bypass(self, before: str, x: str, scale: Array) -> str:
        net = self.net
        return net.op("Add", before, net.op("Mul", net.op("Sub", x, before), scale))

    def _downsample(self, x: str, factor: int, frames: int, dim: int, name: str) -> str:
        net = self.net
        bias = self.w(f"{name}.downsample", factor, scale=1.0)
        share = np.exp(bias) / np.exp(bias).sum()
        x = net.reshape(x, frames // factor, factor, 1, dim)
        x = net.op("Mul", x, np.asarray(share.reshape(factor, 1, 1), np.float32))
        return net.op("ReduceSum", x, ints(1), keepdims=0)

    def _widest(self, outputs: Sequence[str]) -> str:
        pieces, width = [outputs[-1]], self.shape.stacks[-1].dim
        for stack, output in list(zip(self.shape.stacks, outputs, strict=True))[-2::-1]:
            if stack.dim > width:
                pieces.append(self.net.slice(output, 2, width, stack.dim))
                width = stack.dim
        return self.net.cat(pieces, 2) if len(pieces) > 1 else pieces[0]

    def _layer(
        self, x: str, layer: int, stack: Stack, frames: int, left: int, codes: Array, mask: str
    ) -> str:
        net, w, dim = self.net, self.w, stack.dim
        name = f"layer{layer}"
        before = x
        attention = self._attention(x, layer, stack, frames, left, codes, mask)
        x = self._feedforward(x, f"{name}.ff1", dim, stack.feedforward * 3 // 4)
        x = self._nonlinear(x, layer, dim, frames, left, attention)
        x = self._values(x, layer, 1, stack, frames, left, attention)
        x = self._convolution(x, layer, 1, stack, frames)
        x = self._feedforward(x, f"{name}.ff2", dim, stack.feedforward)
        x = self._bypass(before, x, w(f"{name}.bypass_mid", dim, scale=0.2) + 0.5)
        x = self._values(x, layer, 2, stack, frames, left, attention)
        x = self._convolution(x, layer, 2, stack, frames)
        x = self._feedforward(x, f"{name}.ff3", dim, stack.feedforward * 5 // 4)
        x = net.bias_norm(x, w(f"{name}.norm", dim), 0.1)
        return self._bypass(before, x, w(f"{name}.bypass", dim, scale=0.2) + 0.5)

    def _attention(
        self, x: str, layer: int, stack: Stack, frames: int, left: int, codes: Array, mask: str
    ) -> str:
        net, w, heads = self.net, self.w, stack.heads
        name = f"layer{layer}.attention"
        query, position = stack.query * heads, stack.position * heads
        x = net.linear(
            x, w(f"{name}.in", 2 * query + position, stack.dim),
            w(f"{name}.in.bias", 2 * query + position),
        )  # fmt: skip
        q, k = net.slice(x, 2, 0, query), net.slice(x, 2, query, 2 * query)
        p = net.slice(x, 2, 2 * query, 2 * query + position)
        k = net.cat([f"cached_key_{layer}", k], 0)
        self.states.add(net, f"cached_key_{layer}", (left, 1, query), 1,
                        lambda _: net.slice(k, 0, frames, frames + left))  # fmt: skip
        q = net.transpose(net.reshape(q, frames, 1, heads, stack.query), 2, 1, 0, 3)
        p = net.transpose(net.reshape(p, frames, 1, heads, stack.position), 2, 1, 0, 3)
        keys = net.transpose(net.reshape(k, left + frames, 1, heads, stack.query), 2, 1, 3, 0)
        scores = net.op("MatMul", q, keys)
        places = codes @ w(f"{name}.positions", position, codes.shape[1]).T
        places = places.reshape(1, -1, heads, stack.position).transpose(2, 0, 3, 1)
        relative = net.op("MatMul", p, np.ascontiguousarray(places))
        rows = np.arange(frames - 1, -1, -1)[:, None] + np.arange(left + frames)[None]
        index = np.broadcast_to(rows, (heads, 1, *rows.shape)).astype(np.int64)
        scores = net.op("Add", scores, net.op("GatherElements", relative, index.copy(), axis=3))
        scores = net.op("Where", net.op("Unsqueeze", mask, ints(1)), f32(-1000.0), scores)
        return net.op("Softmax", scores, axis=-1)

    def _nonlinear(
        self, x: str, layer: int, dim: int, frames: int, left: int, attention: str
    ) -> str:
        net, w, hidden = self.net, self.w, 3 * dim // 4
        name = f"layer{layer}.nonlinear"
        y = net.linear(x, w(f"{name}.in", 3 * hidden, dim), w(f"{name}.in.bias", 3 * hidden))
        s, v, gate = (net.slice(y, 2, n * hidden, (n + 1) * hidden) for n in range(3))
        v = net.op("Mul", v, net.op("Tanh", s))
        v = net.transpose(net.reshape(v, frames, 1, 1, hidden), 2, 1, 0, 3)
        v = net.cat([f"cached_nonlin_attn_{layer}", v], 2)
        self.states.add(net, f"cached_nonlin_attn_{layer}", (1, 1, left, hidden), 1,
                        lambda _: net.slice(v, 2, frames, frames + left))  # fmt: skip
        v = net.op("MatMul", net.slice(attention, 0, 0, 1), v)
        v = net.reshape(net.transpose(v, 2, 1, 0, 3), frames, 1, hidden)
        out = net.linear(
            net.op("Mul", v, gate), w(f"{name}.out", dim, hidden), w(f"{name}.out.bias", dim)
        )
        return net.op("Add", x, out)

    def _values(
        self, x: str, layer: int, which: int, stack: Stack, frames: int, left: int, attention: str
    ) -> str:
        net, w, width = self.net, self.w, stack.value * stack.heads
        name = f"layer{layer}.values{which}"
        v = net.linear(x, w(f"{name}.in", width, stack.dim), w(f"{name}.in.bias", width))
        v = net.cat([f"cached_val{which}_{layer}", v], 0)
        self.states.add(net, f"cached_val{which}_{layer}", (left, 1, width), 1,
                        lambda _: net.slice(v, 0, frames, frames + left))  # fmt: skip
        v = net.reshape(v, left + frames, 1, stack.heads, stack.value)
        v = net.op("MatMul", attention, net.transpose(v, 2, 1, 0, 3))
        v = net.reshape(net.transpose(v, 2, 1, 0, 3), frames, 1, width)
        out = net.linear(v, w(f"{name}.out", stack.dim, width), w(f"{name}.out.bias", stack.dim))
        return net.op("Add", x, out)

    def _convolution(self, x: str, layer: int, which: int, stack: Stack, frames: int) -> str:
        net, w, dim, kernel = self.net, self.w, stack.dim, stack.kernel
        name = f"layer{layer}.conv{which}"
        pad = kernel // 2
        y = net.linear(x, w(f"{name}.in", 2 * dim, dim), w(f"{name}.in.bias", 2 * dim))
        gate = net.op("Sigmoid", net.slice(y, 2, dim, 2 * dim))
        y = net.transpose(net.op("Mul", net.slice(y, 2, 0, dim), gate), 1, 2, 0)
        y = net.cat([f"cached_conv{which}_{layer}", y], 2)
        self.states.add(net, f"cached_conv{which}_{layer}", (1, dim, pad), 0,
                        lambda _: net.slice(y, 2, frames, frames + pad))  # fmt: skip
        causal = net.op("Conv", y, w(f"{name}.causal", dim, 1, pad + 1),
                        w(f"{name}.causal.bias", dim), group=dim)  # fmt: skip
        inner = net.slice(y, 2, pad, pad + frames)
        inner = net.op("Conv", inner, w(f"{name}.chunk", dim, 1, kernel),
                       w(f"{name}.chunk.bias", dim), group=dim, pads=(pad, pad))  # fmt: skip
        inner = net.op("Mul", inner, chunk_scale(w(f"{name}.edges", 2, dim, kernel), frames))
        y = net.swoosh_r(net.transpose(net.op("Add", causal, inner), 2, 0, 1))
        return net.op(
            "Add", x, net.linear(y, w(f"{name}.out", dim, dim), w(f"{name}.out.bias", dim))
        )

    def _feedforward(self, x: str, name: str, dim: int, hidden: int) -> str:
        net, w = self.net, self.w
        y = net.swoosh_l(net.linear(x, w(f"{name}.in", hidden, dim), w(f"{name}.in.bias", hidden)))
        return net.op("Add", x, net.linear(y, w(f"{name}.out", dim, hidden), w(f"{name}.b", dim)))


def chunk_scale(edges: Array, frames: int) -> Array:
    """What the chunk-wise convolution is multiplied with near the chunk's edges, (dim, frames)."""
    kernel = edges.shape[2]
    scale = np.ones((edges.shape[1], frames), np.float32)
    width = min(kernel, frames)
    scale[:, :width] += edges[0][:, :width]
    scale[:, frames - width :] += edges[1][:, kernel - width :]
    return scale


def zipformer1(weights: Weights, joiner: int) -> onnx.ModelProto:
    """An encoder with the states of the older Zipformer, around plainer arithmetic."""
    chunk, left = 16, 32
    stacks = ((16, 2, 8, 5, 1), (24, 1, 12, 7, 2))  # dim, layers, attention, kernel, downsampling
    net, w = Net(), weights
    groups: dict[str, list[tuple[str, list[int], int, str, int]]] = {}

    def state(group: str, number: int, shape: list[int], batch: int, new: str, kind: int) -> None:
        groups.setdefault(group, []).append((f"{group}_{number}", shape, batch, new, kind))

    window = 2 * chunk + 7
    x = net.slice("x", 1, 0, 2 * chunk)
    x = net.reshape(x, chunk, 1, 2 * BINS)
    ahead = net.op("ReduceMean", net.slice("x", 1, 2 * chunk, window), axes=[1], keepdims=1)
    x = net.op("Add", net.linear(x, w("embed", 16, 2 * BINS, scale=0.05)),
               net.linear(ahead, w("ahead", 16, BINS, scale=0.05)))  # fmt: skip
    flt, integer = TensorProto.FLOAT, TensorProto.INT64
    for number, (dim, layers, attention, kernel, factor) in enumerate(stacks):
        x = net.linear(x, w(f"in{number}", dim, stacks[number - 1][0] if number else 16))
        before, keep, news = x, left // factor, [[] for _ in range(7)]  # type: ignore[var-annotated]
        for layer in range(layers):
            name = f"{number}.{layer}"
            old = [
                net.slice(f"cached_{group}_{number}", 0, layer, layer + 1)
                for group in ("len", "avg", "key", "val", "val2", "conv1", "conv2")
            ]
            # The running mean of all frames so far, as the pooling module keeps it.
            seen = net.op("Cast", net.reshape(old[0], 1, 1), to=flt)
            total = net.op("Add", net.op("Mul", net.reshape(old[1], 1, dim), seen),
                           net.op("ReduceSum", x, ints(0), keepdims=0))  # fmt: skip
            mean = net.op("Div", total, net.op("Add", seen, f32(chunk)))
            news[0].append(net.op("Add", old[0], ints(chunk)))
            news[1].append(net.reshape(mean, 1, 1, dim))
            parts = []
            for place, width in ((2, attention), (3, attention // 2), (4, attention // 2)):
                v = net.linear(x, w(f"{name}.{place}", width, dim))
                v = net.cat([net.reshape(old[place], keep, 1, width), v], 0)
                news[place].append(
                    net.reshape(net.slice(v, 0, chunk, chunk + keep), 1, keep, 1, width)
                )
                parts.append(net.transpose(v, 1, 0, 2))
            q = net.transpose(net.linear(x, w(f"{name}.q", attention, dim)), 1, 0, 2)
            shares = net.op(
                "Softmax", net.op("MatMul", q, net.transpose(parts[0], 0, 2, 1)), axis=-1
            )
            y = net.cat([net.op("MatMul", shares, part) for part in parts[1:]], 2)
            x = net.op(
                "Add", x, net.linear(net.transpose(y, 1, 0, 2), w(f"{name}.o", dim, attention))
            )
            x = net.op("Add", x, net.op("Mul", mean, w(f"{name}.mean", dim)))
            for place in (5, 6):
                y = net.transpose(net.op("Tanh", x), 1, 2, 0)
                y = net.cat([net.reshape(old[place], 1, dim, kernel - 1), y], 2)
                last = net.slice(y, 2, chunk, chunk + kernel - 1)
                news[place].append(net.reshape(last, 1, 1, dim, kernel - 1))
                y = net.op("Conv", y, w(f"{name}.{place}", dim, 1, kernel), group=dim)
                x = net.op("Add", x, net.transpose(y, 2, 0, 1))
        x = net.op("Add", before, net.op("Tanh", x))
        for group, shape, batch, kind in (
            ("cached_len", [layers, 1], 1, integer),
            ("cached_avg", [layers, 1, dim], 1, flt),
            ("cached_key", [layers, keep, 1, attention], 2, flt),
            ("cached_val", [layers, keep, 1, attention // 2], 2, flt),
            ("cached_val2", [layers, keep, 1, attention // 2], 2, flt),
            ("cached_conv1", [layers, 1, dim, kernel - 1], 1, flt),
            ("cached_conv2", [layers, 1, dim, kernel - 1], 1, flt),
        ):
            state(
                group, number, shape, batch, net.cat(news[len(groups_of(groups, number))], 0), kind
            )
    x = net.reshape(x, 1, chunk // 2, 2 * stacks[-1][0])
    net.named(net.linear(x, w("head", joiner, 2 * stacks[-1][0], scale=0.6)), "encoder_out")
    states = States()
    for group in groups.values():
        for name, shape, batch, new, kind in group:
            states.add(net, name, shape, batch, lambda _, new=new: new, kind)  # type: ignore[misc]

    def column(place: int) -> str:
        return ",".join(str(stack[place]) for stack in stacks)

    return _model(
        net,
        [helper.make_tensor_value_info("x", flt, ["N", window, BINS]), *states.inputs],
        [helper.make_tensor_value_info("encoder_out", flt, ["N", chunk // 2, joiner]),
         *states.outputs],
        {
            "model_type": "zipformer",
            "version": "1",
            "model_author": "k2-fsa",
            "decode_chunk_len": str(2 * chunk),
            "T": str(window),
            "num_encoder_layers": column(1),
            "encoder_dims": column(0),
            "attention_dims": column(2),
            "cnn_module_kernels": column(3),
            "left_context_len": ",".join(str(left // stack[4]) for stack in stacks),
        },
    )  # fmt: skip


def groups_of(groups: dict[str, list[Any]], number: int) -> list[str]:
    """The groups that have a state of this stack already."""
    return [name for name, states in groups.items() if len(states) > number]


def lstm(weights: Weights, joiner: int) -> onnx.ModelProto:
    """An encoder of one LSTM layer."""
    net, w, width, chunk = Net(), weights, 24, 4
    x = net.slice("x", 1, 0, 4)
    x = net.linear(net.reshape(x, 1, 1, 4 * BINS), w("in", width, 4 * BINS, scale=0.05))
    net.nodes.append(helper.make_node(
        "LSTM",
        [x, net.value(w("w", 1, 4 * width, width, scale=0.4)),
         net.value(w("r", 1, 4 * width, width, scale=0.4)), "", "", "h0", "c0"],
        ["", "next_h", "next_c"], hidden_size=width,
    ))  # fmt: skip
    net.named("next_h", "next_h0")
    net.named("next_c", "next_c0")
    y = net.transpose("next_h", 1, 0, 2)
    net.named(net.linear(y, w("head", joiner, width, scale=3.0)), "encoder_out")
    info = helper.make_tensor_value_info
    both = [info(name, TensorProto.FLOAT, [1, "N", width]) for name in ("h0", "c0")]
    following = [info(f"next_{each.name}", TensorProto.FLOAT, [1, "N", width]) for each in both]
    return _model(
        net,
        [info("x", TensorProto.FLOAT, ["N", 9, BINS]), *both],
        [info("encoder_out", TensorProto.FLOAT, ["N", 1, joiner]), *following],
        {
            "model_type": "lstm",
            "T": "9",
            "decode_chunk_len": str(chunk),
            "num_encoder_layers": "1",
            "encoder_dim": str(width),
            "rnn_hidden_size": str(width),
            "d_model": str(width),
        },
    )


def predictor(weights: Weights, vocabulary: int, joiner: int, context: int) -> onnx.ModelProto:
    """The stateless predictor, called decoder."""
    net, width = Net(), 16
    known = net.op("Max", "y", ints(0))
    x = net.op("Gather", weights("predictor.embedding", vocabulary, width, scale=1.0), known)
    there = net.op("Cast", net.op("GreaterOrEqual", "y", ints(0)), to=TensorProto.FLOAT)
    x = net.op("Mul", x, net.op("Unsqueeze", there, ints(2)))
    x = net.op("Conv", net.transpose(x, 0, 2, 1), weights("predictor.conv", width, 4, context),
               group=width // 4)  # fmt: skip
    x = net.op("Relu", net.op("Squeeze", x, ints(2)))
    net.named(net.linear(x, weights("predictor.out", joiner, width, scale=0.5)), "decoder_out")
    info = helper.make_tensor_value_info
    return _model(
        net,
        [info("y", TensorProto.INT64, ["N", context])],
        [info("decoder_out", TensorProto.FLOAT, ["N", joiner])],
        {"context_size": str(context), "vocab_size": str(vocabulary)},
    )


def joiner_model(
    weights: Weights, vocabulary: int, width: int, quiet: float = 13.0
) -> onnx.ModelProto:
    """The joiner; ``quiet`` for the blank makes it as frequent as in speech."""
    net = Net()
    bias = weights("joiner.bias", vocabulary)
    bias[0] += quiet
    bias[1] -= 20.0  # nobody says <sos/eos>
    x = net.op("Tanh", net.op("Add", "encoder_out", "decoder_out"))
    net.named(net.linear(x, weights("joiner", vocabulary, width, scale=1.2), bias), "logit")
    info = helper.make_tensor_value_info
    return _model(
        net,
        [info(name, TensorProto.FLOAT, ["N", width]) for name in ("encoder_out", "decoder_out")],
        [info("logit", TensorProto.FLOAT, ["N", vocabulary])],
        {"joiner_dim": str(width)},
    )


def _model(
    net: Net, inputs: Sequence[Any], outputs: Sequence[Any], metadata: dict[str, str]
) -> onnx.ModelProto:
    graph = helper.make_graph(net.nodes, "main", inputs, outputs, net.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    helper.set_model_props(model, metadata)
    return model
