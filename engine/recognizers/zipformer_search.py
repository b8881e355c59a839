"""Tokens out of an encoder's frames: transducer search, greedy or with a beam, and greedy CTC.

The beam search is "modified": at most one token a frame, paths with the same tokens are one (their
probabilities are added). With one path it is the greedy search, done for many frames at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.recognizers.zipformer_context import ContextGraph, Node

Floats = NDArray[np.float32]

_MOST_CONTEXTS = 4096
"""Predictor outputs that are kept: a path comes by the same few tokens again and again."""


@dataclass(frozen=True, slots=True)
class Said:
    """One token of an answer.

    Attributes:
        id: in the vocabulary.
        frame: of the encoder's output, counted from the stream's first.
        logp: natural logarithm of its probability, the blank penalty left aside.
    """

    id: int
    frame: int
    logp: float


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    Attributes:
        paths: hypotheses followed at a time; 1 is greedy.
        blank_penalty: taken from the blank's logit, so that more is said.
        context: phrases to favour; they need more than one path.
    """

    paths: int = 1
    blank_penalty: float = 0.0
    context: ContextGraph | None = None


class Search(Protocol):
    """Takes an encoder's frames, knows the tokens behind what was settled.

    Attributes:
        options: may be replaced between two calls.
    """

    options: SearchOptions

    def advance(self, frames: Floats, first: int) -> None:
        """Go on.

        Args:
            frames: encoder output, shape (n, any).
            first: number of the first of them.
        """

    @property
    def said(self) -> tuple[Said, ...]:
        """The most probable tokens."""

    @property
    def agreed(self) -> int:
        """How many of them, from the first, every path shares."""

    def settle(self, count: int) -> None:
        """Follow only paths that begin with the first ``count``, and leave those out."""

    def restart(self) -> None:
        """A line ends: follow the most probable path alone."""


@dataclass(frozen=True, slots=True)
class _Path:
    context: tuple[int, ...]  # the last tokens, as the predictor wants them
    said: tuple[Said, ...]
    score: float
    node: Node | None

    @property
    def key(self) -> tuple[int, ...]:
        return tuple(token.id for token in self.said)


class TransducerSearch:
    """Search over a stateless-predictor transducer.

    Args:
        predict: predictor output, shape (n, dim), of token contexts, int64 (n, context size).
        join: logits, shape (n, vocabulary), of encoder frames and predictor outputs, both (n, dim).
        context_size: tokens the predictor looks at.
        blank: id of the blank.
        unknown: a token that is heard as blank, or None.
        options: how to search.
    """

    def __init__(
        self,
        predict: Callable[[NDArray[np.int64]], Floats],
        join: Callable[[Floats, Floats], Floats],
        context_size: int,
        blank: int,
        unknown: int | None,
        options: SearchOptions,
    ) -> None:
        self.options = options
        self._predict = predict
        self._join = join
        self._silent = [blank] if unknown is None else [blank, unknown]
        self._blank = blank
        self._outputs: dict[tuple[int, ...], Floats] = {}
        # Nothing was said yet: -1 is a token of which the predictor knows nothing.
        nothing = (-1,) * (context_size - 1) + (blank,)
        self._paths = [_Path(nothing, (), 0.0, self._root)]
        self._settled = 0  # tokens settled in this line; they count where paths are compared

    @property
    def said(self) -> tuple[Said, ...]:
        """See ``Search``."""
        return self._best.said

    @property
    def agreed(self) -> int:
        """See ``Search``."""
        columns = zip(*(path.key for path in self._paths), strict=False)
        return next(
            (place for place, ids in enumerate(columns) if len(set(ids)) > 1),
            min(len(path.said) for path in self._paths),
        )

    def advance(self, frames: Floats, first: int) -> None:
        """See ``Search``."""
        if self.options.paths > 1:
            for number, frame in enumerate(frames):
                self._branch(frame, first + number)
        else:
            self._paths = [self._best]
            self._go_straight(frames, first)

    def settle(self, count: int) -> None:
        """See ``Search``."""
        begun = self._best.key[:count]
        self._settled += count
        self._paths = [
            replace(path, said=path.said[count:])
            for path in self._paths
            if path.key[:count] == begun
        ]

    def restart(self) -> None:
        """See ``Search``."""
        self._paths = [replace(self._best, score=0.0, node=self._root)]
        self._settled = 0

    @property
    def _root(self) -> Node | None:
        return self.options.context.root if self.options.context else None

    @property
    def _best(self) -> _Path:
        if len(self._paths) == 1:
            return self._paths[0]
        # A longer path multiplies more probabilities: compare them by the token.
        shared = self._settled + len(self._paths[0].context)
        return max(self._paths, key=lambda path: path.score / (shared + len(path.said)))

    def _go_straight(self, frames: Floats, first: int) -> None:
        """Greedy: one pass over all frames that follow the last token."""
        at = 0
        while at < len(frames):
            path = self._paths[0]
            predicted = np.repeat(self._predicted([path]), len(frames) - at, axis=0)
            logits = self._join(frames[at:], predicted)
            best = self._penalised(logits).argmax(axis=1)
            loud = np.flatnonzero(~np.isin(best, self._silent))
            if not loud.size:
                return
            row = int(loud[0])
            token = int(best[row])
            said = Said(token, first + at + row, float(_log_softmax(logits[row])[token]))
            self._paths = [
                replace(path, context=(*path.context[1:], token), said=(*path.said, said))
            ]
            at += row + 1

    def _branch(self, frame: Floats, number: int) -> None:
        """One frame of the beam search."""
        paths = self._paths
        logits = self._join(np.repeat(frame[None], len(paths), axis=0), self._predicted(paths))
        plain = _log_softmax(logits)
        chances = _log_softmax(self._penalised(logits)) if self.options.blank_penalty else plain
        scores = np.array([path.score for path in paths], np.float32)
        total = chances + scores[:, None]
        flat = total.reshape(-1)
        few = min(self.options.paths, flat.size)
        top = np.argpartition(flat, -few)[-few:]
        top = top[np.argsort(-flat[top], kind="stable")]
        found: dict[tuple[int, ...], _Path] = {}
        for place in top.tolist():
            row, token = divmod(place, total.shape[1])
            path, score = paths[row], flat[place]
            if token not in self._silent:
                earned, node = 0.0, path.node
                if self.options.context is not None:
                    earned, node = self.options.context.step(
                        node or self.options.context.root, token
                    )
                said = Said(token, number, float(plain[row, token]))
                score += np.float32(earned)
                path = _Path((*path.context[1:], token), (*path.said, said), 0.0, node)
            path = replace(path, score=float(score))
            same = found.get(path.key)
            if same is not None:
                path = replace(same, score=float(np.logaddexp(same.score, path.score)))
            found[path.key] = path
        self._paths = list(found.values())

    def _penalised(self, logits: Floats) -> Floats:
        if not self.options.blank_penalty:
            return logits
        lowered = logits.copy()
        lowered[:, self._blank] -= np.float32(self.options.blank_penalty)
        return lowered

    def _predicted(self, paths: Sequence[_Path]) -> Floats:
        """Predictor output of each path, shape (paths, dim)."""
        missing = {path.context for path in paths} - self._outputs.keys()
        if missing:
            if len(self._outputs) > _MOST_CONTEXTS:
                self._outputs.clear()
                missing = {path.context for path in paths}
            contexts = list(missing)
            rows = self._predict(np.array(contexts, np.int64))
            self._outputs.update(zip(contexts, rows, strict=True))
        return np.stack([self._outputs[path.context] for path in paths])


class CtcSearch:
    """Greedy search over a CTC model's log probabilities.

    Args:
        blank: id of the blank.
        options: ``blank_penalty`` alone matters.
    """

    def __init__(self, blank: int, options: SearchOptions) -> None:
        self.options = options
        self._blank = blank
        self._before = blank
        self._said: list[Said] = []

    @property
    def said(self) -> tuple[Said, ...]:
        """See ``Search``."""
        return tuple(self._said)

    @property
    def agreed(self) -> int:
        """See ``Search``: all of them."""
        return len(self._said)

    def advance(self, frames: Floats, first: int) -> None:
        """See ``Search``; the frames are log probabilities of the vocabulary."""
        lowered = frames
        if self.options.blank_penalty:
            lowered = frames.copy()
            lowered[:, self._blank] -= np.float32(self.options.blank_penalty)
        for row, token in enumerate(lowered.argmax(axis=1).tolist()):
            if token not in (self._blank, self._before):
                self._said.append(Said(token, first + row, float(frames[row, token])))
            self._before = token

    def settle(self, count: int) -> None:
        """See ``Search``."""
        del self._said[:count]

    def restart(self) -> None:
        """See ``Search``: there is only one path."""


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float32)
