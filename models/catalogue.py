"""The models Captionglass knows, read from ``catalogue.toml`` and checked while reading."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from models.errors import ModelError, UnknownModelError
from models.spec import PREPARED, ModelFile, ModelSpec, WheelMember

CATALOGUE = Path(__file__).with_name("catalogue.toml")
"""The shipped catalogue, beside this module in a checkout and in the packaged application."""

_ID = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_FAMILY = re.compile(r"[a-z][a-z0-9_]*")
_FILE_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_WHEEL = re.compile(r"(?P<package>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)==(?P<version>[\w.+!]+)")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All known models.

    Attributes:
        models: in the order of the file.
        default: id of the recogniser used when nothing else is asked for.
        vad: id of the voice activity detector.
    """

    models: tuple[ModelSpec, ...]
    default: str
    vad: str

    def __iter__(self) -> Iterator[ModelSpec]:
        return iter(self.models)

    def get(self, model_id: str) -> ModelSpec:
        """The model of that id.

        Raises:
            UnknownModelError: there is none; the remedy names the nearest id.
        """
        for spec in self.models:
            if spec.id == model_id:
                return spec
        ids = [spec.id for spec in self.models]
        near = difflib.get_close_matches(model_id.lower(), ids, n=1)
        remedy = f"did you mean {near[0]}?" if near else f"known models are {', '.join(ids)}"
        raise UnknownModelError(f"there is no model {model_id!r}", remedy)

    def recognizers(self) -> tuple[ModelSpec, ...]:
        """The models that turn speech into words, in the order of the file."""
        return tuple(spec for spec in self.models if spec.kind == "recognizer")


def load(path: Path = CATALOGUE) -> Catalogue:
    """Read and check a catalogue.

    Raises:
        ModelError: the file cannot be read, or an entry is broken; the message names the entry.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"the model catalogue {path} cannot be read ({error})") from error
    top = _Entry("the model catalogue", table)
    entries = top.table("models")
    models = tuple(_model(model_id, entries.of(model_id)) for model_id in entries)
    catalogue = Catalogue(models, default=top.text("default"), vad=top.text("vad"))
    top.end()
    for key, model_id, kind in (
        ("default", catalogue.default, "recognizer"),
        ("vad", catalogue.vad, "vad"),
    ):
        found = next((spec for spec in models if spec.id == model_id), None)
        if found is None or found.kind != kind:
            raise top.broken(f"{key} = {model_id!r} is not the id of a {kind}")
    return catalogue


class _Entry:
    """A TOML table that knows its place in the file, so that every complaint can name it."""

    def __init__(self, place: str, table: dict[str, Any]) -> None:
        self._place = place
        self._table = table
        self._asked: set[str] = set()

    def broken(self, what: str) -> ModelError:
        return ModelError(f"{self._place} is broken, {what}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def text(self, key: str, pattern: re.Pattern[str] | None = None) -> str:
        value = self._get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.broken(f"{key} must be text, not {value!r}")
        if pattern is not None and not pattern.fullmatch(value):
            raise self.broken(f"{key} = {value!r} does not look like {pattern.pattern}")
        return value

    def texts(self, key: str, *, or_one: bool = False) -> tuple[str, ...]:
        value = self._get(key)
        if or_one and isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.broken(f"{key} must be a list of texts, not {value!r}")
        return tuple(value)

    def count(self, key: str) -> int:
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise self.broken(f"{key} must be a whole number above zero, not {value!r}")
        return value

    def table(self, key: str, *, optional: bool = False) -> _Entry:
        value = {} if optional and key not in self._table else self._get(key)
        self._asked.add(key)
        if not isinstance(value, dict):
            raise self.broken(f"{key} must be a table, not {value!r}")
        return _Entry(f"{self._place}, {key}", value)

    def of(self, model_id: str) -> _Entry:
        value = self._get(model_id)
        if not isinstance(value, dict):
            raise self.broken(f"{model_id} must be a table, not {value!r}")
        return _Entry(f"catalogue entry {model_id!r}", value)

    def tables(self, key: str) -> list[_Entry]:
        value = self._get(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, dict) for v in value):
            raise self.broken(f"{key} must be a list of at least one table")
        return [
            _Entry(f"{self._place}, file {item.get('name', number)!r}", item)
            for number, item in enumerate(value, 1)
        ]

    def end(self) -> None:
        """Complain about keys nobody asked for: most are misspelt."""
        for key in self._table:
            if key not in self._asked:
                near = difflib.get_close_matches(key, self._asked, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise self.broken(f"{key!r} is not a key here{hint}")

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        if key not in self._table:
            raise self.broken(f"{key!r} is missing")
        return self._table[key]


def _model(model_id: str, entry: _Entry) -> ModelSpec:
    if not _ID.fullmatch(model_id):
        raise entry.broken(f"the id {model_id!r} does not look like {_ID.pattern}")
    kind = entry.text("kind")
    if kind not in ("recognizer", "vad"):
        raise entry.broken(f"kind must be 'recognizer' or 'vad', not {kind!r}")
    languages = entry.texts("languages")
    if (kind == "recognizer") != bool(languages):
        raise entry.broken("a recognizer names its languages, a vad names none")
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise entry.broken(f"{language!r} is not a BCP 47 language code")
    sizes = entry.table("wheels", optional=True)
    wheel_sizes = {wheel: sizes.count(wheel) for wheel in sizes}
    spec = ModelSpec(
        id=model_id,
        title=entry.text("title"),
        family=entry.text("family", _FAMILY),
        kind=cast('Literal["recognizer", "vad"]', kind),
        languages=languages,
        licence=entry.text("licence"),
        attribution=entry.text("attribution"),
        files=tuple(_file(item, wheel_sizes) for item in entry.tables("files")),
    )
    entry.end()
    names = [file.name.lower() for file in spec.files]
    if len(set(names)) < len(names):
        raise entry.broken("two of its files have the same name")
    used = {part.wheel for file in spec.files for part in file.source}
    for wheel in wheel_sizes.keys() - used:
        raise entry.broken(f"wheels lists {wheel!r}, which none of its files comes from")
    return spec


def _file(entry: _Entry, wheel_sizes: dict[str, int]) -> ModelFile:
    name = entry.text("name", _FILE_NAME)
    if name.lower() == PREPARED:
        raise entry.broken(f"the name {PREPARED!r} is kept for derived files")
    sources = entry.texts("source", or_one=True)
    if not sources:
        raise entry.broken("source names no wheel member")
    file = ModelFile(
        name=name,
        source=tuple(_member(entry, source, wheel_sizes) for source in sources),
        size=entry.count("size"),
        sha256=entry.text("sha256", _SHA256),
    )
    entry.end()
    return file


def _member(entry: _Entry, source: str, wheel_sizes: dict[str, int]) -> WheelMember:
    wheel, _, member = source.partition(":")
    match = _WHEEL.fullmatch(wheel)
    if match is None or not member or member.startswith("/") or "\\" in member:
        raise entry.broken(f"source {source!r} does not look like PACKAGE==VERSION:MEMBER")
    return WheelMember(match["package"], match["version"], member, wheel_sizes.get(wheel))
