"""The models Captionglass knows, read from ``catalogue.toml`` and checked while reading."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import urlsplit

from models.errors import ModelError, UnknownModelError
from models.languages import MANY, fit
from models.local import described
from models.spec import (
    DESCRIPTION,
    PINS,
    PREPARED,
    HttpsFile,
    HubFile,
    Kind,
    ModelFile,
    ModelSpec,
    Source,
    WheelMember,
    this_system,
)
from models.store import default_root

CATALOGUE = Path(__file__).with_name("catalogue.toml")
"""The shipped catalogue, beside this module in a checkout and in the packaged application."""

_ID = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_FAMILY = re.compile(r"[a-z][a-z0-9_]*")
_FILE_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_WHEEL = re.compile(
    r"(?P<package>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)==(?P<version>[\w.+!]+)"
    r"(@(?P<platform>[a-z0-9_]+))?"
)
_SYSTEM = re.compile(r"(linux|windows|darwin)-[a-z0-9_]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*( (AND|OR|WITH) [A-Za-z0-9][A-Za-z0-9.+-]*)*")
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*@[\w.-]+")
_HUB_PATH = re.compile(r"[\w.+-]+(/[\w.+-]+)*")
_NEAREST_AT_MOST = 6
_FEW_LANGUAGES = 3


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
        known = ", ".join(ids[:_NEAREST_AT_MOST]) + (", ..." if ids[_NEAREST_AT_MOST:] else "")
        remedy = f"did you mean {near[0]}?" if near else f"known models are {known}"
        raise UnknownModelError(f"there is no model {model_id!r}", remedy)

    def recognizers(self) -> tuple[ModelSpec, ...]:
        """The models that turn speech into words, in the order of the file."""
        return tuple(spec for spec in self.models if spec.kind == "recognizer")

    def best_for(self, language: str, installed: Collection[str] = ()) -> ModelSpec:
        """The recogniser to take for somebody who speaks a language.

        What is installed goes before what would have to be fetched, a model made for few languages
        before one for many, and then the earlier in the file before the later.

        Args:
            language: BCP 47 code, ``zh-CN``; empty where it is not known.
            installed: ids of the models that are here.

        Raises:
            UnknownModelError: no model captions that language.
        """
        if not language:
            return self.get(self.default)
        fitting = [
            (spec.id not in installed, -fit(language, spec.languages), _breadth(spec), place)
            for place, spec in enumerate(self.models)
            if spec.kind == "recognizer" and fit(language, spec.languages)
        ]
        if not fitting:
            raise UnknownModelError(
                f"no model captions the language {language!r}",
                "see: captionglass models list; a model of your own can be added",
            )
        return self.models[min(fitting)[3]]


def _breadth(spec: ModelSpec) -> int:
    if MANY in spec.languages:
        return 2
    return 0 if len(spec.languages) <= _FEW_LANGUAGES else 1


def load(path: Path | None = None, root: Path | None = None) -> Catalogue:
    """Read and check a catalogue, and add the models that were added or made on this machine.

    Args:
        path: the shipped one by default.
        root: the models folder whose own models are added: by default the user's for the shipped
            catalogue, and none for another one.

    Raises:
        ModelError: the file cannot be read, or an entry is broken; the message names the entry.
    """
    if path is None:
        path, root = CATALOGUE, root or default_root()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"the model catalogue {path} cannot be read ({error})") from error
    top = _Entry("the model catalogue", table)
    named = top.table("languages", optional=True)
    lists = {name: named.texts(name) for name in named}
    entries = top.table("models")
    models = tuple(_model(model_id, entries.of(model_id), lists) for model_id in entries)
    if root is not None:
        listed = {spec.id for spec in models}
        models += tuple(spec for spec in described(root) if spec.id not in listed)
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

    def text(
        self, key: str, pattern: re.Pattern[str] | None = None, *, optional: bool = False
    ) -> str:
        if optional and key not in self._table:
            self._asked.add(key)
            return ""
        value = self._get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.broken(f"{key} must be text, not {value!r}")
        if pattern is not None and not pattern.fullmatch(value):
            raise self.broken(f"{key} = {value!r} does not look like {pattern.pattern}")
        return value

    def texts(
        self,
        key: str,
        *,
        or_one: bool = False,
        optional: bool = False,
        named: dict[str, tuple[str, ...]] | None = None,
    ) -> tuple[str, ...]:
        if optional and key not in self._table:
            self._asked.add(key)
            return ()
        value = self._get(key)
        if named is not None and isinstance(value, str) and value in named:
            return named[value]
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

    def yes(self, key: str) -> bool:
        self._asked.add(key)
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            raise self.broken(f"{key} must be true or false, not {value!r}")
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


def _model(model_id: str, entry: _Entry, lists: dict[str, tuple[str, ...]]) -> ModelSpec:
    if not _ID.fullmatch(model_id):
        raise entry.broken(f"the id {model_id!r} does not look like {_ID.pattern}")
    kind = entry.text("kind")
    if kind not in get_args(Kind):
        raise entry.broken(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")
    languages = entry.texts("languages", named=lists)
    if (kind == "recognizer") != bool(languages):
        raise entry.broken("a recognizer names its languages, all else names none")
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise entry.broken(f"{language!r} is not a BCP 47 language code")
    sizes = entry.table("wheels", optional=True)
    wheel_sizes = {wheel: sizes.count(wheel) for wheel in sizes}
    places = _Places(
        wheel_sizes, entry.text("hub", _HUB, optional=True), entry.text("site", optional=True)
    )
    # Those of other systems are read too: a broken entry shows everywhere.
    files = [_file(item, places) for item in entry.tables("files")]
    spec = ModelSpec(
        id=model_id,
        title=entry.text("title"),
        family=entry.text("family", _FAMILY),
        kind=cast(Kind, kind),
        languages=languages,
        licence=entry.text("licence", _LICENCE),
        attribution=entry.text("attribution"),
        files=tuple(file for file, system in files if system in ("", this_system())),
        good_for=entry.text("good_for", optional=True),
        streaming=entry.yes("streaming"),
    )
    entry.end()
    names = [file.name.lower() for file in spec.files]
    if len(set(names)) < len(names):
        raise entry.broken("two of its files have the same name")
    used = {
        part.wheel for file, _ in files for part in file.source if isinstance(part, WheelMember)
    }
    for wheel in wheel_sizes.keys() - used:
        raise entry.broken(f"wheels lists {wheel!r}, which none of its files comes from")
    return spec


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the files of an entry come from unless they say otherwise.

    Attributes:
        wheel_sizes: bytes of package wheels.
        hub: ``OWNER/NAME@REVISION`` of a model hub, or empty.
        site: the beginning of an address, or empty.
    """

    wheel_sizes: dict[str, int]
    hub: str
    site: str


def _file(entry: _Entry, places: _Places) -> tuple[ModelFile, str]:
    """A file, and the only system it is for; empty for all."""
    name = entry.text("name", _FILE_NAME)
    if name.lower() in (PREPARED, PINS, DESCRIPTION):
        raise entry.broken(f"the name {name!r} is kept for derived files")
    inside = entry.text("path", _HUB_PATH, optional=True) or name
    sources = entry.texts("source", or_one=True, optional=bool(places.hub or places.site))
    if not sources and not (places.hub or places.site):
        raise entry.broken("source names no place")
    source = tuple(_source(entry, text, places) for text in sources)
    if len(source) > 1 and not all(isinstance(part, WheelMember) for part in source):
        raise entry.broken("only wheel members can be joined")
    elsewhere = [_source(entry, text, places) for text in entry.texts("elsewhere", optional=True)]
    if not source and places.hub:
        source = (_source(entry, f"hub:{places.hub}:{inside}", places),)
        if places.site:
            elsewhere.insert(0, _source(entry, places.site + inside, places))
    elif not source:
        source = (_source(entry, places.site + inside, places),)
    in_wheel = any(isinstance(part, WheelMember) for part in (*source, *elsewhere))
    file = ModelFile(
        name=name,
        source=source,
        size=entry.count("size"),
        sha256=entry.text("sha256", _SHA256, optional=not in_wheel),
        elsewhere=tuple(elsewhere),
    )
    system = entry.text("system", _SYSTEM, optional=True)
    entry.end()
    return file, system


def _source(entry: _Entry, source: str, places: _Places) -> Source:
    if source.startswith("https:"):
        address = urlsplit(source)
        if not address.hostname or not address.path.strip("/") or address.query:
            raise entry.broken(f"source {source!r} is not the address of a file")
        return HttpsFile(source)
    if source.startswith("hub:"):
        repo, _, inside = source.removeprefix("hub:").partition(":")
        if not _HUB.fullmatch(repo) or not _HUB_PATH.fullmatch(inside):
            raise entry.broken(f"source {source!r} does not look like hub:OWNER/NAME@REVISION:PATH")
        name, _, revision = repo.partition("@")
        return HubFile(name, revision, inside)
    return _member(entry, source, places.wheel_sizes)


def _member(entry: _Entry, source: str, wheel_sizes: dict[str, int]) -> WheelMember:
    wheel, _, member = source.partition(":")
    match = _WHEEL.fullmatch(wheel)
    if match is None or not member or member.startswith("/") or "\\" in member:
        raise entry.broken(f"source {source!r} does not look like PACKAGE==VERSION:MEMBER")
    return WheelMember(
        match["package"],
        match["version"],
        member,
        wheel_sizes.get(wheel),
        match["platform"] or "",
    )
