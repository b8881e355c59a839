"""What is known of each model on this computer, and how that is said. No widgets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, QLocale, QObject

from models.languages import MANY, UNKNOWN, fit

if TYPE_CHECKING:
    from models.catalogue import Catalogue
    from models.spec import ModelSpec
    from models.store import ModelStore

UNTRIED = frozenset({"zipformer", "onnx_asr", "moonshine_streaming"})
"""Families that were tested on small stand-ins alone: their real weights could not be had."""

_NAMED_LANGUAGES = 4
_UNKNOWN_LICENCE = "LicenseRef-unknown"

State = Literal["here", "damaged", "afar"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One model, as it is on this computer now.

    Attributes:
        spec: with size and hashes as they were seen where the model is here.
        state: ``here``, ``damaged`` or ``afar``.
        removable: it is the user's own copy.
        arrived: bytes that came before an installation broke off.
        cores: processor cores it takes here, at the middle of the slider; None where not measured.
        error: what is damaged, one line.
    """

    spec: ModelSpec
    state: State
    removable: bool = False
    arrived: int = 0
    cores: float | None = None
    error: str = ""

    @property
    def untried(self) -> bool:
        """Whether the family was never run on its real weights by those who made the program."""
        return self.spec.family in UNTRIED


def look(catalogue: Catalogue, store: ModelStore) -> tuple[Entry, ...]:
    """All models that this system has a version of; reads sizes, and no weights."""
    from desktop_app import __version__
    from engine.bench.measured import MeasuredFile

    measured = MeasuredFile()
    entries = []
    for spec in catalogue:
        if spec.files:
            found = measured.load(spec.id, __version__) if spec.kind == "recognizer" else None
            cores = None if found is None else found.stops["balanced"].cores
            entries.append(_entry(spec, store, cores))
    return tuple(entries)


def _entry(spec: ModelSpec, store: ModelStore, cores: float | None) -> Entry:
    from models.download import resumable
    from models.errors import ModelDamagedError, ModelMissingError

    try:
        files = store.files(spec)
    except ModelMissingError:
        return Entry(spec, "afar", arrived=resumable(spec, store), cores=cores)
    except ModelDamagedError as error:
        return Entry(spec, "damaged", store.folder(spec).exists(), cores=cores, error=error.message)
    return Entry(files.spec, "here", store.folder(spec).exists(), cores=cores)


def matches(entry: Entry, wanted: str, language: str = "") -> bool:
    """Whether a model is among those somebody looks for.

    Args:
        entry: the model.
        wanted: words; all must be found in its name, purpose, family, licence or languages.
        language: BCP 47 code; empty for any.
    """
    spec = entry.spec
    if language and spec.languages and not fit(language, spec.languages):
        return False
    if language and not spec.languages:
        return False
    words = wanted.casefold().split()
    if not words:
        return True
    said = (spec.id, title(spec), purpose(spec), spec.family, spec.licence, spec.attribution)
    names = [name for code in spec.languages for name in (code, *_names(code))]
    text = " ".join((*said, *names)).casefold()
    return all(word in text for word in words)


def offered_languages(entries: Iterable[Entry]) -> list[str]:
    """The languages that any model captions, by their names."""
    codes = {code for entry in entries for code in entry.spec.languages}
    return sorted(codes - {MANY, UNKNOWN}, key=lambda code: language_name(code).casefold())


def title(spec: ModelSpec) -> str:
    """A model's name, for people; in their language where it is one of the catalogue's."""
    return QCoreApplication.translate("Catalogue", spec.title)


def purpose(spec: ModelSpec) -> str:
    """What one would choose a model for, one sentence."""
    if spec.derived_from:
        bits = {"int8": 8, "int4": 4, "fp16": 16, "float": 32}.get(spec.precision, 0)
        return QCoreApplication.translate(
            "Models", "Made on this computer from {model}, with weights of {bits} bits"
        ).format(model=spec.derived_from, bits=bits)
    if spec.folder is not None:
        return QCoreApplication.translate("Models", "Your own, in {folder}").format(
            folder=spec.folder
        )
    return QCoreApplication.translate("Catalogue", spec.good_for)


def facts(entry: Entry) -> list[str]:
    """Size, languages, licence, how it hears and what it costs here, each a few words."""
    spec = entry.spec
    told = [size(spec)]
    if spec.languages:
        told.append(languages(spec.languages))
    told.append(licence(spec.licence))
    if spec.kind == "recognizer":
        told.append(
            QCoreApplication.translate("Models", "streaming")
            if spec.streaming
            else QCoreApplication.translate("Models", "not streaming")
        )
    if entry.cores is not None:
        cores = QLocale().toString(entry.cores, "f", 2)
        told.append(QCoreApplication.translate("Models", "{cores} cores here").format(cores=cores))
    elif spec.kind == "recognizer" and entry.state == "here":
        told.append(QCoreApplication.translate("Models", "not measured here"))
    return told


def size(spec: ModelSpec) -> str:
    """On disk."""
    text = amount(spec.size)
    if spec.pinned:
        return text
    return QCoreApplication.translate("Models", "about {size}").format(size=text)


def amount(count: float, digits: int = 0) -> str:
    """A number of bytes, for people; thousands of megabytes with one digit more."""
    digits += count >= 1e9
    return QLocale().formattedDataSize(
        round(count), digits, QLocale.DataSizeFormat.DataSizeSIFormat
    )


def licence(spdx: str) -> str:
    """A licence by its usual name."""
    if spdx == _UNKNOWN_LICENCE:
        return QCoreApplication.translate("Models", "licence not known")
    return spdx


def languages(codes: Sequence[str]) -> str:
    """The languages by name where they are few, else how many."""
    if MANY in codes:
        return QCoreApplication.translate("Models", "many languages")
    if not codes or UNKNOWN in codes:
        return QCoreApplication.translate("Models", "language not known")
    if len(codes) > _NAMED_LANGUAGES:
        return _Counted().languages(len(codes))
    between = QCoreApplication.translate("Models", ", ", "between languages")
    return between.join(language_name(code) for code in codes)


def language_name(code: str) -> str:
    """A language in the language of the interface; where that has no word, as its speakers say."""
    own, english = _names(code)
    said = QCoreApplication.translate("Languages", english)
    english_is_spoken = QLocale().language() in (QLocale.Language.English, QLocale.Language.C)
    return own if said == english and not english_is_spoken and _legible(own) else said


def language_label(code: str) -> str:
    """The same, and behind it as its own speakers say, who may look for that."""
    own, said = _names(code)[0], language_name(code)
    if own.casefold() == said.casefold() or not _legible(own):
        return said
    return f"{said} ({own})"


def left(seconds: float) -> str:
    """How long something still takes, roughly."""
    if seconds < 90:
        return _Counted().seconds(max(1, round(seconds)))
    if seconds < 5400:
        return _Counted().minutes(round(seconds / 60))
    return _Counted().hours(round(seconds / 3600))


class _Counted(QObject):
    """Texts of a number: Qt's tools see that they are of one in a ``QObject`` alone."""

    def languages(self, n: int) -> str:
        return self.tr("%n languages", "", n)

    def seconds(self, n: int) -> str:
        return self.tr("%n second(s) left", "", n)

    def minutes(self, n: int) -> str:
        return self.tr("%n minute(s) left", "", n)

    def hours(self, n: int) -> str:
        return self.tr("%n hour(s) left", "", n)


def english_name(code: str) -> str:
    """A language in English: what ``language_name`` translates."""
    return _names(code)[1]


def _names(code: str) -> tuple[str, str]:
    """A language's own name and its English one; the code for each that nobody knows."""
    if code in _BETTER:
        return _BETTER[code]
    locale = QLocale(code)
    if locale.language() in (QLocale.Language.C, QLocale.Language.AnyLanguage):
        return code, code
    english = QLocale.languageToString(locale.language())
    return locale.nativeLanguageName() or english, english


_LEGIBLE = re.compile(r"[\u0000-\u058f\u05d0-\u06ff\u1e00-\u2fff\u3000-\u9fff\uac00-\ud7af]+")


def _legible(name: str) -> bool:
    """Whether fonts that every desktop has can write it: Qt complains where none can."""
    return _LEGIBLE.fullmatch(name) is not None


_BETTER = {
    "en": ("English", "English"),
    "es": ("Español", "Spanish"),
    "zh": ("中文", "Chinese"),
    "yue": ("粵語", "Cantonese"),
    "la": ("Latina", "Latin"),
    "su": ("Basa Sunda", "Sundanese"),
    "tl": ("Tagalog", "Tagalog"),
}
"""Names that Qt has not, or only with a country."""
