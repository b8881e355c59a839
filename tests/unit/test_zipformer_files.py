"""The files of a k2 export: what is missing, damaged or does not fit is one clear error."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
import zipformer_export as exports
from onnx import helper
from zipformer_graphs import Weights, joiner_model
from zipformer_loaded import SMALL, Build, heard, model

from engine.errors import RecognizerError
from engine.recognizers import zipformer
from engine.recognizers.zipformer_export import Layout
from engine.types import Samples
from models import catalogue
from models.spec import ModelFiles

pytest_plugins = ["fixtures_zipformer"]


def edited(path: Path, change: Callable[[onnx.ModelProto], None]) -> None:
    graph = onnx.load(str(path))
    change(graph)
    onnx.save(graph, str(path))


def metadata(**changes: str | None) -> Callable[[onnx.ModelProto], None]:
    def change(graph: onnx.ModelProto) -> None:
        known = {entry.key: entry.value for entry in graph.metadata_props}
        known.update({key: value for key, value in changes.items() if value is not None})
        for key, value in changes.items():
            if value is None:
                del known[key]
        del graph.metadata_props[:]
        helper.set_model_props(graph, known)

    return change


@pytest.fixture
def folder(built: Build, tmp_path: Path) -> Path:
    target = tmp_path / "模型 🎧 k2"
    shutil.copytree(built("zipformer2", **SMALL).folder, target)
    return target


def failure(folder: Path) -> str:
    with pytest.raises(RecognizerError) as caught:
        zipformer.load(exports.files_of(folder), "cpu")
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
    return str(caught.value)


def encoder_of(folder: Path) -> Path:
    return next(folder.glob("encoder*"))


@pytest.mark.parametrize(
    "key", ["T", "decode_chunk_len", "encoder_dims", "left_context_len", "query_head_dims"]
)
def test_a_missing_metadata_key_is_named(folder: Path, key: str) -> None:
    edited(encoder_of(folder), metadata(**{key: None}))
    assert f"lacks '{key}'" in failure(folder)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"T": "many"}, "'many' for 'T'"),
        ({"T": "44"}, "44 at a time"),
        ({"decode_chunk_len": "0"}, "a chunk of 0 frames"),
        ({"left_context_len": "32,16,9"}, "cached_key_2"),
        ({"cnn_module_kernels": "15,15"}, "different numbers of stacks"),
        ({"num_encoder_layers": "1,1,4"}, "states"),
        ({"model_type": "parakeet"}, "'parakeet'"),
        ({"model_type": None}, "'unnamed'"),
        ({"feature": "whisper"}, "'whisper'"),
        ({"T": None, "decode_chunk_len": None}, "no streaming model"),
    ],
)
def test_metadata_that_does_not_fit_is_one_clear_error(
    folder: Path, changes: dict[str, str | None], says: str
) -> None:
    edited(encoder_of(folder), metadata(**changes))
    assert says in failure(folder)


@pytest.mark.parametrize("missing", ["tokens.txt", "encoder*", "decoder*", "joiner*"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    next(folder.glob(missing)).unlink()
    assert missing.rstrip("*") in failure(folder)


def test_a_file_that_has_gone_since_the_store_looked_is_named(folder: Path) -> None:
    files = exports.files_of(folder)
    (folder / "tokens.txt").unlink()
    with pytest.raises(RecognizerError, match=r"tokens\.txt is missing"):
        zipformer.load(files, "cpu")


@pytest.mark.parametrize("which", ["encoder*", "decoder*", "joiner*"])
@pytest.mark.parametrize("damage", [b"", b"rubbish" * 100, "half"])
def test_a_damaged_graph_is_one_clear_error(folder: Path, which: str, damage: bytes | str) -> None:
    path = next(folder.glob(which))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if isinstance(damage, str) else damage)
    assert path.name in failure(folder)


def test_parts_of_different_models_are_one_clear_error(folder: Path, built: Build) -> None:
    (folder / "tokens.txt").write_text("<blk> 0\n<unk> 1\n", encoding="utf-8")
    assert "2 tokens" in failure(folder)
    shutil.copy(built("zipformer2", **SMALL).folder / "tokens.txt", folder)
    onnx.save(joiner_model(Weights(1), 90, 30), part_path(folder, "joiner"))
    assert "joiner" in failure(folder)


def part_path(folder: Path, name: str) -> str:
    return str(next(folder.glob(f"{name}*")))


def test_encoder_and_decoder_in_each_others_place_are_one_clear_error(folder: Path) -> None:
    encoder, decoder = encoder_of(folder), Path(part_path(folder, "decoder"))
    blob = encoder.read_bytes()
    shutil.copy(decoder, encoder)
    decoder.write_bytes(blob)
    assert encoder.name in failure(folder)


def test_any_name_of_a_folder_will_do_and_8_bits_are_for_the_processor(
    folder: Path, speech: Samples, built: Build
) -> None:
    expected = heard(model(built("zipformer2", **SMALL)), speech)
    assert heard(model(exports.files_of(folder)), speech) == expected
    encoder = encoder_of(folder)
    shutil.copy(encoder, encoder.with_name(encoder.name.replace(".onnx", ".int8.onnx")))
    encoder.write_bytes(b"the float one is not for the processor")
    assert heard(zipformer.load(exports.files_of(folder), "cpu"), speech) == expected


def test_an_export_that_takes_one_row_at_a_time_says_the_same(
    folder: Path, speech: Samples, built: Build
) -> None:
    def fix(graph: onnx.ModelProto) -> None:
        for value in (*graph.graph.input, *graph.graph.output):
            value.type.tensor_type.shape.dim[0].dim_value = 1

    edited(Path(part_path(folder, "decoder")), fix)
    edited(Path(part_path(folder, "joiner")), fix)
    one_by_one = model(exports.files_of(folder))
    for effort in (0.0, 0.5):
        plain = heard(model(built("zipformer2", **SMALL)), speech, effort)
        assert [token.id for token in heard(one_by_one, speech, effort)] == [
            token.id for token in plain
        ]


def test_the_files_of_every_such_model_in_the_catalogue_are_known_by_their_names() -> None:
    specs = [spec for spec in catalogue.load().recognizers() if spec.family == "zipformer"]
    assert specs
    for spec in specs:
        layout = Layout.of(ModelFiles(spec, Path("nowhere")), "cpu")
        assert (layout.decoder is None) == ("ctc" in spec.id)
