"""The root of every error the product raises on purpose, and the errors about models.

The whole tree is drawn at the top of ``engine/errors.py``; this part stands below it because
``models`` may not import ``engine``.
"""

from __future__ import annotations


class CaptionglassError(Exception):
    """Something a person can be told in one line: what happened, and what to do about it.

    Args:
        message: names the thing that failed, one sentence, no full stop needed.
        remedy: what the reader can do; empty when there is nothing to do.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}: {self.remedy}" if self.remedy else self.message


class ModelError(CaptionglassError):
    """Anything about the weights on disk or on their way to it."""


class UnknownModelError(ModelError):
    """No model of that id stands in the catalogue."""


class ModelMissingError(ModelError):
    """The model is known but not installed here."""


class ModelDamagedError(ModelError):
    """Files of an installed model are missing, short, or have the wrong sha256."""


class DownloadError(ModelError):
    """The files could not be fetched (offline, refused, not found)."""


class NoSpaceError(ModelError):
    """The disk that holds the models is full."""
