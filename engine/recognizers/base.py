"""What a recogniser is, whatever its family.

A recogniser is asked again and again about a window of sound that grows at its end. It is told
which tokens are already settled (``prefix``: they are taken as said) and what it thought last time
(``draft``: it checks that in one pass, and goes on from the first place where it now disagrees).
What is shown and when is not its business: see ``engine/stabilizer.py``.

Models made for streaming hear every sound once and keep what they need of it as state: an
*incremental* recogniser. It is given sound as it comes and tells what it makes of all of it so
far; when its words are shown is the business of ``engine/incremental.py``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol, TypeGuard, cast

from engine.config import Provider
from engine.errors import RecognizerError
from engine.types import Samples
from models.spec import ModelFiles, ModelSpec


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a hypothesis.

    Attributes:
        id: in the model's own vocabulary.
        starts_word: a space belongs before it.
        logp: natural logarithm of the probability the model gave it here.
        time: seconds from the start of the window to about the end of the sound it stands for;
            None where the family cannot tell.
    """

    id: int
    starts_word: bool
    logp: float
    time: float | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What the model makes of the window behind the prefix.

    Attributes:
        tokens: the tokens after the prefix.
        complete: the model itself ended the text; False where a limit cut it off.
        end_logp: log probability of the end of the text where the model ended it.
        language: BCP 47 code of the tokens where the family tells it. Where it is another than
            the decode before told, the prefix was in that one and led this decode astray.
    """

    tokens: tuple[Token, ...]
    complete: bool
    end_logp: float = 0.0
    language: str = ""


class WindowStream(Protocol):
    """One lane's view of a recogniser of windows; may keep work between calls."""

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """What is said in ``audio``.

        Args:
            audio: float32 mono at 16 kHz, shape (n,). Calls whose audio begins with the same
                samples as the call before may cost less.
            prefix: token ids taken as said; a recogniser that is not ``prefixed`` leaves this and
                what follows aside and gives all it hears in the window.
            draft: token ids supposed to follow.
            tolerance: for each draft token, by how much (natural log) another token must be more
                probable before the draft is given up there; missing ones count as 0.

        Raises:
            RecognizerError: the model failed.
        """


class WindowRecognizer(Protocol):
    """A loaded model that is asked about windows.

    Attributes:
        spec: what it is.
        provider: the execution provider that really runs (``cpu``, ``cuda``).
        aligned: tokens carry times.
        prefixed: it can be told what was said; absent where it can. Ask ``is_prefixed``.
    """

    spec: ModelSpec
    provider: str
    aligned: bool

    def stream(self) -> WindowStream:
        """A fresh view for one lane."""

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""


@dataclass(frozen=True, slots=True)
class Running:
    """What an incremental stream makes of the sound so far, behind what was settled.

    Attributes:
        tokens: in order; their times are seconds of sound accepted since the stream was made or
            reset, never None.
        stable: how many of them, from the first, the model itself will not take back.
        heard_s: seconds of sound it has really looked at; what was accepted behind that waits for
            a chunk to be full.
    """

    tokens: tuple[Token, ...]
    stable: int
    heard_s: float


class IncrementalStream(Protocol):
    """One lane's view of a recogniser that hears every sound once.

    The same sound gives the same tokens however it is cut into calls.
    """

    @property
    def chunk_s(self) -> float:
        """Seconds of sound it takes in one step."""

    def accept(self, samples: Samples) -> None:
        """Take sound in; costs little, the model does not run.

        Args:
            samples: float32 mono at 16 kHz, shape (n,), following the last ones.
        """

    def hypothesis(self) -> Running:
        """Run the model over what has been accepted, as far as that fills whole chunks.

        Raises:
            RecognizerError: the model failed.
        """

    def finish(self) -> Running:
        """A line ends: the same over all that has been accepted, filled up with silence.

        What follows is still heard with this as its left context, and times run on: the silence
        is counted in none of them.

        Raises:
            RecognizerError: the model failed.
        """

    def settle(self, count: int) -> None:
        """Take the first ``count`` tokens of the last answer as said: no later answer contains
        them, and none contradicts them."""

    def tune(self, effort: float) -> None:
        """How hard to think, 0 (soonest) to 1 (most accurate): which of the model's chunk sizes,
        how wide a search. Loses nothing of what was heard; may take effect with the next line."""

    def reset(self) -> None:
        """Forget everything: what follows is another sound, its times count from 0."""


class IncrementalRecognizer(Protocol):
    """A loaded model that hears every sound once.

    Attributes:
        spec, provider: as in ``WindowRecognizer``, which has no ``incremental``.
        incremental: true; ask ``is_incremental``.
        chunks_s: seconds of each chunk size it can work with, shortest first.
    """

    spec: ModelSpec
    provider: str
    incremental: bool
    chunks_s: tuple[float, ...]

    def stream(self) -> IncrementalStream:
        """A fresh view for one lane."""

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""


Recognizer = WindowRecognizer | IncrementalRecognizer
"""A loaded model."""


def is_incremental(recognizer: Recognizer) -> TypeGuard[IncrementalRecognizer]:
    """Whether it hears every sound once."""
    return bool(getattr(recognizer, "incremental", False))


class MultilingualRecognizer(WindowRecognizer, Protocol):
    """One that can be told the language that is spoken, and finds it out where it is not told.

    Attributes:
        multilingual: true; ask ``is_multilingual``.
    """

    multilingual: bool

    def stream(self, language: str = "") -> WindowStream:
        """A fresh view for one lane.

        Args:
            language: BCP 47 code; empty to listen for it.

        Raises:
            RecognizerError: the model does not know the language.
        """


def is_multilingual(recognizer: WindowRecognizer) -> TypeGuard[MultilingualRecognizer]:
    """Whether it can be told a language."""
    return bool(getattr(recognizer, "multilingual", False))


def language_for(spec: ModelSpec, asked: str) -> str:
    """What a model is told about the language.

    Args:
        spec: the model.
        asked: BCP 47 code that somebody chose; may be empty, or none of the model's.

    Returns:
        The one asked for where the model knows it, else its only one, else nothing: it listens.
    """
    known = {language.partition("-")[0].lower() for language in spec.languages}
    if asked and asked.partition("-")[0].lower() in known:
        return asked
    return spec.languages[0] if len(spec.languages) == 1 else ""


def hindsight(recognizer: WindowRecognizer) -> float:
    """Seconds of sound behind a word without which the model is not to be held to it, where words
    are shown before they are locked; 0 unless the family says otherwise."""
    return float(getattr(recognizer, "hindsight", 0.0))


def is_prefixed(recognizer: WindowRecognizer) -> bool:
    """Whether it takes a prefix as said, rather than hear the whole window each time."""
    return bool(getattr(recognizer, "prefixed", True))


class FavouringRecognizer(Protocol):
    """One that hears chosen phrases more readily than others."""

    def favour(self, phrases: Sequence[str]) -> list[str]:
        """From the next stream on, favour these and no others.

        Args:
            phrases: as they are written.

        Returns:
            Those that the model has no tokens for.
        """


def can_favour(recognizer: object) -> TypeGuard[FavouringRecognizer]:
    """Whether it hears chosen phrases more readily."""
    return hasattr(recognizer, "favour")


class PenalisingRecognizer(Protocol):
    """One that can be made to say more.

    Attributes:
        blank_penalty: taken from the blank's logit, natural logarithm; 0 for nothing.
    """

    blank_penalty: float


def can_penalise(recognizer: object) -> TypeGuard[PenalisingRecognizer]:
    """Whether it can be made to say more."""
    return hasattr(recognizer, "blank_penalty")


class Family(Protocol):
    """A module of ``engine.recognizers`` that runs a family of models."""

    def load(self, files: ModelFiles, provider: Provider) -> Recognizer:
        """Load the weights; may take seconds.

        Raises:
            RecognizerError: they would not load.
        """


_NOT_FAMILIES = ("base",)


def families() -> list[str]:
    """The names of all families there are: one for each module with a ``load``."""
    return [name for name in _modules() if hasattr(_module(name), "load")]


def _modules() -> list[str]:
    import engine.recognizers as package

    names = [found.name for found in pkgutil.iter_modules(package.__path__)]
    return [name for name in names if name not in _NOT_FAMILIES]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"engine.recognizers.{name}")


def load_family(name: str) -> Family:
    """The module of a family.

    Raises:
        RecognizerError: there is no such family in this version.
    """
    module = _module(name) if name in _modules() else None
    if not hasattr(module, "load"):
        raise RecognizerError(
            f"this version has no recogniser for the family {name!r}", "update Captionglass"
        )
    return cast(Family, module)


def load(files: ModelFiles, provider: Provider = "auto") -> Recognizer:
    """Load a model by its own family.

    Raises:
        RecognizerError: unknown family, or the weights would not load.
    """
    return load_family(files.spec.family).load(files, provider)
