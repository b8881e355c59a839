"""The searches against every possible answer: a beam that is wide enough has to find the best."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.recognizers.zipformer_context import ContextGraph
from engine.recognizers.zipformer_search import (
    CtcSearch,
    Floats,
    SearchOptions,
    TransducerSearch,
)

TOKENS = 4  # the blank, the unknown and two that are said
BLANK, UNKNOWN = 0, 1
CALM = settings(deadline=None, max_examples=25)


class Toy:
    """A transducer whose logits are a table of the frame and of what was said last."""

    def __init__(self, seed: int, frames: int = 5) -> None:
        rng = np.random.default_rng(seed)
        self.frames = np.arange(frames, dtype=np.float32)[:, None]
        self.table = rng.normal(0.0, 2.0, (frames, TOKENS + 1, TOKENS)).astype(np.float32)
        self.asked = 0

    def predict(self, contexts: NDArray[np.int64]) -> Floats:
        self.asked += len(contexts)
        return np.asarray(contexts[:, -1:], np.float32)

    def join(self, frames: Floats, predicted: Floats) -> Floats:
        return self.table[frames[:, 0].astype(int), predicted[:, 0].astype(int)]

    def search(self, options: SearchOptions) -> TransducerSearch:
        return TransducerSearch(self.predict, self.join, 2, BLANK, UNKNOWN, options)

    def answers(self, count: int, penalty: float = 0.0) -> dict[tuple[int, ...], float]:
        """Log probability of everything that may be said in the first frames."""
        scores: dict[tuple[int, ...], float] = {}
        for labels in itertools.product(range(TOKENS), repeat=count):
            said: list[int] = []
            total = 0.0
            for frame, label in enumerate(labels):
                logits = self.table[frame, said[-1] if said else BLANK].astype(np.float64)
                logits[BLANK] -= penalty
                total += logits[label] - math.log(np.exp(logits).sum())
                if label > UNKNOWN:
                    said.append(label)
            key = tuple(said)
            scores[key] = float(np.logaddexp(scores.get(key, -np.inf), total))
        return scores


def best(scores: dict[tuple[int, ...], float]) -> tuple[int, ...]:
    return max(scores, key=lambda said: scores[said] / (2 + len(said)))


def ids(search: TransducerSearch | CtcSearch) -> tuple[int, ...]:
    return tuple(token.id for token in search.said)


EVERYTHING = SearchOptions(paths=10_000)


@CALM
@given(st.integers(0, 10_000), st.sampled_from([0.0, 2.0]))
def test_a_wide_beam_finds_the_best_of_all_answers(seed: int, penalty: float) -> None:
    toy = Toy(seed)
    search = toy.search(SearchOptions(paths=10_000, blank_penalty=penalty))
    for frame in range(len(toy.frames)):
        search.advance(toy.frames[frame : frame + 1], frame)
        assert ids(search) == best(toy.answers(frame + 1, penalty))


@CALM
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_what_is_settled_leaves_the_best_of_the_answers_that_begin_so(
    seed: int, after: int
) -> None:
    toy = Toy(seed)
    search = toy.search(EVERYTHING)
    search.advance(toy.frames[:after], 0)
    begun = best(toy.answers(after))
    count = (len(begun) + 1) // 2
    search.settle(count)
    assert ids(search) == begun[count:]
    search.advance(toy.frames[after:], after)
    # Alignments that had said something else by then are gone.
    left: dict[tuple[int, ...], float] = {}
    for labels in itertools.product(range(TOKENS), repeat=len(toy.frames)):
        said: list[int] = []
        total, kept = 0.0, True
        for frame, label in enumerate(labels):
            if frame == after:
                kept = tuple(said[:count]) == begun[:count]
            logits = toy.table[frame, said[-1] if said else BLANK].astype(np.float64)
            total += logits[label] - math.log(np.exp(logits).sum())
            if label > UNKNOWN:
                said.append(label)
        if kept:
            key = tuple(said)
            left[key] = float(np.logaddexp(left.get(key, -np.inf), total))
    assert begun[:count] + ids(search) == best(left)


@CALM
@given(st.integers(0, 10_000), st.lists(st.integers(1, 3), min_size=1, max_size=5))
def test_one_path_is_the_greedy_answer_however_the_frames_come(
    seed: int, cuts: Sequence[int]
) -> None:
    toy = Toy(seed, frames=9)
    said: list[int] = []
    times: list[int] = []
    for frame in range(9):
        token = int(toy.table[frame, said[-1] if said else BLANK].argmax())
        if token > UNKNOWN:
            said.append(token)
            times.append(frame)
    search = toy.search(SearchOptions())
    at = 0
    for cut in itertools.chain(cuts, [9]):
        search.advance(toy.frames[at : at + cut], at)
        at = min(9, at + cut)
    assert list(ids(search)) == said
    assert [token.frame for token in search.said] == times
    assert search.agreed == len(said)


@CALM
@given(st.integers(0, 10_000))
def test_what_all_paths_share_is_agreed_and_stays(seed: int) -> None:
    toy = Toy(seed, frames=9)
    search = toy.search(SearchOptions(paths=3))
    agreed: tuple[int, ...] = ()
    for frame in range(9):
        search.advance(toy.frames[frame : frame + 1], frame)
        assert ids(search)[: len(agreed)] == agreed
        agreed = ids(search)[: search.agreed]


def test_a_line_ends_with_one_path() -> None:
    for seed in range(20):
        toy = Toy(seed)
        search = toy.search(SearchOptions(paths=4))
        search.advance(toy.frames, 0)
        said = ids(search)
        search.restart()
        assert ids(search) == said
        assert search.agreed == len(said)


def test_a_beam_may_become_one_path_and_wide_again() -> None:
    toy = Toy(3, frames=9)
    search = toy.search(SearchOptions(paths=4))
    search.advance(toy.frames[:3], 0)
    best_so_far = ids(search)
    search.options = SearchOptions(paths=1)
    search.advance(toy.frames[3:6], 3)
    assert ids(search)[: len(best_so_far)] == best_so_far
    greedy = ids(search)
    search.options = SearchOptions(paths=4)
    search.advance(toy.frames[6:], 6)
    assert ids(search)[: len(greedy)] == greedy


def test_favoured_tokens_are_found_and_a_line_begins_at_the_root() -> None:
    toy = Toy(1)
    toy.table[:, :, 3] = -3.0
    plain = toy.search(SearchOptions(paths=8))
    plain.advance(toy.frames, 0)
    assert 3 not in ids(plain)
    graph = ContextGraph([([3, 3], 9.0)])
    search = toy.search(SearchOptions(paths=8, context=graph))
    search.advance(toy.frames, 0)
    assert ids(search).count(3) >= 2
    search.restart()
    assert search._paths[0].node is graph.root


def test_probabilities_are_the_models_own() -> None:
    toy = Toy(7)
    for options in (SearchOptions(blank_penalty=3.0), SearchOptions(paths=4, blank_penalty=3.0)):
        search = toy.search(options)
        search.advance(toy.frames, 0)
        before = BLANK
        for token in search.said:
            logits = toy.table[token.frame, before].astype(np.float64)
            expected = logits[token.id] - math.log(np.exp(logits).sum())
            assert token.logp == pytest.approx(expected, abs=1e-4)
            before = token.id


def test_the_predictor_is_asked_once_about_the_same_tokens() -> None:
    toy = Toy(2, frames=40)
    search = toy.search(SearchOptions(paths=4))
    search.advance(toy.frames, 0)
    assert toy.asked <= 1 + TOKENS * TOKENS + TOKENS


class TestCtc:
    """Greedy CTC."""

    def frames(self, labels: Sequence[int]) -> Floats:
        logits = np.full((len(labels), TOKENS), -9.0, np.float32)
        logits[np.arange(len(labels)), list(labels)] = -0.1
        return logits

    def test_repetitions_are_one_unless_a_blank_parts_them(self) -> None:
        search = CtcSearch(BLANK, SearchOptions())
        search.advance(self.frames([2, 2, 0, 2, 3, 3]), 0)
        search.advance(self.frames([3, 0, 3]), 6)
        assert ids(search) == (2, 2, 3, 3)
        assert [token.frame for token in search.said] == [0, 3, 4, 8]
        search.settle(3)
        assert ids(search) == (3,)
        assert search.agreed == 1

    def test_a_penalty_on_blanks_lets_more_be_said(self) -> None:
        frames = self.frames([2, 0, 3])
        frames[1, 3] = -1.0
        search = CtcSearch(BLANK, SearchOptions(blank_penalty=2.0))
        search.advance(frames, 0)
        assert ids(search) == (2, 3)
        assert search.said[1].frame == 1
