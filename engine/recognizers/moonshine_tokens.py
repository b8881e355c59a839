"""The vocabulary of a Moonshine model, from either form it is published in."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

_SPACE = "\u2581".encode()
_BYTE = re.compile(rb"<0x([0-9A-Fa-f]{2})>")
_SPECIAL = re.compile(rb"<.+>", re.DOTALL)


class Vocabulary:
    """Text pieces by token id.

    Args:
        pieces: of every id; a space is U+2581, ``<0x0A>`` a single byte, any other in angle
            brackets no text at all.
    """

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._starts = [piece.startswith(_SPACE) for piece in pieces]
        self._plain = [_plain(piece) for piece in pieces]

    def __len__(self) -> int:
        return len(self._plain)

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """From ``tokenizer.bin`` or ``tokenizer.json``.

        Raises:
            OSError: it cannot be read.
            ValueError: it is neither.
        """
        if path.suffix == ".json":
            return cls(_from_json(path.read_text(encoding="utf-8")))
        return cls(_from_binary(path.read_bytes()))

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        joined = b"".join(self._plain[token] for token in ids)
        return joined.decode("utf-8", "replace").strip()

    def starts_word(self, token: int) -> bool:
        """Whether a space belongs before the token."""
        return self._starts[token]


def _plain(piece: bytes) -> bytes:
    byte = _BYTE.fullmatch(piece)
    if byte:
        return bytes([int(byte[1], 16)])
    return b"" if _SPECIAL.fullmatch(piece) else piece.replace(_SPACE, b" ")


def _from_binary(blob: bytes) -> list[bytes]:
    """Each token is its length and its bytes; a length from 128 on takes two bytes, low first."""
    pieces = []
    at = 0
    while at < len(blob):
        length = blob[at]
        at += 1
        if length >= 128:
            if at == len(blob):
                raise ValueError("it ends within a length")
            length += 128 * blob[at] - 128
            at += 1
        if at + length > len(blob):
            raise ValueError("it ends within a token")
        pieces.append(blob[at : at + length])
        at += length
    if not pieces:
        raise ValueError("it is empty")
    return pieces


def _from_json(text: str) -> list[bytes]:
    try:
        content = json.loads(text)
        known = {number: piece for piece, number in content["model"]["vocab"].items()}
        known |= {added["id"]: added["content"] for added in content["added_tokens"]}
        return [known.get(number, "").encode() for number in range(max(known) + 1)]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("it holds no vocabulary") from error
