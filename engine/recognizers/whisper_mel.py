"""Whisper's log-mel spectrogram, frame by frame as the sound comes in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.types import SAMPLE_RATE, Samples

Features = NDArray[np.float32]

HOP = 160
"""Samples from one frame to the next: 10 ms."""

_WINDOW = 400
_HALF = _WINDOW // 2
_FLOOR = 1e-10
_RANGE = 8.0  # powers of ten below the loudest entry that are told apart


class LogMel:
    """Spectrograms of windows of sound, as Whisper's own front end makes them.

    Frames that lie wholly inside what was seen before are kept while the window only grows.

    Args:
        bins: mel bins, 80 or 128 as the model wants.
    """

    def __init__(self, bins: int) -> None:
        self._filters = mel_filters(bins)
        self._taper = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_WINDOW) / _WINDOW)).astype(
            np.float32
        )
        self._audio: Samples = np.zeros(0, np.float32)
        self._kept: Features = np.zeros((bins, 0), np.float32)

    def __call__(self, audio: Samples, silence: int) -> Features:
        """The spectrogram of some sound with silence behind it.

        Args:
            audio: float32 mono at 16 kHz, shape (n,), n of 201 at least.
            silence: samples of digital silence to add.

        Returns:
            float32, shape (bins, frames): one frame for each whole ``HOP``.
        """
        frames = (audio.size + silence) // HOP
        begin = self._reuse(audio)
        behind = np.zeros(silence + _HALF, np.float32)
        if begin:
            sound = np.concatenate((audio[begin * HOP - _HALF :], behind))
        else:
            sound = np.concatenate((audio[_HALF:0:-1], audio, behind))
        fresh = self._logs(sound, frames - begin)
        logs = np.concatenate((self._kept[:, :begin], fresh), axis=1) if begin else fresh
        whole = max(0, (audio.size - _HALF) // HOP)
        self._kept, self._audio = logs[:, :whole], audio.copy()
        heard: Features = np.maximum(logs, logs.max() - np.float32(_RANGE))
        return (heard + np.float32(4)) / np.float32(4)

    def _reuse(self, audio: Samples) -> int:
        """How many of the kept frames begin this window too."""
        if audio.size < self._audio.size or not self._audio.size:
            return 0
        same = np.array_equal(self._audio, audio[: self._audio.size])
        # The first frames look at the sound mirrored before the window: those stay as they are.
        return self._kept.shape[1] if same and self._kept.shape[1] > 2 else 0

    def _logs(self, sound: Samples, count: int) -> Features:
        frames = np.lib.stride_tricks.sliding_window_view(sound, _WINDOW)[::HOP][:count]
        spectrum = np.fft.rfft(frames * self._taper, axis=1)
        power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
        logs: Features = np.log10(np.maximum(self._filters @ power.T, np.float32(_FLOOR)))
        return logs


def mel_filters(bins: int) -> Features:
    """Triangles on Slaney's mel scale, each of area one; shape (bins, 201)."""
    frequencies = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE)
    edges = _hertz(np.linspace(0.0, float(_mel(SAMPLE_RATE / 2)), bins + 2))
    widths = np.diff(edges)
    slopes = edges[:, None] - frequencies
    rising = -slopes[:-2] / widths[:-1, None]
    falling = slopes[2:] / widths[1:, None]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    areas = 2.0 / (edges[2:] - edges[:-2])
    return (triangles * areas[:, None]).astype(np.float32)


_LINEAR = 200.0 / 3.0  # Hz a mel below 1 kHz
_KNEE_HZ = 1000.0
_KNEE = _KNEE_HZ / _LINEAR
_STEP = float(np.log(6.4)) / 27.0  # above it, natural log of the frequency ratio a mel


def _mel(hertz: float) -> float:
    return hertz / _LINEAR if hertz < _KNEE_HZ else _KNEE + float(np.log(hertz / _KNEE_HZ)) / _STEP


def _hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    above = _KNEE_HZ * np.exp(_STEP * (mel - _KNEE))
    return np.where(mel < _KNEE, mel * _LINEAR, above)
