"""Telling by file names, and a few bytes where names do not tell, which family runs a folder."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import ModelError

_TAIL_BYTES = 64 << 10
_LARGEST_CONFIG = 4 << 20
_KEPT = {".onnx", ".ort", ".data", ".bin", ".txt", ".json", ".yaml", ".model", ".vocab"}
_NEVER = {"readme.txt", "license.txt", "requirements.txt"}
_MOST_FILES = 60


@dataclass(frozen=True, slots=True)
class Layout:
    """What the files of a family's models are called.

    Attributes:
        family: who runs them.
        mark: the pattern that makes a folder look like one.
        needs: patterns that must all be there; ``|`` parts alternatives.
        streaming: it hears sound piece by piece.
        exact: its files all have these names; else whatever else lies beside them belongs to it.
    """

    family: str
    mark: str
    needs: tuple[str, ...]
    streaming: bool = False
    exact: bool = True


_ONNX = "{0}.onnx|{0}.*.onnx|{0}_*.onnx|{0}.ort"


def _asr(mark: str, *needs: str) -> Layout:
    graphs = tuple(_ONNX.format(name) if "." not in name else name for name in needs)
    return Layout("onnx_asr", mark, graphs, exact=False)


LAYOUTS = (
    Layout(
        "moonshine_streaming",
        "streaming_config.json",
        (
            "streaming_config.json",
            *(f"{name}.ort|{name}.onnx" for name in ("frontend", "encoder", "adapter", "cross_kv")),
            "decoder_kv_with_attention.ort|decoder_kv_with_attention.onnx|decoder_kv.ort"
            "|decoder_kv.onnx",
            "tokenizer.bin|tokenizer.json",
        ),
        streaming=True,
    ),
    Layout(
        "moonshine",
        "decoder_model_merged.ort",
        ("encoder_model.ort", "decoder_model_merged.ort", "tokenizer.json"),
    ),
    Layout(
        "whisper",
        "model.bin",
        ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt|vocabulary.json"),
        exact=False,
    ),
    _asr("v[23]_*.onnx", "v[23]_*", "v[23]_*vocab.txt"),
    _asr("multilingual*_ctc*.onnx", "multilingual*_ctc", "multilingual_vocab.txt"),
    _asr("decoder_joint-model*", "encoder-model", "decoder_joint-model", "vocab.txt"),
    _asr("decoder-model*.onnx", "encoder-model", "decoder-model", "vocab.txt"),
    _asr("whisper-*_beamsearch*", "whisper-*_beamsearch", "vocab.json", "added_tokens.json"),
    _asr(
        "*decoder_model_merged*.onnx",
        "*encoder_model",
        "*decoder_model_merged",
        "vocab.json",
        "added_tokens.json",
    ),
    _asr("*/joiner*.onnx", "*/encoder", "*/decoder", "*/joiner", "*/tokens.txt"),
    Layout(
        "zipformer",
        "*joiner*.onnx",
        ("*encoder*.onnx", "*decoder*.onnx", "*joiner*.onnx", "tokens.txt"),
        streaming=True,
        exact=False,
    ),
    _asr("vocab.txt", "model", "vocab.txt"),
    Layout("zipformer", "*.onnx", ("*ctc*.onnx|model*.onnx", "tokens.txt"), True, False),
)
"""Every layout there is, the more particular before the more general."""


def recognise(folder: Path) -> tuple[Layout, tuple[str, ...]]:
    """Which family runs a folder, and the names of the files that belong to it, with ``/``.

    Raises:
        ModelError: it is none that is known, or something is missing or broken; one line says what.
    """
    names = _names(folder)
    lower = {name.lower(): name for name in names}
    for layout in LAYOUTS:
        if not fnmatch.filter(lower, layout.mark):
            continue
        missing = [need for need in layout.needs if not _found(lower, need)]
        if missing:
            raise ModelError(
                f"{folder.name} looks like a model for {layout.family}, "
                f"but has no {' and no '.join(_say(need) for need in missing)}",
                "add what is missing beside the rest",
            )
        if layout.exact:
            belonging = [lower[name] for need in layout.needs for name in _found(lower, need)]
        else:
            belonging = list(names)
        files = tuple(sorted(set(belonging)))
        for name in files:
            _check(folder, name)
        _check_family(folder, layout, files)
        return layout, files
    raise ModelError(
        f"{folder.name} holds no model of a kind known here",
        "see docs/models.md for the files each family needs",
    )


def languages(folder: Path, layout: Layout, files: Collection[str]) -> tuple[str, ...]:
    """What a model captions, where its files tell: English Whisper, or one of many languages."""
    if layout.family.startswith("moonshine"):
        return ("en",)
    if layout.family == "whisper" and "config.json" in files:
        config = _json(folder / "config.json")
        known = config.get("lang_ids") if isinstance(config, dict) else None
        if isinstance(known, list):
            return ("mul",) if len(known) > 1 else ("en",)
    return ("und",)


def _names(folder: Path) -> list[str]:
    try:
        found = [
            path.relative_to(folder).as_posix()
            for pattern in ("*", "*/*")
            for path in folder.glob(pattern)
            if path.is_file() and not path.name.startswith(".")
        ]
    except OSError as error:
        raise ModelError(f"{folder} cannot be read ({error.strerror})") from error
    kept = [
        name
        for name in found
        if Path(name).suffix.lower() in _KEPT and Path(name).name.lower() not in _NEVER
    ]
    if not folder.is_dir():
        raise ModelError(f"there is no folder {folder}", "name the folder the model lies in")
    if len(kept) > _MOST_FILES:
        raise ModelError(
            f"{folder.name} holds {len(kept)} files", "name the folder of one model alone"
        )
    return sorted(kept)


def _found(lower: Mapping[str, str], need: str) -> list[str]:
    """Those that match the first alternative that any does."""
    for pattern in need.split("|"):
        found = fnmatch.filter(lower, pattern)
        if found:
            return found
    return []


def _say(need: str) -> str:
    first = need.split("|")
    return " or ".join(first) if len(first) <= 2 else first[0]


def _check(folder: Path, name: str) -> None:
    path = folder / name
    try:
        with path.open("rb") as stream:
            head = stream.read(64)
    except OSError as error:
        raise ModelError(f"{name} in {folder.name} cannot be read ({error.strerror})") from error
    if not head:
        raise ModelError(f"{name} in {folder.name} is empty", "fetch it again")
    if head.startswith(b"version https://git-lfs"):
        raise ModelError(
            f"{name} in {folder.name} only points to the real file", "fetch it: git lfs pull"
        )
    suffix = path.suffix.lower()
    if (suffix == ".ort" and head[4:8] != b"ORTM") or (suffix == ".onnx" and head[0] != 0x08):
        raise ModelError(f"{name} in {folder.name} is no {suffix[1:].upper()} file")


def _check_family(folder: Path, layout: Layout, files: Collection[str]) -> None:
    if layout.family == "whisper":
        with (folder / "model.bin").open("rb") as stream:
            if b"WhisperSpec" not in stream.read(64):
                raise ModelError(f"model.bin in {folder.name} is no Whisper for CTranslate2")
        if not isinstance(_json(folder / "config.json"), dict):
            raise ModelError(f"config.json in {folder.name} cannot be understood")
    if layout.family == "zipformer":
        graphs = [name for name in files if "encoder" in name.lower()] or [
            name for name in files if name.lower().endswith(".onnx")
        ]
        if not any(b"decode_chunk_len" in _tail(folder / name) for name in graphs):
            raise ModelError(
                f"{folder.name} holds a model that does not hear sound piece by piece",
                "take a streaming export",
            )


def _tail(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return stream.read()


def _json(path: Path) -> object:
    try:
        if path.stat().st_size > _LARGEST_CONFIG:
            return None
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content
