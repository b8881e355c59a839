"""The engine's only public door: start, stop, pause, move the slider, swap model or source."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from engine.bus import CaptionBus
from engine.config import EngineConfig, LatencyProfile, Provider
from engine.errors import CaptionglassError
from engine.inlet import Inlet
from engine.loading import keep_memory_together
from engine.sinks.base import Sink
from engine.sources.base import Source
from engine.sources.inventory import Inventory
from engine.sources.platforms import open_inventory
from engine.stats import StatsCollector
from engine.supervisor import Supervisor
from engine.types import EngineStats, Notice, StreamSummary
from engine.watched import SourceOpener
from engine.worker import Worker
from models.spec import ModelFiles


class _Desk:
    """Takes what the supervisor has to say to the inference thread."""

    def __init__(self, worker: Worker, bus: CaptionBus) -> None:
        self._worker = worker
        self._bus = bus

    def succeed(self, index: int, inlet: Inlet) -> None:
        self._worker.post(lambda: self._worker.succeed(index, inlet))

    def slept(self, seconds: float) -> None:
        self._worker.post(lambda: self._worker.slept(seconds))

    def tell(self, notice: Notice) -> None:
        self._worker.post(lambda: self._bus.notice(notice))


class Session:
    """Captions of some sources, to some sinks, until the sound ends or ``stop``.

    Every method may be called from any thread, and none but ``wait`` and ``stop`` waits.
    """

    def __init__(
        self,
        config: EngineConfig,
        sources: Sequence[Source],
        sinks: Sequence[Sink] = (),
        supervise: Sequence[SourceOpener | None] | None = None,
        inventory: Callable[[], Inventory] = open_inventory,
    ) -> None:
        """Args:
        config: model, detector, slider, provider.
        sources: one for each lane.
        sinks: where captions go; more may be added later.
        supervise: for each source, in their order, how it is opened anew where it breaks off,
            and None for one that ends when it ends; where not given, the sources themselves tell.
        inventory: gives the devices there are, to whoever watches over these sources.
        """
        if not sources:
            raise ValueError("a session needs a source")
        self._stats = StatsCollector()
        self._bus = CaptionBus(sinks)
        inlets = [Inlet(source) for source in sources]
        openers = map(SourceOpener.of, sources) if supervise is None else supervise
        watched = {
            index: (inlets[index], opener)
            for index, opener in enumerate(openers)
            if opener is not None
        }
        self._worker = Worker(config, inlets, self._bus, self._stats, watched)
        self._supervisor = Supervisor(watched, _Desk(self._worker, self._bus), inventory)
        self._thread = threading.Thread(
            target=self._run, name="captionglass-inference", daemon=True
        )

    @property
    def error(self) -> CaptionglassError | None:
        """Why the session failed, or None."""
        return self._worker.error

    @property
    def profile(self) -> LatencyProfile:
        """Where the slider stands."""
        return self._worker.profile

    def start(self) -> None:
        """Load the model and begin, on a thread of its own. Returns at once; failures show in
        ``error`` and as a Notice."""
        keep_memory_together()
        self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all sources have ended and every caption is delivered, or it failed.

        Args:
            timeout: seconds; None for as long as it takes.

        Returns:
            Whether it is over.
        """
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def stop(self, timeout: float = 5.0) -> StreamSummary:
        """Stop the sources, caption what was heard, close the sinks. May be called twice.

        Args:
            timeout: seconds to wait for all that.
        """
        self._supervisor.rest()
        self._worker.halt()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return self._stats.summary()

    def pause(self) -> None:
        """Stop looking at the sound. The stream clock goes on."""
        self._worker.want(paused=True)

    def resume(self) -> None:
        """Look at the sound again."""
        self._worker.want(paused=False)

    def set_profile(self, profile: LatencyProfile) -> None:
        """Move the slider; holds from the next decode on."""
        self._worker.want(profile=profile)

    def set_denoiser(self, files: ModelFiles | None) -> None:
        """Take noise out with another denoiser, or with none. It is loaded beside the running
        lanes; if it will not load, a Notice says why and captions go on as before."""
        self._worker.suppression.ask(files)

    def set_auto_gain(self, on: bool) -> None:
        """Make voices louder that are too quiet to be recognised well, or leave them."""
        self._worker.want(auto_gain=on)

    def swap_model(
        self, files: ModelFiles, at: float = 0.0, provider: Provider | None = None
    ) -> None:
        """Go over to another model without losing a word: it is loaded and warmed beside the
        running one and takes over at a word gap. If it will not, a Notice says why and the old one
        goes on. A swap that was asked for before and has not happened is given up.

        Args:
            files: the other model; or the same, to change the provider.
            at: seconds of the stream clock not to swap before.
            provider: the one to ask for from now on; None for the same as before.
        """
        self._worker.model.ask(files, at, provider)

    def swap_source(self, index: int, source: Source) -> None:
        """Replace a source; what was heard of the old one is captioned first. A device is watched
        over as at the start."""
        inlet, opener = Inlet(source), SourceOpener.of(source)
        self._worker.post(lambda: self._worker.add_lane(index, inlet, watched=opener is not None))
        self._supervisor.exchange(index, inlet, opener)

    def _run(self) -> None:
        try:
            self._supervisor.start()
            self._worker.run()
        finally:
            self._supervisor.stop()

    def add_sink(self, sink: Sink) -> None:
        """One sink more; it is opened before the next update."""
        self._bus.add(sink)

    def stats(self) -> EngineStats:
        """The figures now."""
        worker = self._worker
        model = worker.model
        return self._stats.snapshot(
            EngineStats(
                state=worker.state,
                model_id=model.id,
                provider=model.provider,
                provider_asked=model.provider_asked,
                provider_reason=model.provider_reason,
                warm_up_ms=1000.0 * model.warm_up_s,
                next_model_id=model.next_id,
                denoiser_id=worker.suppression.id,
            )
        )
