"""What a recogniser is, whatever its family.

A recogniser is asked again and again about a window of sound that grows at its end. It is told
which tokens are already settled (``prefix``: they are taken as said) and what it thought last time
(``draft``: it checks that in one pass, and goes on from the first place where it now disagrees).
What is shown and when is not its business: see ``engine/stabilizer.py``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

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
    """

    tokens: tuple[Token, ...]
    complete: bool
    end_logp: float = 0.0


class RecognizerStream(Protocol):
    """One lane's view of a recogniser; may keep work between calls."""

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
            prefix: token ids taken as said.
            draft: token ids supposed to follow.
            tolerance: for each draft token, by how much (natural log) another token must be more
                probable before the draft is given up there; missing ones count as 0.

        Raises:
            RecognizerError: the model failed.
        """


class Recognizer(Protocol):
    """A loaded model.

    Attributes:
        spec: what it is.
        provider: the execution provider that really runs (``cpu``, ``cuda``).
        aligned: tokens carry times.
    """

    spec: ModelSpec
    provider: str
    aligned: bool

    def stream(self) -> RecognizerStream:
        """A fresh view for one lane."""

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""


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
    import engine.recognizers as package

    names = [found.name for found in pkgutil.iter_modules(package.__path__)]
    return [name for name in names if name not in _NOT_FAMILIES and "_" not in name]


def load_family(name: str) -> Family:
    """The module of a family.

    Raises:
        RecognizerError: there is no such family in this version.
    """
    if name not in families():
        raise RecognizerError(
            f"this version has no recogniser for the family {name!r}", "update Captionglass"
        )
    return cast(Family, importlib.import_module(f"engine.recognizers.{name}"))


def load(files: ModelFiles, provider: Provider = "auto") -> Recognizer:
    """Load a model by its own family.

    Raises:
        RecognizerError: unknown family, or the weights would not load.
    """
    return load_family(files.spec.family).load(files, provider)
