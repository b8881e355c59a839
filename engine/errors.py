"""Every error the engine raises on purpose.

    CaptionglassError                 one line a person can act on (models/errors.py)
    ├── ModelError                    weights on disk (models/errors.py)
    │   ├── UnknownModelError
    │   ├── ModelMissingError
    │   ├── ModelDamagedError
    │   ├── DownloadError
    │   └── NoSpaceError
    ├── UsageError                    asked for something that does not exist; exit code 2
    ├── SourceError                   sound cannot be had
    │   ├── AudioFileError            missing, unreadable, or holds no audio
    │   └── DeviceError               no such device, or vanished
    │       └── DeviceBusyError       held by another program
    ├── RecognizerError               the model would not load or run
    └── SinkError                     a caption could not be delivered (file, socket)

Anything else that escapes is a bug: it is logged with its traceback and shown as one line.
"""

from __future__ import annotations

from models.errors import (
    CaptionglassError,
    DownloadError,
    ModelDamagedError,
    ModelError,
    ModelMissingError,
    NoSpaceError,
    UnknownModelError,
)


class UsageError(CaptionglassError):
    """The request itself is wrong: an unknown profile, a malformed option."""


class SourceError(CaptionglassError):
    """Sound cannot be had from where it was asked."""


class AudioFileError(SourceError):
    """A file that is missing, unreadable, or holds no audio."""


class DeviceError(SourceError):
    """A sound device that does not exist, is held, or has gone."""


class DeviceBusyError(DeviceError):
    """A sound device that another program holds."""


class RecognizerError(CaptionglassError):
    """A model that would not load or run."""


class SinkError(CaptionglassError):
    """A caption could not be delivered."""


__all__ = [
    "AudioFileError",
    "CaptionglassError",
    "DeviceBusyError",
    "DeviceError",
    "DownloadError",
    "ModelDamagedError",
    "ModelError",
    "ModelMissingError",
    "NoSpaceError",
    "RecognizerError",
    "SinkError",
    "SourceError",
    "UnknownModelError",
    "UsageError",
]
