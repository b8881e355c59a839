"""A folder of the user's own becomes a model: recognised by its files, or refused in one line."""

from __future__ import annotations

import json
import struct
import threading
from pathlib import Path

import pytest

from models import catalogue
from models.errors import DownloadError, ModelDamagedError, ModelError, NoSpaceError
from models.folder import add
from models.spec import ModelSpec
from models.store import ModelStore

ONNX = b"\x08\x07" + bytes(50)
STREAMING = ONNX + b"\x72\x14\x0a\x10decode_chunk_len\x12\x0232"
ORT = bytes(4) + b"ORTM" + bytes(50)
CT2 = struct.pack("<IH", 6, 12) + b"WhisperSpec\0" + bytes(50)
WHISPER = {
    "model.bin": CT2,
    "config.json": b'{"lang_ids": [50259, 50260]}',
    "tokenizer.json": b"{}",
    "vocabulary.json": b"[]",
}
MOONSHINE = {"encoder_model.ort": ORT, "decoder_model_merged.ort": ORT, "tokenizer.json": b"{}"}
ZIPFORMER = {
    "encoder-epoch-99.int8.onnx": STREAMING,
    "decoder-epoch-99.onnx": ONNX,
    "joiner-epoch-99.int8.onnx": ONNX,
    "tokens.txt": b"<blk> 0\n",
}
STREAMING_MOONSHINE = {
    "streaming_config.json": b"{}",
    **{f"{name}.ort": ORT for name in ("frontend", "encoder", "adapter", "cross_kv", "decoder_kv")},
    "tokenizer.bin": b"x",
}
PARAKEET = {
    "encoder-model.int8.onnx": ONNX,
    "decoder_joint-model.int8.onnx": ONNX,
    "vocab.txt": b"a 0\n",
    "config.json": b"{}",
}
LAYOUTS = {
    "whisper": ("whisper", WHISPER),
    "moonshine": ("moonshine", MOONSHINE),
    "moonshine streaming": ("moonshine_streaming", STREAMING_MOONSHINE),
    "zipformer": ("zipformer", ZIPFORMER),
    "zipformer ctc": ("zipformer", {"ctc-epoch-20.onnx": STREAMING, "tokens.txt": b"a 0\n"}),
    "zipformer ctc, plain": ("zipformer", {"model.int8.onnx": STREAMING, "tokens.txt": b"a 0\n"}),
    "parakeet": ("onnx_asr", PARAKEET),
    "canary": (
        "onnx_asr",
        {"encoder-model.onnx": ONNX, "decoder-model.onnx": ONNX, "vocab.txt": b"a"},
    ),
    "gigaam": (
        "onnx_asr",
        {
            **{f"v3_e2e_rnnt_{name}.int8.onnx": ONNX for name in ("encoder", "decoder", "joint")},
            "v3_e2e_rnnt_vocab.txt": b"a",
            "config.json": b"{}",
        },
    ),
    "gigaam ctc": ("onnx_asr", {"v2_ctc.int8.onnx": ONNX, "v2_vocab.txt": b"a"}),
    "nemo ctc": ("onnx_asr", {"model.int8.onnx": ONNX, "vocab.txt": b"a", "config.json": b"{}"}),
    "vosk": (
        "onnx_asr",
        {
            **{f"am/{name}.onnx": ONNX for name in ("encoder", "decoder", "joiner")},
            "lang/tokens.txt": b"a",
        },
    ),
    "whisper onnx": (
        "onnx_asr",
        {
            "onnx/encoder_model_int8.onnx": ONNX,
            "onnx/decoder_model_merged_int8.onnx": ONNX,
            "vocab.json": b"{}",
            "added_tokens.json": b"{}",
            "config.json": b"{}",
        },
    ),
}


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in {**files, "README.md": b"hello", ".git": b"x"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "模型 🎬" / "models")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "José's own 模型 🎧"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("copy", [False, True])
def test_a_folder_is_recognised_and_listed(
    store: ModelStore, folder: Path, layout: str, copy: bool
) -> None:
    family, files = LAYOUTS[layout]
    lay(folder, files)
    made = add(folder, store, [], copy=copy)
    assert made.spec.family == family
    assert made.spec.id == "jose-s-own"
    assert {file.name for file in made.spec.files} == set(files)
    assert made.folder == (store.folder(made.spec) if copy else folder)
    for name, content in files.items():
        assert made.path(name).read_bytes() == content
    listed = catalogue.load(root=store.root).get("jose-s-own")
    assert listed == made.spec
    assert listed.local
    assert store.verify(listed).prepared == store.folder(listed) / "prepared"


def test_every_family_of_the_catalogue_can_be_added_too() -> None:
    families = {spec.family for spec in catalogue.load().recognizers()}
    assert families <= {family for family, _ in LAYOUTS.values()}


@pytest.mark.parametrize("spec", catalogue.load().recognizers(), ids=lambda spec: spec.id)
def test_what_the_catalogue_fetches_would_be_recognised(
    store: ModelStore, folder: Path, spec: ModelSpec
) -> None:
    contents = {".onnx": STREAMING, ".ort": ORT, ".bin": CT2, ".json": b"{}"}
    files = {file.name: contents.get(Path(file.name).suffix, b"x") for file in spec.files}
    made = add(lay(folder, files), store, []).spec
    assert (made.family, made.streaming) == (spec.family, spec.streaming)
    assert {file.name for file in made.files} == set(files)


def test_languages_are_taken_from_the_files_or_as_said(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    assert add(folder, store, []).spec.languages == ("mul",)
    said = add(folder, store, ["jose-s-own"], languages=["zh", "en"]).spec
    assert (said.id, said.languages) == ("jose-s-own-2", ("zh", "en"))
    known = catalogue.load(root=store.root)
    assert known.best_for("zh", ["jose-s-own", "jose-s-own-2"]).id == "jose-s-own-2"
    assert known.best_for("sw", ["jose-s-own", "jose-s-own-2"]).id == "jose-s-own"
    (folder / "config.json").write_text('{"lang_ids": [1]}')
    assert add(folder, store, [], model_id="three").spec.languages == ("en",)


@pytest.mark.parametrize("missing", list(ZIPFORMER))
def test_what_is_missing_is_named(store: ModelStore, folder: Path, missing: str) -> None:
    lay(folder, {name: content for name, content in ZIPFORMER.items() if name != missing})
    with pytest.raises(ModelError) as caught:
        add(folder, store, [])
    assert "\n" not in str(caught.value)
    if missing.startswith("joiner"):
        assert "holds no model" in str(caught.value) or "has no" in str(caught.value)
    else:
        assert "looks like a model for zipformer, but has no" in str(caught.value)
        assert missing.split("-")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "holds no model of a kind known here"),
        ({**WHISPER, "tokenizer.json": b""}, "tokenizer.json in .* is empty"),
        ({**WHISPER, "model.bin": b"version https://git-lfs.github.com/"}, "git lfs pull"),
        ({**WHISPER, "model.bin": bytes(100)}, "no Whisper for CTranslate2"),
        ({**WHISPER, "config.json": b"{"}, "cannot be understood"),
        ({**MOONSHINE, "encoder_model.ort": b"<html>" + bytes(50)}, "no ORT file"),
        ({**PARAKEET, "encoder-model.int8.onnx": b"<html>"}, "no ONNX file"),
        ({**ZIPFORMER, "encoder-epoch-99.int8.onnx": ONNX}, "does not hear sound piece by piece"),
        ({f"{n}.onnx": ONNX for n in range(99)}, "name the folder of one model"),
    ],
)
def test_what_is_broken_is_refused_in_one_line(
    store: ModelStore, folder: Path, files: dict[str, bytes], words: str
) -> None:
    lay(folder, files)
    with pytest.raises(ModelError, match=words) as caught:
        add(folder, store, [])
    assert "\n" not in str(caught.value)
    assert not store.root.exists() or not list(store.root.glob("[!.]*"))


def test_no_folder_is_said_so(store: ModelStore, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no folder"):
        add(tmp_path / "nothing", store, [])


@pytest.mark.parametrize("asked", ["taken", "Ünmöglich", "../up", "a b"])
def test_an_id_that_cannot_be_is_refused(store: ModelStore, folder: Path, asked: str) -> None:
    lay(folder, WHISPER)
    with pytest.raises(ModelError):
        add(folder, store, ["taken"], model_id=asked)


def test_a_flipped_byte_in_the_users_own_folder_shows(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    spec = add(folder, store, []).spec
    content = bytearray(CT2)
    content[40] ^= 1
    (folder / "model.bin").write_bytes(content)
    store.files(spec)
    with pytest.raises(ModelDamagedError, match="remove it and add it again"):
        store.verify(spec)


def test_removed_it_leaves_the_users_own_folder(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    spec = add(folder, store, []).spec
    (store.folder(spec) / "prepared").mkdir()
    store.remove(spec)
    assert not store.folder(spec).exists()
    assert (folder / "model.bin").read_bytes() == CT2
    copied = add(folder, store, [], copy=True).spec
    store.remove(copied)
    assert not store.folder(copied).exists()
    assert (folder / "model.bin").exists()


def test_a_folder_that_went_away_is_a_model_that_is_missing(
    store: ModelStore, folder: Path
) -> None:
    lay(folder, WHISPER)
    spec = add(folder, store, []).spec
    folder.rename(folder.with_name("elsewhere"))
    assert not store.installed(spec)
    store.remove(spec)


def test_adding_can_be_given_up(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(DownloadError, match="was stopped"):
        add(folder, store, [], copy=True, cancel=cancel)
    assert not list(store.root.glob("[!.]*"))
    assert not list(store.root.glob(".*.partial"))


def test_a_copy_needs_space(
    store: ModelStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(folder, WHISPER)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
    with pytest.raises(NoSpaceError, match="use the files where they lie"):
        add(folder, store, [], copy=True)
    add(folder, store, [])


def test_progress_goes_from_nothing_to_all(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    seen: list[tuple[int, int, str]] = []
    add(folder, store, [], progress=lambda *report: seen.append(report))
    total = sum(len(content) for content in WHISPER.values())
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1] == (total, total, "added")


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "[]",
        '{"format": 99}',
        '{"format": 1, "files": []}',
    ],
)
def test_a_description_that_cannot_be_understood_describes_nothing(
    store: ModelStore, folder: Path, damage: str
) -> None:
    lay(folder, WHISPER)
    spec = add(folder, store, []).spec
    (store.folder(spec) / "captionglass.json").write_text(damage)
    assert spec.id not in {known.id for known in catalogue.load(root=store.root)}


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "C:/x", "a\\b", "a//b"])
def test_a_description_cannot_point_out_of_its_folder(
    store: ModelStore, folder: Path, name: str
) -> None:
    lay(folder, WHISPER)
    spec = add(folder, store, []).spec
    path = store.folder(spec) / "captionglass.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["files"][0]["name"] = name
    path.write_text(json.dumps(content), encoding="utf-8")
    assert spec.id not in {known.id for known in catalogue.load(root=store.root)}


def test_a_listed_model_goes_before_one_of_the_same_id(store: ModelStore, folder: Path) -> None:
    lay(folder, WHISPER)
    add(folder, store, [], model_id="silero-vad")
    assert catalogue.load(root=store.root).get("silero-vad").kind == "vad"
