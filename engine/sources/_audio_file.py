"""Opening a sound file by whatever can read it, and saying in one line why it cannot be read."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from engine.errors import AudioFileError
from engine.runtime import quiet_stderr
from engine.types import Samples

_CONVERT = "convert it to WAV or FLAC"

_LOWEST_RATE, _HIGHEST_RATE = 1_000, 1_000_000
"""Hz. A header that says otherwise is damaged, and would blow a second up to hours."""


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


def open_audio(path: Path) -> AudioReader:
    """Open a sound file by whatever can read it.

    Raises:
        AudioFileError: missing, unreadable, or holds no sound that can be read.
    """
    check_readable(path)
    reader = _open_any(path)
    try:
        if reader.duration == 0.0:
            raise AudioFileError(
                f"{shown_name(path)} holds no sound (0 samples)", "record or copy it again"
            )
        if not _LOWEST_RATE <= reader.sample_rate <= _HIGHEST_RATE:
            raise AudioFileError(
                f"{shown_name(path)} claims {reader.sample_rate} samples a second", _CONVERT
            )
    except AudioFileError:
        reader.close()
        raise
    return reader


def _open_any(path: Path) -> AudioReader:
    import soundfile

    try:
        return SndfileReader(path)
    except soundfile.LibsndfileError:
        pass
    except TypeError as error:
        # What soundfile says of a ``.raw`` name: it would have to be told what is inside.
        raise AudioFileError(
            f"{shown_name(path)} is raw sound, and does not say of which kind",
            f"{_CONVERT}; 16 kHz mono s16le can be piped into: captionglass caption -",
        ) from error
    from engine.sources._audio_file_media import MediaReader, media_available

    if media_available():
        return MediaReader(path)
    raise AudioFileError(
        f"{shown_name(path)} holds no sound in a format that can be read here",
        f"{_CONVERT}, or install PyAV (the extra 'media') for videos and other containers",
    )


def _native(path: Path) -> str | bytes:
    """The path as libsndfile wants it; elsewhere a name may hold bytes that are no text."""
    return str(path) if sys.platform == "win32" else os.fsencode(path)


class SndfileReader:
    """WAV, FLAC, OGG, Opus, MP3, AIFF, CAF ... through libsndfile.

    Raises:
        soundfile.LibsndfileError: it is none of these.
        TypeError: it is called ``.raw``.
    """

    def __init__(self, path: Path) -> None:
        import soundfile

        self._name = shown_name(path)
        # The MP3 decoder tells the terminal all it thinks of a file that is none.
        with quiet_stderr():
            self._file: Any = soundfile.SoundFile(_native(path))
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
                raise self._broken(position, error.error_string.strip(" .")) from error
            position += len(block)
            if len(block):
                yield block
            if len(block) < frames:
                break
        # In MP3 and Ogg the length is an estimate, or counts what had to be skipped.
        if position < self._file.frames and self._file.format not in ("MP3", "OGG"):
            raise self._broken(position, "the file has shrunk")

    def close(self) -> None:
        self._file.close()

    def _broken(self, position: int, reason: str) -> AudioFileError:
        return broken_off(self._name, position / self.sample_rate, reason)


def broken_off(name: str, seconds: float, reason: str) -> AudioFileError:
    """The error of a file that cannot be read to its end."""
    return AudioFileError(
        f"{name} breaks off after {seconds:.1f} s ({reason})", "what came before is captioned"
    )


def shown_name(path: Path) -> str:
    """A file's name for people, in one line whatever is in it."""
    return shown(path.name or str(path))


def shown(text: str) -> str:
    """``text`` without what no terminal or JSON file can take: line breaks, stray bytes."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def check_readable(path: Path) -> None:
    """Raises AudioFileError for what no decoder could open, in words that say what is wrong."""
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise AudioFileError(f"{shown_name(path)} is a folder", "name a file in it")
        if not stat.S_ISREG(about.st_mode):
            raise AudioFileError(
                f"{shown_name(path)} is not a regular file",
                "pipe raw sound into: captionglass caption -",
            )
        if about.st_size == 0:
            raise AudioFileError(
                f"{shown_name(path)} is empty (0 bytes)", "record or copy it again"
            )
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise AudioFileError(
            f"there is no file {shown(str(path))}", "check the name and the folder"
        ) from error
    except PermissionError as error:
        raise AudioFileError(
            f"{shown_name(path)} may not be read by you", "change its permissions, or copy it"
        ) from error
    except (OSError, ValueError) as error:
        raise AudioFileError(
            f"{shown_name(path)} cannot be opened ({error})", "check the name"
        ) from error
