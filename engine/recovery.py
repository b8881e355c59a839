"""What to do when a model fails while it runs.

The first time it is loaded afresh and goes on; a second time within a minute the processor takes
over from an accelerator. Where the memory of an accelerator is exhausted, loading afresh would not
help: a smaller model takes over, or the processor at once. On the processor there is nobody left to
take over.
"""

from __future__ import annotations

import time

from engine.config import Provider
from engine.errors import CaptionglassError
from engine.runtime import is_memory_exhausted
from engine.types import Notice
from models.smaller import SmallerModels
from models.spec import ModelFiles

_SOON_S = 60.0
"""Seconds within which a second failure is more than bad luck."""


class Failures:
    """Of one model on one provider after another."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def remedy(
        self,
        error: Exception,
        files: ModelFiles,
        provider: str,
        asked: Provider,
        smaller: SmallerModels | None = None,
    ) -> tuple[ModelFiles, Provider, Notice]:
        """Note a failure and choose what takes over.

        Args:
            error: what was raised.
            files: the model that failed.
            provider: where it ran.
            asked: the provider that was asked for.
            smaller: knows a model to fall back to where memory is exhausted.

        Returns:
            The model to load, the provider to ask for, and what to tell.

        Raises:
            Exception: ``error``, where nothing is left to try.
        """
        name = files.spec.id
        if provider != "cpu" and is_memory_exhausted(error):
            text = f"the memory of {provider} is exhausted"
            remedy = "close what else uses the GPU, or choose a smaller model"
            other = smaller.installed(files.spec) if smaller is not None else None
            if other is not None:
                told = f"{text}: captions go on with {other.spec.title}"
                return other, asked, Notice("provider.memory", "warning", told, remedy)
            told = f"{text}: {name} goes on on the processor"
            return files, "cpu", Notice("provider.memory", "warning", told, remedy)
        # The message of a stray exception may hold what was said.
        why = (
            error.message
            if isinstance(error, CaptionglassError)
            else f"{name} failed on {provider} ({type(error).__name__})"
        )
        now = time.monotonic()
        before = self._last.get(provider)
        self._last[provider] = now
        if before is None or now - before > _SOON_S:
            return (
                files,
                asked,
                Notice("model.restarted", "warning", f"{why}: it was started again"),
            )
        if provider == "cpu":
            raise error
        return files, "cpu", lost(f"{why}: it goes on on the processor")


def lost(text: str) -> Notice:
    """That an accelerator cannot be used for now."""
    return Notice(
        "provider.lost", "warning", text, "it is tried again by and by; see: captionglass doctor"
    )
