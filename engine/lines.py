"""From settled words to caption lines: ids, revisions, where a line ends. Keeps the laws of
``CaptionUpdate`` by construction: ``stable`` is only ever appended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.types import CaptionUpdate, Word

_SENTENCE_END = (".", "?", "!", "…", "。", "？", "！")
_CLAUSE_END = (",", ";", ":", "—", "、", "，", "；", "：")
_SENTENCE_AT_LEAST = 24
"""Characters a line holds before the end of a sentence ends it: "Yes. No." stays together."""
_CLAUSE_FROM = 140
_ANYWHERE_FROM = 220
"""Characters from which a clause, then any word, ends a line."""


@dataclass(frozen=True, slots=True)
class SpacedWord:
    """A word and whether a space belongs before it."""

    word: Word
    spaced: bool = True


def joined(words: Sequence[SpacedWord]) -> str:
    """Their text, no space in front."""
    text = "".join((" " if item.spaced else "") + item.word.text for item in words)
    return text.removeprefix(" ")


class LineBuilder:
    """One lane's lines."""

    def __init__(self, lane: str, new_id: Callable[[], int], language: str = "") -> None:
        """Args:
        lane: written into every update.
        new_id: gives the next segment id of the session.
        language: BCP 47 code written into every update.
        """
        self.lane = lane
        self.language = language
        self._new_id = new_id
        self._id: int | None = None
        self._revision = 0
        self._words: list[SpacedWord] = []
        self._shown: tuple[str, str] = ("", "")

    @property
    def is_open(self) -> bool:
        """A line has begun and is not final."""
        return self._id is not None

    def show(
        self, settled: Sequence[SpacedWord], tail: Sequence[SpacedWord], heard_at: float
    ) -> list[CaptionUpdate]:
        """Append words for good and replace the unstable tail.

        Args:
            settled: words that will not change, behind those given before.
            tail: all words shown behind them that still may.
            heard_at: see ``CaptionUpdate``.

        Returns:
            The updates that follow, none where nothing a reader sees has changed. Lines that
            ended at a sentence come final.
        """
        updates = []
        for item in settled:
            if self._words and self._ends_before(item):
                updates.append(self._final(heard_at))
            self._words.append(item)
        stable = joined(self._words)
        unstable = "".join((" " if item.spaced else "") + item.word.text for item in tail)
        if not stable:
            unstable = unstable.removeprefix(" ")
        if (stable, unstable) != self._shown and (stable or unstable or self.is_open):
            updates.append(self._update(stable, unstable, tail, heard_at, is_final=False))
        return updates

    def finish(self, heard_at: float) -> list[CaptionUpdate]:
        """End the open line, if there is one; nothing unstable survives."""
        return [self._final(heard_at)] if self.is_open else []

    def _ends_before(self, item: SpacedWord) -> bool:
        text = joined(self._words)
        if text.endswith(_SENTENCE_END) and item.spaced:
            return len(text) >= _SENTENCE_AT_LEAST
        if text.endswith(_CLAUSE_END):
            return len(text) >= _CLAUSE_FROM
        return item.spaced and len(text) >= _ANYWHERE_FROM

    def _final(self, heard_at: float) -> CaptionUpdate:
        update = self._update(joined(self._words), "", (), heard_at, is_final=True)
        self._id, self._revision, self._words, self._shown = None, 0, [], ("", "")
        return update

    def _update(
        self,
        stable: str,
        unstable: str,
        tail: Sequence[SpacedWord],
        heard_at: float,
        *,
        is_final: bool,
    ) -> CaptionUpdate:
        if self._id is None:
            self._id = self._new_id()
        every = [item.word for item in (*self._words, *tail)]
        update = CaptionUpdate(
            lane=self.lane,
            segment_id=self._id,
            revision=self._revision,
            stable=stable,
            unstable=unstable,
            start=every[0].start if every else 0.0,
            end=every[-1].end if every else 0.0,
            heard_at=heard_at,
            is_final=is_final,
            words=tuple(item.word for item in self._words),
            language=self.language,
        )
        self._revision += 1
        self._shown = (stable, unstable)
        return update
