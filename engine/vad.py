"""Silero's voice activity detector: is somebody speaking in this frame?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.runtime import open_session
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles

_CONTEXT = 64
"""Samples of the frame before that the model wants to see again."""


class SileroVad:
    """Gives the probability of speech, frame after frame. Not for two threads at once.

    Args:
        files: the installed ``silero-vad`` model.

    Raises:
        RecognizerError: the model would not load.
    """

    FRAME = 512
    """Samples a frame at 16 kHz (32 ms)."""

    def __init__(self, files: ModelFiles) -> None:
        self._session = open_session(files.path("silero_vad.onnx"))
        self._rate: NDArray[np.int64] = np.array(SAMPLE_RATE, np.int64)
        self._input: NDArray[np.float32] = np.zeros((1, _CONTEXT + self.FRAME), np.float32)
        self._state: NDArray[np.float32] = np.zeros((2, 1, 128), np.float32)

    def reset(self) -> None:
        """Forget what was heard: a new stream begins."""
        self._input[:] = 0.0
        self._state = np.zeros((2, 1, 128), np.float32)

    def probability(self, frame: Samples) -> float:
        """The probability that ``frame`` holds speech, 0 to 1.

        Args:
            frame: float32 mono at 16 kHz, shape (512,), following the frame before.

        Raises:
            ValueError: the frame is of another length.
        """
        if frame.shape != (self.FRAME,):
            raise ValueError(f"a frame holds {self.FRAME} samples, not {frame.shape}")
        self._input[0, :_CONTEXT] = self._input[0, -_CONTEXT:]
        self._input[0, _CONTEXT:] = frame
        probability, self._state = self._session.run(
            None, {"input": self._input, "state": self._state, "sr": self._rate}
        )
        return float(probability[0, 0])
