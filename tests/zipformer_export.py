"""Small streaming models in the layout of k2's exports: random weights, real names and metadata.

python tests/zipformer_export.py FOLDER [--kind zipformer2|ctc|zipformer|lstm]
                                        [--tokens bpe|zh|mixed] [--seed N]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import onnx
from zipformer_graphs import (
    Shape,
    Stack,
    Weights,
    Zipformer2,
    joiner_model,
    lstm,
    predictor,
    zipformer1,
)

from models.spec import ModelFile, ModelFiles, ModelSpec, WheelMember

_WORDS = """
THE OF AND TO A IN THAT IT IS WAS I FOR ON YOU HE BE WITH AS BY AT HAVE ARE THIS NOT BUT HAD HIS
THEY FROM SHE WHICH OR WE AN THERE HER WERE ONE DO BEEN ALL THEIR HAS WOULD WILL WHAT IF CAN
"""
_ENDINGS = ["S", "ED", "ING", "ER", "LY", "TION", "N", "T", "D", "E", "R", "A", "O", "'S"]
_CHARACTERS = (
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家"
)


SEED = 5
"""With which each of them says about as much as somebody who speaks."""


def tokens(kind: str) -> list[str]:
    """A vocabulary: ``bpe``, ``zh`` (characters) or ``mixed`` (both), blank and unknown first."""
    special = ["<blk>", "<sos/eos>", "<unk>"]
    pieces = ["\u2581" + word for word in _WORDS.split()] + _ENDINGS
    pieces += ["\u2581", *"BCFGHIJKLMPQUVWXYZ"]
    if kind == "bpe":
        return special + pieces
    characters = list(_CHARACTERS)
    if kind == "zh":
        return special + characters
    return special + characters + pieces


def write(
    folder: Path,
    kind: str = "zipformer2",
    vocabulary: str = "bpe",
    seed: int = SEED,
    chunks: Sequence[int] = (16,),
    left: int = 32,
    stacks: tuple[Stack, ...] = Shape().stacks,
) -> ModelFiles:
    """Write a model.

    Args:
        folder: made where it is not there.
        kind: ``zipformer2``, ``ctc``, ``zipformer`` or ``lstm``.
        vocabulary: see ``tokens``.
        seed: other weights.
        chunks: an encoder for each, frames at 50 Hz (``zipformer2`` and ``ctc``).
        left: frames of left context.
        stacks: of a ``zipformer2`` or ``ctc``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights, pieces, width = Weights(seed), tokens(vocabulary), Shape().joiner
    models: dict[str, onnx.ModelProto] = {}
    if kind in ("zipformer2", "ctc"):
        head, part = ("transducer", "encoder") if kind == "zipformer2" else ("ctc", "ctc")
        for chunk in chunks:
            shape = Shape(chunk=chunk, left=left, stacks=stacks)
            built = Zipformer2(shape, weights).build(head, len(pieces))
            models[f"{part}-epoch-1-avg-1-chunk-{chunk}-left-{left}.onnx"] = built
    else:
        build = zipformer1 if kind == "zipformer" else lstm
        models["encoder-epoch-1-avg-1.onnx"] = build(weights, width)
    if kind != "ctc":
        models["decoder-epoch-1-avg-1.onnx"] = predictor(
            weights, len(pieces), width, Shape().context
        )
        quiet = {"zipformer": 17.0, "lstm": 15.0}.get(kind, 13.0)
        models["joiner-epoch-1-avg-1.onnx"] = joiner_model(weights, len(pieces), width, quiet)
    for name, model in models.items():
        onnx.save(model, str(folder / name))
    lines = "".join(f"{piece} {number}\n" for number, piece in enumerate(pieces))
    (folder / "tokens.txt").write_text(lines, encoding="utf-8")
    scores = "".join(f"{piece}\t{-number / 7}\n" for number, piece in enumerate(pieces))
    (folder / "bpe.vocab").write_text(scores, encoding="utf-8")
    language = {"bpe": "en", "zh": "zh"}.get(vocabulary, "zh")
    return files_of(folder, language)


def files_of(folder: Path, language: str = "en") -> ModelFiles:
    """A folder as a model that the store has checked."""
    nowhere = (WheelMember("none", "0", "none"),)
    found = tuple(
        ModelFile(path.name, nowhere, path.stat().st_size, "0" * 64)
        for path in sorted(folder.iterdir())
        if path.is_file()
    )
    spec = ModelSpec(
        id="zipformer-random",
        title="Random Zipformer",
        family="zipformer",
        kind="recognizer",
        languages=(language,),
        licence="Apache-2.0",
        attribution="nobody",
        files=found,
    )
    return ModelFiles(spec, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="zipformer2")
    parser.add_argument("--tokens", default="bpe")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    write(asked.folder, asked.kind, asked.tokens, asked.seed)
