"""What the control port asks of whoever owns the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.config import LatencyProfile
from engine.errors import CaptionglassError, UnknownModelError
from engine.types import EngineStats
from models.catalogue import Catalogue
from models.errors import ModelError
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore


class NotNowError(CaptionglassError):
    """What was asked for exists, but cannot be done in the present state."""


@dataclass(frozen=True, slots=True)
class ControlState:
    """What runs.

    Attributes:
        state: of the session.
        source: as ``pick_sources`` takes it.
        listening_to: the same for people; may be empty.
        model: id of the recogniser in use; empty before it is loaded.
        next_model: id of the one that is being loaded to take over, or empty.
        provider: what really runs it.
        slider: 0 to 100.
        profile: the stop's name, or the position as text.
        language: BCP 47 code asked for, or empty.
        error: why the session failed, one line; empty where it did not.
        preset: the name of the one in use; empty for none.
    """

    state: str
    source: str
    listening_to: str
    model: str
    next_model: str
    provider: str
    slider: float
    profile: str
    language: str
    error: str
    preset: str = ""

    @classmethod
    def of(
        cls,
        stats: EngineStats,
        error: CaptionglassError | None,
        *,
        source: str,
        listening_to: str,
        profile: LatencyProfile,
        language: str,
        preset: str,
    ) -> ControlState:
        """What the figures and whoever owns the session say; ``error`` is the session's."""
        return cls(
            state=stats.state,
            source=source,
            listening_to=listening_to,
            model=stats.model_id,
            next_model=stats.next_model_id,
            provider=stats.provider,
            slider=profile.position,
            profile=profile.name,
            language=language,
            error=str(error) if error is not None else "",
            preset=preset,
        )


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A recogniser that could be switched to."""

    id: str
    title: str
    languages: tuple[str, ...]
    size: int
    installed: bool
    in_use: bool


@dataclass(frozen=True, slots=True)
class PresetRow:
    """A preset that could be used.

    Attributes:
        own: the user made it.
    """

    name: str
    own: bool
    in_use: bool


@dataclass(frozen=True, slots=True)
class Appearance:
    """How the page looks unless its address says otherwise.

    Attributes:
        theme: ``dark`` or ``light``.
        font_family: empty for the shipped font.
        lines: how many are shown.
        opacity: of the panel, percent.
        text_colour, outline_colour: ``#rrggbb``, or empty for the theme's own.
        lane_names: what stands before each lane where there are two.
        css: the user's own style sheet.
    """

    theme: str = "dark"
    font_family: str = ""
    lines: int = 3
    opacity: int = 76
    text_colour: str = ""
    outline_colour: str = ""
    lane_names: dict[str, str] = field(default_factory=dict)
    css: str = ""


class Controller(Protocol):
    """Owns the session. Every method may be called from any thread but the owner's, and may take
    a while; all raise ``CaptionglassError`` where something cannot be done."""

    def state(self) -> ControlState: ...
    def stats(self) -> EngineStats: ...
    def start(self) -> None: ...
    def pause(self) -> None: ...
    def set_slider(self, profile: LatencyProfile) -> None: ...
    def set_source(self, source: str) -> None: ...
    def models(self) -> Sequence[ModelRow]: ...
    def switch_model(self, model_id: str) -> None: ...
    def best_model(self, language: str) -> str: ...
    def presets(self) -> Sequence[PresetRow]: ...
    def use_preset(self, name: str) -> None: ...
    def appearance(self) -> Appearance: ...


class Shelf:
    """The models on this machine, for controllers.

    Args:
        load: gives the catalogue; read anew each time, because models can be added meanwhile.
        store: where they lie.
    """

    def __init__(self, load: Callable[[], Catalogue], store: ModelStore) -> None:
        self._load = load
        self._store = store

    def rows(self, in_use: str) -> list[ModelRow]:
        """All recognisers."""
        return [
            ModelRow(
                id=spec.id,
                title=spec.title,
                languages=spec.languages,
                size=spec.size,
                installed=self._store.installed(spec),
                in_use=spec.id == in_use,
            )
            for spec in self._load().recognizers()
        ]

    def best(self, language: str) -> str:
        """Id of the best installed recogniser for a language.

        Raises:
            UnknownModelError: no model captions it.
            NotNowError: none of those that do is installed.
        """
        catalogue = self._load()
        here = {spec.id for spec in catalogue.recognizers() if self._store.installed(spec)}
        best = catalogue.best_for(language, here)
        if best.id not in here:
            raise NotNowError(
                f"no installed model captions the language {language!r}",
                f"captionglass models get {best.id}",
            )
        return best.id

    def files(self, model_id: str) -> ModelFiles:
        """The files of an installed recogniser.

        Raises:
            UnknownModelError: there is no such recogniser.
            NotNowError: it is not installed, or damaged.
        """
        spec: ModelSpec = self._load().get(model_id)
        if spec.kind != "recognizer":
            raise UnknownModelError(f"{spec.id} does not turn speech into words", "see /models")
        try:
            return self._store.files(spec)
        except ModelError as error:
            raise NotNowError(error.message, f"captionglass models get {spec.id}") from error
