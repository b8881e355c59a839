"""What the engine is told: which model, which provider, and where on the latency slider."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.errors import UsageError

if TYPE_CHECKING:
    from models.smaller import SmallerModels
    from models.spec import ModelFiles

Provider = Literal["auto", "cpu", "cuda", "tensorrt", "directml", "coreml", "openvino"]
"""``auto`` takes an accelerator where the runtime can really use one, else the CPU."""

ChineseScript = Literal["as-is", "simplified", "traditional"]
"""Which characters Chinese is written in; ``as-is`` takes what the model gives."""

Denoise = Literal["off", "light", "strong"]
"""How much noise is taken out before anything is recognised."""

DENOISERS: dict[Denoise, str] = {"light": "rnnoise", "strong": "deepfilternet3"}
"""The catalogue's ids of what does it."""

PUNCTUATOR = "ct-punctuation"
"""The catalogue's id of what sets full stops for models that give none."""

STOPS: dict[str, int] = {"fastest": 0, "fast": 25, "balanced": 50, "steady": 75, "accurate": 100}
"""The named stops of the latency/accuracy slider."""


@dataclass(frozen=True, slots=True)
class LatencyProfile:
    """One point on the slider, 0 (earliest) to 100 (most accurate)."""

    position: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.position <= 100.0:
            raise UsageError(
                f"a slider position of {self.position:g} does not exist", "use 0 to 100"
            )

    @classmethod
    def parse(cls, text: str) -> LatencyProfile:
        """From a stop's name or a number.

        Raises:
            UsageError: neither a known name nor a number from 0 to 100.
        """
        name = text.strip().lower()
        if name in STOPS:
            return cls(float(STOPS[name]))
        try:
            return cls(float(name))
        except ValueError:
            near = difflib.get_close_matches(name, STOPS, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"no profile is called {text!r}", f"{hint}Use {', '.join(STOPS)} or 0 to 100"
            ) from None

    @property
    def name(self) -> str:
        """The stop's name, or the position as text between stops."""
        for name, position in STOPS.items():
            if position == self.position:
                return name
        return f"{self.position:g}"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """All a session needs to know to start.

    Attributes:
        model: the recogniser's weights.
        vad: the voice activity detector's weights.
        profile: where on the slider it starts.
        provider: which execution provider is asked for.
        language: BCP 47 code of what is spoken; empty for a model's only one, or to listen for it.
        chinese_script: which characters Chinese is written in.
        hotwords: phrases to be heard more readily, by models that can.
        blank_penalty: what silence costs in models that can be made to say more, 0 to 5.
        version: the program's, for headers.
        smaller: knows which smaller model to advise to a machine that is too slow, and to go on
            with where the memory of a GPU is exhausted; None advises none, and goes on with the
            same on the processor.
        denoiser: what takes noise out before anything is recognised; None for nothing.
        punctuator: what sets full stops and commas for models that give none; None for nothing.
        isolated: run the recogniser in a process of its own, whose crash costs no more than the
            words being said.
        auto_gain: make voices louder that are too quiet to be recognised well.
    """

    model: ModelFiles
    vad: ModelFiles
    profile: LatencyProfile
    provider: Provider = "auto"
    language: str = ""
    chinese_script: ChineseScript = "as-is"
    hotwords: tuple[str, ...] = ()
    blank_penalty: float = 0.0
    version: str = ""
    smaller: SmallerModels | None = None
    denoiser: ModelFiles | None = None
    punctuator: ModelFiles | None = None
    auto_gain: bool = False
    isolated: bool = False
