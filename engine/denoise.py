"""Noise suppression: RNNoise or DeepFilterNet, libraries that work on 10 ms frames at 48 kHz.

The engine's sound has 16 kHz. Both ways between the two go by one short symmetric filter, whose
delay is known to the sample where a general resampler would hold back tens of milliseconds. What
comes out stands where it stood before: the whole delay is taken away again, at the price of that
much waiting.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.errors import RecognizerError
from engine.types import Samples
from models.spec import ModelFiles

FRAME = 160
"""Samples at 16 kHz that are worked on at a time: 10 ms."""
_UP = 3
_FRAME_48 = FRAME * _UP
_TAPS = 109
"""Of the filter, at 48 kHz: flat to 7 kHz, 70 dB down at 9 kHz. A multiple of 3, and one."""
_BETA = 6.8
_FILTERS_DELAY = (_TAPS - 1) // _UP
"""Samples at 16 kHz, there and back."""


class Suppressor(Protocol):
    """A library's state for one stream.

    Attributes:
        delay: samples at 48 kHz by which what it gives is late.
        left: share of the sound as it came that is left in what goes out, 0 to 1.
    """

    delay: int
    left: float

    def process(self, sound: Samples) -> tuple[Samples, list[float]]:
        """Whole frames of 480 samples at 48 kHz, shape (480 n,); the same without the noise, and
        the probability of speech in each frame where the library tells it, else nothing."""


class Denoiser:
    """Takes noise out of a stream at 16 kHz. Not for two threads at once.

    Attributes:
        latency: samples at 16 kHz that stay behind, beside those of a frame not yet full.
        speech: the probability of speech in each 10 ms of what came out, the oldest first, for
            whoever takes them from there; empty where the library tells none.
    """

    def __init__(self, suppressor: Suppressor) -> None:
        self._suppressor = suppressor
        self.latency = suppressor.delay // _UP + _FILTERS_DELAY
        self.speech: deque[float] = deque(maxlen=1000)
        self._waiting = self._as_it_came = np.zeros(0, np.float32)
        self._taken = self._given = 0
        self._begin()

    def push(self, samples: Samples) -> Samples:
        """Take sound in.

        Args:
            samples: float32 mono at 16 kHz, shape (n,), any n.

        Returns:
            float32 mono at 16 kHz, shape (m,): what is ready; m may be 0.
        """
        self._taken += samples.size
        sound = np.concatenate((self._waiting, samples)) if self._waiting.size else samples
        whole = sound.size // FRAME * FRAME
        self._waiting = sound[whole:].copy()
        return self._work(sound[:whole])

    def flush(self) -> Samples:
        """End the signal and begin a new one; what is known of the noise is kept.

        Returns:
            float32 mono at 16 kHz: what stayed behind, so that as much came out as was taken in.
        """
        missing = self._taken - self._given
        behind = self.latency + self._waiting.size
        silence = np.zeros(-(-behind // FRAME) * FRAME - self._waiting.size, np.float32)
        rest = self._work(np.concatenate((self._waiting, silence)))[:missing]
        self._begin()
        return rest

    def _begin(self) -> None:
        self._waiting = self._as_it_came = np.zeros(0, np.float32)
        self._taken = self._given = 0
        self._skip = self.latency
        self._skip_speech = self.latency // FRAME
        self._before_up = np.zeros(_TAPS // _UP, np.float32)
        self._before_down = np.zeros(_TAPS - 1, np.float32)

    def _work(self, sound: Samples) -> Samples:
        if not sound.size:
            return sound
        up, down = _filters()
        self._as_it_came = np.concatenate((self._as_it_came, sound))
        sound = np.concatenate((self._before_up, sound))
        self._before_up = sound[-self._before_up.size :]
        fast = (sliding_window_view(sound, up.shape[0]) @ up).ravel()
        fast, speech = self._suppressor.process(fast)
        fast = np.concatenate((self._before_down, fast))
        self._before_down = fast[-self._before_down.size :]
        out: Samples = sliding_window_view(fast, _TAPS)[::_UP] @ down
        skipped = min(self._skip_speech, len(speech))
        self._skip_speech -= skipped
        self.speech.extend(speech[skipped:])
        late = min(self._skip, out.size)
        self._skip -= late
        out = out[late:]
        self._given += out.size
        came, self._as_it_came = np.split(self._as_it_came, [out.size])
        left = np.float32(self._suppressor.left)
        return out + left * (came - out)


@functools.cache
def _filters() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """From 16 to 48 kHz, shape (37, 3), for windows of 37 samples; and back, shape (109,)."""
    place = np.arange(_TAPS) - (_TAPS - 1) / 2
    taps = np.sinc(place / _UP) * np.kaiser(_TAPS, _BETA)
    taps /= taps.sum()
    phases = np.zeros((_TAPS // _UP + 1) * _UP)
    phases[:_TAPS] = _UP * taps
    up = phases.reshape(-1, _UP)[::-1]
    return np.ascontiguousarray(up, np.float32), taps.astype(np.float32)


def load(files: ModelFiles) -> Denoiser:
    """A denoiser for one stream. DeepFilterNet takes most of a second to load.

    Raises:
        RecognizerError: the library would not load.
    """
    families: dict[str, Callable[[ModelFiles], Suppressor]] = {
        "rnnoise": _RnNoise,
        "deepfilternet": _DeepFilterNet,
    }
    return Denoiser(families[files.spec.family](files))


def _library(files: ModelFiles) -> tuple[ctypes.CDLL, Path]:
    names = [file.name for file in files.spec.files]
    name = next(name for name in names if Path(name).suffix in (".so", ".dll", ".dylib"))
    path = files.path(name)
    try:
        return ctypes.CDLL(str(path)), path
    except OSError as error:
        raise RecognizerError(
            f"{files.spec.title} would not load here ({str(error)[:100]})",
            "switch noise suppression off",
        ) from error


class _Weights(ctypes.Structure):
    """As in RNNoise's ``nnet.h``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("size", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class _RnNoise:
    delay = 960
    left = 0.25

    def __init__(self, files: ModelFiles) -> None:
        library, path = _library(files)
        library.rnnoise_create.restype = ctypes.c_void_p
        library.rnnoise_create.argtypes = [ctypes.c_void_p]
        library.rnnoise_destroy.argtypes = [ctypes.c_void_p]
        self._process = library.rnnoise_process_frame
        self._process.restype = ctypes.c_float
        self._process.argtypes = [ctypes.c_void_p] * 3
        self._state = library.rnnoise_create(_small_network(path))
        weakref.finalize(self, library.rnnoise_destroy, self._state)

    def process(self, sound: Samples) -> tuple[Samples, list[float]]:
        given = sound * np.float32(32768.0)
        taken = np.empty_like(given)
        source, target = given.ctypes.data, taken.ctypes.data
        step = _FRAME_48 * given.itemsize
        speech = [
            float(self._process(self._state, target + at, source + at))
            for at in range(0, given.nbytes, step)
        ]
        return taken * np.float32(1 / 32768.0), speech


@functools.cache
def _small_network(path: Path) -> int | None:
    """The library's own network without those weights that it holds in 8 bits as well: it then
    computes with these, in half the time. None where the library does not let them be seen.

    Once a process: the library keeps a pointer into it, and its own way to free it crashes.
    """
    library = ctypes.CDLL(str(path))
    library.rnnoise_model_from_buffer.restype = ctypes.c_void_p
    library.rnnoise_model_from_buffer.argtypes = [ctypes.c_void_p, ctypes.c_int]
    weights = _small_weights(library)
    if not weights:
        return None
    _kept.append(weights)
    model: int | None = library.rnnoise_model_from_buffer(weights, len(weights))
    return model


_kept: list[bytes] = []


def _small_weights(library: ctypes.CDLL) -> bytes:
    try:
        arrays = (_Weights * 1000).in_dll(library, "rnnoise_arrays")
    except ValueError:
        return b""  # on Windows
    parts: dict[str, tuple[int, bytes]] = {}
    for array in arrays:
        if not array.name:
            break
        parts[array.name.decode()] = (array.type, ctypes.string_at(array.data, array.size))
    blob = b""
    for name, (kind, data) in parts.items():
        if name.endswith("_float") and name.removesuffix("_float") + "_int8" in parts:
            continue
        size = -(-len(data) // 64) * 64
        head = struct.pack("<4s4i44s", b"DNNw", 0, kind, len(data), size, name.encode())
        blob += head + data.ljust(size, b"\0")
    return blob


class _DeepFilterNet:
    delay = 1440
    left = 0.0

    def __init__(self, files: ModelFiles) -> None:
        library, path = _library(files)
        library.df_create.restype = ctypes.c_void_p
        library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
        library.df_free.argtypes = [ctypes.c_void_p]
        self._process = library.df_process_frame
        self._process.restype = ctypes.c_float
        self._process.argtypes = [ctypes.c_void_p] * 3
        network = files.path("DeepFilterNet3_onnx.tar.gz")
        self._state = library.df_create(str(network).encode(), _MOST_DB, None)
        if not self._state:
            raise RecognizerError(
                f"{files.spec.title} would not load from {path.parent}",
                f"run: captionglass models verify {files.spec.id}",
            )
        weakref.finalize(self, library.df_free, self._state)

    def process(self, sound: Samples) -> tuple[Samples, list[float]]:
        given = np.ascontiguousarray(sound, np.float32)
        taken = np.empty_like(given)
        source, target = given.ctypes.data, taken.ctypes.data
        step = _FRAME_48 * given.itemsize
        for at in range(0, given.nbytes, step):
            self._process(self._state, source + at, target + at)
        return taken, []


_MOST_DB = 100.0
"""Decibels by which DeepFilterNet may lower noise: all of it."""
