"""Marks restored: the model against numpy and sherpa-onnx, the stage against the law of ``stable``.

The weights of the true model are not here; the layout is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import sherpa_onnx
from ct_transformer_export import CHARACTERS, ENGLISH, MARKS, TOKENS, export, obeying, seeded
from ct_transformer_export import reference as in_numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import RecognizerError
from engine.lines import SpacedWord, joined
from engine.punctuation import Punctuation, load_punctuator, wants_marks
from engine.punctuator import Punctuator
from engine.types import Word
from models.spec import ModelFiles

RULES = {"吗": "？", "好": "，", "了": "。", "today": "，", "home": "。"}


@pytest.fixture(scope="module")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return export(tmp_path_factory.mktemp("标点 model"), seeded())


@pytest.fixture(scope="module")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> Punctuator:
    return Punctuator(export(tmp_path_factory.mktemp("obedient"), obeying(RULES)))


def texts(count: int) -> list[list[str]]:
    rng = np.random.default_rng(5)
    words = [*dict.fromkeys(CHARACTERS), *ENGLISH, "\u9f98"]
    return [list(rng.choice(words, rng.integers(2, 18))) for _ in range(count)]


def test_marks_are_those_of_the_same_network_in_numpy(random_model: ModelFiles) -> None:
    punctuator = Punctuator(random_model)
    weights = seeded()
    seen: set[str] = set()
    for tokens in texts(60):
        ids = [TOKENS.index(token) if token in TOKENS else 0 for token in tokens]
        best = in_numpy(weights, ids).argmax(axis=-1)
        marks = punctuator.marks(tokens)
        assert marks == [
            "" if MARKS[number] in ("_", "<unk>") else MARKS[number] for number in best
        ]
        seen.update(marks)
    assert {"", "，", "、"} <= seen, "the weights set too few marks to prove anything"


def test_marks_are_those_that_sherpa_onnx_sets(random_model: ModelFiles) -> None:
    config = sherpa_onnx.OfflinePunctuationConfig(
        sherpa_onnx.OfflinePunctuationModelConfig(
            ct_transformer=str(random_model.path("model.onnx")), num_threads=1
        )
    )
    peer = sherpa_onnx.OfflinePunctuation(config)
    punctuator = Punctuator(random_model)
    compared = 0
    for tokens in texts(200):
        chinese = [token for token in tokens if token not in ENGLISH]
        marks = punctuator.marks(chinese)
        if not chinese or any(mark in "。？" for mark in marks if mark):
            continue  # there it parts the text; this is about the model
        ours = "".join(token + mark for token, mark in zip(chinese, marks, strict=True))
        assert peer.add_punctuation("".join(chinese)).rstrip("。") == ours.rstrip("，、。")
        compared += 1
    assert compared > 50


@pytest.mark.parametrize(
    "metadata", [{"punctuations": "<unk>|_|,|.|?|、"}, {"tokens": "a|b"}, {"unk_symbol": "<none>"}]
)
def test_a_graph_that_is_no_such_model_is_refused(tmp_path: Path, metadata: dict[str, str]) -> None:
    files = export(tmp_path, seeded(), **metadata)
    with pytest.raises(RecognizerError, match="does not say which marks"):
        Punctuator(files)
    punctuator, (notice,) = load_punctuator(files)
    assert punctuator is None
    assert notice.code == "punctuation.failed"
    assert "captionglass models get small-punctuation" in notice.remedy


def said(text: str) -> list[SpacedWord]:
    """Chinese characters one by one, other words by spaces."""
    words: list[SpacedWord] = []
    for run in text.split():
        parts = [run] if run.isascii() else list(run)
        for part in parts:
            at = len(words) * 0.2
            words.append(SpacedWord(Word(part, at, at + 0.2, 0.9), part.isascii()))
    return words


def written(steps: Sequence[tuple[str, str]], obedient: Punctuator) -> tuple[str, list[str]]:
    """The settled text in the end, and what is shown after each step.

    Args:
        steps: what is settled and what is only shown; the last step ends the line.
    """
    stage = Punctuation(obedient)
    stable: list[SpacedWord] = []
    shown = []
    for number, (new, tail) in enumerate(steps):
        ending = number == len(steps) - 1
        settled, rest = stage(said(new), said(tail), ending=ending)
        stable += settled
        shown.append(joined([*stable, *rest]))
    return joined(stable), shown


def test_a_mark_comes_with_the_next_word(obedient: Punctuator) -> None:
    steps = [("今天气很好", ""), ("", "我"), ("我们", "去"), ("去公园吧", ""), ("", "")]
    text, shown = written(steps, obedient)
    assert shown[0] == "今天气很好"
    assert shown[1] == "今天气很好，我", "as soon as something stands behind it"
    assert shown[2] == "今天气很好，我们去"
    assert text == "今天气很好，我们去公园吧。", "a line ends with a full stop"


def test_a_question_stays_one_and_the_next_line_begins_afresh(obedient: Punctuator) -> None:
    stage = Punctuation(obedient)
    first, _ = stage(said("你要来吗"), [], ending=True)
    assert joined(first) == "你要来吗？"
    second, _ = stage(said("他说好"), [], ending=True)
    assert joined(second) == "他说好，", "nobody has ended the sentence yet"
    third, _ = stage(said("了"), [], ending=True)
    assert joined(third) == "了。"


def test_english_gets_narrow_marks(obedient: Punctuator) -> None:
    text, _ = written([("hello today we go home it's", ""), ("", "")], obedient)
    assert text == "hello today, we go home. it's."


def test_nothing_said_is_given_no_mark(obedient: Punctuator) -> None:
    assert written([("", ""), ("", "今"), ("", "")], obedient)[0] == ""


def test_a_recogniser_with_marks_of_its_own_is_left_alone(obedient: Punctuator) -> None:
    stage = Punctuation(obedient)
    settled, tail = stage(said("今天气很好"), said("我"), wanted=False)
    assert (joined(settled), joined(tail)) == ("今天气很好", "我")


@pytest.mark.parametrize(
    ("languages", "punctuates", "wanted"),
    [
        (("zh", "en"), False, True),
        (("zh-CN",), False, True),
        (("zh", "en"), True, False),
        (("ru",), False, False),
        (("en",), None, False),
    ],
)
def test_who_wants_marks(languages: tuple[str, ...], punctuates: bool | None, wanted: bool) -> None:
    recognizer = SimpleNamespace(spec=SimpleNamespace(languages=languages))
    if punctuates is not None:
        recognizer.punctuates = punctuates
    assert wants_marks(cast(Any, recognizer)) == wanted


@given(steps=st.lists(st.tuples(st.integers(1, 7), st.integers(0, 3)), max_size=12))
@settings(max_examples=60, deadline=None)
def test_however_words_are_settled_the_text_is_the_same_and_only_grows(
    steps: list[tuple[int, int]], obedient: Punctuator
) -> None:
    words = said("今天气很好我们去公园吧 we go home today 你要不要一起来吗他说话了")
    stage, stable, before = Punctuation(obedient), list[SpacedWord](), ""
    at = 0
    for count, behind in [*steps, (len(words), 0)]:
        until = min(at + count, len(words))
        settled, _ = stage(words[at:until], words[until : until + behind])
        stable += settled
        at = until
        text = joined(stable)
        assert text.startswith(before)
        before = text
    stable += stage([], [], ending=True)[0]
    expected = "今天气很好，我们去公园吧 we go home. today,你要不要一起来吗？他说话了。"
    assert joined(stable) == expected
