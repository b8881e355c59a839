"""The network of ``zipformer_graphs.Zipformer2`` in plain numpy, chunk by chunk.

Written from the description of the architecture, not from the graph: it carries no cached states,
it remembers every frame that it ever saw and looks back as far as it may.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from zipformer_graphs import Shape, Stack, Weights

Array = NDArray[Any]


class Reference:
    """One stream through the encoder.

    Args:
        shape, weights: as the export was built with.
        head: width of the last layer (joiner dimension, or vocabulary for CTC).
        ctc: give log probabilities.
    """

    def __init__(self, shape: Shape, weights: Weights, head: int, ctc: bool = False) -> None:
        self.shape, self.w, self.head, self.ctc = shape, weights, head, ctc
        self.history: dict[str, Array] = {}
        self.chunks = 0

    def step(self, features: Array) -> Array:
        """Frames out of one window of features, (window, 80)."""
        x = self._embed(np.asarray(features, np.float64))
        outputs = []
        layer = 0
        for number, stack in enumerate(self.shape.stacks):
            wanted = np.zeros((len(x), stack.dim))
            shared = min(stack.dim, x.shape[1])
            wanted[:, :shared] = x[:, :shared]
            x = before = wanted
            if stack.downsample > 1:
                x = self._averaged(x, stack.downsample, f"stack{number}")
            for _ in range(stack.layers):
                x = self._layer(x, layer, stack)
                layer += 1
            if stack.downsample > 1:
                x = np.repeat(x, stack.downsample, axis=0)
                share = self.w(f"stack{number}.combine", stack.dim, scale=0.3) + 0.5
                x = before + (x - before) * share
            outputs.append(x)
        whole = np.empty((len(x), max(stack.dim for stack in self.shape.stacks)))
        for output in outputs:  # the last that has a channel gives it
            whole[:, : output.shape[1]] = output
        x = self._averaged(whole, 2, "output")
        x = x @ self.w("head", self.head, x.shape[1], scale=1.5).T + self.w("head.bias", self.head)
        self.chunks += 1
        if self.ctc:
            x[:, :2] += (5.0, -20.0)
            x = x - x.max(axis=1, keepdims=True)
            x = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
        return np.asarray(x, np.float32)

    # -- parts ------------------------------------------------------------------------------

    def _embed(self, x: Array) -> Array:
        maps = x[None]
        for number, (inner, outer, strides, pad) in enumerate(
            ((1, 8, (1, 1), 1), (8, 32, (2, 2), 0), (32, 128, (1, 2), 0))
        ):
            maps = np.pad(maps, ((0, 0), (0, 0), (pad, pad)))
            views = sliding_window_view(maps, (3, 3), axis=(1, 2))[:, :: strides[0], :: strides[1]]
            kernel = self.w(f"embed.conv{number}", outer, inner, 3, 3)
            maps = np.einsum("itfab,oiab->otf", views, kernel)
            maps = swoosh_r(maps + self.w(f"embed.conv{number}.bias", outer)[:, None, None])
        chunk = self.shape.chunk
        ahead = maps[:, chunk:]
        seen = self._past("embed", np.moveaxis(maps[:, :chunk], 1, 0), 3)
        context = np.concatenate((np.moveaxis(seen, 0, 1), ahead), axis=1)
        views = sliding_window_view(np.pad(context, ((0, 0), (0, 0), (3, 3))), (7, 7), axis=(1, 2))
        y = np.einsum("ctfab,cab->ctf", views, self.w("embed.depthwise", 128, 1, 7, 7)[:, 0])
        y += self.w("embed.depthwise.bias", 128)[:, None, None]
        for part, inner, outer in (("1", 128, 384), ("2", 384, 128)):
            y = np.tensordot(self.w(f"embed.pointwise{part}", outer, inner, 1, 1)[..., 0, 0], y, 1)
            y += self.w(f"embed.pointwise{part}.bias", outer)[:, None, None]
            y = swoosh_l(y) if part == "1" else y
        y = (maps[:, :chunk] + y).transpose(1, 0, 2).reshape(chunk, -1)
        dim = self.shape.stacks[0].dim
        y = y @ self.w("embed.out", dim, 128 * 19).T + self.w("embed.out.bias", dim)
        return bias_norm(y, self.w("embed.norm", dim), 0.2)

    def _layer(self, x: Array, layer: int, stack: Stack) -> Array:
        name, dim, hidden = f"layer{layer}", stack.dim, stack.feedforward
        before = x
        shares = self._shares(x, layer, stack)
        x = x + self._feedforward(x, f"{name}.ff1", dim, hidden * 3 // 4)
        x = x + self._nonlinear(x, layer, stack, shares[0])
        x = x + self._values(x, layer, 1, stack, shares)
        x = x + self._convolution(x, layer, 1, stack)
        x = x + self._feedforward(x, f"{name}.ff2", dim, hidden)
        x = before + (x - before) * (self.w(f"{name}.bypass_mid", dim, scale=0.2) + 0.5)
        x = x + self._values(x, layer, 2, stack, shares)
        x = x + self._convolution(x, layer, 2, stack)
        x = x + self._feedforward(x, f"{name}.ff3", dim, hidden * 5 // 4)
        x = bias_norm(x, self.w(f"{name}.norm", dim), 0.1)
        return before + (x - before) * (self.w(f"{name}.bypass", dim, scale=0.2) + 0.5)

    def _shares(self, x: Array, layer: int, stack: Stack) -> Array:
        """Attention of each frame to the past and the chunk, (heads, frames, left + frames)."""
        name, heads, frames = f"layer{layer}.attention", stack.heads, len(x)
        query, place = stack.query * heads, stack.position * heads
        x = x @ self.w(f"{name}.in", 2 * query + place, stack.dim).T
        x = x + self.w(f"{name}.in.bias", 2 * query + place)
        q, k, p = np.split(x, (query, 2 * query), axis=1)
        left = self._left(stack)
        k = self._past(f"key{layer}", k, left)
        table = self.w(f"{name}.positions", place, self.shape.positions)
        scores = np.empty((heads, frames, left + frames))
        for frame in range(frames):
            offsets = np.arange(left + frames) - (left + frame)
            codes = positions(offsets, self.shape.positions) @ table.T
            for head in range(heads):
                mine = slice(head * stack.query, (head + 1) * stack.query)
                where = slice(head * stack.position, (head + 1) * stack.position)
                scores[head, frame] = (
                    k[:, mine] @ q[frame, mine] + codes[:, where] @ p[frame, where]
                )
        known = self.chunks * self.shape.chunk  # frames at 50 Hz there ever were
        places = np.arange(self.shape.left)[:: stack.downsample]
        scores[:, :, :left][:, :, self.shape.left - 1 - places >= known] = -1000.0
        scores = np.exp(scores - scores.max(axis=2, keepdims=True))
        return np.asarray(scores / scores.sum(axis=2, keepdims=True))

    def _nonlinear(self, x: Array, layer: int, stack: Stack, share: Array) -> Array:
        name, dim, hidden = f"layer{layer}.nonlinear", stack.dim, 3 * stack.dim // 4
        y = x @ self.w(f"{name}.in", 3 * hidden, dim).T + self.w(f"{name}.in.bias", 3 * hidden)
        s, v, gate = np.split(y, 3, axis=1)
        v = self._past(f"nonlinear{layer}", v * np.tanh(s), self._left(stack))
        out = self.w(f"{name}.out", dim, hidden)
        return (share @ v * gate) @ out.T + self.w(f"{name}.out.bias", dim)

    def _values(self, x: Array, layer: int, which: int, stack: Stack, shares: Array) -> Array:
        name, dim, width = f"layer{layer}.values{which}", stack.dim, stack.value * stack.heads
        v = x @ self.w(f"{name}.in", width, dim).T + self.w(f"{name}.in.bias", width)
        v = self._past(name, v, self._left(stack))
        mixed = [
            share @ part for share, part in zip(shares, np.split(v, stack.heads, 1), strict=True)
        ]
        out = self.w(f"{name}.out", dim, width)
        return np.concatenate(mixed, axis=1) @ out.T + self.w(f"{name}.out.bias", dim)

    def _convolution(self, x: Array, layer: int, which: int, stack: Stack) -> Array:
        name, dim, kernel, frames = f"layer{layer}.conv{which}", stack.dim, stack.kernel, len(x)
        half = kernel // 2
        y = x @ self.w(f"{name}.in", 2 * dim, dim).T + self.w(f"{name}.in.bias", 2 * dim)
        y = y[:, :dim] / (1.0 + np.exp(-y[:, dim:]))
        past = self._past(name, y, half)
        causal = sliding_window_view(past, half + 1, axis=0)
        one = np.einsum("tck,ck->tc", causal, self.w(f"{name}.causal", dim, 1, half + 1)[:, 0])
        one += self.w(f"{name}.causal.bias", dim)
        inside = sliding_window_view(np.pad(y, ((half, half), (0, 0))), kernel, axis=0)
        two = np.einsum("tck,ck->tc", inside, self.w(f"{name}.chunk", dim, 1, kernel)[:, 0])
        two += self.w(f"{name}.chunk.bias", dim)
        edges = self.w(f"{name}.edges", 2, dim, kernel)
        scale = np.ones((frames, dim))
        for frame in range(frames):
            if frame < kernel:
                scale[frame] += edges[0, :, frame]
            if frames - frame <= kernel:
                scale[frame] += edges[1, :, kernel - (frames - frame)]
        y = swoosh_r(one + two * scale)
        return y @ self.w(f"{name}.out", dim, dim).T + self.w(f"{name}.out.bias", dim)

    def _feedforward(self, x: Array, name: str, dim: int, hidden: int) -> Array:
        y = swoosh_l(x @ self.w(f"{name}.in", hidden, dim).T + self.w(f"{name}.in.bias", hidden))
        return y @ self.w(f"{name}.out", dim, hidden).T + self.w(f"{name}.b", dim)

    def _averaged(self, x: Array, factor: int, name: str) -> Array:
        share = np.exp(self.w(f"{name}.downsample", factor, scale=1.0).astype(np.float64))
        share /= share.sum()
        return np.asarray(np.einsum("tfc,f->tc", x.reshape(-1, factor, x.shape[1]), share))

    def _left(self, stack: Stack) -> int:
        return self.shape.left // stack.downsample

    def _past(self, name: str, fresh: Array, count: int) -> Array:
        """The fresh frames behind the last ``count`` of all there were; zeros before the first."""
        known = self.history.get(name, np.zeros((0, *fresh.shape[1:])))
        self.history[name] = np.concatenate((known, fresh))
        before = known[max(0, len(known) - count) :]
        nothing = np.zeros((count - len(before), *fresh.shape[1:]))
        return np.concatenate((nothing, before, fresh))


def swoosh_l(x: Array) -> Array:
    return np.asarray(np.logaddexp(0.0, x - 4.0) - 0.08 * x - 0.035)


def swoosh_r(x: Array) -> Array:
    return np.asarray(np.logaddexp(0.0, x - 1.0) - 0.08 * x - 0.313261687)


def bias_norm(x: Array, bias: Array, log_scale: float) -> Array:
    power = ((x - bias) ** 2).mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(power) * np.exp(log_scale))


def positions(offsets: Array, dim: int) -> Array:
    """Compact relative position codes of offsets in frames (past is negative), (n, dim)."""
    stretch = dim**0.5
    near = stretch * np.sign(offsets) * np.log1p(np.abs(offsets) / stretch)
    angle = np.arctan(2.0 * np.pi * near / dim)
    codes = np.empty((len(offsets), dim))
    for number in range(dim // 2):
        codes[:, 2 * number] = np.cos((number + 1) * angle)
        codes[:, 2 * number + 1] = np.sin((number + 1) * angle)
    codes[:, -1] = 1.0
    return codes
