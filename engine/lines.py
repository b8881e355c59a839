"""From settled words to caption lines: ids, revisions, where a line ends. Keeps the laws of
``CaptionUpdate`` by construction: ``stable`` is only ever appended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.scripts import is_wide
from engine.types import CaptionUpdate, Word

_SENTENCE_END = (".", "?", "!", "…", "。", "？", "！")
_CLAUSE_END = (",", ";", ":", "—", "、", "，", "；", "：")
_SENTENCE_AT_LEAST = 24
"""Characters a line holds before the end of a sentence ends it: "Yes. No." stays together. Chinese
and Japanese ones count twice."""
_TITLES = ("mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "vs.", "e.g.", "i.e.")
"""End no sentence."""
_CLAUSE_FROM = 140
_ANYWHERE_FROM = 220
"""Characters from which a clause, then any word, ends a line."""


@dataclass(frozen=True, slots=True)
class SpacedWord:
    """A word, whether a space belongs before it, and its language where known (BCP 47)."""

    word: Word
    spaced: bool = True
    language: str = ""


def joined(words: Sequence[SpacedWord]) -> str:
    """Their text, no space in front."""
    text = "".join((" " if item.spaced else "") + item.word.text for item in words)
    return text.removeprefix(" ")


class _Line:
    """One line being built: how many of its words are settled, and what was last published."""

    def __init__(self, segment_id: int) -> None:
        self.id = segment_id
        self.revision = 0
        self.shown = ("", "")


class LineBuilder:
    """One lane's lines.

    Words that are not settled yet already stand on the line they will belong to, so that the end
    of a sentence moves nothing a reader sees: usually one line is open, around the end of a
    sentence two.
    """

    def __init__(self, lane: str, new_id: Callable[[], int], language: str = "") -> None:
        """Args:
        lane: written into every update.
        new_id: gives the next segment id of the session.
        language: BCP 47 code written into the updates whose words have none of their own.
        """
        self.lane = lane
        self.language = language
        self._new_id = new_id
        self._settled: list[SpacedWord] = []  # of the lines that are not final
        self._open: list[_Line] = []

    @property
    def is_open(self) -> bool:
        """A line has begun and is not final."""
        return bool(self._open)

    @property
    def has_settled(self) -> bool:
        """An open line holds words that will not change."""
        return bool(self._settled)

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
        for item in settled:
            self._settle(item)
        updates = []
        rows = _rows([*self._settled, *tail])
        left = len(self._settled)
        finished = 0
        for number in range(max(len(rows), len(self._open))):
            row = rows[number] if number < len(rows) else []
            stable, unstable = row[:left], row[left:]
            left -= len(stable)
            if number == len(self._open):
                self._open.append(_Line(self._new_id()))
            line = self._open[number]
            # A line is over once the next one has begun for good.
            is_final = not unstable and left > 0
            if is_final or self._changed(line, stable, unstable):
                updates.append(self._update(line, stable, unstable, heard_at, is_final))
            if is_final:
                finished += 1
        for row in rows[:finished]:
            del self._settled[: len(row)]
        del self._open[:finished]
        return updates

    def finish(self, heard_at: float) -> list[CaptionUpdate]:
        """End the open lines; nothing unstable survives."""
        rows = _rows(self._settled)
        updates = [
            self._update(line, rows[number] if number < len(rows) else [], [], heard_at, True)
            for number, line in enumerate(self._open)
        ]
        self._settled, self._open = [], []
        return updates

    def _settle(self, item: SpacedWord) -> None:
        mark = not item.spaced and not any(map(str.isalnum, item.word.text))
        if mark and self._settled:
            # Punctuation that came later than its word belongs to it.
            last = self._settled[-1]
            text = last.word.text + item.word.text
            self._settled[-1] = replace(last, word=replace(last.word, text=text))
        elif not mark:
            self._settled.append(item)

    def _changed(
        self, line: _Line, stable: Sequence[SpacedWord], unstable: Sequence[SpacedWord]
    ) -> bool:
        return line.shown != _texts(stable, unstable)

    def _update(
        self,
        line: _Line,
        stable: Sequence[SpacedWord],
        unstable: Sequence[SpacedWord],
        heard_at: float,
        is_final: bool,
    ) -> CaptionUpdate:
        words = [item.word for item in (*stable, *unstable)]
        line.shown = _texts(stable, unstable)
        update = CaptionUpdate(
            lane=self.lane,
            segment_id=line.id,
            revision=line.revision,
            stable=line.shown[0],
            unstable=line.shown[1],
            start=words[0].start if words else 0.0,
            end=words[-1].end if words else 0.0,
            heard_at=heard_at,
            is_final=is_final,
            words=tuple(item.word for item in stable),
            language=next((item.language for item in (*stable, *unstable)), "") or self.language,
        )
        line.revision += 1
        return update


def _rows(words: Sequence[SpacedWord]) -> list[list[SpacedWord]]:
    """Words as lines."""
    rows: list[list[SpacedWord]] = []
    for item in words:
        if not rows or _ends_before(rows[-1], item):
            rows.append([])
        rows[-1].append(item)
    return rows


def _ends_before(row: Sequence[SpacedWord], item: SpacedWord) -> bool:
    if item.language and row[0].language and item.language != row[0].language:
        return True
    text = joined(row)
    length = len(text) + sum(map(is_wide, text))
    # Scripts without spaces break before any of their own characters, never before a mark.
    first = item.word.text[:1]
    apart = item.spaced or (first.isalnum() and not first.isascii())
    if text.endswith(_SENTENCE_END) and apart:
        return length >= _SENTENCE_AT_LEAST and text.split()[-1].lower() not in _TITLES
    if text.endswith(_CLAUSE_END):
        return length >= _CLAUSE_FROM
    return apart and length >= _ANYWHERE_FROM


def _texts(stable: Sequence[SpacedWord], unstable: Sequence[SpacedWord]) -> tuple[str, str]:
    settled = joined(stable)
    tail = "".join((" " if item.spaced else "") + item.word.text for item in unstable)
    return settled, tail if settled else tail.removeprefix(" ")
