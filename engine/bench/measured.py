"""What the slider's stops were measured to do on this computer, kept in a small file.

The figures hold for one model on one processor, by one version of the program: others are passed
over, and so is a file that cannot be understood. It is a cache: to lose it costs one measurement.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.bench import machine
from engine.config import STOPS
from engine.errors import CaptionglassError
from models.whole import write_whole

_FORMAT = 1
_KEYS = ("first_ms", "stable_ms", "changes", "cores")


@dataclass(frozen=True, slots=True)
class StopFigures:
    """One stop of the slider, measured.

    Attributes:
        first_ms: from a word's end until it is first seen, half of the words. May be negative.
        stable_ms: until it stays.
        changes: words' lengths of text taken back for each word shown: the erasure.
        cores: processor seconds for each second of sound.
    """

    first_ms: float
    stable_ms: float
    changes: float
    cores: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """All five stops.

    Attributes:
        model: id of the recogniser.
        provider: what it ran on.
        version: the program's.
        stops: figures by the stop's name.
    """

    model: str
    provider: str
    version: str
    stops: Mapping[str, StopFigures]


def default_path() -> Path:
    """``measured.json`` in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("captionglass", appauthor=False) / "measured.json"


class MeasuredFile:
    """The file. Reading never fails: what cannot be read was not measured.

    Args:
        path: the user's own by default; need not exist.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()

    def load(self, model: str, version: str, provider: str = "") -> Measurement | None:
        """What was measured here with a model.

        Args:
            model: id of the recogniser.
            version: the program's.
            provider: what it runs on; empty takes what was measured last.
        """
        for found in reversed(self._all()):
            if (found.model, found.version) == (model, version) and provider in (
                "",
                found.provider,
            ):
                return found
        return None

    def save(self, measurement: Measurement) -> None:
        """Add it, in one rename; it takes the place of one of the same model and provider.

        Raises:
            CaptionglassError: the file cannot be written.
        """
        same = (measurement.model, measurement.provider)
        kept = [
            found
            for found in self._all()
            if (found.model, found.provider) != same and found.version == measurement.version
        ]
        content = {
            "format": _FORMAT,
            "machine": _this_machine(),
            "measurements": [asdict(each) for each in (*kept, measurement)],
        }
        try:
            self._write(json.dumps(content, indent=1) + "\n")
        except OSError as error:
            raise CaptionglassError(
                f"the figures cannot be kept in {self.path.parent} ({error.strerror})",
                "make the folder writable",
            ) from error

    def _all(self) -> list[Measurement]:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content["format"] != _FORMAT or content["machine"] != _this_machine():
                return []
            return [measurement(each) for each in content["measurements"]]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return []

    def _write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, text.encode())


def measurement(content: Any) -> Measurement:
    """A measurement from its form in JSON.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: it is none.
    """
    stops = {
        name: StopFigures(**{key: _number(content["stops"][name][key]) for key in _KEYS})
        for name in STOPS
    }
    return Measurement(
        _text(content["model"]), _text(content["provider"]), _text(content["version"]), stops
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a number")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _this_machine() -> dict[str, str | int]:
    known = machine.describe()
    # A new onnxruntime or kernel changes figures a little; another processor makes them wrong.
    return {"cpu": known["cpu"], "cores": known["cores"]}
