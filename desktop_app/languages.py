"""The language of the interface: which one it is, and what the program says in it.

Windows translate their own texts through Qt. What the engine says comes composed, in English, with
values in it: it is found again by its pattern (``phrases.txt``) and said with the same values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QLibraryInfo,
    QLocale,
    QTranslator,
)

from assets import ASSETS

if TYPE_CHECKING:
    from desktop_app.settings.declared import Settings
    from engine.errors import CaptionglassError
    from engine.types import Notice

FOLDER = ASSETS / "translations"
LANGUAGES = ("en", "zh-CN")
"""What the interface can be had in, as BCP 47 writes it."""

PHRASES = "Notices"
"""The context of what the engine says."""

PHRASE_FILE = FOLDER / "phrases.txt"
"""Their patterns, one a line, ``%1`` and so on where a value stands."""

_VALUES = (PHRASES, "Hotkeys", "Stops", "Catalogue")
"""Contexts of what stands in sentences as a value."""

_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_DEEPEST = 4
_LIGHTEST = 6
"""Characters that a sentence has in common with its pattern at least; "%1 or %2" is only a part."""
_PROPERTY = "captionglass_language"
_PLACE = re.compile(r"%(\d)")
_HAN = "[\u4e00-\u9fff]"
_HAN_LAST, _HAN_FIRST = re.compile(f"{_HAN} ?$"), re.compile(f" ?{_HAN}")
_LATIN_LAST, _LATIN_FIRST = re.compile("[A-Za-z0-9] ?$"), re.compile(" ?[A-Za-z0-9]")


def resolve(asked: str, system: Sequence[str] | None = None) -> str:
    """The language to use.

    Args:
        asked: one of ``LANGUAGES``, or ``auto`` for the first of the system's that there is.
        system: what the system prefers, best first; asked of it where None.
    """
    if asked in LANGUAGES:
        return asked
    for name in QLocale.system().uiLanguages() if system is None else system:
        language, *more = name.replace("_", "-").lower().split("-")
        if language == "en":
            return "en"
        # Who reads traditional characters gets what the system names next.
        if language == "zh" and not _TRADITIONAL & set(more):
            return "zh-CN"
    return "en"


def use(asked: str) -> bool:
    """Say everything in another language from now on. Qt tells every window of it.

    Args:
        asked: see ``resolve``.

    Returns:
        Whether it was another one before.
    """
    application = QCoreApplication.instance()
    assert application is not None
    language = resolve(asked)
    before = application.property(_PROPERTY)
    if language == before:
        return False
    application.setProperty(_PROPERTY, language)
    _set_locale(language)
    old = [each for each in application.children() if isinstance(each, QTranslator)]
    name = language.replace("-", "_")
    for folder, stem in (
        (QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath), f"qtbase_{name}"),
        (str(FOLDER), f"captionglass_{name}"),
    ):
        translator = QTranslator(application)
        if translator.load(stem, folder):
            application.installTranslator(translator)
        else:
            translator.deleteLater()
    for translator in old:
        application.removeTranslator(translator)
        translator.deleteLater()
    return True


def current() -> str:
    """The language in use, one of ``LANGUAGES``."""
    application = QCoreApplication.instance()
    language = application.property(_PROPERTY) if application is not None else None
    return str(language) if language else "en"


def is_change(event: QEvent) -> bool:
    """Whether an event of ``changeEvent`` asks for texts in another language."""
    return event.type() == QEvent.Type.LanguageChange


def _set_locale(language: str) -> None:
    system = QLocale.system()
    wanted = QLocale(language.replace("-", "_"))
    # Whoever reads the system's own language keeps the system's own dates and numbers.
    QLocale.setDefault(system if system.language() == wanted.language() else wanted)


def named(settings: Settings) -> Settings:
    """The settings, with the lanes named in the language in use where nobody chose other names."""
    names = {}
    for field in ("lane_name_mic", "lane_name_system"):
        first = type(settings).model_fields[field].default
        if getattr(settings, field) == first:
            names[field] = QCoreApplication.translate("Lanes", first)
    return settings.model_copy(update=names)


# What the engine says


def phrase(text: str) -> str:
    """A sentence or clause of the engine in the language in use; as it is where it is unknown."""
    return text if current() == "en" else _found(text, 0) or text


def notice_text(notice: Notice) -> str:
    """What happened and what to do, in one line."""
    return _joined(notice.text, notice.remedy)


def error_text(error: CaptionglassError) -> str:
    """What went wrong and what to do, in one line."""
    return _joined(error.message, error.remedy)


def _joined(text: str, remedy: str) -> str:
    if not remedy:
        return phrase(text)
    return _filled(_colon(), (phrase(text), phrase(remedy)))


def _found(text: str, depth: int) -> str | None:
    """The translation, or None."""
    whole = QCoreApplication.translate(PHRASES, text)
    if whole != text:
        return whole
    for pattern in patterns():
        if depth == 0 and pattern.weight < _LIGHTEST:
            break
        values = pattern.values(text)
        if values is not None:
            deeper = [_value(value, depth + 1) for value in values]
            return _filled(QCoreApplication.translate(PHRASES, pattern.text), deeper)
    return _halves(text, depth)


def _value(value: str, depth: int) -> str:
    """A name, a number, or again something that the program says."""
    for context in _VALUES:
        said = QCoreApplication.translate(context, value)
        if said != value:
            return said
    if depth < _DEEPEST:
        parts = value.split(", ")
        if len(parts) > 1:
            all_said = [_value(part, depth + 1) for part in parts]
            if all_said != parts:
                return QCoreApplication.translate("Notices", ", ").join(all_said)
        elif beside := re.fullmatch(r"(.+) \((.+)\)", value):
            inner = _value(beside[2], depth + 1)
            if inner != beside[2]:
                both = _value(beside[1], depth + 1), inner
                return _filled(QCoreApplication.translate("Notices", "%1 (%2)"), both)
        return _found(value, depth) or value
    return value


def _halves(text: str, depth: int) -> str | None:
    """An error that came as one line: its message, and behind a colon the remedy."""
    for found in re.finditer(": ", text):
        first = _found(text[: found.start()], depth + 1) if depth < _DEEPEST else None
        if first is not None:
            rest = _value(text[found.end() :], depth + 1)
            return _filled(_colon(), (first, rest))
    return None


def _colon() -> str:
    return QCoreApplication.translate("Notices", "%1: %2")


def _filled(text: str, values: Sequence[str]) -> str:
    pieces = _PLACE.split(text)
    said = pieces[0]
    for place, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        said = _beside(_beside(said, values[int(place) - 1]), rest)
    return said


def _beside(left: str, right: str) -> str:
    """Chinese stands close together, and a space apart from letters and digits."""
    if _HAN_LAST.search(left) and _HAN_FIRST.match(right):
        return left.rstrip(" ") + right.lstrip(" ")
    meets = _HAN_LAST, _LATIN_FIRST
    turned = _LATIN_LAST, _HAN_FIRST
    if any(last.search(left) and first.match(right) for last, first in (meets, turned)):
        return f"{left.rstrip(' ')} {right.lstrip(' ')}"
    return left + right


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence with places for values.

    Attributes:
        text: the sentence, ``%1`` where the first value stands.
        weight: how many characters of it are always there.
        longest: the longest piece of these.
        whole: what it looks like with values in it.
    """

    text: str
    weight: int
    longest: str
    whole: re.Pattern[str]

    def values(self, said: str) -> tuple[str, ...] | None:
        """The values in what was said; None where that is another sentence."""
        if self.longest not in said:
            return None
        found = self.whole.fullmatch(said)
        return found.groups() if found else None


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """All that have places for values, the most particular first."""
    return tuple(sorted(_read(), key=lambda each: each.weight, reverse=True))


def _read() -> Iterator[Pattern]:
    for text in PHRASE_FILE.read_text(encoding="utf-8").splitlines():
        pieces = _PLACE.split(text)[::2]
        if len(pieces) > 1:
            whole = "(.+?)".join(map(re.escape, pieces))
            weight = sum(map(len, pieces))
            yield Pattern(text, weight, max(pieces, key=len), re.compile(whole, re.DOTALL))
