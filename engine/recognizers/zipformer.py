"""Streaming transducers and CTC models in the layout that k2 exports and sherpa-onnx runs.

Zipformer encoders of both versions, and LSTM; Chinese, English and others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers.base import Running, Token
from engine.recognizers.zipformer_context import ContextGraph
from engine.recognizers.zipformer_export import Encoder, Graph, Layout
from engine.recognizers.zipformer_features import EDGE, HOP, Filterbank
from engine.recognizers.zipformer_search import (
    CtcSearch,
    Floats,
    Said,
    Search,
    SearchOptions,
    TransducerSearch,
)
from engine.recognizers.zipformer_tokens import read_scores, read_tokens
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles, ModelSpec

_TAIL_S = 0.4
"""Seconds of silence behind the last sound of a line: tokens come later than their sound."""
_WIDE_FROM = 0.3
_WIDEST_FROM = 0.9
_WIDE, _WIDEST = 4, 8
"""Effort from which a transducer follows several hypotheses, and how many."""
_PHRASE_SCORE = 1.5


def load(files: ModelFiles, provider: Provider = "auto") -> ZipformerRecognizer:
    """See ``engine.recognizers.base.Family.load``."""
    return ZipformerRecognizer(files, provider)


class ZipformerRecognizer:
    """A loaded model. One thread at a time.

    Attributes:
        blank_penalty: taken from the blank's logit: raise it for a model that leaves words out.
        punctuates: it has tokens for commas and full stops.
        hop: feature frames behind one frame of the encoder.
    """

    incremental = True

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        self.spec: ModelSpec = files.spec
        layout = Layout.of(files, provider)
        opened = [Encoder(files, name, provider) for name in layout.encoders]
        self.encoders = sorted(opened, key=lambda encoder: encoder.shift)
        self.chunks_s = tuple(encoder.chunk_s for encoder in self.encoders)
        self.provider = self.encoders[0].graph.provider
        self.blank_penalty = 0.0
        scores = read_scores(files.path(layout.scores)) if layout.scores else None
        self.vocabulary = read_tokens(files.path("tokens.txt"), scores)
        self.punctuates = self.vocabulary.punctuates
        self._context: ContextGraph | None = None
        self._predictor: Graph | None = None
        self._joiner: Graph | None = None
        self._context_size = 0
        self.hop = 4
        if layout.decoder and layout.joiner:
            self._predictor = Graph(files, layout.decoder, provider)
            self._joiner = Graph(files, layout.joiner, provider)
            self._context_size = self._predictor.number("context_size")
            size = self._predictor.number("vocab_size")
        else:
            size = self.encoders[0].width
        self._check(size)

    def stream(self) -> ZipformerStream:
        """A fresh view for one lane."""
        return ZipformerStream(self)

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return self.vocabulary.text(ids)

    def favour(self, phrases: Sequence[str], score: float = _PHRASE_SCORE) -> list[str]:
        """Hear these phrases more readily, from the next stream or line on.

        Args:
            phrases: as they are written; none for none.
            score: what each token of one is worth, in natural logarithms.

        Returns:
            The phrases that this model has no tokens for.
        """
        cut = [(phrase, self.vocabulary.encode(phrase)) for phrase in phrases if phrase.strip()]
        known = [(ids, score) for _, ids in cut if ids]
        self._context = ContextGraph(known) if known else None
        return [phrase for phrase, ids in cut if not ids]

    def options(self, effort: float) -> SearchOptions:
        """How to search at some effort, 0 to 1."""
        paths = 1
        if self._predictor is not None:
            paths = _WIDE if effort >= _WIDE_FROM or self._context is not None else 1
            paths = _WIDEST if effort >= _WIDEST_FROM else paths
        return SearchOptions(paths, self.blank_penalty, self._context)

    def search(self, options: SearchOptions) -> Search:
        """A fresh search."""
        blank, unknown = self.vocabulary.blank, self.vocabulary.unknown
        if self._predictor is None:
            return CtcSearch(blank, options)
        return TransducerSearch(
            self._predict, self._join, self._context_size, blank, unknown, options
        )

    def _predict(self, contexts: NDArray[np.int64]) -> Floats:
        assert self._predictor is not None
        return _in_rows(self._predictor, contexts)

    def _join(self, frames: Floats, predicted: Floats) -> Floats:
        assert self._joiner is not None
        return _in_rows(self._joiner, frames, predicted)

    def _check(self, size: Any) -> None:
        """What only shows when the parts are put together."""
        if isinstance(size, int) and len(self.vocabulary) < size:
            raise RecognizerError(
                f"tokens.txt of {self.spec.id} has {len(self.vocabulary)} tokens, the model {size}",
                "take both from the same place",
            )
        for encoder in self.encoders:
            quiet = np.zeros((encoder.window, encoder.bins), np.float32)
            frames, _ = encoder.step(quiet, encoder.fresh)
            if frames.ndim != 2 or not len(frames) or encoder.shift % len(frames):
                raise RecognizerError(
                    f"{encoder.graph.name} answers {encoder.shift} frames in the shape"
                    f" {list(frames.shape)}",
                    "use a streaming export of k2",
                )
            self.hop = encoder.shift // len(frames)
            self.search(SearchOptions()).advance(frames, 0)


class ZipformerStream:
    """One lane's sound: features, states, search."""

    def __init__(self, recognizer: ZipformerRecognizer) -> None:
        self._model = recognizer
        self._effort = 0.0
        self._wanted = self._encoder = recognizer.encoders[0]
        self._begin()

    def _begin(self) -> None:
        self._states: list[NDArray[Any]] = list(self._encoder.fresh)
        self._search: Search = self._model.search(self._model.options(self._effort))
        self._features: Filterbank = Filterbank(self._encoder.bins)
        self._silences: list[tuple[int, int]] = []  # (feature sample, length) nobody gave us
        self._silent: int = 0  # the length of those before
        self._at: int = 0  # feature frames behind us
        self._frames: int = 0  # frames the encoder has given

    @property
    def chunk_s(self) -> float:
        """Seconds of sound it takes in one step."""
        return self._encoder.chunk_s

    def accept(self, samples: Samples) -> None:
        """See ``engine.recognizers.base.IncrementalStream``."""
        self._features.add(samples)

    def hypothesis(self) -> Running:
        """See ``engine.recognizers.base.IncrementalStream``."""
        encoder = self._encoder
        while self._features.ready >= self._at + encoder.window:
            window = self._features.frames(self._at, encoder.window)
            frames, self._states = encoder.step(window, self._states)
            self._search.advance(frames, self._frames)
            self._frames += len(frames)
            self._at += encoder.shift
        return Running(
            tuple(self._token(said) for said in self._search.said),
            self._search.agreed,
            self._accepted(self._at * HOP),
        )

    def finish(self) -> Running:
        """See ``engine.recognizers.base.IncrementalStream``."""
        end, at, encoder = self._features.samples, self._at, self._encoder
        # As many whole chunks as it takes to get past the tail.
        behind = end + round(_TAIL_S * SAMPLE_RATE) - at * HOP
        chunks = -(-behind // (encoder.shift * HOP))
        last = at + (chunks - 1) * encoder.shift + encoder.window
        silence = np.zeros(max(0, last * HOP + EDGE - end), np.float32)
        self._features.add(silence)
        self._silences.append((end, silence.size))
        if len(self._silences) > 2:  # no token is as old as that
            self._silent += self._silences.pop(0)[1]
        running = self.hypothesis()
        self._search.options = self._model.options(self._effort)
        self._search.restart()
        if self._encoder is not self._wanted:
            self._encoder, self._states = self._wanted, list(self._wanted.fresh)
        return running

    def settle(self, count: int) -> None:
        """See ``engine.recognizers.base.IncrementalStream``."""
        self._search.settle(count)

    def tune(self, effort: float) -> None:
        """See ``engine.recognizers.base.IncrementalStream``."""
        self._effort = effort
        encoders = self._model.encoders
        self._wanted = encoders[round(effort * (len(encoders) - 1))]
        self._search.options = replace(
            self._model.options(effort), context=self._search.options.context
        )
        if self._wanted.continues(self._encoder):
            self._encoder = self._wanted

    def reset(self) -> None:
        """See ``engine.recognizers.base.IncrementalStream``."""
        self._encoder = self._wanted
        self._begin()

    def _token(self, said: Said) -> Token:
        end = (said.frame + 1) * self._model.hop * HOP
        starts = self._model.vocabulary.starts_word(said.id)
        return Token(said.id, starts, said.logp, self._accepted(end))

    def _accepted(self, sample: int) -> float:
        """Seconds of sound that were given to us before some sample that was heard."""
        ours = sum(min(size, sample - at) for at, size in self._silences if at < sample)
        return (sample - self._silent - ours) / SAMPLE_RATE


def _in_rows(graph: Graph, *values: NDArray[Any]) -> Floats:
    """A graph's answer to each row; some exports take one row at a time."""
    if graph.any_batch:
        answer = graph.run(*values)[0]
    else:
        rows = range(len(values[0]))
        answers = [graph.run(*(value[row : row + 1] for value in values))[0] for row in rows]
        answer = np.concatenate(answers)
    return np.asarray(answer.reshape(len(values[0]), -1), np.float32)
