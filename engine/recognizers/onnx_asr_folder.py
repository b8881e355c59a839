"""Telling by its file names what a folder that onnx-asr can run holds."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

_PREFERRED = ("int8", "", "uint8", "fp16", "q4")
"""Precisions, the best on a CPU first, where a folder holds several."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model.

    Attributes:
        type: what onnx-asr calls it.
        graphs: its ONNX files without precision and ending: ``encoder-model`` stands for
            ``encoder-model.onnx`` and ``encoder-model.int8.onnx``. May hold ``*`` and ``?``.
        others: the other files it needs.
        hop_s: seconds of sound behind one frame of the encoder, where ``config.json`` does not
            tell; None where tokens have no times.
        named: ``config.json`` must name the type: the file names alone do not tell it.
    """

    type: str
    graphs: tuple[str, ...]
    others: tuple[str, ...]
    hop_s: float | None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """What a folder holds.

    Attributes:
        kind: the kind of model.
        precision: ``int8``, ``fp16`` and so on; empty for the plain one.
        hop_s: seconds of sound behind one frame of the encoder; None where tokens have no times.
    """

    kind: Kind
    precision: str
    hop_s: float | None


_NEMO, _GIGAAM, _WHISPER = ("vocab.txt",), 0.04, ("vocab.json", "added_tokens.json")
_HOP = 0.01
"""Seconds between two feature frames, of every kind that tells times by them."""

KINDS = (
    Kind("nemo-conformer-aed", ("encoder-model", "decoder-model"), _NEMO, None),
    Kind("nemo-conformer-rnnt", ("encoder-model", "decoder_joint-model"), _NEMO, 0.08, named=True),
    Kind("nemo-conformer-tdt", ("encoder-model", "decoder_joint-model"), _NEMO, 0.08),
    Kind("t-one-ctc", ("model",), ("config.json",), 0.03, named=True),
    Kind("nemo-conformer-ctc", ("model",), _NEMO, 0.08),
    # What GigaAM v3 hears is computed otherwise than for v2, and config.json alone says so.
    Kind(
        "gigaam-v3-e2e-rnnt",
        ("v3_e2e_rnnt_encoder", "v3_e2e_rnnt_decoder", "v3_e2e_rnnt_joint"),
        ("v3_e2e_rnnt_vocab.txt", "config.json"),
        _GIGAAM,
    ),
    Kind("gigaam-v3-e2e-ctc", ("v3_e2e_ctc",), ("v3_e2e_ctc_vocab.txt", "config.json"), _GIGAAM),
    Kind(
        "gigaam-v3-rnnt",
        ("v3_rnnt_encoder", "v3_rnnt_decoder", "v3_rnnt_joint"),
        ("v3_vocab.txt", "config.json"),
        _GIGAAM,
    ),
    Kind("gigaam-v3-ctc", ("v3_ctc",), ("v3_vocab.txt", "config.json"), _GIGAAM),
    Kind(
        "gigaam-v2-rnnt",
        ("v2_rnnt_encoder", "v2_rnnt_decoder", "v2_rnnt_joint"),
        ("v2_vocab.txt",),
        _GIGAAM,
    ),
    Kind("gigaam-v2-ctc", ("v2_ctc",), ("v2_vocab.txt",), _GIGAAM),
    Kind("gigaam-multilingual-ctc", ("multilingual*_ctc",), ("multilingual_vocab.txt",), _GIGAAM),
    Kind("kaldi-rnnt", ("*/encoder", "*/decoder", "*/joiner"), ("*/tokens.txt",), 0.04),
    Kind("whisper-ort", ("whisper-*_beamsearch",), _WHISPER, None),
    Kind("whisper", ("encoder_model", "decoder_model_merged"), _WHISPER, None),
    Kind("whisper", ("*/encoder_model", "*/decoder_model_merged"), _WHISPER, None),
)
"""Every kind there is, the more particular before the more general."""


def layout_of(names: Collection[str], config: Mapping[str, Any]) -> Layout | None:
    """What a folder holds.

    Args:
        names: of its files, with ``/`` before those in a folder of their own.
        config: its ``config.json``; empty where there is none.

    Returns:
        None where it is nothing that onnx-asr runs.
    """
    for kind in KINDS:
        if kind.named and config.get("model_type") != kind.type:
            continue
        if not all(fnmatch.filter(names, pattern) for pattern in kind.others):
            continue
        each = [_precisions(names, stem) for stem in kind.graphs]
        common = set.intersection(*each)
        if common:
            best = next((found for found in _PREFERRED if found in common), min(common))
            return Layout(kind, best, _hop(kind, config))
    return None


def _precisions(names: Collection[str], stem: str) -> set[str]:
    """In which precisions a graph is there."""
    pattern = fnmatch.translate(stem).removesuffix(r"\Z").removesuffix(r"\z")
    graph = re.compile(pattern + r"(?:[._-](?P<precision>[a-z0-9]+))?\.(?:onnx|ort)")
    found = (graph.fullmatch(name) for name in names)
    return {match["precision"] or "" for match in found if match}


def _hop(kind: Kind, config: Mapping[str, Any]) -> float | None:
    if kind.hop_s is None:
        return None
    factor = config.get("subsampling_factor")
    return _HOP * factor if isinstance(factor, int) and factor > 0 else kind.hop_s
