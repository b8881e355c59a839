"""``tokens.txt`` of a k2 export: pieces to text, and phrases to pieces (hotwords).

Three kinds of vocabulary are about: word pieces in which ``▁`` opens a word, single Chinese
characters beside or instead of them, and "byte" pieces, each character of which stands for a byte
of UTF-8. Rare characters may be spelled by byte tokens (``<0xE4>``) in any of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from engine.errors import RecognizerError

_SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_SPECIAL = re.compile(r"<[^>]+>|#\d+")  # <blk>, <sos/eos>, <unk>, #0
_BLANKS = ("<blk>", "<eps>", "<blank>")
_LONGEST_PIECE = 24

_BYTE_LETTERS = "".join(
    chr(point)
    for first, last in (
        (256, 287), (32, 126), (288, 305), (308, 318), (321, 328), (330, 382), (384, 422),
    )
    for point in range(first, last + 1)
)  # fmt: skip
"""The character that stands for each byte, in the order of the bytes (icefall's byte BPE)."""
_BYTE_OF = {letter: value for value, letter in enumerate(_BYTE_LETTERS)}


class Vocabulary:
    """The tokens of one model.

    Attributes:
        blank: id of the blank.
        unknown: id of ``<unk>``, or None. Nobody says it.
        uncased: English is written in capitals throughout, which says nothing.
        of_bytes: the pieces spell bytes.
        punctuates: commas or full stops are among them.
    """

    def __init__(self, pieces: Sequence[str], scores: dict[str, float] | None = None) -> None:
        """Args:
        pieces: by id.
        scores: logarithmic probability of the word pieces, as the tokenizer was trained.
        """
        self._pieces = list(pieces)
        self._ids = {piece: number for number, piece in enumerate(pieces)}
        self._scores = scores or {}
        self.blank = next((self._ids[name] for name in _BLANKS if name in self._ids), 0)
        self.unknown = self._ids.get("<unk>")
        plain = [piece for piece in pieces if not _SPECIAL.fullmatch(piece)]
        letters = "".join(plain)
        self.of_bytes = _spells_bytes(plain)
        self.punctuates = not self.of_bytes and any(mark in letters for mark in ",，。")
        self.uncased = letters.upper() == letters and letters.lower() != letters
        self._bytes = [self._bytes_of(piece) for piece in self._pieces]
        self._opens = [
            piece.startswith(_SPACE) and not _is_cjk_lead(bytes_[1:2])
            for piece, bytes_ in zip(self._pieces, self._bytes, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._pieces)

    def starts_word(self, token: int) -> bool:
        """Whether a space belongs before the token."""
        return self._opens[token]

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space; U+FFFD for a character whose bytes
        are not all there."""
        spelled = b"".join(self._bytes[token] for token in ids)
        said = spelled.decode("utf-8", "replace").strip()
        said = re.sub(r"(?<=[\u2e80-\u9fff]) +(?=[\u2e80-\u9fff])", "", said)
        return said.lower() if self.uncased else said

    def encode(self, phrase: str) -> list[int] | None:
        """The tokens of a phrase, cut as in training where that is known; None where the model
        has no pieces for it."""
        if self.uncased:
            phrase = phrase.upper()
        ids: list[int] = []
        for word in phrase.split():
            if self.of_bytes:
                letters = "".join(_BYTE_LETTERS[value] for value in word.encode())
                cut = self._cut(_SPACE + letters)
            else:
                cut = self._mixed(word)
            if cut is None:
                return None
            ids += cut
        return ids

    def _mixed(self, word: str) -> list[int] | None:
        """A word without spaces, which may hold Chinese characters and Latin words side by side."""
        ids: list[int] = []
        for part in re.findall(r"[\u2e80-\u9fff]|[^\u2e80-\u9fff]+", word):
            one = self._ids.get(part) if _is_cjk_lead(part.encode()) else None
            cut = [one] if one is not None else self._cut(_SPACE + part) or self._cut(part)
            if cut is None:
                return None
            ids += cut
        return ids

    def _cut(self, text: str) -> list[int] | None:
        """The most probable pieces that make ``text``; the fewest where no scores are known."""
        best: list[tuple[float, int]] = [(0.0, 0)] + [(-math.inf, 0)] * len(text)
        for end in range(1, len(text) + 1):
            for start in range(max(0, end - _LONGEST_PIECE), end):
                piece = text[start:end]
                if piece in self._ids:
                    score = best[start][0] + self._scores.get(piece, -20.0)
                    best[end] = max(best[end], (score, start))
        if best[-1][0] == -math.inf:
            return None
        ids: list[int] = []
        end = len(text)
        while end:
            start = best[end][1]
            ids.insert(0, self._ids[text[start:end]])
            end = start
        return ids

    def _bytes_of(self, piece: str) -> bytes:
        byte = _BYTE.fullmatch(piece)
        if byte:
            return bytes([int(byte[1], 16)])
        if _SPECIAL.fullmatch(piece):
            return b""
        if not self.of_bytes:
            return piece.replace(_SPACE, " ").encode()
        return b"".join(b" " if letter == _SPACE else bytes([_BYTE_OF[letter]]) for letter in piece)


def read_tokens(path: Path, scores: dict[str, float] | None = None) -> Vocabulary:
    """Read ``tokens.txt``: a piece and its id on each line.

    Args:
        path: the file.
        scores: see ``Vocabulary``.

    Raises:
        RecognizerError: it cannot be read, or does not number its pieces from 0.
    """
    remedy = "take it from where the model came from"
    try:
        # Not by splitlines: some of what it takes for the end of a line is a token.
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise RecognizerError(f"{path.name} is missing beside the model", remedy) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecognizerError(f"{path.name} cannot be read ({error})", remedy) from error
    pieces: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        piece, _, token = line.strip(" \r\n").rpartition(" ")
        if not token.strip().isdecimal():
            raise RecognizerError(
                f"line {number} of {path.name} is no token and its number", remedy
            )
        pieces[int(token)] = piece.strip() or " "  # the piece that is a space
    if not pieces or sorted(pieces) != list(range(len(pieces))):
        raise RecognizerError(f"{path.name} does not number its tokens from 0 on", remedy)
    return Vocabulary([pieces[token] for token in range(len(pieces))], scores)


def read_scores(path: Path) -> dict[str, float]:
    """Scores of word pieces from ``bpe.vocab`` (piece, tab, score) or ``bpe.model``; empty where
    there is no such file or it is of another kind."""
    try:
        if path.suffix == ".vocab":
            rows = (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n"))
            return {row[0]: float(row[1]) for row in rows if len(row) == 2}
        return dict(_sentencepieces(path.read_bytes()))
    except (OSError, ValueError, IndexError):
        return {}


def _sentencepieces(blob: bytes) -> list[tuple[str, float]]:
    """Pieces and scores of a SentencePiece model: field 1 of the message, repeated."""
    import struct

    found = []
    for field, content in _fields(blob):
        if field == 1 and isinstance(content, bytes):
            parts = dict(_fields(content))
            piece, score = parts.get(1), parts.get(2)
            if isinstance(piece, bytes) and isinstance(score, bytes):
                found.append((piece.decode(), struct.unpack("<f", score)[0]))
    return found


def _fields(blob: bytes) -> list[tuple[int, bytes | int]]:
    """The fields of a protocol buffer."""
    fields: list[tuple[int, bytes | int]] = []
    at = 0
    while at < len(blob):
        key, at = _varint(blob, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(blob, at)
            fields.append((key >> 3, value))
            continue
        if kind == 2:
            size, at = _varint(blob, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(kind)
        fields.append((key >> 3, blob[at : at + size]))
        at += size
    return fields


def _varint(blob: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = blob[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _spells_bytes(pieces: Sequence[str]) -> bool:
    letters = {letter for piece in pieces for letter in piece} - {_SPACE}
    # Bytes above 127 occur in any text that is worth it; their letters occur in no other text.
    return letters <= _BYTE_OF.keys() and any(_BYTE_OF[letter] >= 0x80 for letter in letters)


def _is_cjk_lead(spelled: bytes) -> bool:
    """Whether UTF-8 text begins with a character that is written without spaces."""
    return bool(spelled) and 0xE3 <= spelled[0] <= 0xE9
