"""From a recogniser's words to words as people write them: Chinese above all.

Between the streaming policy and the lines. What is settled is written once and never again, from
what stands before it and what is known behind it at that moment, so that ``stable`` only grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from engine.config import ChineseScript
from engine.lines import SpacedWord
from engine.numerals import in_digits
from engine.scripts import is_chinese, is_kana, is_wide

_FULL_WIDTH = str.maketrans(",.?!:;", "，。？！：；")
_CONVERSIONS = {"simplified": "t2s", "traditional": "s2t"}
_CONTEXT = 8
"""Characters before a word that may tell how it is written."""


class TextStage:
    """One lane's.

    Attributes:
        script: which Chinese characters are written.
    """

    def __init__(self, script: ChineseScript = "as-is") -> None:
        self.script = script
        self._said = ""  # the recogniser's own text before what is new
        self._last = ""  # the last character of what was written

    def restart(self) -> None:
        """A line ends: what follows stands alone."""
        self._said, self._last = "", ""

    def __call__(
        self, settled: Sequence[SpacedWord], tail: Sequence[SpacedWord], language: str = ""
    ) -> tuple[list[SpacedWord], list[SpacedWord]]:
        """Write words.

        Args:
            settled: words that will not change, behind those given before.
            tail: all words shown behind them that still may.
            language: of those that have none of their own.
        """
        words = [*settled, *tail]
        if not self._last and not any(map(_is_wide_word, words)):
            return list(settled), list(tail)
        texts = self._converted(words, language)
        last = self._last
        written: list[SpacedWord] = []
        for number, (item, text) in enumerate(zip(words, texts, strict=True)):
            text = _marked(in_digits(text), last)
            # Recognisers part clauses by spaces where their training texts did.
            spaced = item.spaced and not (is_wide(last or " ") and is_wide(text[0]))
            written.append(replace(item, word=replace(item.word, text=text), spaced=spaced))
            last = text[-1]
            if number == len(settled) - 1:
                self._last = last
        said = self._said + "".join(item.word.text for item in settled)
        self._said = said[-_CONTEXT:]
        return written[: len(settled)], written[len(settled) :]

    def _converted(self, words: Sequence[SpacedWord], language: str) -> list[str]:
        """Their texts in the script that is asked for."""
        texts = [item.word.text for item in words]
        if self.script == "as-is":
            return texts
        chinese = [_is_chinese_word(item, language) for item in words]
        whole = self._said + "".join(texts)
        converter = _converter(_CONVERSIONS[self.script])
        result = str(converter.convert(whole))
        if len(result) != len(whole):  # a phrase became a longer one: each word for itself
            return [
                str(converter.convert(text)) if own else text
                for text, own in zip(texts, chinese, strict=True)
            ]
        at = len(self._said)
        converted = []
        for text, own in zip(texts, chinese, strict=True):
            converted.append(result[at : at + len(text)] if own else text)
            at += len(text)
        return converted


def _marked(text: str, before: str) -> str:
    """With full-width marks behind wide characters."""
    written = ""
    for character in text:
        last = written[-1:] or before
        wide = bool(last) and is_wide(last)
        written += character.translate(_FULL_WIDTH) if wide else character
    return written


def _is_wide_word(item: SpacedWord) -> bool:
    return any(map(is_wide, item.word.text))


def _is_chinese_word(item: SpacedWord, language: str) -> bool:
    """Chinese, not Japanese, which has its own forms of the characters."""
    spoken = (item.language or language).partition("-")[0]
    if spoken:
        return spoken in ("zh", "yue")
    text = item.word.text
    return any(map(is_chinese, text)) and not any(map(is_kana, text))


@cache
def _converter(name: str) -> Any:
    from opencc import OpenCC

    return OpenCC(name)
