"""From what was asked for to a session that runs. No Qt: it works on a thread of its own, while
the window can already be seen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from desktop_app.outputs.running import RunningOutputs
from desktop_app.outputs.wanted import Outputs, outputs_of
from engine.errors import CaptionglassError, DeviceError, ModelError

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from engine.config import ChineseScript, Denoise, EngineConfig, LatencyProfile, Provider
    from engine.sinks.base import Sink
    from engine.sources.base import Source
    from engine.types import EngineStats, Notice, StreamSummary
    from models.spec import ModelFiles, ModelSpec
    from models.store import ModelStore


class CaptionSession(Protocol):
    """What the application asks of ``engine.session.Session``."""

    @property
    def error(self) -> CaptionglassError | None: ...
    def start(self) -> None: ...
    def stop(self, timeout: float = 5.0) -> StreamSummary: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def set_profile(self, profile: LatencyProfile) -> None: ...
    def swap_model(
        self, files: ModelFiles, at: float = 0.0, provider: Provider | None = None
    ) -> None: ...
    def set_denoiser(self, files: ModelFiles | None) -> None: ...
    def set_auto_gain(self, on: bool) -> None: ...
    def add_sink(self, sink: Sink) -> None: ...
    def stats(self) -> EngineStats: ...


class MakeSession(Protocol):
    """Whatever builds a session; ``engine.session.Session`` itself."""

    def __call__(
        self, config: EngineConfig, sources: Sequence[Source], sinks: Sequence[Sink], /
    ) -> CaptionSession: ...


@dataclass(frozen=True, slots=True)
class OverlayOptions:
    """What the command line asked for; None leaves it to the settings.

    Attributes:
        source: as ``pick_sources`` takes it.
        model: id of a recogniser.
        profile: a stop's name or a number from 0 to 100.
        provider: ``auto`` leaves it to the settings.
        language: BCP 47 code; empty leaves it to the settings.
        new: open another overlay beside one that runs.
        preset: name of a preset to begin with; None for the settings as they are.
        settings: open the settings too.
        first_run: show the first steps, and open nothing before: because they are due, nothing
            having been chosen yet, or because they were asked for.
        debug: show tracebacks.
    """

    source: str | None = None
    model: str | None = None
    profile: str | None = None
    provider: Provider = "auto"
    language: str = ""
    new: bool = False
    preset: str | None = None
    settings: bool = False
    first_run: Literal["", "due", "asked"] = ""
    debug: bool = False


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
    """The window was closed meanwhile."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What shall run.

    Attributes:
        model: id of the recogniser.
        source: as ``pick_sources`` takes it.
        profile: where on the slider.
        provider: the execution provider asked for.
        language: BCP 47 code, or empty.
        denoise: how much noise to take out.
        auto_gain: make quiet voices louder.
        chinese_script: which characters Chinese is written in.
        hotwords: phrases to be heard more readily.
        blank_penalty: what silence costs in models that can be made to say more.
        punctuate: set full stops for models that give none.
        isolated: run the recogniser in a process of its own.
        outputs: where captions go beside the window.
    """

    model: str
    source: str
    profile: LatencyProfile
    provider: Provider
    language: str = ""
    denoise: Denoise = "off"
    auto_gain: bool = True
    chinese_script: ChineseScript = "as-is"
    hotwords: tuple[str, ...] = ()
    blank_penalty: float = 0.0
    isolated: bool = False
    punctuate: bool = False
    outputs: Outputs = field(default_factory=Outputs)


def wish_for(options: OverlayOptions, settings: Settings, profile: LatencyProfile) -> Wish:
    """What shall run, by the command line and the settings."""
    source = options.source or settings.source
    return Wish(
        model=options.model or settings.model,
        source=source,
        profile=profile,
        provider=options.provider if options.provider != "auto" else settings.provider,
        language=options.language or settings.language,
        chinese_script=settings.chinese_script,
        hotwords=settings.phrases,
        blank_penalty=settings.blank_penalty,
        isolated=settings.isolated,
        punctuate=settings.restore_punctuation,
        denoise=settings.denoise,
        auto_gain=settings.auto_gain,
        outputs=outputs_of(settings, two_lanes=source == "both"),
    )


@dataclass(frozen=True, slots=True)
class Started:
    """A session that was started.

    Attributes:
        session: it loads its model by itself from here.
        listening_to: for people.
        notices: what has to be said about it.
        outputs: what it writes and sends beside the window; None for nothing that could change.
    """

    session: CaptionSession
    listening_to: str
    notices: tuple[Notice, ...]
    outputs: RunningOutputs | None = None


def start_session(
    wish: Wish,
    sink: Sink,
    say: Callable[[str], object],
    cancel: threading.Event,
    make_session: MakeSession | None = None,
) -> Started:
    """Fetch what is missing, open the source, start the session.

    Args:
        wish: what shall run.
        sink: the window.
        say: told what is being done, one short sentence at a time.
        cancel: set it to give up.
        make_session: builds the session.

    Raises:
        CaptionglassError: it cannot be done; one line with its remedy.
        Cancelled: ``cancel`` was set.
    """
    from desktop_app import __version__
    from engine.config import DENOISERS, PUNCTUATOR, EngineConfig
    from models import catalogue
    from models.smaller import SmallerModels
    from models.store import ModelStore

    say("Loading the model…")
    known = catalogue.load()
    store = ModelStore()

    def fetched(model_id: str) -> ModelFiles:
        return _installed(known.get(model_id), store, say, cancel)

    model = fetched(wish.model)
    vad = fetched(known.vad)
    denoiser, quieted = _extra(
        fetched,
        DENOISERS.get(wish.denoise, ""),
        "denoise.failed",
        "switch noise suppression off",
    )
    punctuator, unmarked = _extra(
        fetched,
        PUNCTUATOR if wish.punctuate else "",
        "punctuation.failed",
        "switch full stops and commas off in the settings",
    )
    say("Opening the sound…")
    sources, notices = _open(wish.source)
    if cancel.is_set():
        for source in sources:
            source.stop()
        raise Cancelled
    config = EngineConfig(
        model=model,
        vad=vad,
        profile=wish.profile,
        provider=wish.provider,
        language=wish.language,
        version=__version__,
        denoiser=denoiser,
        auto_gain=wish.auto_gain,
        chinese_script=wish.chinese_script,
        hotwords=wish.hotwords,
        blank_penalty=wish.blank_penalty,
        isolated=wish.isolated,
        punctuator=punctuator,
        smaller=SmallerModels(known, store, wish.language),
    )
    outputs = RunningOutputs(wish.outputs, sink.notice)
    session = (make_session or _real_session)(config, sources, [sink, outputs])
    try:
        session.start()
    except CaptionglassError:
        session.stop()
        raise
    heard = " and ".join(source.description for source in sources)
    return Started(session, heard, (*quieted, *unmarked, *notices), outputs)


def _extra(
    fetched: Callable[[str], ModelFiles], model_id: str, code: str, remedy: str
) -> tuple[ModelFiles | None, tuple[Notice, ...]]:
    """A model that captions go on without where it cannot be had.

    Args:
        fetched: gives the files of a model.
        model_id: empty for none.
        code: of the notice that says that it cannot be had.
        remedy: of that notice, where the error has none.
    """
    from engine.types import Notice

    if not model_id:
        return None, ()
    try:
        return fetched(model_id), ()
    except ModelError as error:
        return None, (Notice(code, "warning", error.message, error.remedy or remedy),)


def _real_session(
    config: EngineConfig, sources: Sequence[Source], sinks: Sequence[Sink], /
) -> CaptionSession:
    from engine.session import Session

    return Session(config, sources, sinks)


def _installed(
    spec: ModelSpec, store: ModelStore, say: Callable[[str], object], cancel: threading.Event
) -> ModelFiles:
    try:
        return store.files(spec)
    except ModelError:
        # Missing or damaged: fetching mends both.
        from desktop_app.mirror import use_chosen_mirror
        from models.download import install

        use_chosen_mirror()

    def progress(done: int, total: int, what: str) -> None:
        del what
        share = f", {100 * done // total} %" if total else ""
        say(f"Fetching {spec.title}{share}")

    try:
        return install(spec, store, progress, cancel)
    except ModelError:
        if cancel.is_set():
            raise Cancelled from None
        raise


def _open(text: str) -> tuple[list[Source], tuple[Notice, ...]]:
    """The sources, or where there is no input device at all the demo recording."""
    from desktop_app.pick_source import pick_sources
    from engine.types import Notice

    told: list[Notice] = []
    try:
        return pick_sources(text, realtime=True, tell=told.append), tuple(told)
    except CaptionglassError as error:
        if not text.startswith("mic") or _has_inputs():
            raise
        from desktop_app.demo import DemoSource

        why = Notice(
            "source.demo",
            "info",
            "No microphone was found, so this is a recording",
            error.remedy
            if isinstance(error, DeviceError) and "PortAudio" in error.message
            else "plug one in and try again",
            recoverable=False,
        )
        return [DemoSource()], (why,)


def _has_inputs() -> bool:
    from engine.sources.platforms import open_inventory

    return any(each.kind == "input" for each in open_inventory().devices())
