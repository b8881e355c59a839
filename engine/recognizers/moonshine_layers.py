"""Writing ONNX graphs by hand: operators, constants, and the few layers Moonshine is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from engine.recognizers.moonshine_weights import Array, Quantized

Arithmetic = Literal["unsigned", "signed", "float"]

EPSILON = 1e-5
"""Of every normalisation."""

HEADS = 8

_ROTARY = 32
_LONGEST = 16_384  # positions in the rotary tables: 6 minutes of frames, far above any window


class LayerGraph:
    """Appends nodes and names their outputs; knows the few shapes of layer the model is made of."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []
        self.quantized = arithmetic != "float"
        self.signed = arithmetic == "signed"
        self._count = 0

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        return self.op_many(kind, 1, *inputs, domain=domain, **attributes)[0]

    def op_many(
        self, kind: str, outputs: int, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        from onnx import helper

        self._count += 1
        names = [f"{kind}_{self._count}_{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(
                kind, list(inputs), names, name=f"{kind}_{self._count}", domain=domain, **attributes
            )
        )
        return names

    def const(self, value: Any, dtype: Any = None) -> str:
        from onnx import numpy_helper

        self._count += 1
        name = f"const_{self._count}"
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        # ascontiguousarray makes a scalar a vector of one; the shape decides what an op does.
        self.tensors.append(numpy_helper.from_array(array.reshape(np.shape(value)), name))
        return name

    def alias(self, name: str, output: str) -> None:
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [name], [output], name=f"out_{output}"))

    def dense(self, x: str, weight: Quantized, bias: Array | None = None) -> str:
        if self.quantized:
            inputs = [x, *(self.const(part) for part in self._stored(weight))]
            if bias is not None:
                inputs.append(self.const(bias))
            return self.op("DynamicQuantizeMatMul", *inputs, domain="com.microsoft")
        product = self.op("MatMul", x, self.const(weight.dense()))
        return self.op("Add", product, self.const(bias)) if bias is not None else product

    def _stored(self, weight: Quantized) -> tuple[Array, Array, Array]:
        if not self.signed:
            return weight.values, weight.scale, weight.zero_point
        # 128 less in values and zero point alike: the same numbers, in the other 8-bit type.
        values, zero = (
            (part.astype(np.int16) - 128).astype(np.int8)
            for part in (weight.values, weight.zero_point)
        )
        return values, weight.scale, zero

    def norm(self, x: str, weight: Array) -> str:
        zero = self.const(np.zeros_like(weight))
        return self.op("LayerNormalization", x, self.const(weight), zero, axis=-1, epsilon=EPSILON)

    def heads(self, x: str, head: int) -> str:
        """(1, n, heads * head) -> (1, heads, n, head)."""
        split = self.op("Reshape", x, self.const([1, -1, HEADS, head], np.int64))
        return self.op("Transpose", split, perm=[0, 2, 1, 3])

    def rotary(self, x: str, positions: str, tables: tuple[str, str]) -> str:
        return self.op(
            "RotaryEmbedding",
            x,
            positions,
            *tables,
            domain="com.microsoft",
            interleaved=1,
            num_heads=HEADS,
            rotary_embedding_dim=_ROTARY,
        )

    def rotary_tables(self) -> tuple[str, str]:
        rate = 10_000.0 ** (-np.arange(0, _ROTARY, 2) / _ROTARY)
        angle = np.arange(_LONGEST)[:, None] * rate[None, :]
        return self.const(np.cos(angle), np.float32), self.const(np.sin(angle), np.float32)

    def thirds(self, x: str, width: int) -> list[str]:
        return self.op_many("Split", 3, x, self.const([width] * 3, np.int64), axis=-1)

    def model(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> bytes:
        from onnx import helper

        graph = helper.make_graph(self.nodes, "moonshine", inputs, outputs, self.tensors)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return bytes(made.SerializeToString())


def value(name: str, dtype: Any, shape: Sequence[Any]) -> Any:
    """The declaration of a graph's input or output."""
    from onnx import helper

    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape
    )
