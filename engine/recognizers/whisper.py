"""Whisper (encoder-decoder, one language or ninety-nine) through ctranslate2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers.base import Hypothesis, Token
from engine.recognizers.whisper_language import Tongue
from engine.recognizers.whisper_mel import LogMel
from engine.recognizers.whisper_model import ENCODER_FRAME, WhisperModel, Written
from engine.recognizers.whisper_tokens import Vocabulary, listed
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles

_SHORTEST = 1_600  # samples
_SILENCE = 8_000
"""Samples of silence encoded behind the sound, so that its last word is heard to its end."""
_LONGEST = 30 * SAMPLE_RATE - _SILENCE
_TOKENS_PER_SECOND = {"en": 8.0}
_MOST_TOKENS_PER_SECOND = 14.0
_MOST_PROMPT = 120  # tokens: they leave room for what is said now
_MOST_PIECES = 4  # tokens a character may be in
_RETAKES = 2
_WORTH_A_LOOK = 2.5
"""How often a decode may be taken up again where it parts from its draft, and by how much (natural
log) the draft's token may be the less probable one there."""
_NOBODY = 0.6
_UNSURE = -1.0
"""Whisper's own rule: where it thinks that nobody speaks and its text is unlikely, it is none."""


def load(files: ModelFiles, provider: Provider = "auto") -> WhisperRecognizer:
    """See ``engine.recognizers.base.Family.load``."""
    return WhisperRecognizer(files, provider)


class WhisperRecognizer:
    """A loaded Whisper model. One thread at a time."""

    aligned = True
    multilingual = True
    hindsight = 3.0

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        self.spec = files.spec
        self.model = WhisperModel(files, provider)
        self.provider = self.model.provider
        self._prompt: list[int] = []
        try:
            self.vocabulary = Vocabulary(
                files.path("tokenizer.json"), multilingual=self.model.multilingual
            )
            lists = [file.name for file in files.spec.files if file.name.startswith("vocabulary.")]
            # The runtime takes one that was cut short, and fails in the middle of a word.
            if any(listed(files.path(name)) <= self.vocabulary.no_times for name in lists):
                raise ValueError("the list of tokens is not whole")
        except Exception as error:
            raise RecognizerError(
                f"the tokenizer of {files.spec.id} would not load",
                f"fetch the model again: captionglass models get {files.spec.id}",
            ) from error

    def stream(self, language: str = "") -> WhisperStream:
        """A fresh view for one lane.

        Args:
            language: BCP 47 code; empty to listen for it, again and again.

        Raises:
            RecognizerError: the model does not know the language.
        """
        return WhisperStream(self, language, self._prompt)

    def favour(self, phrases: Sequence[str]) -> list[str]:
        """See ``engine.recognizers.base.FavouringRecognizer.favour``: they are told to the model
        as what was said before, as many as it has room for."""
        told: list[int] = []
        for number, phrase in enumerate(phrases):
            ids = self.vocabulary.ids(f"{',' if told else ''} {phrase.strip()}")
            if len(told) + len(ids) >= _MOST_PROMPT:
                self._prompt = [*told, *self.vocabulary.ids(".")]
                return list(phrases[number:])
            told += ids
        self._prompt = [*told, *self.vocabulary.ids(".")] if told else []
        return []

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return self.vocabulary.text(ids)


class WhisperStream:
    """One lane's window."""

    def __init__(self, recognizer: WhisperRecognizer, language: str, prompt: Sequence[int]) -> None:
        self._model = recognizer.model
        self._vocabulary = recognizer.vocabulary
        self._mel = LogMel(self._model.bins)
        self._tongue = Tongue(self._model, self._vocabulary, language)
        self._context = tuple(prompt)

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``engine.recognizers.base.WindowStream.decode``."""
        if audio.size < _SHORTEST:
            return Hypothesis((), True, language=self._tongue.language)
        audio = audio[:_LONGEST]
        encoded = self._model.encode(self._mel(audio, _SILENCE))
        frames = (audio.size + _SILENCE // 2) // int(ENCODER_FRAME * SAMPLE_RATE)
        language = self._tongue.hear(encoded, frames, prefix)
        commands = self._vocabulary.commands(language, self._context)
        memory = self._model.hold(encoded)
        pace = _TOKENS_PER_SECOND.get(language, _MOST_TOKENS_PER_SECOND)
        most = max(1, int(audio.size / SAMPLE_RATE * pace) + 8 - len(prefix))

        def write(text: Sequence[int], left: int, *, varied: bool = False) -> Written:
            return self._model.write(memory, commands, text, left, varied=varied)

        written = write(list(prefix), most)
        circles = _circles(prefix, written)
        if circles:
            # What stands before them is what was said; a second attempt makes it worse.
            written = _shortened(written, circles)
        elif not written.ended:
            # Once and no more: a live caption cannot wait for a third try.
            again = write(list(prefix), most, varied=True)
            written = _shortened(again, _circles(prefix, again)) if again.ended else written
        written = self._kept(written, list(prefix), list(draft), tolerance, most, write)
        chances = [
            _logp(row, token) for row, token in zip(written.logits, written.ids, strict=False)
        ]
        if not prefix and written.no_speech > _NOBODY and np.mean(chances or [0.0]) < _UNSURE:
            return Hypothesis((), True, language=language)
        ends = self._model.align(memory, commands[:-1], [*prefix, *written.ids], frames)
        last = audio.size / SAMPLE_RATE
        tokens = tuple(
            Token(token, self._vocabulary.starts_word(token), chance, min(end, last))
            for token, chance, end in zip(written.ids, chances, ends[len(prefix) :], strict=True)
        )
        if not written.ended:
            tokens = _whole(tokens, self._vocabulary.text)
        end_logp = _logp(written.logits[-1], self._vocabulary.end) if written.ended else 0.0
        return Hypothesis(tokens, written.ended, end_logp, language)

    def _kept(
        self,
        written: Written,
        prefix: list[int],
        draft: list[int],
        tolerance: Sequence[float],
        most: int,
        write: Callable[[list[int], int], Written],
    ) -> Written:
        """What was written, or what follows where the draft is taken at its word: whichever is the
        more probable as a whole.

        Greedy writing sees one token ahead, so that a fresh text is often the worse one. Checking a
        whole draft in one pass would pay nothing: the runtime takes a prefix token by token, as
        fast as it writes. So the text is taken up again where they part.
        """
        for _ in range(_RETAKES):
            ids = [*written.ids, self._vocabulary.end]
            pairs = zip(ids, draft, strict=False)
            place = next((at for at, (one, other) in enumerate(pairs) if one != other), len(draft))
            if place >= min(len(draft), len(written.logits)):
                break
            slack = tolerance[place] if place < len(tolerance) else 0.0
            row = written.logits[place]
            if row[ids[place]] - row[draft[place]] > slack + _WORTH_A_LOOK:
                break
            kept = draft[: place + 1]
            more = write([*prefix, *kept], max(1, most - len(kept)))
            other = Written(
                [*kept, *more.ids],
                [*written.logits[: place + 1], *more.logits],
                more.ended,
                written.no_speech,
            )
            other = _shortened(other, _circles(prefix, other))
            if self._chance(other) + slack / len(ids) < self._chance(written):
                break
            written = other
        return written

    def _chance(self, written: Written) -> float:
        """Mean log probability of a text, its end included where the model gave one."""
        ids = [*written.ids, self._vocabulary.end]
        chances = [_logp(row, token) for row, token in zip(written.logits, ids, strict=False)]
        return float(np.mean(chances)) if chances else 0.0


def _whole(tokens: tuple[Token, ...], text: Callable[[Sequence[int]], str]) -> tuple[Token, ...]:
    """Without the first bytes of a character that a limit cut off."""
    for left in range(len(tokens), max(0, len(tokens) - _MOST_PIECES), -1):
        if not text([token.id for token in tokens[:left]]).endswith("\ufffd"):
            return tokens[:left]
    return tokens


def _shortened(written: Written, count: int) -> Written:
    """Without its last tokens; as if the model had ended there."""
    if not count:
        return written
    left = len(written.ids) - count
    return Written(written.ids[:left], written.logits[:left], False, written.no_speech)


def _circles(prefix: Sequence[int], written: Written) -> int:
    """How many tokens at the end only repeat what stands before them."""
    whole = [*prefix, *written.ids]
    return min(len(written.ids), len(whole) - without_circles(whole))


def without_circles(ids: Sequence[int]) -> int:
    """How many tokens there are before the text begins to repeat itself over and over to its end:
    a short piece six times, a longer one three times, a whole sentence twice."""
    for period in range(1, len(ids) // 2 + 1):
        count = 1
        tail = ids[len(ids) - period :]
        while ids[len(ids) - (count + 1) * period : len(ids) - count * period] == tail:
            count += 1
        if count >= (6 if period < 3 else 3 if period < 8 else 2):
            return len(ids) - (count - 1) * period
    return len(ids)


def _logp(row: NDArray[np.float32], token: int) -> float:
    top = float(row.max())
    total = float(np.exp(row - top).sum())
    return min(0.0, float(row[token]) - top - float(np.log(total)))
