"""Smaller weights in ONNX graphs, by onnxruntime's own tools."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import RecognizerError, UsageError
from engine.runtime import open_session
from models.spec import ModelFiles

if TYPE_CHECKING:
    from engine.quantize import Precision, Writer

_PRECISION = re.compile(r"\.(int8|uint8|int4|fp16|quant)(?=\.onnx$)")
_EXTERNAL_ABOVE = 1_800_000_000
_BLOCK = 32
_COMPUTE_IN_INT8 = 4
_SMALLEST_MATRIX = 16 * 1024
_BOX = "com.microsoft"


def writer(files: ModelFiles, to: Precision) -> Writer:
    """Writes a model's graphs in another precision, and takes the other files over.

    Raises:
        UsageError: they are quantised already.
    """
    from engine.quantize import copy

    names = [file.name for file in files.spec.files]
    graphs = [name for name in names if name.endswith(".onnx")]
    if all(_PRECISION.search(name) for name in graphs):
        raise UsageError(
            f"{files.spec.id} is quantised already", "take the float version where there is one"
        )

    def write(new: Path, tell: Callable[[str], None]) -> None:
        copy(files, [n for n in names if n not in graphs and not n.endswith(".data")], new, tell)
        for name in graphs:
            target = new / renamed(name, to)
            tell(f"writing {target.name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            if _PRECISION.search(name):
                copy(files, [name], new, tell)
                (new / name).replace(target)
            else:
                convert(files.path(name), target, to)
            _prove(target)

    return write


def renamed(name: str, to: str) -> str:
    """What a graph in another precision is called: ``encoder.int8.onnx``."""
    return _PRECISION.sub("", name).removesuffix(".onnx") + f".{to}.onnx"


def convert(source: Path, target: Path, to: Precision) -> None:
    """Write one graph in another precision.

    Raises:
        RecognizerError: it cannot be read or converted.
    """
    import onnx

    try:
        model = onnx.load(str(source))
        metadata = {entry.key: entry.value for entry in model.metadata_props}
        if to == "int8":
            _to_int8(source, target)
            model = onnx.load(str(target))
            target.unlink()
        elif to == "int4":
            _to_int4(model.graph)
            if not any(entry.domain == _BOX for entry in model.opset_import):
                model.opset_import.append(onnx.helper.make_opsetid(_BOX, 1))
        else:
            model = _to_fp16(model)
        del model.metadata_props[:]
        onnx.helper.set_model_props(model, metadata)
        large = model.ByteSize() > _EXTERNAL_ABOVE
        onnx.save(
            model,
            str(target),
            save_as_external_data=large,
            location=f"{target.name}.data" if large else None,
        )
    except OSError:
        raise
    except Exception as error:
        raise RecognizerError(
            f"{source.name} cannot be made {to} ({str(error).splitlines()[0][:120]})",
            "use another precision",
        ) from error


def _to_int8(source: Path, target: Path) -> None:
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    # It advises on the root logger to prepare the graph first, which these exports do not need.
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        quantize_dynamic(
            str(source),
            str(target),
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
        )
    finally:
        root.setLevel(level)


def _to_fp16(model: Any) -> Any:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return convert_float_to_float16(model, keep_io_types=True)


def _to_int4(graph: Any) -> None:
    """Turn products with a constant matrix into ``MatMulNBits``; also inside branches."""
    import onnx
    from onnx import numpy_helper

    tensors = {tensor.name: tensor for tensor in graph.initializer}
    done: dict[str, tuple[str, str, int, int]] = {}
    used_elsewhere: set[str] = set()
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _to_int4(attribute.g)
        matrix = tensors.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is None or matrix.data_type != onnx.TensorProto.FLOAT or len(matrix.dims) != 2:
            used_elsewhere.update(node.input)
            continue
        weights = numpy_helper.to_array(matrix)
        if weights.size < _SMALLEST_MATRIX:
            used_elsewhere.update(node.input)
            continue
        if matrix.name not in done:
            packed, scales = _pack(weights)
            names = (f"{matrix.name}_Q4", f"{matrix.name}_scales")
            graph.initializer.extend(
                numpy_helper.from_array(array, name)
                for array, name in zip((packed, scales), names, strict=True)
            )
            done[matrix.name] = (*names, *weights.shape)
        quantized, scale, rows, columns = done[matrix.name]
        left, output = node.input[0], node.output[0]
        node.CopyFrom(
            onnx.helper.make_node(
                "MatMulNBits",
                [left, quantized, scale],
                [output],
                name=node.name,
                domain=_BOX,
                K=rows,
                N=columns,
                bits=4,
                block_size=_BLOCK,
                accuracy_level=_COMPUTE_IN_INT8,
            )
        )
    for name in done.keys() - used_elsewhere - {output.name for output in graph.output}:
        graph.initializer.remove(tensors[name])


def _pack(weights: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A matrix (inputs, outputs) in blocks of 4-bit numbers, by onnxruntime's own routine."""
    from onnxruntime.capi._pybind_state import quantize_matmul_4bits

    rows, columns = weights.shape
    blocks = -(-rows // _BLOCK)
    padded = np.pad(weights.astype(np.float32), ((0, blocks * _BLOCK - rows), (0, 0)))
    packed = np.zeros((columns, blocks, _BLOCK // 2), np.uint8)
    scales = np.zeros((columns, blocks), np.float32)
    zero_points = np.zeros((columns, (blocks + 1) // 2), np.uint8)
    quantize_matmul_4bits(packed, padded, scales, zero_points, _BLOCK, columns, rows, True)
    return packed, scales.reshape(-1)


def _prove(path: Path) -> None:
    """Open what was written: a graph that onnxruntime refuses is no model."""
    try:
        open_session(path, "cpu")
    except RecognizerError as error:
        raise RecognizerError(
            f"{path.name} was written and does not load ({error.message})", "use another precision"
        ) from error
