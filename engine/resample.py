"""From a source's own sample rate to the engine's."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.types import SAMPLE_RATE, Samples

LIMIT = 4.0
"""Full scale is ±1; +12 dB is more than any honest source delivers."""


class Resampler:
    """A streaming resampler: the same samples come out however the input is cut into blocks.

    It is also where a sample that is no number, or far beyond full scale, is put right: every
    source passes here, once, as one channel, on the inference thread. Later it would have spread
    through the filter; earlier it would cost the audio callback, or each channel.

    Args:
        rate_in: Hz of what is pushed.
        rate_out: Hz of what comes out.
    """

    def __init__(self, rate_in: int, rate_out: int = SAMPLE_RATE) -> None:
        self.rate_in = rate_in
        self.rate_out = rate_out
        self._taken = 0
        self._given = 0
        self._stream: Any = None
        if rate_in != rate_out:
            import soxr

            self._stream = soxr.ResampleStream(rate_in, rate_out, 1, "float32", "HQ")

    def push(self, samples: Samples) -> Samples:
        """Feed a block.

        Args:
            samples: float32 mono, shape (n,), any n.

        Returns:
            float32 mono, shape (m,): what is ready; m may be 0. About 30 ms stay behind.
        """
        samples = _sane(samples)
        self._taken += len(samples)
        if self._stream is None or len(samples) == 0:
            return samples
        out: Samples = self._stream.resample_chunk(samples)
        self._given += len(out)
        return out

    def flush(self) -> Samples:
        """End the signal and begin a new one.

        Returns:
            float32 mono: what stayed behind, so that all that came out since the beginning is
            exactly ``round(taken * rate_out / rate_in)`` samples.
        """
        if self._stream is None:
            self._taken = 0
            return np.empty(0, np.float32)
        missing = round(self._taken * self.rate_out / self.rate_in) - self._given
        rest: Samples = self._stream.resample_chunk(np.empty(0, np.float32), last=True)
        self._stream.clear()
        self._taken = self._given = 0
        out = np.zeros(max(0, missing), np.float32)
        kept = min(len(rest), len(out))
        out[:kept] = rest[:kept]
        return out


def _sane(samples: Samples) -> Samples:
    samples = np.ascontiguousarray(samples, np.float32)
    # One pass finds both: a comparison with NaN is false.
    if len(samples) == 0 or np.abs(samples).max() <= LIMIT:
        return samples
    return np.clip(np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0), -LIMIT, LIMIT)
