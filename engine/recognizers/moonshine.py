"""Moonshine v1 (encoder-decoder, English), on its published 8-bit weights or widened for a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers import moonshine_graph as graphs
from engine.recognizers.base import Hypothesis, Token
from engine.recognizers.moonshine_layers import EPSILON, Arithmetic
from engine.recognizers.moonshine_prepare import PROBE, file_names, keep, prepare
from engine.runtime import candidate, first_line, open_session, provider_name
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles, ModelSpec

FRAME = 384
"""Samples behind one encoder frame."""

_START, _END = 1, 2
_SHORTEST = 1_600  # samples; below this the convolutions have nothing to look at
_HOP1, _HOP2 = 64, 192  # samples behind one entry of the moments, of the features
_MOST_TOKENS_PER_SECOND = 9.0
_ATTENTION_DELAY = 0.095  # s by which attention trails the end of the sound, in the median
_RUN_ON = 4
_LONG_AGO_S = 0.5
_SPACE = "\u2581"


def load(files: ModelFiles, provider: Provider = "auto") -> MoonshineRecognizer:
    """See ``engine.recognizers.base.Family.load``."""
    return MoonshineRecognizer(files, provider)


class MoonshineRecognizer:
    """A loaded Moonshine model. One thread at a time."""

    aligned = True

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        from tokenizers import Tokenizer

        self.spec: ModelSpec = files.spec
        self._frontend, self._encoder, self._decoder = _open_graphs(files, provider)
        self.provider = provider_name(self._encoder)
        try:
            # Read here, not by the library: it mangles paths outside the code page on Windows.
            self._tokenizer = Tokenizer.from_str(
                files.path("tokenizer.json").read_text(encoding="utf-8")
            )
        except Exception as error:
            raise RecognizerError(
                f"the tokenizer of {files.spec.id} would not load",
                f"fetch the model again: captionglass models get {files.spec.id}",
            ) from error
        size = self._tokenizer.get_vocab_size()
        pieces = [self._tokenizer.id_to_token(index) or "" for index in range(size)]
        self._starts_word = [piece.startswith(_SPACE) for piece in pieces]
        shape = next(axis.shape for axis in self._decoder.get_inputs() if axis.name == "past")
        self._nothing_past = np.zeros((*shape[:3], 0, shape[4]), np.float32)

    def stream(self) -> MoonshineStream:
        """A fresh view for one lane."""
        return MoonshineStream(self)

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def starts_word(self, token: int) -> bool:
        """Whether a space belongs before the token."""
        return token < len(self._starts_word) and self._starts_word[token]

    def features(self, audio: Samples) -> tuple[NDArray[np.float32], ...]:
        """``features``, ``sums``, ``squares`` of ``moonshine_graph``'s front end."""
        return self._run(self._frontend, {"audio": audio[None]})

    def encode(
        self,
        features: NDArray[np.float32],
        sums: NDArray[np.float32],
        squares: NDArray[np.float32],
    ) -> dict[str, NDArray[np.float32]]:
        """Cross-attention ``keys`` and ``values`` of a window, from the front end's output."""
        count = sums.size * graphs.GROUP_CHANNELS
        mean = float(sums.sum(dtype=np.float64)) / count
        variance = float(squares.sum(dtype=np.float64)) / count - mean * mean
        inverse = 1.0 / np.sqrt(max(variance, 0.0) + EPSILON)
        keys, values = self._run(
            self._encoder,
            {
                "features": features,
                "inverse_deviation": np.asarray(inverse, np.float32),
                "scaled_mean": np.asarray(mean * inverse, np.float32),
            },
        )
        return {"keys": keys, "values": values}

    def step(
        self,
        ids: Sequence[int],
        memory: dict[str, NDArray[np.float32]],
        past: NDArray[np.float32] | None = None,
        first_row: int = 0,
    ) -> tuple[NDArray[Any], ...]:
        """One pass of the decoder: ``logp``, ``top`` (for the rows from ``first_row`` on),
        ``attention``, ``present``; see ``moonshine_graph``."""
        past = self._nothing_past if past is None else past
        seen, count = past.shape[3], len(ids)
        mask = np.zeros((count, seen + count), np.float32)
        mask[:, seen:] = np.triu(np.full((count, count), -1e9, np.float32), 1)
        return self._run(
            self._decoder,
            {
                "ids": np.asarray([ids], np.int64),
                "positions": np.arange(seen, seen + count, dtype=np.int64)[None],
                "rows": np.arange(first_row, count, dtype=np.int64),
                "mask": mask,
                "past": past,
                **memory,
            },
        )

    def _run(self, session: Any, feeds: dict[str, Any]) -> tuple[NDArray[Any], ...]:
        try:
            return tuple(session.run(None, feeds))
        except Exception as error:
            raise RecognizerError(
                f"{self.spec.id} failed while it ran on {self.provider} ({first_line(error)})",
                "choose another model or the CPU provider",
            ) from error


class MoonshineStream:
    """One lane's window. Keeps the front end's output while the window only grows."""

    def __init__(self, recognizer: MoonshineRecognizer) -> None:
        self._model = recognizer
        self._audio: Samples = np.zeros(0, np.float32)
        self._features: tuple[NDArray[np.float32], ...] = ()

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``engine.recognizers.base.WindowStream.decode``."""
        if audio.size < _SHORTEST:
            return Hypothesis((), True)
        memory = self._model.encode(*self._front(audio))
        return self._write(memory, audio.size, list(prefix), list(draft), tolerance)

    def _front(self, audio: Samples) -> tuple[NDArray[np.float32], ...]:
        kept = self._audio.size
        if kept and kept <= audio.size and np.array_equal(self._audio, audio[:kept]):
            if kept == audio.size:
                return self._features
            old, sums, squares = self._features
            # The last entry of the old features ends before the audio does; go on behind it.
            done = old.shape[2]
            fresh = audio[done * _HOP2 :]
            behind = 3 * done
            if fresh.size >= 127 + 6 * _HOP1:
                new, new_sums, new_squares = self._model.features(fresh)
                self._features = (
                    np.concatenate((old, new), axis=2),
                    np.concatenate((sums[:behind], new_sums)),
                    np.concatenate((squares[:behind], new_squares)),
                )
        else:
            self._features = self._model.features(audio)
        self._audio = audio.copy()
        return self._features

    def _write(
        self,
        memory: dict[str, NDArray[np.float32]],
        samples: int,
        prefix: list[int],
        draft: list[int],
        tolerance: Sequence[float],
    ) -> Hypothesis:
        model = self._model
        settled = 1 + len(prefix)
        ids = [_START, *prefix, *draft]
        logp, top, attention, past = model.step(ids, memory, first_row=settled - 1)
        tokens: list[Token] = []
        limit = int(samples / SAMPLE_RATE * _MOST_TOKENS_PER_SECOND) + 8 - len(prefix)
        for place, token in enumerate(draft):
            slack = tolerance[place] if place < len(tolerance) else 0.0
            at = np.flatnonzero(top[place] == token)
            if not at.size or logp[place, 0] - logp[place, at[0]] > slack or len(tokens) >= limit:
                break
            tokens.append(self._token(token, logp[place, at[0]], attention[:, settled + place]))
        kept = len(tokens)
        row = kept
        past = past[:, :, :, : settled + kept]
        while len(tokens) < limit and not _runs_on(tokens):
            token, chance = int(top[row, 0]), float(logp[row, 0])
            if token == _END:
                return Hypothesis(tuple(tokens), True, chance)
            logp, top, attention, past = model.step([token], memory, past)
            row = 0
            tokens.append(self._token(token, chance, attention[:, 0]))
        return Hypothesis(tuple(tokens[:-_RUN_ON] if _runs_on(tokens) else tokens), False)

    def _token(self, token: int, logp: float, heads: NDArray[np.float32]) -> Token:
        # Where the decoder looks once it has been fed the token, not while it chose it: measured
        # against forced alignment that halves the spread (50 instead of 115 ms mean deviation).
        weight = heads.sum(axis=0).cumsum()
        frame = int(np.searchsorted(weight, weight[-1] / 2))
        time = max(0.0, (frame + 1) * FRAME / SAMPLE_RATE - _ATTENTION_DELAY)
        return Token(token, self._model.starts_word(token), float(logp), time)


def _runs_on(tokens: Sequence[Token]) -> bool:
    """The last few tokens are all the same piece of a word, or all look at sound that was told
    long before: the model has lost its place and would fill up the text with repetitions."""
    last = tokens[-_RUN_ON:]
    if len(last) == _RUN_ON and len({token.id for token in last}) == 1:
        return not last[0].starts_word
    if len(tokens) < 2 * _RUN_ON:
        return False
    reached = max(token.time or 0.0 for token in tokens[:-_RUN_ON])
    return all((token.time or 0.0) < reached - _LONG_AGO_S for token in tokens[-_RUN_ON:])


def _open_graphs(files: ModelFiles, provider: Provider) -> tuple[Any, Any, Any]:
    """Sessions of the front end, the encoder and the decoder; prepares their files once."""
    if candidate(provider) != "cpu":
        opened = _open(files, "float", provider)
        if provider_name(opened[1]) != "cpu":
            return opened
    if files.spec.precision == "float":
        return _open(files, "float", "cpu")
    return _open(files, "signed" if _signed_is_exact(files.prepared) else "unsigned", "cpu")


def _open(files: ModelFiles, arithmetic: Arithmetic, provider: Provider) -> tuple[Any, Any, Any]:
    paths = [files.prepared / name for name in file_names(arithmetic)]
    try:
        frontend, encoder, decoder = (open_session(path, provider) for path in paths)
    except RecognizerError:
        # Not prepared yet, or damaged by a crash or a full disk: make them anew.
        blobs = prepare(
            files.path("encoder_model.ort"),
            files.path("decoder_model_merged.ort"),
            files.prepared,
            arithmetic,
        )
        frontend, encoder, decoder = (open_session(blob, provider) for blob in blobs)
    return frontend, encoder, decoder


def _signed_is_exact(folder: Path) -> bool:
    """Whether this processor multiplies signed 8-bit weights without saturating.

    Args:
        folder: where the probe is kept: making it imports a library that costs a fifth of a start.
    """
    try:
        session = open_session(folder / PROBE, "cpu")
    except RecognizerError:
        probe = graphs.signed_probe()
        keep(folder, {PROBE: probe})
        session = open_session(probe, "cpu")
    (product,) = session.run(None, {"probe": np.ones((1, 64), np.float32)})
    return bool(abs(float(product[0, 0]) - 64 * 127) < 1.0)
