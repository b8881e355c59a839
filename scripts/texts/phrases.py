"""What the product says in its windows beyond their own texts, found in its source.

Notices and errors carry composed English text. This reads the code instead of a list: every
``Notice(...)``, every error of the product's own family, and the calls, results and names below.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from texts.modules import Called, Module, Scope, name_of
from texts.values import PLACE, Source

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "models", "desktop_app")

ELSEWHERE = (
    "desktop_app/cli",
    "desktop_app/commands/bench.py",
    "desktop_app/commands/caption.py",
    "desktop_app/commands/ctl.py",
    "desktop_app/commands/doctor.py",
    "desktop_app/commands/export.py",
    "desktop_app/commands/history.py",
    "desktop_app/commands/install.py",
    "desktop_app/commands/models",
    "desktop_app/commands/obs_password.py",
    "desktop_app/commands/self_test",
    "desktop_app/commands/serve.py",
    "desktop_app/screen.py",
    "desktop_app/serve/controller.py",
    "desktop_app/serve/engine_controller.py",
    "desktop_app/single_instance.py",
    "engine/bench/compare.py",
    "engine/bench/contender.py",
    "engine/bench/peer",
    "engine/bench/recordings.py",
    "engine/bench/runner.py",
    "engine/quantize/",
    "engine/sinks/terminal.py",
    "engine/sources/stdin.py",
)
"""Beginnings of the paths of what speaks to a terminal or a program alone, which stays English."""

SAID = {"say": (0,), "set_message": (0,), "_tell": (0,)}
"""Further calls whose arguments are shown: by name, and which arguments."""

RETURNED = ("_reason", "why_none")
"""Functions whose results are shown as they are."""

ASSIGNED = ("description", "_why", "reason", "provider_reason")
"""Attributes that hold what is shown as it is."""

ALSO = ("the tray", "%1 or %2", "%1 and %2")
"""Pieces that are put together only when they are shown."""

_ERROR, _NOTICE = "CaptionglassError", "Notice"
_WORD = re.compile(r"[A-Za-z]{2}")


class Said(NamedTuple):
    """A text with ``%1`` and so on for its values, and where it is said."""

    text: str
    where: str


class Shown(NamedTuple):
    """A text of a window, as it is handed to Qt to be translated.

    Attributes:
        context: whose it is.
        text: in English; None where it is no plain text, and cannot be found in the source.
        where: file and line.
    """

    context: str
    text: str | None
    where: str


class Message(NamedTuple):
    """A construction of a notice or an error.

    Attributes:
        where: file and line.
        texts: all it can say.
        unread: the arguments of which nothing could be found, as they stand in the source.
    """

    where: str
    texts: tuple[str, ...]
    unread: tuple[str, ...] = ()


def messages(source: Source) -> Iterator[Message]:
    """Every notice and error that can reach a window."""
    errors = error_names(source)
    for module in _shown(source):
        for name, called in module.calls.items():
            if name == _NOTICE:
                where = (2, "text"), (3, "remedy")
            elif name in errors:
                where = (0, "message"), (1, "remedy")
            else:
                continue
            for each in called:
                yield _message(source, module, each, where)


def shown_texts(source: Source) -> Iterator[Shown]:
    """The texts of all windows: what ``tr``, ``translate`` and ``QT_TRANSLATE_NOOP`` are given."""
    for module in source.modules.values():
        for name, at in (("tr", 0), ("translate", 1), ("QT_TRANSLATE_NOOP", 1)):
            for called in module.calls.get(name, []):
                arguments = [_plain(each) for each in called.call.args]
                owner = called.scope.owner
                context = arguments[0] if at else owner.name if owner is not None else ""
                if len(arguments) > at and context is not None:
                    where = f"{module.path}:{called.call.lineno}"
                    yield Shown(context, arguments[at], where)


def phrases(source: Source) -> list[Said]:
    """Everything that is said, each text once, in the order of files."""
    found: dict[str, Said] = {}
    for message in messages(source):
        for text in message.texts:
            found.setdefault(text, Said(text, message.where))
    for module in _shown(source):
        for text, line in _others(source, module):
            found.setdefault(text, Said(text, f"{module.path}:{line}"))
    for text in ALSO:
        found.setdefault(text, Said(text, "put together when it is shown"))
    return sorted(found.values(), key=lambda said: said.text)


def error_names(source: Source) -> frozenset[str]:
    """The classes that descend from the product's own error."""
    names = {_ERROR}
    bases = {
        name: {name_of(base) for base in node.bases}
        for module in source.modules.values()
        for name, node in module.classes.items()
    }
    while more := {name for name, of in bases.items() if of & names} - names:
        names |= more
    return frozenset(names)


def _shown(source: Source) -> Iterator[Module]:
    return (m for m in source.modules.values() if not m.path.startswith(ELSEWHERE))


def _message(
    source: Source, module: Module, called: Called, where: tuple[tuple[int, str], ...]
) -> Message:
    texts: list[str] = []
    unread: list[str] = []
    for index, name in where:
        argument = _at(called.call, index, name)
        if argument is not None:
            texts += _numbered(source.texts(argument, called.scope))
            if source.unread(argument, called.scope):
                unread.append(ast.unparse(argument))
    at = f"{module.path}:{called.call.lineno}"
    return Message(at, tuple(dict.fromkeys(texts)), tuple(unread))


def _at(call: ast.Call, index: int, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    for at, argument in enumerate(call.args[: index + 1]):
        if isinstance(argument, ast.Starred):
            return ast.Subscript(argument.value, ast.Constant(index - at))
    return call.args[index] if index < len(call.args) else None


def _others(source: Source, module: Module) -> Iterator[tuple[str, int]]:
    for name, indexes in SAID.items():
        # What is imported by that name prints on a terminal.
        for called in [] if name in module.imports else module.calls.get(name, []):
            for index in indexes:
                argument = _at(called.call, index, "")
                if argument is not None:
                    for text in _numbered(source.texts(argument, called.scope)):
                        yield text, called.call.lineno
    for name in RETURNED:
        for function in module.functions.get(name, []):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    scope = Scope(module, function)
                    for text in _numbered(source.texts(node.value, scope)):
                        yield text, node.lineno
    for name in ASSIGNED:
        for bound in module.attributes.get(name, []):
            for text in _numbered(source.texts(bound.value, bound.scope)):
                yield text, bound.value.lineno


def _plain(argument: ast.expr) -> str | None:
    constant = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return argument.value if constant else None  # type: ignore[attr-defined]


def _numbered(texts: list[str]) -> list[str]:
    """With numbered places; what holds no word of its own is left out."""
    kept = []
    for text in texts:
        if not _WORD.search(text.replace(PLACE, " ")):
            continue
        numbers = count(1)
        kept.append(re.sub(PLACE, lambda _: f"%{next(numbers)}", text))  # noqa: B023 - at once
    return kept
