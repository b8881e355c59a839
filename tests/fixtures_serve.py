"""A server without an engine: a controller that remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.serve.controller import (
    Appearance,
    ControlState,
    ModelRow,
    NotNowError,
    PresetRow,
)
from desktop_app.serve.guard import Limits
from engine.config import LatencyProfile
from engine.errors import UnknownModelError, UsageError
from engine.types import CaptionUpdate, EngineStats, StreamHeader

TOKEN = "a token-with/odd+signs ü"
HEADER = StreamHeader("0", "fake-model", "cpu", "balanced", 16_000, "fake")
FREE = Limits(requests_per_s=1e6, burst=10**6, wrong_per_s=1e6, wrong_burst=10**6)
"""Rates that no test reaches."""


class FakeController:
    """Keeps to the protocol, and does nothing.

    Attributes:
        calls: what was asked, in order.
        hold: cleared, every call waits.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.profile = LatencyProfile(50.0)
        self.source = "mic"
        self.model = "fake-model"
        self.paused = False
        self.preset = ""
        self.look = Appearance(lane_names={"mic": "You", "system": "Others"})
        self.hold = threading.Event()
        self.hold.set()

    def state(self) -> ControlState:
        self.hold.wait(20.0)
        return ControlState(
            state="paused" if self.paused else "running",
            source=self.source,
            listening_to="a microphone",
            model=self.model,
            next_model="",
            provider="cpu",
            slider=self.profile.position,
            profile=self.profile.name,
            language="",
            error="",
            preset=self.preset,
        )

    def stats(self) -> EngineStats:
        return EngineStats(
            "running",
            level_dbfs={"mic": float("-inf")},
            speaking=frozenset({"mic"}),
        )

    def start(self) -> None:
        self.calls.append(("start",))
        self.paused = False

    def pause(self) -> None:
        self.calls.append(("pause",))
        self.paused = True

    def set_slider(self, profile: LatencyProfile) -> None:
        self.calls.append(("slider", profile.position))
        self.profile = profile

    def set_source(self, source: str) -> None:
        if source not in ("mic", "system", "both"):
            raise UsageError(f"no such source: {source!r}", "use mic, system or both")
        self.calls.append(("source", source))
        self.source = source

    def models(self) -> Sequence[ModelRow]:
        return [ModelRow("fake-model", "Fake", ("en",), 1, True, True)]

    def switch_model(self, model_id: str) -> None:
        if model_id == "not-here":
            raise NotNowError("not-here is not installed", "captionglass models get not-here")
        if model_id not in ("fake-model", "fake-zh"):
            raise UnknownModelError(f"no model is called {model_id!r}", "did you mean fake-model?")
        self.calls.append(("model", model_id))
        self.model = model_id

    def best_model(self, language: str) -> str:
        if language.partition("-")[0] not in ("en", "zh"):
            raise UnknownModelError(f"no model captions the language {language!r}")
        return "fake-zh" if language.startswith("zh") else "fake-model"

    def presets(self) -> Sequence[PresetRow]:
        names = ("Meeting", "Quiet talk")
        return [PresetRow(name, name != "Meeting", name == self.preset) for name in names]

    def use_preset(self, name: str) -> None:
        if name not in ("Meeting", "Quiet talk"):
            raise UsageError(f"no preset is called {name!r}", "there are Meeting, Quiet talk")
        self.calls.append(("preset", name))
        self.preset = name
        self.look = replace(self.look, theme="light")

    def appearance(self) -> Appearance:
        return self.look


class Served:
    """A running server and its controller."""

    def __init__(self, **options: Any) -> None:
        # Not at the top: every run of any test loads this file.
        from desktop_app.serve.server import WebServer

        self.controller = FakeController()
        options.setdefault("limits", FREE)
        token, port = options.pop("token", TOKEN), options.pop("port", 0)
        self.server = WebServer(self.controller, token, port, **options)
        self.server.start()
        self.sink = self.server.sink
        self.sink.open(HEADER)

    @property
    def address(self) -> str:
        return self.server.address

    @property
    def host(self) -> str:
        return self.address.removeprefix("http://")

    def say(self, *updates: CaptionUpdate) -> None:
        """As the engine would."""
        for update in updates:
            self.sink.update(update, 0.0)


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Makes servers; they are stopped at the end."""
    made: list[Served] = []

    def make(**options: Any) -> Served:
        made.append(Served(**options))
        return made[-1]

    yield make
    for each in made:
        each.controller.hold.set()
        each.server.stop()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """A server on a free port of loopback."""
    return serve()
