"""Log mel filter banks as k2's recipes compute them, from sound that comes in pieces."""

from __future__ import annotations

import numpy as np

from engine.types import SAMPLE_RATE, Samples

HOP = 160
"""Samples between two frames."""

EDGE = 120
"""Samples that ``n`` frames need beyond ``n * HOP``: a frame is 400 long."""


class Filterbank:
    """Frames of one stream; a frame is there once all of its sound is.

    Attributes:
        samples: taken in so far.
    """

    def __init__(self, bins: int) -> None:
        """Args:
        bins: mel bins of a frame.
        """
        import kaldi_native_fbank as knf

        options = knf.FbankOptions()
        options.frame_opts.samp_freq = SAMPLE_RATE
        options.frame_opts.dither = 0.0
        options.frame_opts.snip_edges = False
        options.mel_opts.num_bins = bins
        options.mel_opts.low_freq = 20.0
        options.mel_opts.high_freq = -400.0  # below half the sample rate
        self.samples = 0
        self._bank = knf.OnlineFbank(options)
        self._dropped = 0

    @property
    def ready(self) -> int:
        """How many frames there are, dropped ones included."""
        return int(self._bank.num_frames_ready)

    def add(self, samples: Samples) -> None:
        """Append sound, float32 mono at 16 kHz, shape (n,)."""
        if samples.size:
            self.samples += samples.size
            self._bank.accept_waveform(
                SAMPLE_RATE, samples.tolist()
            )  # an array takes 8 times as long

    def frames(self, first: int, count: int) -> Samples:
        """Some frames, float32, shape (count, bins); those in front of them are dropped."""
        self._bank.pop(first - self._dropped)
        self._dropped = first
        return np.stack([self._bank.get_frame(number) for number in range(first, first + count)])
