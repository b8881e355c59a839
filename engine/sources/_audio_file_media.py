"""The sound track of a video, and containers libsndfile does not read: through PyAV, if there."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import AudioFileError
from engine.sources._audio_file import broken_off, shown_name
from engine.types import Samples

_CONVERT = "convert it to WAV or FLAC"


def media_available() -> bool:
    """Whether PyAV is installed (the extra ``media``)."""
    return importlib.util.find_spec("av") is not None


class MediaReader:
    """The first sound track of whatever FFmpeg reads, as float32 at its own rate.

    Raises:
        AudioFileError: no FFmpeg format, or no sound track in it.
    """

    def __init__(self, path: Path) -> None:
        import av

        self._name = shown_name(path)
        try:
            self._container: Any = av.open(str(path))
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise AudioFileError(
                f"{self._name} is not a sound or video file that can be read ({_said(error)})",
                _CONVERT,
            ) from error
        if not self._container.streams.audio:
            self._container.close()
            raise AudioFileError(f"{self._name} has no sound track", "name a file with sound")
        self._stream = self._container.streams.audio[0]
        self.sample_rate = int(self._stream.codec_context.sample_rate or 0)
        self.channels = int(self._stream.codec_context.channels or 0)
        if self.sample_rate < 1 or self.channels < 1:
            self._container.close()
            raise AudioFileError(f"{self._name} has a sound track that cannot be decoded", _CONVERT)
        length = self._container.duration
        self.duration: float | None = None if length is None else length / av.time_base

    def blocks(self, frames: int) -> Iterator[Samples]:
        waiting = np.empty((0, self.channels), np.float32)
        for piece in self._decoded():
            waiting = np.concatenate((waiting, piece))
            whole = len(waiting) // frames * frames
            for at in range(0, whole, frames):
                yield waiting[at : at + frames]
            waiting = waiting[whole:]
        if len(waiting):
            yield waiting

    def close(self) -> None:
        self._container.close()

    def _decoded(self) -> Iterator[Samples]:
        """Decoded pieces of any length, float32 (n, channels)."""
        import av

        # One format and layout throughout, even where the track changes them half-way.
        convert = av.AudioResampler(
            format="flt", layout=self._stream.codec_context.layout.name, rate=self.sample_rate
        )
        position = 0
        try:
            for frame in self._container.decode(self._stream):
                for piece in convert.resample(frame):
                    position += piece.samples
                    yield piece.to_ndarray().reshape(-1, self.channels)
            for piece in convert.resample(None):
                yield piece.to_ndarray().reshape(-1, self.channels)
        except (av.error.FFmpegError, OSError) as error:
            seconds = position / self.sample_rate
            raise broken_off(self._name, seconds, _said(error)) from error


def _said(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error).splitlines()[0]
