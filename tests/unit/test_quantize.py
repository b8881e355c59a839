"""Smaller models made of larger ones: what they answer, what they keep, what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.errors import ModelError, RecognizerError, UsageError
from engine.quantize import quantize
from engine.quantize.onnx_graphs import renamed
from engine.quantize.whisper import convert, read
from models import catalogue
from models.spec import ModelFile, ModelFiles, ModelSpec
from models.store import ModelStore

FREE, IN, OUT = 3, 256, 192


def graph(path: Path) -> None:
    """Two products with constant matrices and what is in between, in the form of an export."""
    random = np.random.default_rng(5)
    weights = {
        "first": random.normal(0, 0.1, (IN, OUT)).astype(np.float32),
        "second": random.normal(0, 0.1, (OUT, IN)).astype(np.float32),
        "small": random.normal(0, 0.1, (IN, 4)).astype(np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"], name="one"),
        helper.make_node("Relu", ["a"], ["b"], name="two"),
        helper.make_node("MatMul", ["b", "second"], ["y"], name="three"),
        helper.make_node("MatMul", ["y", "small"], ["z"], name="four"),
    ]
    made = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [FREE, IN])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [FREE, 4])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    helper.set_model_props(model, {"decode_chunk_len": "32", "model_type": "zipformer2"})
    onnx.save(model, str(path))


def described(folder: Path, **changes: Any) -> ModelFiles:
    files = tuple(
        ModelFile(path.name, (), path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.iterdir())
    )
    fields = {"family": "zipformer", "streaming": True, **changes}
    return ModelFiles(
        ModelSpec(
            id="big",
            title="Big",
            kind="recognizer",
            languages=("zh",),
            licence="MIT",
            attribution="nobody",
            files=files,
            **fields,
        ),
        folder,
    )


@pytest.fixture
def big(tmp_path: Path) -> ModelFiles:
    folder = tmp_path / "大 模型 🎬"
    folder.mkdir()
    graph(folder / "encoder.onnx")
    (folder / "tokens.txt").write_text("<blk> 0\n", encoding="utf-8")
    return described(folder)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "模型" / "models")


def answer(path: Path) -> np.ndarray[Any, Any]:
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    x = np.random.default_rng(9).normal(0, 1, (FREE, IN)).astype(np.float32)
    return np.asarray(session.run(None, {"x": x})[0])


@pytest.mark.parametrize(
    ("to", "smaller", "apart"), [("int8", 3.0, 0.05), ("int4", 4.5, 0.4), ("fp16", 1.8, 0.01)]
)
def test_a_graph_becomes_smaller_and_says_nearly_the_same(
    big: ModelFiles, store: ModelStore, to: Any, smaller: float, apart: float
) -> None:
    before = answer(big.path("encoder.onnx"))
    said: list[str] = []
    made = quantize(big, to, store, [], tell=said.append)
    name = f"encoder.{to}.onnx"
    assert {file.name for file in made.spec.files} == {name, "tokens.txt"}
    ratio = big.path("encoder.onnx").stat().st_size / made.path(name).stat().st_size
    assert ratio > smaller
    after = answer(made.path(name))
    assert np.abs(after - before).max() < apart * np.abs(before).max()
    assert not np.array_equal(after, before)
    assert any(name in line for line in said)


@pytest.mark.parametrize("to", ["int8", "int4", "fp16"])
def test_what_an_export_says_of_itself_stays(big: ModelFiles, store: ModelStore, to: Any) -> None:
    made = quantize(big, to, store, [])
    model = onnx.load(str(made.path(f"encoder.{to}.onnx")))
    assert {entry.key: entry.value for entry in model.metadata_props} == {
        "decode_chunk_len": "32",
        "model_type": "zipformer2",
    }


def test_the_new_model_is_listed_verified_and_removed(big: ModelFiles, store: ModelStore) -> None:
    made = quantize(big, "int8", store, [])
    spec = catalogue.load(root=store.root).get("big-int8")
    assert spec == made.spec
    assert (spec.derived_from, spec.precision) == ("big", "int8")
    assert (spec.family, spec.languages, spec.streaming) == ("zipformer", ("zh",), True)
    store.verify(spec)
    again = quantize(big, "int8", store, ["big-int8"], "mine")
    assert again.spec.id == "mine"
    store.remove(spec)
    assert big.path("encoder.onnx").exists()
    assert store.installed(again.spec)


def test_small_matrices_keep_their_precision_in_4_bits(big: ModelFiles, store: ModelStore) -> None:
    made = quantize(big, "int4", store, [])
    model = onnx.load(str(made.path("encoder.int4.onnx")))
    assert [node.op_type for node in model.graph.node] == [
        "MatMulNBits",
        "Relu",
        "MatMulNBits",
        "MatMul",
    ]
    assert {tensor.name for tensor in model.graph.initializer} & {"first", "second"} == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("encoder.onnx", "encoder.int8.onnx"),
        ("encoder.fp16.onnx", "encoder.int8.onnx"),
        ("am/encoder-epoch-9.onnx", "am/encoder-epoch-9.int8.onnx"),
    ],
)
def test_names_say_the_precision(old: str, new: str) -> None:
    assert renamed(old, "int8") == new


def test_what_cannot_be_made_is_refused_with_the_remedy(
    big: ModelFiles, store: ModelStore, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="cannot be made float"):
        quantize(big, "float", store, [])
    with pytest.raises(UsageError, match="there is no precision 'int2'"):
        quantize(big, "int2", store, [])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="there is a model big-int8 already"):
        quantize(big, "int8", store, ["big-int8"])
    done = quantize(big, "int8", store, [])
    with pytest.raises(UsageError, match="quantised already"):
        quantize(done, "int8", store, [])
    folder = tmp_path / "ort"
    folder.mkdir()
    (folder / "encoder.ort").write_bytes(b"x")
    with pytest.raises(UsageError, match="holds no ONNX graphs"):
        quantize(described(folder), "int8", store, [])
    with pytest.raises(UsageError, match="published in 8 bits"):
        quantize(described(folder, family="moonshine"), "int4", store, [])
    with pytest.raises(UsageError, match="does not turn speech into words"):
        quantize(ModelFiles(catalogue.load().get("silero-vad"), folder), "int8", store, [])


def test_a_graph_that_is_none_is_one_line_and_leaves_nothing(
    big: ModelFiles, store: ModelStore
) -> None:
    big.path("encoder.onnx").write_bytes(b"\x08\x07 this is no graph")
    with pytest.raises(RecognizerError, match=r"encoder\.onnx cannot be made int4") as caught:
        quantize(big, "int4", store, [])
    assert "\n" not in str(caught.value)
    assert not list(store.root.glob("[!.]*"))
    assert not list(store.root.glob(".*.partial"))


def test_a_full_disk_is_told_first(
    big: ModelFiles, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
    with pytest.raises(ModelError, match="no space for model big-int8"):
        quantize(big, "int8", store, [])


@pytest.mark.parametrize("content", [b"", b"\x06\0\0\0", b"\x06\0\0\0\x04\0abc\0", bytes(500)])
def test_a_model_bin_that_is_no_whisper_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(RecognizerError, match="no Whisper model that is understood"):
        convert(path, tmp_path / "out.bin", "int8")


# -- real weights -------------------------------------------------------------------------------


def installed(model_id: str) -> ModelFiles:
    return ModelStore().files(catalogue.load(catalogue.CATALOGUE).get(model_id))


@pytest.mark.slow
def test_whisper_in_8_bits_is_half_as_large_and_still_whisper(store: ModelStore) -> None:
    files = installed("whisper-tiny.en")
    made = quantize(files, "int8", store, [])
    assert made.spec.size < 0.6 * files.spec.size
    before, _ = read(files.path("model.bin"))
    after, _ = read(made.path("model.bin"))
    name = "encoder/layer_0/ffn/linear_0/weight"
    assert after[name].dtype == np.int8
    widened = after[name] / after[f"{name}_scale"][:, None]
    assert np.abs(widened - before[name]).max() < np.abs(before[name]).max() / 100
    with pytest.raises(UsageError, match="quantised already"):
        quantize(made, "fp16", store, [])
    with pytest.raises(UsageError, match="CTranslate2 has no int4"):
        quantize(files, "int4", store, [])


@pytest.mark.slow
def test_moonshine_widened_runs_on_the_processor(store: ModelStore) -> None:
    from engine.recognizers.base import load

    made = quantize(installed("moonshine-tiny-en"), "float", store, [])
    recognizer = load(made, "cpu")
    assert recognizer.provider == "cpu"
    assert {path.name for path in made.prepared.iterdir()} >= {"frontend.v3.onnx"}
    assert any("encoder-float" in path.name for path in made.prepared.iterdir())
