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
from dataclasses import dataclass

import numpy as np

from engine.config import Provider
from engine.errors import CaptionglassError, RecognizerError
from engine.isolation import proxy
from engine.recognizers.base import Recognizer, is_incremental, load
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
    """

    recognizer: Recognizer
    asked: Provider
    reason: str
    warm_up_s: float


def bring_up(files: ModelFiles, provider: Provider, *, isolated: bool = False) -> Loaded:
    """Load a model, warm it up, and prove where it runs.

    Where the provider that was asked for fails, the processor takes its place.

    Args:
        files: the model.
        provider: the one asked for. ``auto`` takes an accelerator that starts and is quicker.
        isolated: run it in a process of its own.

    Raises:
        RecognizerError: it runs nowhere.
    """
    reason = ""
    try:
        recognizer, seconds = _try(files, provider, isolated)
    except RecognizerError as error:
        if provider == "cpu":
            raise
        try:
            recognizer, seconds = _try(files, "cpu", isolated)
        except RecognizerError:
            raise error from None
        reason = error.message
    if provider == "auto" and recognizer.provider != "cpu" and seconds > _SLOW_S:
        other, quicker = _try(files, "cpu", isolated)
        if quicker < seconds:
            reason = f"{recognizer.provider} is slower here, {seconds:.1f} s against {quicker:.1f}"
            recognizer, seconds = other, quicker
    wanted = candidate("auto") if provider == "auto" else provider
    if not reason and recognizer.provider not in (wanted, "") and wanted != "cpu":
        reason = why_not(wanted) or f"{files.spec.family} models do not run on {wanted}"
    return Loaded(recognizer, provider, reason, seconds)


def _try(files: ModelFiles, provider: Provider, isolated: bool) -> tuple[Recognizer, float]:
    """A model and the seconds of its warm-up.

    Raises:
        RecognizerError: whatever went wrong.
    """
    try:
        recognizer = (proxy.load if isolated else load)(files, provider)
        seconds = warm_up(recognizer)
        # The first pass on an accelerator chooses kernels; the second is what captions cost.
        return recognizer, seconds if recognizer.provider == "cpu" else warm_up(recognizer)
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
