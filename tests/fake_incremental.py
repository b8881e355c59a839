"""Recognisers that hear every sound once, whose answers a test writes. See ``fake_recognizer``,
whose sound says where in the stream it lies.

- ``ScriptedIncremental``: answers written in advance, one for each time it is asked.
- ``IncrementalListener``: hears the words of a script, whole ones, chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from fake_recognizer import SPEC, Said, indices

from engine.recognizers.base import Running, Token
from engine.types import SAMPLE_RATE, Samples


class ScriptedIncremental:
    """Says what it is told; it and its stream are one.

    Args:
        pieces: the vocabulary, as ``ScriptedRecognizer``'s.
        answers: in the order they are asked for; the last one stays.

    Attributes:
        settled: every ``settle``.
        resets, finishes: how often.
        efforts: every ``tune``.
        accepted: samples taken in since the last reset.
    """

    spec = SPEC
    provider = "cpu"
    incremental = True
    chunks_s = (0.32,)
    chunk_s = 0.32

    def __init__(self, pieces: Sequence[str], answers: Sequence[Running] = ()) -> None:
        self.pieces = list(pieces)
        self.answers = list(answers)
        self.settled: list[int] = []
        self.efforts: list[float] = []
        self.resets = self.finishes = self.accepted = 0

    def stream(self) -> ScriptedIncremental:
        return self

    def text(self, ids: Sequence[int]) -> str:
        return "".join(self.pieces[token] for token in ids).strip()

    def token(self, token: int, time: float, probability: float = 0.99) -> Token:
        return Token(token, self.pieces[token].startswith(" "), float(np.log(probability)), time)

    def running(self, heard_s: float, *tokens: tuple[int, float], stable: int = -1) -> Running:
        """An answer: tokens with their times; all stable unless a number is given."""
        said = tuple(self.token(*token) for token in tokens)
        return Running(said, len(said) if stable < 0 else stable, heard_s)

    def accept(self, samples: Samples) -> None:
        self.accepted += samples.size

    def hypothesis(self) -> Running:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def finish(self) -> Running:
        self.finishes += 1
        return self.hypothesis()

    def settle(self, count: int) -> None:
        self.settled.append(count)

    def tune(self, effort: float) -> None:
        self.efforts.append(effort)

    def reset(self) -> None:
        self.resets += 1
        self.accepted = 0


class IncrementalListener:
    """Hears every word of its script that lies in the sound, and no other.

    Args:
        words: what is said, in order.
        chunk_s: seconds it takes in one step.
        ahead_s: seconds beyond a chunk that it has to have.
    """

    spec = SPEC
    provider = "cpu"
    incremental = True

    def __init__(
        self, words: Sequence[Said], *, chunk_s: float = 0.32, ahead_s: float = 0.13
    ) -> None:
        self.words = list(words)
        self.chunks_s = (chunk_s,)
        self.ahead_s = ahead_s

    def stream(self) -> ListenerStream:
        return ListenerStream(self)

    def text(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[token].text for token in ids)


class ListenerStream:
    """One lane's sound."""

    def __init__(self, listener: IncrementalListener) -> None:
        self.listener = listener
        self.chunk_s = listener.chunks_s[0]
        self.reset()

    def accept(self, samples: Samples) -> None:
        # Zeros fill up the last frame of a stream; no word lies there.
        said = indices(samples)
        filled = np.full(samples.size, -1, np.int64)
        filled[: said.size] = said
        self.heard = np.concatenate((self.heard, filled))

    def hypothesis(self) -> Running:
        chunk = round(self.chunk_s * SAMPLE_RATE)
        ready = self.heard.size - round(self.listener.ahead_s * SAMPLE_RATE)
        self.reached = max(self.reached, ready // chunk * chunk)
        return self.answer()

    def finish(self) -> Running:
        self.reached = self.heard.size
        return self.answer()

    def answer(self) -> Running:
        tokens = []
        for number, word in enumerate(self.listener.words):
            at = self.end_of(word)
            if at is not None and number not in self.said:
                tokens.append(Token(number, True, -0.01, at / SAMPLE_RATE))
        self.tokens = tokens
        return Running(tuple(tokens), len(tokens), self.reached / SAMPLE_RATE)

    def end_of(self, word: Said) -> int | None:
        """The sample behind a word that was heard, most of it."""
        start, end = round(word.start * SAMPLE_RATE), round(word.end * SAMPLE_RATE)
        heard = self.heard[: self.reached]
        last = np.flatnonzero(heard == end - 1)
        if not last.size or np.count_nonzero((heard >= start) & (heard < end)) <= 0.6 * (
            end - start
        ):
            return None
        return int(last[0]) + 1

    def settle(self, count: int) -> None:
        assert count <= len(self.tokens), "more is settled than was said"
        self.said |= {token.id for token in self.tokens[:count]}

    def tune(self, effort: float) -> None:
        assert 0.0 <= effort <= 1.0

    def reset(self) -> None:
        self.heard = np.zeros(0, np.int64)
        self.reached = 0
        self.said: set[int] = set()
        self.tokens: list[Token] = []
