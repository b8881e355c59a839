"""The translations of the interface: brought up to date, compiled, checked.

python scripts/translations.py update      read the source anew into assets/translations/*.ts
python scripts/translations.py compile     make the .qm files that the program loads
python scripts/translations.py check       whether all is there, and fits
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from texts.phrases import FOLDERS, ROOT, messages, phrases, shown_texts
from texts.values import Source

FOLDER = ROOT / "assets" / "translations"
CHINESE = FOLDER / "captionglass_zh_CN.ts"
ENGLISH = FOLDER / "captionglass_en.ts"
"""Holds plurals alone."""
PHRASES = FOLDER / "phrases.txt"

QT_GAPS = {
    "QFileDialog": ["&Look in:", "Files of &type:"],
    "QAbstractFileIconProvider": ["Folder", "File", "Drive", "%1 File"],
}
"""What Qt's own Chinese leaves in English in the dialogs that the program opens."""

_PLACES = re.compile(r"%\d|%n|\{\w*\}")
_TAGS = re.compile(r"</?(\w+)")


class Entry(NamedTuple):
    """One text of a .ts file.

    Attributes:
        context: whose text it is.
        source: in English.
        texts: the translation; more than one where it is of a number.
        state: empty where it is finished.
    """

    context: str
    source: str
    texts: tuple[str, ...]
    state: str
    of_number: bool = False


def update() -> int:
    """Read the source into the .ts files; what nobody says any more goes."""
    FOLDER.mkdir(exist_ok=True)
    write_phrases(PHRASES)
    _update(CHINESE, "zh_CN")
    _update(ENGLISH, "en", "-pluralonly")
    left = [entry for path in (CHINESE, ENGLISH) for entry in entries(path) if entry.state]
    for entry in left:
        print(f"{entry.context}: {entry.source}")
    print(f"{len(left)} to translate")
    return 0


def write_phrases(path: Path) -> None:
    """Write down the patterns of what the engine says."""
    path.write_text("\n".join(_phrases()) + "\n", encoding="utf-8")


def compile_all(folder: Path = FOLDER) -> int:
    """Make the .qm files.

    Args:
        folder: where they go.
    """
    for path in (CHINESE, ENGLISH):
        _run("lrelease", "-silent", str(path), "-qm", str(folder / f"{path.stem}.qm"))
    return 0


def check() -> int:
    """Print what is wrong.

    Returns:
        0 where nothing is.
    """
    wrong = list(faults())
    for line in wrong:
        print(line)
    print("translations: " + (f"{len(wrong)} faults" if wrong else "complete"))
    return 1 if wrong else 0


def faults() -> Iterator[str]:
    """All that is wrong, a line each."""
    for path in (CHINESE, ENGLISH):
        for entry in entries(path):
            yield from (f"{path.name}: {entry.context}: {what}" for what in _wrong_in(entry))
    yield from _missing()
    with tempfile.TemporaryDirectory() as made:
        compile_all(Path(made))
        for path in (CHINESE, ENGLISH):
            compiled = path.with_suffix(".qm")
            if not compiled.exists() or compiled.read_bytes() != (
                Path(made, compiled.name).read_bytes()
            ):
                yield f"{compiled.name} is not what {path.name} compiles to: run compile"


def entries(path: Path) -> Iterator[Entry]:
    """The texts of a .ts file."""
    for context in ET.parse(path).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            forms = [form.text or "" for form in translation.iter("numerusform")]
            yield Entry(
                name,
                message.findtext("source", ""),
                tuple(forms or [translation.text or ""]),
                translation.get("type", ""),
                message.get("numerus") == "yes",
            )


def declared() -> dict[str, list[str]]:
    """Texts that stand in declarations, by context: read from these, not copied."""
    sys.path.insert(0, str(ROOT))
    from desktop_app.history.export import FORMATS
    from desktop_app.hotkeys.chords import ACTIONS
    from desktop_app.settings.declared import Settings
    from desktop_app.settings.presets import SHIPPED
    from desktop_app.settings.styles import STYLES
    from desktop_app.ui.model_facts import english_name
    from engine.config import STOPS
    from models import catalogue

    fields = Settings.model_fields.values()
    known = catalogue.load().models
    found = {
        "Settings": [text for each in fields for text in (each.title, each.description) if text],
        "Styles": list(STYLES),
        "Presets": list(SHIPPED),
        "Hotkeys": [label for label, _ in ACTIONS.values()],
        "Stops": list(STOPS),
        "Languages": sorted({english_name(each) for spec in known for each in spec.languages}),
        "Lanes": [Settings.model_fields[f"lane_name_{lane}"].default for lane in ("mic", "system")],
        "Formats": list(FORMATS.values()),
        "Catalogue": [text for spec in known for text in (spec.title, spec.good_for) if text],
        "Notices": _phrases(),
        **QT_GAPS,
    }
    return {context: list(dict.fromkeys(texts)) for context, texts in found.items()}


@lru_cache(maxsize=1)
def _source() -> Source:
    return Source(ROOT, FOLDERS)


@lru_cache(maxsize=1)
def _phrases() -> list[str]:
    return [said.text for said in phrases(_source())]


def _update(path: Path, language: str, *options: str) -> None:
    files = [str(each) for each in sorted((ROOT / "desktop_app").rglob("*.py"))]
    with tempfile.TemporaryDirectory() as made:
        texts = Path(made, "declared.py")
        texts.write_text("\n".join(_noops(declared())), encoding="utf-8")
        listed = Path(made, "files.lst")
        listed.write_text("\n".join([*files, str(texts)]), encoding="utf-8")
        _run(
            "lupdate", "-silent", "-locations", "none", "-no-obsolete", *options,
            "-disable-heuristic", "similartext", "-source-language", "en",
            "-target-language", language, f"@{listed}", "-ts", str(path),
        )  # fmt: skip


def _noops(texts: dict[str, list[str]]) -> Iterator[str]:
    for context, each in texts.items():
        for text in each:
            literal = json.dumps(text, ensure_ascii=False)
            yield f'QT_TRANSLATE_NOOP("{context}", {literal})'


def _wrong_in(entry: Entry) -> Iterator[str]:
    if entry.state:
        yield f"{entry.source!r} is {entry.state}"
        return
    for text in entry.texts:
        if not text:
            yield f"{entry.source!r} has no translation"
        elif sorted(_places(entry, entry.source)) != sorted(_places(entry, text)):
            yield f"{entry.source!r} and {text!r} have other places for values"
        elif sorted(_TAGS.findall(entry.source)) != sorted(_TAGS.findall(text)):
            yield f"{entry.source!r} and {text!r} have other tags"


def _places(entry: Entry, text: str) -> Iterable[str]:
    # "One line" needs no number.
    return (p for p in _PLACES.findall(text) if not (entry.of_number and p == "%n"))


def _missing() -> Iterator[str]:
    if PHRASES.read_text(encoding="utf-8").splitlines() != _phrases():
        yield f"{PHRASES.name} is not what the source says: run update"
    known: dict[str, set[str]] = {}
    counted: set[tuple[str, str]] = set()
    for entry in entries(CHINESE):
        known.setdefault(entry.context, set()).add(entry.source)
        if entry.of_number:
            counted.add((entry.context, entry.source))
    texts = declared()
    for context, all_of_it in texts.items():
        for text in all_of_it:
            if text not in known.get(context, set()):
                yield f"{CHINESE.name}: {context}: {text!r} is not there: run update"
    for message in messages(_source()):
        for argument in message.unread:
            yield f"{message.where}: what {argument} says cannot be found, so it stays English"
    for shown in shown_texts(_source()):
        if shown.text is None:
            if shown.context not in known:
                yield f"{shown.where}: {shown.context}: no text here that could be found"
        elif shown.text not in known.get(shown.context, set()):
            yield f"{shown.where}: {shown.context}: {shown.text!r} is not found by lupdate"
        elif "%n" in shown.text and (shown.context, shown.text) not in counted:
            yield f"{shown.where}: {shown.text!r}: lupdate sees a number in tr() alone"


def _run(tool: str, *arguments: str) -> None:
    beside = Path(sys.executable).parent
    program = shutil.which(f"pyside6-{tool}", path=str(beside)) or f"pyside6-{tool}"
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode or "rror:" in done.stderr:
        raise SystemExit(f"{tool}: {done.stderr or done.stdout}")


COMMANDS: dict[str, Callable[[], int]] = {
    "update": update,
    "compile": compile_all,
    "check": check,
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        raise SystemExit(__doc__)
    raise SystemExit(COMMANDS[sys.argv[1]]())
