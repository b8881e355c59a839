"""The inference loop: the one thread that owns the recogniser and gives captions to the bus."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence

from engine.bus import CaptionBus
from engine.config import EngineConfig, LatencyProfile
from engine.errors import CaptionglassError, DeviceBusyError, RecognizerError, SourceError
from engine.faults import broken, heard_again, skipped
from engine.feed import Feed
from engine.frontend import FrontEnd, Gate
from engine.inlet import Inlet, StreamClock
from engine.lane import LanePipeline
from engine.pace import Pace
from engine.policy import Policy
from engine.punctuation import Punctuation, load_punctuator
from engine.punctuator import Punctuator
from engine.recognizers.base import language_for
from engine.sources.base import Source
from engine.stats import StatsCollector
from engine.suppression import Suppression
from engine.swap import RunningModel
from engine.types import CaptionUpdate, Notice, State, StreamHeader
from engine.vad import SileroVad

log = logging.getLogger(__name__)

_MOST_COMMANDS = 64
_IDLE_S = 0.015
"""How long the loop sleeps where nothing waits: a device delivers every 20 ms."""
_QUIET_S = 0.04
"""The same while nobody speaks: a few milliseconds later, for half the wake-ups."""
_FAR_BEHIND_S = 2.0
_CATCH_UP_TO_S = 0.3
"""Seconds of sound waiting from which the oldest is thrown away, and what is kept."""
_GAIN = 0.25
"""Seconds by which each second has to shorten what waited while the model was loading."""


class Worker:
    """Runs on its own thread; everything but ``post``, ``want``, ``halt`` and
    ``model.ask`` belongs to it."""

    def __init__(
        self,
        config: EngineConfig,
        inlets: Sequence[Inlet],
        bus: CaptionBus,
        stats: StatsCollector,
        watched: Collection[int] = (),
    ) -> None:
        """Args:
        config: model, detector, slider, provider.
        inlets: one for each lane.
        bus: where captions go.
        stats: told what is done.
        watched: the lanes whose source somebody opens anew where it breaks off. Theirs are
            started before the model is loaded, and the session does not end with them.
        """
        self.config = config
        self.state: State = "starting"
        self.model = RunningModel(config, bus)
        self.suppression = Suppression(config.denoiser, len(inlets))
        self.paused = False
        self.profile = config.profile
        self.error: CaptionglassError | None = None
        self._inlets = list(inlets)
        self._watched = set(watched)
        self._successors: dict[int, list[Inlet]] = {}
        self._clock = StreamClock()
        self._backlog = (0.0, 0.0)  # since when (monotonic) how many seconds waited at the start
        self._lost_before = 0  # by sources that were replaced
        self._told_broken: list[Source] = []
        self._bus = bus
        self._stats = stats
        self._feeds: list[Feed] = []
        self._ids = itertools.count()
        self._commands: queue.Queue[Callable[[], None]] = queue.Queue(maxsize=_MOST_COMMANDS)
        self._wanted_pause = False
        self._wanted_gain = config.auto_gain
        self._halt = threading.Event()
        self._pace = Pace()
        self._punctuator: Punctuator | None = None

    # -- any thread ---------------------------------------------------------------------------

    def post(self, command: Callable[[], None]) -> None:
        """Run something on the inference thread, between two turns.

        Raises:
            RecognizerError: so much waits already that the thread must be stuck.
        """
        try:
            self._commands.put_nowait(command)
        except queue.Full:
            raise RecognizerError("the engine does not answer", "start again") from None

    def want(
        self,
        *,
        profile: LatencyProfile | None = None,
        paused: bool | None = None,
        auto_gain: bool | None = None,
    ) -> None:
        """Move the slider, pause or go on, amplify quiet voices or not; the next turn sees it."""
        # An attribute, each set at once: wishes of two threads cannot undo one another.
        if paused is not None:
            self._wanted_pause = paused
        if profile is not None:
            self.profile = profile
        if auto_gain is not None:
            self._wanted_gain = auto_gain

    def halt(self) -> None:
        """Stop after what waits in the rings."""
        self._halt.set()
        self.model.close()

    # -- the inference thread -----------------------------------------------------------------

    def run(self) -> None:
        """The thread's whole life."""
        opened = False
        try:
            refusal = self._start_devices()
            self.model.load()
            fronts, told = self.suppression.fronts(auto_gain=self._wanted_gain)
            self._punctuator, failed = load_punctuator(self.config.punctuator)
            self._feeds = list(map(self._feed, self._inlets, fronts))
            self._bus.open(self._header())
            opened = True
            self.model.tell_provider()
            for notice in (*told, *failed):
                self._bus.notice(notice)
            if refusal is not None:
                raise refusal
            self._backlog = (time.monotonic(), max(feed.lag_s for feed in self._feeds))
            for number, inlet in enumerate(self._inlets):
                if number not in self._watched:
                    inlet.start()
            if self.state == "starting":
                self.state = "paused" if self.paused else "running"
            self._loop()
        except CaptionglassError as error:
            self._fail(error)
        except Exception as error:
            log.exception("the inference thread failed")
            self._fail(RecognizerError(f"captions stopped: {type(error).__name__}", "start again"))
        finally:
            self._wind_up(opened)

    def add_lane(self, index: int, fresh: Inlet, *, watched: bool) -> None:
        """Replace the source at ``index``; what was heard of the old one is finished first.

        Args:
            watched: somebody opens it anew where it breaks off.
        """
        old = self._feeds[index]
        self._watched.discard(index)
        if watched:
            self._watched.add(index)
        for inlet in (old.inlet, *self._successors.pop(index, ())):
            inlet.stop()
        self._publish(old, old.finish())
        self._lost_before += old.lost
        old.front.restart()
        self._feeds[index] = self._feed(fresh, old.front, old.lane.heard_s)
        try:
            fresh.start()
        except SourceError as error:
            if index not in self._watched:
                self._tell_broken(fresh.source, error)

    def succeed(self, index: int, inlet: Inlet) -> None:
        """The source of a watched lane was opened anew: go on with it once all is taken of the
        one that broke off."""
        self._successors.setdefault(index, []).append(inlet)

    def slept(self, seconds: float) -> None:
        """The machine slept, and the clock that sound is measured by with it."""
        self._clock.slept(seconds)

    def _start_devices(self) -> SourceError | None:
        """Start the watched sources: people speak while a model loads.

        Returns:
            Why none of the session's sources could be started; None where one could, or where
            waiting for it may help.
        """
        refusals: list[SourceError] = []
        for number in sorted(self._watched):
            try:
                self._inlets[number].start()
            except SourceError as error:
                refusals.append(error)
        if len(refusals) < len(self._inlets):
            return None
        if any(isinstance(refusal, DeviceBusyError) for refusal in refusals):
            return None
        return refusals[0]

    def _follow_wishes(self) -> None:
        self.paused = self._wanted_pause
        policy = Policy.at(self.profile)
        for feed in self._feeds:
            feed.front.auto_gain = self._wanted_gain
            if feed.lane.policy != policy:
                feed.lane.policy = policy
                self._stats.slider_moved()
        if self.state in ("running", "paused"):
            self.state = "paused" if self.paused else "running"

    def _loop(self) -> None:
        while True:
            self._obey()
            turn = time.monotonic()
            moved = 0.0
            for number, feed in enumerate(self._feeds):
                self._catch_up(feed)
                began = time.monotonic()
                # A file read as fast as it goes is looked at as an endless fast machine would.
                stride = self._stride() if feed.source.live else 1.0
                updates, seconds = feed.take(paused=self.paused, stride=stride)
                self._pace.learn(time.monotonic() - began, captioned=bool(updates))
                if feed.first_captured_at is not None:
                    self._bus.mark_first_sample(feed.first_captured_at)
                self._publish(feed, updates)
                if feed.gap is not None:
                    source = feed.source
                    self._bus.notice(heard_again(source.lane, source.description, feed.gap))
                for notice in feed.notices:
                    self._bus.notice(notice)
                if feed.ended:
                    self._follow_up(number, feed)
                moved += seconds
            if moved:
                self._account(moved, time.monotonic() - turn)
                continue
            if all(map(self._is_over, range(len(self._feeds)))):
                return
            if self._halt.is_set():
                # The sources are stopped, so their rings are closed: what is left is drained.
                if all(feed.ring.closed for feed in self._feeds):
                    continue
                self._halt_sources()
                continue
            listening = any(feed.lane.engaged for feed in self._feeds)
            time.sleep(_IDLE_S if listening else _QUIET_S)

    def _obey(self) -> None:
        if self._halt.is_set():
            self._halt_sources()
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                break
            command()
        self._follow_wishes()
        for notice in self.suppression.follow(self._feeds):
            self._bus.notice(notice)
        if self.model.follow(self._feeds, self._publish):
            self._pace.forget()

    def _is_over(self, number: int) -> bool:
        """Nothing more comes of this lane. A watched one has hope until it is stopped."""
        awaited = number in self._watched and not self._halt.is_set()
        return self._feeds[number].ended and not awaited and not self._successors.get(number)

    def _follow_up(self, number: int, feed: Feed) -> None:
        """A source has ended: go on with the next one of its lane, or tell that it broke off."""
        if waiting := self._successors.get(number):
            feed.follow(waiting.pop(0))
            return
        error = None if number in self._watched else feed.ring.error
        if error is not None and not all(map(self._is_over, range(len(self._feeds)))):
            self._tell_broken(feed.source, error)

    def _halt_sources(self) -> None:
        for feed in self._feeds:
            feed.source.stop()
            feed.ring.close()

    def _account(self, moved: float, took: float) -> None:
        self._stats.computed(moved, took)
        lag = max(feed.lag_s for feed in self._feeds)
        self._stats.behind(lag, self._lost_before + sum(feed.lost for feed in self._feeds))
        self._say_if_slow()

    def _stride(self) -> float:
        speaking = sum(feed.lane.endpointer.speaking for feed in self._feeds)
        return self._pace.stride(Policy.at(self.profile).step, speaking)

    def _say_if_slow(self) -> None:
        live = any(feed.source.live for feed in self._feeds)
        if self._pace.has_to_be_told(self._stride() if live else 1.0, time.monotonic()):
            self._bus.notice(
                Notice(
                    "engine.slow",
                    "warning",
                    f"this computer is slow for {self.model.id} at {self.profile.name}: captions"
                    " come less often",
                    self.model.advice,
                )
            )

    def _catch_up(self, feed: Feed) -> None:
        if not feed.source.live:
            return
        began, backlog = self._backlog
        # What was said while the model was loading is caught up with, where the machine can.
        still = max(0.0, backlog - _GAIN * (time.monotonic() - began))
        heard = feed.lane.heard_s
        updates, seconds = feed.catch_up(_FAR_BEHIND_S + still, _CATCH_UP_TO_S)
        self._publish(feed, updates)
        if seconds:
            self._pace.threw_away()
            gap = (heard, feed.lane.heard_s)
            self._bus.notice(skipped(feed.source.lane, gap, seconds))

    def _tell_broken(self, source: Source, error: SourceError) -> None:
        if source not in self._told_broken:
            self._told_broken.append(source)
            self._bus.notice(broken(source.lane, error))

    def _publish(self, feed: Feed, updates: Sequence[CaptionUpdate]) -> None:
        for update in updates:
            self._bus.publish(update)
            self._stats.published(update, feed.spoken_at, time.monotonic())

    def _feed(self, inlet: Inlet, front: FrontEnd, begins_at: float = 0.0) -> Feed:
        recognizer = self.model.recognizer
        lane = LanePipeline(
            inlet.source.lane,
            recognizer,
            Gate(SileroVad(self.config.vad), front),
            Policy.at(self.profile),
            lambda: next(self._ids),
            language_for(recognizer.spec, self.config.language),
        )
        lane.recover = self.model.recover
        lane.text.script = self.config.chinese_script
        if self._punctuator is not None:
            lane.punctuation = Punctuation(self._punctuator)
        return Feed(
            inlet.source,
            lane,
            self._stats,
            begins_at,
            inlet=inlet,
            clock=self._clock,
            front=front,
        )

    def _header(self) -> StreamHeader:
        return StreamHeader(
            version=self.config.version,
            model_id=self.model.id,
            provider=self.model.provider,
            profile=self.profile.name,
            sample_rate=self._inlets[0].source.sample_rate,
            source=", ".join(inlet.source.description for inlet in self._inlets),
        )

    def _fail(self, error: CaptionglassError) -> None:
        self.error = error
        self.state = "failed"
        self._bus.notice(Notice("engine.failed", "error", error.message, error.remedy, False))

    def _wind_up(self, opened: bool) -> None:
        self.model.close()
        waiting = [inlet for inlets in self._successors.values() for inlet in inlets]
        for inlet in (*self._inlets, *waiting):  # also those that never got as far as a feed
            inlet.stop()
        for feed in self._feeds:
            feed.source.stop()
            try:
                self._publish(feed, feed.finish() if self.state != "failed" else [])
            except CaptionglassError as error:
                self._fail(error)
            # Where the model failed in mid-line, what it had settled by then is still a line.
            self._publish(feed, feed.lane.lines.finish(time.monotonic()))
        self.model.end()
        errors = [
            feed.ring.error
            for number, feed in enumerate(self._feeds)
            if number not in self._watched and feed.ring.error is not None
        ]
        if errors and self.error is None:
            self._fail(errors[0])
        if self.state != "failed":
            self.state = "stopped"
        if opened:
            self._bus.close(self._stats.summary())
