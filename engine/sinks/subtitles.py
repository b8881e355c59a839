"""Subtitle files (``--srt``, ``--vtt``): the finished words, cut into cues a person can read.

The rules are those of broadcast subtitling: at most two lines of 42 characters, or 18 of Chinese;
1 to 7 seconds; breaks where a speaker would breathe; no more than 20 characters a second, or 9 of
Chinese, where the speech allows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.sinks._cells import LINE_WIDTH, belongs, chopped, parts, reading_s, unspaced, width
from engine.sinks._files import OutputFile, Tell, tell_nobody
from engine.sinks._order import Labels, TimeOrder
from engine.sinks.text import labelled, plain
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary, Word

MIN_S, MAX_S = 1.0, 7.0
"""How short and how long a cue may stand."""

_PAUSE_S = 0.6
"""A silence this long ends a phrase even without a mark."""

_SENTENCE_END = ".!?…。！？"
_PHRASE_END = ',;:—–、，；：)"”»'
# A line should not end with a word that belongs to what follows.
_LEANS_ON_NEXT = frozenset(
    """a an the of to in on at by for with from as and or but nor so that which who if than my your
    his her its our their this these those is are was were be been has have had do does did will
    would can could may might must shall should not no very mr mrs ms dr st""".split()  # noqa: SIM905
)
_OPENS_PHRASE = frozenset(
    """and or but nor so that which who whom whose if when while where because although though since
    unless until after before as than of to in on at by for with from into over under""".split()  # noqa: SIM905
)

# The same of Chinese: a line should not begin with what belongs to the word before.
_LEANS_ON_LAST = frozenset("的了着过吗呢吧啊嘛们")


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle.

    Attributes:
        start, end: seconds on the stream clock.
        lines: one or two, none empty.
    """

    start: float
    end: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word, or a part of one at whose ends a line may break; ``glue`` joins it to the one
    before."""

    text: str
    glue: str
    start: float
    end: float
    width: int


def cues(words: Sequence[Word], not_before: float = 0.0) -> list[Cue]:
    """Cut words into subtitles.

    Args:
        words: in the order spoken, with times in seconds.
        not_before: the end of the cue before these; none of theirs begins earlier.

    Returns:
        Cues in order. None overlap, each stands ``MIN_S`` to ``MAX_S``, and their lines hold every
        word once, in order. A cue begins late rather than cut short the one before it.
    """
    pieces = _pieces(words)
    groups = _group(pieces)
    found: list[Cue] = []
    earliest = max(0.0, not_before)
    for index, group in enumerate(groups):
        start = max(group[0].start, earliest)
        following = groups[index + 1][0].start if index + 1 < len(groups) else float("inf")
        lines = _lines(group)
        said = max(group[-1].end, start)
        wanted = max(said, start + sum(map(reading_s, lines)))
        end = max(said, min(wanted, following))
        end = min(max(end, start + MIN_S), start + MAX_S)
        found.append(Cue(start, end, lines))
        earliest = end
    return found


def words_of(update: CaptionUpdate) -> tuple[Word, ...]:
    """The words of a finished line; spread evenly over it where it brings no times."""
    if update.words:
        return update.words
    texts = plain(update.text).split()
    step = max(0.0, update.end - update.start) / max(1, len(texts))
    return tuple(
        Word(text, update.start + index * step, update.start + (index + 1) * step)
        for index, text in enumerate(texts)
    )


def _pieces(words: Sequence[Word]) -> list[_Piece]:
    found: list[_Piece] = []
    clock = 0.0
    for word in words:
        # Times that run backwards would make cues that do.
        clock = max(clock, word.start)
        text = plain(word.text)
        pace = max(0.0, word.end - clock) / max(1, width(text))
        for number, part in enumerate(parts(text)):
            begin, clock = clock, clock + pace * width(part)
            glue = "" if number or not found or unspaced(found[-1].text, part) else " "
            _add(found, _Piece(part, glue, begin, clock, width(part)))
    return found


def _add(pieces: list[_Piece], piece: _Piece) -> None:
    """One more; with the one before as one, where no line may begin with it."""
    before = pieces[-1] if pieces else None
    if before is not None and belongs(before.text, piece.text):
        joined = list(chopped(before.text + piece.glue + piece.text))
        if len(joined) == 1:
            pieces[-1] = _Piece(joined[0], before.glue, before.start, piece.end, width(joined[0]))
            return
        if len(joined) == 2:
            # One of them fills a line: the last character goes with the punctuation.
            one, other = joined
            pieces[-1] = replace(before, text=one, width=width(one))
            piece = replace(piece, text=other, glue="", width=width(other))
    pieces.append(piece)


def _group(pieces: Sequence[_Piece]) -> list[Sequence[_Piece]]:
    """Where to cut: the cheapest way through, by dynamic programming over the last cut."""
    count = len(pieces)
    best = [0.0] + [float("inf")] * count
    cut = [0] * (count + 1)
    for end in range(1, count + 1):
        for begin in range(end - 1, -1, -1):
            group = pieces[begin:end]
            if end - begin > 1 and not _fits(group):
                break
            following = pieces[end] if end < count else None
            cost = best[begin] + _group_cost(group, following)
            if cost < best[end]:
                best[end], cut[end] = cost, begin
    groups: list[Sequence[_Piece]] = []
    end = count
    while end:
        groups.append(pieces[cut[end] : end])
        end = cut[end]
    return groups[::-1]


def _fits(group: Sequence[_Piece]) -> bool:
    return group[-1].end - group[0].start <= MAX_S and _best_break(group) is not None


def _group_cost(group: Sequence[_Piece], following: _Piece | None) -> float:
    """How bad it is to show these together: few cues, cut at phrases, each long enough to read."""
    cost = 3.0
    for before, after in itertools.pairwise(group):
        gap = after.start - before.end
        if gap > _PAUSE_S:
            cost += 2.0 + 2.0 * gap
        if before.text[-1] in _SENTENCE_END:
            cost += 2.0
    if following is not None:
        cost += _break_cost(group[-1], following)
        shown = max(group[-1].end, following.start) - group[0].start
        needed = sum(reading_s(piece.text) for piece in group)
        cost += 2.0 * max(0.0, needed - shown) + 4.0 * max(0.0, MIN_S - shown)
    return cost


def _break_cost(before: _Piece, following: _Piece) -> float:
    if before.text[-1] in _SENTENCE_END:
        return 0.0
    if following.start - before.end > _PAUSE_S:
        return 0.5
    if before.text[-1] in _PHRASE_END:
        return 1.5
    return 6.0 if _leaning(before, following) else 4.0


def _text(pieces: Sequence[_Piece]) -> str:
    return pieces[0].text + "".join(piece.glue + piece.text for piece in pieces[1:])


def _lines(group: Sequence[_Piece]) -> tuple[str, ...]:
    at = _best_break(group)
    if not at:
        return (_text(group),)
    return _text(group[:at]), _text(group[at:])


def _best_break(group: Sequence[_Piece]) -> int | None:
    """Index of the piece that begins the second line; 0 if one line does; None if two do not."""
    spaces = [width(piece.glue) + piece.width for piece in group]
    total = sum(spaces) - width(group[0].glue)
    if total <= LINE_WIDTH:
        return 0
    best: tuple[float, int] | None = None
    first = -width(group[0].glue)
    for at in range(1, len(group)):
        first += spaces[at - 1]
        second = total - first - width(group[at].glue)
        if first > LINE_WIDTH:
            break
        if second > LINE_WIDTH:
            continue
        cost = abs(first - second) / LINE_WIDTH + _line_cost(group[at - 1], group[at])
        if best is None or cost < best[0]:
            best = cost, at
    return best[1] if best else None


def _line_cost(before: _Piece, after: _Piece) -> float:
    if before.text[-1] in _SENTENCE_END:
        return 0.0
    if before.text[-1] in _PHRASE_END:
        return 0.2
    if _leaning(before, after):
        return 1.2
    return 0.4 if after.text.casefold() in _OPENS_PHRASE else 0.8


def _leaning(before: _Piece, after: _Piece) -> bool:
    """The one belongs to the other: an article to its noun, a Chinese particle to its word."""
    return before.text.casefold() in _LEANS_ON_NEXT or after.text[0] in _LEANS_ON_LAST


class _Placed:
    """The newest cue of a lane.

    Attributes:
        cue: as it stands, or will.
        said: when its last word was said, seconds.
        end_at: the byte where its end stands in the file; None while it is held back.
    """

    def __init__(self, cue: Cue, said: float) -> None:
        self.cue = cue
        self.said = said
        self.end_at: int | None = None


class _SubtitleSink:
    """What SRT and WebVTT share: every cue is in the file as soon as its line is finished.

    The end of the last cue is a guess until the next line begins; its few bytes are then
    overwritten in place, so that the file is whole at every moment. Cues of one lane never
    overlap; those of two do where both speak, and stand in the order in which they begin.

    Args:
        path: of the file.
        labels: names put before the lines, where there are two lanes.
        tell: told where it waits for a full disk, and when it goes on.
    """

    name = "subtitles"
    opening = ""
    point = ","

    def __init__(self, path: Path, labels: Labels | None = None, tell: Tell = tell_nobody) -> None:
        self._file = OutputFile(path, tell)
        self._labels = labels
        self._count = 0
        self._newest = 0.0
        self._last: dict[str, _Placed] = {}
        self._order: TimeOrder[_Placed] = TimeOrder()

    def open(self, header: StreamHeader) -> None:  # noqa: ARG002 - times need no header
        """Create the file.

        Raises:
            SinkError: it cannot be written.
        """
        self._file.open()
        if self.opening:
            self._file.append(self.opening)

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Write the cues of a finished line.

        Raises:
            SinkError: the file cannot be written.
        """
        if update.correction:
            return
        self._order.follow(update)
        if update.is_final:
            self._take(update)
        for placed in self._order.ready():
            self._write(placed)

    def notice(self, notice: Notice) -> None:
        """Notices are no captions: nothing is written."""

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Write what was held back, and close the file."""
        try:
            for placed in self._order.rest():
                self._write(placed)
        finally:
            self._file.close()

    def _take(self, update: CaptionUpdate) -> None:
        words = words_of(update)
        if not words:
            return
        last = self._last.get(update.lane)
        if last is not None:
            self._make_room(last, words[0].start)
        first = replace(words[0], text=labelled(words[0].text, update.lane, self._labels))
        for cue in cues((first, *words[1:]), last.cue.end if last else 0.0):
            last = self._last[update.lane] = _Placed(cue, words[-1].end)
            self._order.hold(update.lane, cue.start, last)

    def _make_room(self, last: _Placed, start: float) -> None:
        """End the last cue where the next begins, if it had been left standing longer."""
        cue = last.cue
        end = max(start, cue.start + MIN_S, min(last.said, cue.end))
        if end >= cue.end:
            return
        if last.end_at is not None:
            stamp = self._stamp(end)
            if len(stamp) != len(self._stamp(cue.end)):
                return
            self._file.patch(last.end_at, stamp)
        last.cue = replace(cue, end=end)

    def _write(self, placed: _Placed) -> None:
        self._count += 1
        # A word's time may still move: what then begins before what is written begins with it.
        self._newest = start = max(self._newest, placed.cue.start)
        cue = placed.cue = replace(placed.cue, start=start, end=max(placed.cue.end, start + MIN_S))
        head = f"{self._number()}{self._stamp(cue.start)} --> "
        text = "\n".join(self._escape(line) for line in cue.lines)
        begin = self._file.append(f"{head}{self._stamp(cue.end)}\n{text}\n\n")
        placed.end_at = begin + len(head)

    def _number(self) -> str:
        return ""

    def _escape(self, line: str) -> str:
        return line

    def _stamp(self, seconds: float) -> str:
        whole, milliseconds = divmod(round(seconds * 1000), 1000)
        minutes, second = divmod(whole, 60)
        hours, minute = divmod(minutes, 60)
        return f"{hours:02}:{minute:02}:{second:02}{self.point}{milliseconds:03}"


class SrtSink(_SubtitleSink):
    """Writes SubRip subtitles."""

    name = "srt"

    def _number(self) -> str:
        return f"{self._count}\n"

    def _escape(self, line: str) -> str:
        # Players read an arrow as times, and SubRip knows no way to write one.
        return line.replace("-->", "→")


class VttSink(_SubtitleSink):
    """Writes WebVTT subtitles."""

    name = "vtt"
    opening = "WEBVTT\n\n"
    point = "."

    def _escape(self, line: str) -> str:
        return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
