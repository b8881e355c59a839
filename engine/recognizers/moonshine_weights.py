"""Reading Moonshine v1's weights out of the two ORT files it is published as.

The published graphs are exports with dynamic shapes all the way through: hundreds of shape
computations a pass, a decoder that projects every position onto 32,768 tokens, attention that
cannot be seen. ``moonshine_graph`` writes leaner graphs around the same weights; this file finds
the weights by the names of the nodes that use them.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import RecognizerError

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Quantized:
    """A matrix in unsigned 8-bit, ``float = (values - zero_point) * scale``.

    Attributes:
        values: uint8, shape (inputs, outputs).
        scale: float32, one for each output column, shape (outputs,).
        zero_point: uint8, one for each output column, shape (outputs,).
    """

    values: Array
    scale: Array
    zero_point: Array

    def dense(self) -> NDArray[np.float32]:
        """The same matrix as float32."""
        shifted = self.values.astype(np.float32) - self.zero_point.astype(np.float32)
        return (shifted * self.scale).astype(np.float32)

    @staticmethod
    def side_by_side(*parts: Quantized) -> Quantized:
        """One matrix whose output columns are those of ``parts`` in turn."""
        return Quantized(
            np.ascontiguousarray(np.concatenate([part.values for part in parts], axis=1)),
            np.concatenate([part.scale for part in parts]),
            np.concatenate([part.zero_point for part in parts]),
        )


class PublishedGraph:
    """The nodes and initializers of one ORT file, the branches of an ``If`` included."""

    def __init__(self, path: Path) -> None:
        """Args:
            path: a ``.ort`` file.

        Raises:
            RecognizerError: the file will not load.
        """
        import onnx
        import onnxruntime as ort
        from onnx import numpy_helper

        self._name = path.name
        with tempfile.TemporaryDirectory(prefix="captionglass-") as scratch:
            converted = Path(scratch) / "graph.onnx"
            options = ort.SessionOptions()
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.optimized_model_filepath = str(converted)
            options.add_session_config_entry("session.save_model_format", "ONNX")
            options.log_severity_level = 4
            try:
                ort.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
            except Exception as error:
                raise RecognizerError(
                    f"{path.name} would not load",
                    "check it with: captionglass models verify",
                ) from error
            model = onnx.load(str(converted))
        self._nodes: dict[str, Any] = {}
        self._tensors: dict[str, Any] = {}
        self._read = numpy_helper.to_array
        self._collect(model.graph, onnx.AttributeProto.GRAPH)

    def _collect(self, graph: Any, graph_attribute: int) -> None:
        self._tensors.update({tensor.name: tensor for tensor in graph.initializer})
        for node in graph.node:
            self._nodes.setdefault(node.name, node)
            for attribute in node.attribute:
                if attribute.type == graph_attribute:
                    self._collect(attribute.g, graph_attribute)

    def tensor(self, *names: str) -> Array:
        """The first initializer found under one of ``names``.

        Raises:
            RecognizerError: there is none: not the model this family knows.
        """
        for name in names:
            if name in self._tensors:
                return np.asarray(self._read(self._tensors[name]))
        raise self._strange(names[0])

    def constant_of(self, node_name: str) -> Array:
        """The only initializer among a node's inputs.

        Raises:
            RecognizerError: no such node, or none or several initializers.
        """
        node = self._nodes.get(node_name)
        held = [name for name in node.input if name in self._tensors] if node is not None else []
        if len(held) != 1:
            raise self._strange(node_name)
        return self.tensor(held[0])

    def matrix(self, node_name: str) -> Quantized:
        """The weight of a quantised matrix product.

        Raises:
            RecognizerError: no such product in the file.
        """
        node = self._nodes.get(node_name)
        if node is None:
            raise self._strange(node_name)
        parts: dict[str, Array] = {}
        for name in node.input:
            for role in ("quantized", "scale", "zero_point"):
                if name in self._tensors and name.endswith(role):
                    parts[role] = self.tensor(name)
        if set(parts) != {"quantized", "scale", "zero_point"}:
            raise self._strange(node_name)
        columns = parts["quantized"].shape[1]
        return Quantized(
            parts["quantized"],
            np.full(columns, parts["scale"], np.float32),
            np.full(columns, parts["zero_point"], np.uint8),
        )

    def _strange(self, missing: str) -> RecognizerError:
        return RecognizerError(
            f"{self._name} is not a Moonshine v1 model (it has no {missing})",
            "fetch it again: captionglass models get ID",
        )
