"""A session without an engine, and its start: what the windows are tested against."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from desktop_app.application.startup import Cancelled, Started, Wish
from engine.config import EngineConfig, LatencyProfile, Provider
from engine.errors import CaptionglassError
from engine.sinks.base import Sink
from engine.sources.base import Source
from engine.types import CaptionUpdate, EngineStats, Notice, StreamHeader, StreamSummary
from models.spec import ModelFiles


def caption(
    stable: str,
    unstable: str = "",
    *,
    segment: int = 0,
    revision: int = 0,
    final: bool = False,
    correction: bool = False,
    lane: str = "mic",
) -> CaptionUpdate:
    """A caption update with times that nobody looks at."""
    return CaptionUpdate(
        lane=lane,
        segment_id=segment,
        revision=revision,
        stable=stable,
        unstable=unstable,
        start=float(segment),
        end=segment + 1.0,
        heard_at=0.0,
        is_final=final,
        correction=correction,
    )


SUMMARY = StreamSummary(
    audio_s=1.0,
    compute_s=0.3,
    rtf=0.3,
    cores=0.4,
    lost_samples=0,
    peak_rss_mb=100.0,
    segments=1,
    words=3,
)


class FakeSession:
    """Looks like ``engine.session.Session``; a test says what happens.

    Attributes:
        calls: the names of the methods called, in order.
        state: what ``stats`` reports; set it.
        asked: what it was told last, by what it is about.
    """

    def __init__(
        self,
        config: EngineConfig | None = None,
        sources: Sequence[Source] = (),
        sinks: Sequence[Sink] = (),
    ) -> None:
        self.config = config
        self.sources = list(sources)
        self.sinks = list(sinks)
        self.calls: list[str] = []
        self.asked: dict[str, object] = {}
        self.error: CaptionglassError | None = None
        self.profile = config.profile if config else LatencyProfile(50.0)
        self.numbers = EngineStats("starting", model_id="fake-model", provider="cpu")

    def start(self) -> None:
        self.calls.append("start")

    def add_sink(self, sink: Sink) -> None:
        self.sinks.append(sink)
        if self.numbers.state != "starting":
            self._open(sink)

    def run(self) -> None:
        """The model is loaded: sinks are opened, sound is taken in."""
        self.numbers = replace(self.numbers, state="running")
        for sink in self.sinks:
            self._open(sink)

    def _open(self, sink: Sink) -> None:
        sink.open(StreamHeader("0", "fake-model", "cpu", self.profile.name, 16_000, "fake"))

    def say(self, *updates: CaptionUpdate) -> None:
        for update in updates:
            for sink in self.sinks:
                sink.update(update, 0.0)

    def note(self, notice: Notice) -> None:
        for sink in self.sinks:
            sink.notice(notice)

    def fail(self, error: CaptionglassError) -> None:
        self.error = error
        self.numbers = replace(self.numbers, state="failed")

    def stop(self, timeout: float = 5.0) -> StreamSummary:
        del timeout
        if "stop" not in self.calls:
            for source in self.sources:
                source.stop()
            for sink in self.sinks:
                sink.close(SUMMARY)
            self.numbers = replace(self.numbers, state="stopped")
        self.calls.append("stop")
        return SUMMARY

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        return self.numbers.state in ("stopped", "failed")

    def pause(self) -> None:
        self.calls.append("pause")
        self.numbers = replace(self.numbers, state="paused")

    def resume(self) -> None:
        self.calls.append("resume")
        self.numbers = replace(self.numbers, state="running")

    def set_profile(self, profile: LatencyProfile) -> None:
        self.calls.append("set_profile")
        self.profile = profile

    def swap_model(
        self, files: ModelFiles, at: float = 0.0, provider: Provider | None = None
    ) -> None:
        del at
        self.calls.append("swap_model")
        self.asked = {"model": files.spec.id, "provider": provider}

    def set_denoiser(self, files: ModelFiles | None) -> None:
        self.calls.append("set_denoiser")
        self.asked = {"denoiser": files.spec.id if files else None}

    def set_auto_gain(self, on: bool) -> None:
        self.calls.append("set_auto_gain")
        self.asked = {"auto_gain": on}

    def stats(self) -> EngineStats:
        return self.numbers


class FakeStart:
    """Stands for ``start_session``: fakes sessions, or fails as it is told.

    Args:
        make: builds a session for a wish and the window's sink.
        running: each has its model loaded at once.

    Attributes:
        sessions, wishes: of every call, in order.
        error: raise it instead.
        notices: what has to be said about the source.
        hold: clear it, and sessions wait in coming up.
    """

    def __init__(
        self,
        make: Callable[[Wish, Sink], Any] = lambda _, sink: FakeSession(sinks=[sink]),
        *,
        running: bool = False,
    ) -> None:
        self._make = make
        self._running = running
        self.sessions: list[Any] = []
        self.wishes: list[Wish] = []
        self.error: Exception | None = None
        self.notices: tuple[Notice, ...] = ()
        self.hold = threading.Event()
        self.hold.set()

    def __call__(
        self,
        wish: Wish,
        sink: Sink,
        say: Callable[[str], object],
        cancel: threading.Event,
        make_session: object = None,
    ) -> Started:
        del make_session
        self.wishes.append(wish)
        say("Loading the model…")
        while not self.hold.wait(0.01):
            if cancel.is_set():
                raise Cancelled
        if self.error is not None:
            raise self.error
        session = self._make(wish, sink)
        self.sessions.append(session)
        session.start()
        if self._running:
            session.run()
        return Started(session, "a microphone", self.notices)

    @property
    def last(self) -> Any:
        """The newest session."""
        return self.sessions[-1]
