"""Whisper's vocabulary: which ids command the model, which are text, and in which language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

_SPACE = "\u0120"  # how byte-level pieces write a leading space


def standard(language: str) -> str:
    """The BCP 47 code of one of Whisper's own."""
    return "jv" if language == "jw" else language


class Vocabulary:
    """The tokenizer of one model.

    Args:
        path: its ``tokenizer.json``.

    Raises:
        Exception: whatever reading it raises; the caller says what that means.

    Attributes:
        languages: BCP 47 code of each language token there is; empty where the model knows one.
        end: the id that ends a text.
    """

    def __init__(self, path: Path, *, multilingual: bool) -> None:
        from tokenizers import Tokenizer

        # Read here, not by the library: it mangles paths outside the code page on Windows.
        self._tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
        self.end = self._id("<|endoftext|>")
        self._start = self._id("<|startoftranscript|>")
        self._before = self._id("<|startofprev|>")
        self._transcribe = self._id("<|transcribe|>")
        self.no_times = self._id("<|notimestamps|>")
        pieces = [self._tokenizer.id_to_token(index) or "" for index in range(self.end)]
        self._starts_word = [piece.startswith(_SPACE) for piece in pieces]
        self.languages: dict[str, int] = {}
        if multilingual:
            for index in range(self._start + 1, self._transcribe):
                name = (self._tokenizer.id_to_token(index) or "").strip("<|>")
                if name != "translate":
                    self.languages[standard(name)] = index

    def commands(self, language: str, context: Sequence[int] = ()) -> list[int]:
        """What comes before a text: what was said before it, its language, the task.

        Args:
            language: BCP 47 code; left aside by a model of one language.
            context: ids of text.
        """
        before = [self._before, *context] if context else []
        if not self.languages:
            return [*before, self._start, self.no_times]
        tongue = self.languages[language]
        return [*before, self._start, tongue, self._transcribe, self.no_times]

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def ids(self, text: str) -> list[int]:
        """The tokens of some text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def starts_word(self, token: int) -> bool:
        """Whether a space belongs before the token."""
        return token < len(self._starts_word) and self._starts_word[token]

    def _id(self, name: str) -> int:
        found = self._tokenizer.token_to_id(name)
        if found is None:
            raise ValueError(f"the tokenizer knows no {name}")
        return int(found)


def listed(path: Path) -> int:
    """How many tokens a model's own list holds: ``vocabulary.txt`` or ``vocabulary.json``."""
    text = path.read_text(encoding="utf-8")
    return len(json.loads(text)) if path.suffix == ".json" else text.count("\n")
