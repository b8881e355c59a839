"""Models that load as a test says, and fail as it says.

- ``Shelf`` stands in for loading weights (put it in the place of ``engine.loading.load``): it makes
  a recogniser for each id, remembers what was loaded and on which provider, and whether what it
  made is still held by anybody.
- ``Trouble`` makes the recognisers of one shelf raise, at chosen decodes or on chosen providers.
- ``OneSmaller`` knows one smaller model to go on with.
- ``FakeRuntime`` stands in for the module ``onnxruntime``: a runtime that lies about its providers,
  prints what the real one prints, and has sessions that raise.
"""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from fake_recognizer import SPEC, Ask, Indices, Listener, Said

from engine.recognizers.base import Token
from models.smaller import SmallerModels
from models.spec import ModelFiles, ModelSpec

LIMIT_S = 20.0
"""Far above what anything here takes."""


def files(name: str) -> ModelFiles:
    """Of the model of this id."""
    return ModelFiles(replace(SPEC, id=name, title=name.title()), Path("nowhere"))


class OneSmaller(SmallerModels):
    """Knows one smaller model, whatever is in the store.

    Args:
        other: it.
    """

    def __init__(self, other: ModelFiles) -> None:
        self._other = other

    def named(self, spec: ModelSpec) -> ModelSpec | None:
        return self._other.spec if spec.id != self._other.spec.id else None

    def installed(self, spec: ModelSpec) -> ModelFiles | None:
        return self._other if spec.id != self._other.spec.id else None


def named(words: Sequence[Said], name: str) -> list[Said]:
    """The same words as the model of this name writes them: ``word/name``."""
    return [replace(word, text=f"{word.text}/{name}") for word in words]


class Trouble:
    """When decodes raise; shared by all models of a shelf, however often they are loaded.

    Args:
        at: numbers of the decodes, counted from 0 over all models, warm-ups left out.
        on: providers on which every decode raises.
        error: makes what is raised.
    """

    def __init__(
        self,
        at: Sequence[int] = (),
        on: Sequence[str] = (),
        error: Callable[[], Exception] = lambda: RuntimeError("the device was lost"),
    ) -> None:
        self.at = set(at)
        self.on = set(on)
        self.error = error
        self.decodes = 0
        self.raised = 0

    def look(self, provider: str) -> None:
        """Raise where it is time to."""
        number = self.decodes
        self.decodes += 1
        if number in self.at or provider in self.on:
            self.raised += 1
            raise self.error()


class ShelfModel(Listener):
    """A listener that writes its name behind every word."""

    def __init__(self, words: Sequence[Said], name: str, provider: str, trouble: Trouble) -> None:
        super().__init__(named(words, name))
        self.spec = files(name).spec
        self.provider = provider
        self._trouble = trouble

    def heard(self, ask: Ask, samples: Indices) -> Sequence[Token]:
        """As a listener, unless there is trouble."""
        self._trouble.look(self.provider)
        return super().heard(ask, samples)


class Shelf:
    """Stands in for ``engine.recognizers.base.load``.

    Args:
        words: what is said, whichever model listens.

    Attributes:
        providers: those that really work; a model asked for another runs on the processor.
        fails_with: raised for the model of an id.
        gates: loading the model of an id waits for its gate.
        loads: (id, provider) of each load, in order.
        made: (id, weak reference) of each model made.
        began: set for each id once its loading has begun.
    """

    def __init__(self, words: Sequence[Said]) -> None:
        self.words = list(words)
        self.providers = {"cpu"}
        self.trouble = Trouble()
        self.fails_with: dict[str, Exception] = {}
        self.gates: dict[str, threading.Event] = {}
        self.began: dict[str, threading.Event] = {}
        self.loads: list[tuple[str, str]] = []
        self.made: list[tuple[str, weakref.ref[ShelfModel]]] = []
        self.breaches: list[str] = []

    def __call__(self, asked: ModelFiles, provider: str) -> ShelfModel:
        name = asked.spec.id
        self.loads.append((name, provider))
        self.began.setdefault(name, threading.Event()).set()
        if gate := self.gates.get(name):
            assert gate.wait(LIMIT_S)
        if name in self.fails_with:
            raise self.fails_with[name]
        given = provider
        if provider == "auto":
            given = next((other for other in self.providers if other != "cpu"), "cpu")
        model = ShelfModel(
            self.words, name, given if given in self.providers else "cpu", self.trouble
        )
        model.breaches = self.breaches
        self.made.append((name, weakref.ref(model)))
        return model

    def alive(self) -> list[str]:
        """Ids of the models that somebody still holds."""
        gc.collect()
        return [name for name, model in self.made if model() is not None]


class FakeRuntime:
    """Works like the module ``onnxruntime`` as far as it is asked.

    Args:
        built_in: long names of the providers it says it knows.
        gives: what a session says it runs on, whatever was asked for; None for what was asked.
        prints: written to standard error while a session is made, as a C library does.
        refuses: raised instead of making a session.
        breaks: raised by ``run``.

    Attributes:
        sessions: (options, providers) of each session made.
        preloads: how often it was told to look for the libraries of CUDA.
    """

    __version__ = "0.0"

    def __init__(
        self,
        built_in: Sequence[str] = ("CPUExecutionProvider",),
        *,
        gives: str | None = None,
        prints: str = "",
        refuses: Exception | None = None,
        breaks: Exception | None = None,
    ) -> None:
        self.built_in = list(built_in)
        self.sessions: list[tuple[Any, list[Any]]] = []
        self.preloads = 0
        self.telling = True
        self.GraphOptimizationLevel = SimpleNamespace(ORT_ENABLE_ALL="all")
        self.ExecutionMode = SimpleNamespace(ORT_SEQUENTIAL="sequential")
        self._gives = gives
        self._prints = prints
        self._refuses = refuses
        self._breaks = breaks

    def get_available_providers(self) -> list[str]:
        """What was built in, whether it would start or not."""
        return self.built_in

    def preload_dlls(self) -> None:
        """Count it, and chatter as the real one does."""
        self.preloads += 1
        print("Failed to load libcudart.so.13")  # noqa: T201

    def disable_telemetry_events(self) -> None:
        self.telling = False

    def SessionOptions(self) -> SimpleNamespace:  # noqa: N802
        """An object that takes every option."""
        entries: dict[str, str] = {}
        return SimpleNamespace(entries=entries, add_session_config_entry=entries.__setitem__)

    def InferenceSession(  # noqa: N802
        self, blob: bytes, options: Any, providers: list[Any]
    ) -> SimpleNamespace:
        """A session that doubles, or lies, or raises."""
        assert isinstance(blob, bytes)
        self.sessions.append((options, providers))
        os.write(2, self._prints.encode())
        if self._refuses is not None:
            raise self._refuses
        asked = [name if isinstance(name, str) else name[0] for name in providers]
        running = asked if self._gives is None else [self._gives, "CPUExecutionProvider"]

        def run(names: object, feeds: dict[str, Any]) -> list[Any]:
            del names
            if self._breaks is not None:
                raise self._breaks
            return [np.add(value, value) for value in feeds.values()]

        return SimpleNamespace(get_providers=lambda: running, run=run)
