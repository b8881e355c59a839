"""From weights on disk to a recogniser that is known to work, and where it works.

A model that loads may still fail at its first words, and a provider that was asked for may never
have started. So each model decodes a second of silence before anybody relies on it: what fails
then fails beside the running captions, the first real decode is not slow, and the time it took
tells whether a GPU is worth having.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.config import Provider
from engine.errors import CaptionglassError, RecognizerError
from engine.isolation import proxy
from engine.recognizers.base import (
    Recognizer,
    can_favour,
    can_penalise,
    is_incremental,
    load,
)
from engine.runtime import candidate, first_line, is_memory_exhausted, why_not
from engine.types import SAMPLE_RATE
from models.spec import ModelFiles

log = logging.getLogger(__name__)

WARM_UP_S = 1.0
"""Seconds of digital silence that every model decodes before it is used."""

_SLOW_S = 0.25
"""Seconds of warm-up on an accelerator from which the processor is tried as well."""


_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
_LARGE_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that has proven itself.

    Attributes:
        recognizer: it; its ``provider`` is the one that really runs.
        asked: the provider that was asked for.
        reason: why another one runs, with the remedy, in one clause; empty where none is needed.
        warm_up_s: seconds that the warm-up took, on a warm machine.
        unheard: how many of the phrases to be favoured it cannot favour.
    """

    recognizer: Recognizer
    asked: Provider
    reason: str
    warm_up_s: float
    unheard: int = 0


def bring_up(
    files: ModelFiles,
    provider: Provider,
    *,
    isolated: bool = False,
    hotwords: Sequence[str] = (),
    blank_penalty: float = 0.0,
) -> Loaded:
    """Load a model, warm it up, tell it what to favour, and prove where it runs.

    Where the provider that was asked for fails, the processor takes its place.

    Args:
        files: the model.
        provider: the one asked for. ``auto`` takes an accelerator that starts and is quicker.
        isolated: run it in a process of its own.
        hotwords: phrases to be heard more readily, where it can.
        blank_penalty: what silence costs it, 0 to 5, where it can be made to say more.

    Raises:
        RecognizerError: it runs nowhere.
    """

    def tried(on: Provider) -> tuple[Recognizer, float, int]:
        return _try(files, on, isolated, partial(_tune, hotwords, blank_penalty))

    reason = ""
    try:
        recognizer, seconds, unheard = tried(provider)
    except RecognizerError as error:
        if provider == "cpu":
            raise
        try:
            recognizer, seconds, unheard = tried("cpu")
        except RecognizerError:
            raise error from None
        reason = error.message
    if provider == "auto" and recognizer.provider != "cpu" and seconds > _SLOW_S:
        other, quicker, also_unheard = tried("cpu")
        if quicker < seconds:
            reason = f"{recognizer.provider} is slower here, {seconds:.1f} s against {quicker:.1f}"
            recognizer, seconds, unheard = other, quicker, also_unheard
    wanted = candidate("auto") if provider == "auto" else provider
    if not reason and recognizer.provider not in (wanted, "") and wanted != "cpu":
        reason = why_not(wanted) or f"{files.spec.family} models do not run on {wanted}"
    return Loaded(recognizer, provider, reason, seconds, unheard)


def _tune(hotwords: Sequence[str], blank_penalty: float, recognizer: Recognizer) -> int:
    """How many of the phrases it cannot favour."""
    if can_penalise(recognizer):
        recognizer.blank_penalty = blank_penalty
    if not hotwords or not can_favour(recognizer):
        return len(hotwords)
    return len(recognizer.favour(hotwords))


def _try(
    files: ModelFiles, provider: Provider, isolated: bool, tune: Callable[[Recognizer], int]
) -> tuple[Recognizer, float, int]:
    """A model, the seconds of its warm-up, and what ``tune`` says of it.

    Raises:
        RecognizerError: whatever went wrong.
    """
    try:
        recognizer = (proxy.load if isolated else load)(files, provider)
        seconds = warm_up(recognizer)
        if recognizer.provider != "cpu":
            # The first pass on an accelerator chooses kernels; the second is what captions cost.
            seconds = warm_up(recognizer)
        return recognizer, seconds, tune(recognizer)
    except CaptionglassError as error:
        if isinstance(error, RecognizerError):
            raise
        raise RecognizerError(error.message, error.remedy) from error
    except Exception as error:
        name = files.spec.id
        if is_memory_exhausted(error):
            raise RecognizerError(
                f"there is not enough memory for {name}",
                "close other programs, or choose a smaller model",
            ) from error
        log.warning("loading %s failed", name, exc_info=True)
        raise RecognizerError(
            f"{name} would not load ({type(error).__name__}: {first_line(error)})",
            f"fetch the model again: captionglass models get {name}",
        ) from error


def warm_up(recognizer: Recognizer) -> float:
    """Decode ``WARM_UP_S`` seconds of silence; returns the seconds it took.

    Raises:
        RecognizerError: the model failed.
    """
    silence = np.zeros(round(WARM_UP_S * SAMPLE_RATE), np.float32)
    began = time.perf_counter()
    if is_incremental(recognizer):
        stream = recognizer.stream()
        stream.accept(silence)
        stream.finish()
    else:
        recognizer.stream().decode(silence)  # type: ignore[union-attr]
    return time.perf_counter() - began


def keep_memory_together() -> None:
    """Let this process free what it has freed: called before the first model is loaded.

    glibc gives each thread a heap of its own, and models are loaded and dropped by several: between
    two of them, each heap keeps holes that the next model does not fit into. One heap, and large
    blocks outside of it, leave a third of the growth over many swaps; decodes cost the same.
    """
    if sys.platform == "linux":
        tune = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if tune is not None:
            tune(_M_ARENA_MAX, 1)
            tune(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def give_back_memory() -> None:
    """Hand what dropped models have left behind back to the system. A few milliseconds."""
    gc.collect()
    if sys.platform == "linux":
        # Without it glibc keeps some 70 MB of freed weights for later.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
