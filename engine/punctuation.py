"""Full stops and commas for models that give none.

Between the streaming policy and the text. A mark depends on the words behind it, so it is settled
with the next word: behind the word before it, which already stands, and never again changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.errors import RecognizerError
from engine.lines import SpacedWord
from engine.punctuator import Punctuator
from engine.recognizers.base import Recognizer
from engine.scripts import is_wide
from engine.types import Notice, Word
from models.spec import ModelFiles

_LANGUAGES = frozenset(("zh", "yue", "en"))
_ENDS = ("。", "？")
_NARROW = {"。": ".", "，": ",", "？": "?", "、": ","}
_LONGEST = 200
"""Tokens of a sentence that the model is shown, as in its training."""
_RUN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Punctuation:
    """One lane's.

    Args:
        punctuator: the model, which lanes may share.
    """

    def __init__(self, punctuator: Punctuator) -> None:
        self._punctuator = punctuator
        self._sentence: list[str] = []  # tokens of what is settled since the last full stop
        self._last: SpacedWord | None = None  # settled, its mark is not

    def __call__(
        self,
        settled: Sequence[SpacedWord],
        tail: Sequence[SpacedWord],
        *,
        wanted: bool = True,
        ending: bool = False,
    ) -> tuple[list[SpacedWord], list[SpacedWord]]:
        """Set marks.

        Args:
            settled: words that will not change, behind those given before.
            tail: all words shown behind them that still may.
            wanted: whether the recogniser gives no marks of its own; see ``wants_marks``.
            ending: the line ends here: nothing will follow soon.

        Returns:
            Both, with each mark a word of its own without a space before it.
        """
        if not wanted:
            self._sentence, self._last = [], None
            return list(settled), list(tail)
        if self._last is None and not settled:
            return [], list(tail)
        said = [_tokens(item) for item in settled]
        coming = [token for item in tail for token in _tokens(item)]
        shown = [*self._sentence, *(token for tokens in said for token in tokens)]
        marks = self._punctuator.marks([*shown, *coming])
        at = len(self._sentence)
        written: list[SpacedWord] = []
        for item, tokens in zip(settled, said, strict=True):
            written += self._mark(marks[at - 1] if at else "")
            written.append(item)
            self._sentence += tokens
            self._last = item
            at += len(tokens)
        if ending:
            # The model sees the end of what was said, and mostly knows it for one.
            written += self._mark((marks[at - 1] if at else "") or "。")
            return written, list(tail)
        early = self._as_word(marks[at - 1]) if at and coming else []
        return written, [*early, *tail]

    def _mark(self, mark: str) -> list[SpacedWord]:
        """Settle the mark behind the last word."""
        word = self._as_word(mark)
        self._last = None
        self._sentence = [] if mark in _ENDS else self._sentence[-_LONGEST:]
        return word

    def _as_word(self, mark: str) -> list[SpacedWord]:
        last = self._last
        if last is None or not mark or not last.word.text[-1:].isalnum():
            return []
        text = mark if is_wide(last.word.text[-1]) else _NARROW[mark]
        at = last.word.end
        return [SpacedWord(Word(text, at, at, last.word.probability), False, last.language)]


def load_punctuator(files: ModelFiles | None) -> tuple[Punctuator | None, list[Notice]]:
    """The model, where there is one that loads; captions go on without, and a Notice says why."""
    if files is None:
        return None, []
    try:
        return Punctuator(files), []
    except RecognizerError as error:
        text = f"captions come without full stops: {error.message}"
        return None, [Notice("punctuation.failed", "warning", text, error.remedy)]


def wants_marks(recognizer: Recognizer) -> bool:
    """Whether a model gives no marks, in languages for which they can be restored."""
    if getattr(recognizer, "punctuates", True):
        return False
    return {name.partition("-")[0] for name in recognizer.spec.languages} <= _LANGUAGES


def _tokens(item: SpacedWord) -> list[str]:
    """A word as the model knows it: Chinese by character, other scripts by word."""
    tokens = []
    for run in _RUN.findall(item.word.text):
        word = ""
        for character in run:
            if is_wide(character):
                tokens += [word, character] if word else [character]
                word = ""
            else:
                word += character
        tokens += [word] if word else []
    return tokens
