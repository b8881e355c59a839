"""Weights are handed to onnxruntime where they lie: under any name, and without a second copy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from fixtures_models import REPOSITORY
from onnx import TensorProto, helper, numpy_helper

from engine.errors import RecognizerError
from engine.runtime import open_session

SIDE = 1500  # a matrix of 9 MB

PROBE = """
import sys
from pathlib import Path
import numpy as np
from engine.runtime import open_session
graph = Path(sys.argv[1])
if sys.argv[2] == "copied":
    graph = graph.read_bytes()
session = open_session(graph, "cpu")
session.run(None, {"x": np.ones((1, int(sys.argv[3])), np.float32)})
for line in open("/proc/self/status", encoding="utf-8"):
    if line.startswith("RssAnon"):
        print(int(line.split()[1]) / 1000)
"""


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    """A folder with the same product as ``plain.onnx``, ``outside.onnx`` and ``mapped.ort``."""
    folder = tmp_path / "Größe 模型 🎬"
    folder.mkdir()
    matrix = numpy_helper.from_array(np.eye(SIDE, dtype=np.float32), "w")
    made = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, SIDE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, SIDE])],
        [matrix],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, str(folder / "plain.onnx"))
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(folder / "mapped.ort")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    onnx.save(model, str(folder / "outside.onnx"), save_as_external_data=True, location="w.data")
    return folder


@pytest.mark.parametrize("name", ["plain.onnx", "outside.onnx", "mapped.ort"])
def test_a_graph_runs_from_a_folder_of_any_name(graphs: Path, name: str) -> None:
    x = np.arange(SIDE, dtype=np.float32)[None]
    (y,) = open_session(graphs / name, "cpu").run(None, {"x": x})
    assert np.array_equal(y, x)


def test_a_graph_that_is_not_there_or_none_is_one_line(graphs: Path) -> None:
    with pytest.raises(RecognizerError, match=r"gone\.ort cannot be read"):
        open_session(graphs / "gone.ort")
    (graphs / "mapped.ort").write_bytes(b"nothing of the kind")
    with pytest.raises(RecognizerError, match=r"mapped\.ort would not load"):
        open_session(graphs / "mapped.ort")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_weights_of_an_ort_file_are_mapped_and_not_copied(graphs: Path) -> None:
    own = {}
    for how in ("copied", "mapped"):
        done = subprocess.run(
            [sys.executable, "-c", PROBE, str(graphs / "mapped.ort"), how, str(SIDE)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
        own[how] = float(done.stdout)
    weights = SIDE * SIDE * 4 / 1e6
    assert own["copied"] - own["mapped"] > 0.9 * weights
