"""What the same weights make of whole stretches of speech, heard to their end and decoded once.

This is what captions are compared with: word errors beyond it are the price of being early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from engine.endpoint import Endpointer
from engine.lane import FRAME, SpeechDetector
from engine.recognizers.base import Recognizer, Token, WindowRecognizer, is_incremental
from engine.types import SAMPLE_RATE, Samples

_PRE_ROLL_S = 0.5
_PAUSE_S = 0.6
"""Silence that ends a stretch."""
_LONGEST_S = 30.0
"""A stretch is cut there: models are trained on no longer ones."""


def stretches(samples: Samples, detector: SpeechDetector) -> Iterator[Samples]:
    """The stretches of speech, each with the pause behind it.

    Args:
        samples: float32 mono at 16 kHz, shape (n,).
        detector: fresh.
    """
    endpointer = Endpointer(FRAME / SAMPLE_RATE)
    pre_roll = int(_PRE_ROLL_S * SAMPLE_RATE)
    start: int | None = None
    behind_last = 0
    padded = np.pad(samples, (0, -samples.size % FRAME))
    for at in range(0, padded.size, FRAME):
        speech = endpointer.push(detector.probability(padded[at : at + FRAME]))
        end = at + FRAME
        if start is None:
            if speech:
                start = max(behind_last, at - pre_roll)
        elif endpointer.silence_s >= _PAUSE_S or end - start >= _LONGEST_S * SAMPLE_RATE:
            yield padded[start:end]
            start, behind_last = None, end
    if start is not None:
        yield padded[start:]


def transcribe(samples: Samples, recognizer: Recognizer, detector: SpeechDetector) -> str:
    """All that is said in a recording.

    Args:
        samples: float32 mono at 16 kHz, shape (n,).
        detector: fresh.

    Raises:
        RecognizerError: the model failed.
    """
    texts = []
    for stretch in stretches(samples, detector):
        tokens = _decoded(stretch, recognizer)
        texts.append(recognizer.text([token.id for token in tokens]))
    return " ".join(text for text in texts if text)


def _decoded(stretch: Samples, recognizer: Recognizer) -> Sequence[Token]:
    if not is_incremental(recognizer):
        return cast(WindowRecognizer, recognizer).stream().decode(stretch).tokens
    stream = recognizer.stream()
    stream.tune(1.0)
    stream.accept(stretch)
    return stream.finish().tokens
