"""A model proves itself before anybody relies on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from fake_models import Shelf, Trouble, files

import engine.loading
from engine.errors import ModelMissingError, RecognizerError
from engine.loading import bring_up
from engine.recognizers.base import Hypothesis

FULL = RuntimeError("CUDA failure 2: out of memory")


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A machine whose runtime knows CUDA, where it does not start."""
    shelf = Shelf([])
    monkeypatch.setattr(engine.loading, "load", shelf)
    monkeypatch.setattr(
        engine.loading, "candidate", lambda asked: "cuda" if asked == "auto" else asked
    )
    monkeypatch.setattr(engine.loading, "why_not", lambda asked: f"{asked} is broken: mend it")
    return shelf


@pytest.mark.parametrize(
    ("asked", "works", "runs", "reason"),
    [
        ("cpu", {"cpu"}, "cpu", ""),
        ("cuda", {"cpu"}, "cpu", "cuda is broken: mend it"),
        ("cuda", {"cpu", "cuda"}, "cuda", ""),
        ("auto", {"cpu", "cuda"}, "cuda", ""),
        ("auto", {"cpu"}, "cpu", "cuda is broken: mend it"),
        ("openvino", {"cpu", "cuda"}, "cpu", "openvino is broken: mend it"),
    ],
)
def test_what_runs_and_why_is_told(
    shelf: Shelf, asked: str, works: set[str], runs: str, reason: str
) -> None:
    shelf.providers = works
    loaded = bring_up(files("a"), asked)  # type: ignore[arg-type]
    assert (loaded.recognizer.provider, loaded.reason, loaded.asked) == (runs, reason, asked)
    assert loaded.warm_up_s > 0


@pytest.mark.usefixtures("shelf")
def test_where_nothing_but_the_processor_is_there_nothing_is_to_be_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine.loading, "candidate", lambda _: "cpu")
    assert bring_up(files("a"), "auto").reason == ""


def test_a_family_that_cannot_use_it_says_so(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.loading, "why_not", lambda _: "")
    assert bring_up(files("a"), "cuda").reason == "fake models do not run on cuda"
    assert shelf.loads == [("a", "cuda")]


def test_the_warm_up_is_no_caption(shelf: Shelf) -> None:
    shelf.trouble = Trouble(at=[0])
    loaded = bring_up(files("a"), "cpu")
    assert loaded.recognizer.warm_ups == 1  # type: ignore[union-attr]
    assert shelf.trouble.decodes == 0


def test_an_accelerator_is_timed_when_it_is_warm(shelf: Shelf) -> None:
    shelf.providers = {"cpu", "cuda"}
    assert bring_up(files("a"), "cuda").recognizer.warm_ups == 2  # type: ignore[union-attr]


def slow_on(monkeypatch: pytest.MonkeyPatch, shelf: Shelf, slow: set[str]) -> None:
    """Decoding takes a third of a second on some providers."""

    def load(asked: object, provider: str) -> object:
        model = shelf(asked, provider)  # type: ignore[arg-type]
        real = model.decode

        def decode(*args: object) -> Hypothesis:
            time.sleep(0.3 if model.provider in slow else 0.0)
            return real(*args)  # type: ignore[arg-type]

        model.decode = decode  # type: ignore[method-assign, assignment]
        return model

    monkeypatch.setattr(engine.loading, "load", load)


def test_automatic_leaves_a_slow_accelerator_for_the_processor(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.providers = {"cpu", "cuda"}
    slow_on(monkeypatch, shelf, {"cuda"})
    loaded = bring_up(files("a"), "auto")
    assert loaded.recognizer.provider == "cpu"
    assert loaded.reason.startswith("cuda is slower here, 0.3 s against 0.0")
    assert bring_up(files("a"), "cuda").recognizer.provider == "cuda", "asked for is asked for"


def test_automatic_keeps_the_accelerator_of_a_large_model(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.providers = {"cpu", "cuda"}
    slow_on(monkeypatch, shelf, {"cuda"})
    real = engine.loading.warm_up
    seconds = iter([0.3, 0.3, 2.0])
    monkeypatch.setattr(engine.loading, "warm_up", lambda model: real(model) and next(seconds))
    assert bring_up(files("a"), "auto").recognizer.provider == "cuda"


def on(provider: str, error: Exception) -> Callable[[object, str], None]:
    def fail(_: object, asked: str) -> None:
        if asked == provider:
            raise error

    return fail


def test_what_fails_on_an_accelerator_is_tried_on_the_processor(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = on("cuda", FULL)

    def load(asked: object, provider: str) -> object:
        full(asked, provider)
        return shelf(asked, provider)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.loading, "load", load)
    loaded = bring_up(files("a"), "cuda")
    assert loaded.recognizer.provider == "cpu"
    assert loaded.reason == "there is not enough memory for a"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RecognizerError("no such weights", "fetch them"), "no such weights: fetch them"),
        (ModelMissingError("a is gone", "fetch it"), "a is gone: fetch it"),
        (MemoryError(), "there is not enough memory for a: close other programs"),
        (KeyError("tokens.txt"), "a would not load (KeyError: 'tokens.txt'): fetch the model"),
    ],
)
def test_what_runs_nowhere_is_one_line(shelf: Shelf, error: Exception, words: str) -> None:
    shelf.fails_with["a"] = error
    for provider in ("auto", "cpu"):
        with pytest.raises(RecognizerError) as raised:
            bring_up(files("a"), provider)  # type: ignore[arg-type]
        assert str(raised.value).startswith(words)
        assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("shelf")
def test_a_model_that_fails_at_its_first_words_is_no_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> float:
        raise RuntimeError("the shapes do not fit")

    monkeypatch.setattr(engine.loading, "warm_up", fail)
    with pytest.raises(RecognizerError, match="the shapes do not fit"):
        bring_up(files("a"), "cpu")


def test_an_unknown_family_is_one_line() -> None:
    strange = replace(files("a"), spec=replace(files("a").spec, family="strange"))
    with pytest.raises(RecognizerError, match="no recogniser for the family 'strange'"):
        bring_up(strange, "auto")
