"""A sound file, read in blocks: as fast as the engine goes, or at the pace it was spoken."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import AudioFileError
from engine.ring import SampleRing
from engine.sources.reader_thread import ReaderThread
from engine.types import Samples

_PACED_BLOCK_S = 0.02
"""What a sound card would hand over at a time."""

_FAST_BLOCK_S = 0.1

_CONVERT = "convert it to WAV or FLAC"


class AudioReader(Protocol):
    """An opened sound file.

    Attributes:
        sample_rate: Hz.
        channels: of the blocks.
        duration: seconds, as far as the file says; None where it does not.
    """

    sample_rate: int
    channels: int
    duration: float | None

    def blocks(self, frames: int) -> Iterator[Samples]:
        """The sound in blocks of float32 (n, channels), n = ``frames`` save for the last.

        Raises:
            AudioFileError: the file breaks off.
        """

    def close(self) -> None:
        """Release the file."""


class FileSource:
    """Captions a file.

    Args:
        path: anything libsndfile reads; other containers through PyAV where it is installed.
        realtime: feed it at the pace it was spoken, as a device would.
        lane: the label of its captions.

    Attributes:
        duration: seconds, as far as the file says; None where it does not.

    Raises:
        AudioFileError: missing, unreadable, or holds no sound that can be read.
    """

    def __init__(self, path: Path, *, realtime: bool = False, lane: str = "file") -> None:
        self.lane = lane
        self.description = path.name
        self.live = realtime
        self._reader = open_audio(path)
        self.sample_rate = self._reader.sample_rate
        self.duration = self._reader.duration
        self._weights = _centre_weights(self._reader.channels)
        self.channels = self._reader.channels if self._weights is None else 1
        self._thread = ReaderThread(f"file {path.name}", self._produce)

    def start(self, ring: SampleRing) -> None:
        """Begin to read on a thread of its own; returns at once."""
        self._thread.start(ring)

    def stop(self) -> None:
        """Stop reading, close the file and the ring. May be called twice."""
        self._thread.stop()
        self._reader.close()

    def _produce(self, ring: SampleRing, stop: threading.Event) -> None:
        try:
            feed = self._feed_paced if self.live else self._feed_fast
            feed(ring, stop)
        finally:
            self._reader.close()

    def _feed_fast(self, ring: SampleRing, stop: threading.Event) -> None:
        for block in self._blocks(_FAST_BLOCK_S):
            if not ring.write_waiting(block, time.monotonic(), stop):
                return

    def _feed_paced(self, ring: SampleRing, stop: threading.Event) -> None:
        opened = time.monotonic()
        position = 0
        for block in self._blocks(_PACED_BLOCK_S):
            position += len(block)
            # Reckoned from the opening, so that late wake-ups do not add up.
            captured_at = opened + position / self.sample_rate
            if stop.wait(max(0.0, captured_at - time.monotonic())):
                return
            ring.write(block, captured_at)

    def _blocks(self, seconds: float) -> Iterator[Samples]:
        for block in self._reader.blocks(max(1, round(self.sample_rate * seconds))):
            if self._weights is None:
                yield block
            else:
                with np.errstate(all="ignore"):
                    yield (block @ self._weights)[:, np.newaxis]


def open_audio(path: Path) -> AudioReader:
    """Open a sound file by whatever can read it.

    Raises:
        AudioFileError: missing, unreadable, or holds no sound that can be read.
    """
    _check_readable(path)
    import soundfile

    try:
        return SndfileReader(path)
    except (soundfile.LibsndfileError, TypeError) as error:
        # libsndfile takes no samples from a ``.raw`` file unless it is told what they are.
        refusal = getattr(error, "error_string", "") or "headerless"
    from engine.sources.file_media import MediaReader, media_available

    if media_available():
        return MediaReader(path)
    raise AudioFileError(
        f"{path.name} is not a sound file that can be read here ({refusal.strip(' .')})",
        f"{_CONVERT}, or install PyAV (the extra 'media') for video and other containers",
    )


class SndfileReader:
    """WAV, FLAC, OGG, Opus, MP3, AIFF, CAF ... through libsndfile."""

    def __init__(self, path: Path) -> None:
        import soundfile

        self._name = path.name
        self._file: Any = soundfile.SoundFile(str(path))
        self.sample_rate = int(self._file.samplerate)
        self.channels = int(self._file.channels)
        self.duration: float | None = self._file.frames / self.sample_rate

    def blocks(self, frames: int) -> Iterator[Samples]:
        import soundfile

        position = 0
        while True:
            try:
                block: Samples = self._file.read(frames, dtype="float32", always_2d=True)
            except soundfile.LibsndfileError as error:
                seconds = position / self.sample_rate
                raise AudioFileError(
                    f"{self._name} breaks off after {seconds:.1f} s ({error.error_string})",
                    "what came before is captioned",
                ) from error
            position += len(block)
            if len(block):
                yield block
            if len(block) < frames:
                return

    def close(self) -> None:
        self._file.close()


def _check_readable(path: Path) -> None:
    """Raises AudioFileError for what no decoder could open, in words that say what is wrong."""
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise AudioFileError(f"{path} is a folder", "name a file in it")
        if not stat.S_ISREG(about.st_mode):
            raise AudioFileError(
                f"{path} is not a regular file", "pipe raw sound into: captionglass caption -"
            )
        if about.st_size == 0:
            raise AudioFileError(f"{path.name} is empty (0 bytes)", "record or copy it again")
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise AudioFileError(f"there is no file {path}", "check the name and the folder") from error
    except PermissionError as error:
        raise AudioFileError(
            f"{path.name} may not be read by you", "change its permissions, or copy it"
        ) from error
    except (OSError, ValueError) as error:
        raise AudioFileError(f"{path.name} cannot be opened ({error})", "check the name") from error


def _centre_weights(channels: int) -> NDArray[np.float32] | None:
    """How much of each channel is heard where a plain mean would bury the dialogue.

    5.1 and 7.1 carry speech in the third channel: the mean of six would be 16 dB down. These are
    the weights of ITU-R BS.775, folded to one channel; the fourth, the bass, is left out.
    """
    if channels not in (6, 8):
        return None
    weights = np.full(channels, 0.354, np.float32)
    weights[:4] = (0.5, 0.5, 0.707, 0.0)
    return weights
