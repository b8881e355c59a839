"""What the documents tell people to type can be typed: commands are parsed by the real command
line, Python is run, TOML is read, and names of settings are settings.

A block that cannot be is marked by a comment before it that says why: ``<!-- not run: ... -->``.
"""

from __future__ import annotations

import functools
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from desktop_app.cli import main as cli
from desktop_app.settings.declared import Settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
)
"""All but docs/reference, which is made from the program."""
_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>.+?) -->\n)?^ {0,3}```(?P<language>\w*)\n(?P<code>.*?)^ {0,3}```$",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?: {4}.*\n)+)")
_PROGRAMS = ("captionglass", "captionglass/captionglass")


class Block(NamedTuple):
    """A block of code: the language that it says, and why it is not run."""

    language: str
    code: str
    why_not: str


def blocks(text: str) -> list[Block]:
    found = [Block(m["language"], m["code"], m["why"] or "") for m in _FENCE.finditer(text)]
    rest = _FENCE.sub("", text)
    return found + [Block("", code, "") for code in _INDENTED.findall(rest)]


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def shell_lines(text: str) -> Iterator[list[str]]:
    """The words of each command of the blocks."""
    for block in blocks(text):
        if block.language in ("sh", "") and not block.why_not:
            for line in block.code.splitlines():
                yield from _commands(line)


def named_commands(text: str) -> Iterator[list[str]]:
    """The words of those within sentences, which may leave out what the sentence is not about."""
    for span in re.findall(r"`(captionglass [^`]+)`", _FENCE.sub("", text)):
        yield from _commands(" ".join(span.split()))


def _commands(line: str) -> Iterator[list[str]]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return  # no command: a picture, an apostrophe
    while words:
        end = next((at for at, word in enumerate(words) if word in ("|", "&&", ">")), len(words))
        yield words[:end]
        words = words[end + 1 :]


def ours(words: list[str]) -> bool:
    return bool(words) and words[0] in _PROGRAMS


@functools.cache
def command_line() -> Any:
    return typer.main.get_command(cli.app)


def parsed(arguments: list[str], *, whole: bool = True) -> str:
    """What is wrong with these arguments of ``captionglass``; empty where nothing is.

    They are parsed as they would be, group by group, and nothing is called.

    Args:
        arguments: what follows the program's name.
        whole: it is wrong to leave out what is required.
    """
    command = command_line()
    path = "captionglass"
    try:
        while True:
            context = command.make_context(path, arguments)
            if not getattr(command, "commands", None):
                return ""
            left = [*getattr(context, "_protected_args", []), *context.args]
            if not left:
                return ""
            path, command, arguments = command.resolve_command(context, left)
            if command is None:
                return f"no command {left[0]}"
    except typer.Exit:
        return ""  # --version, --help
    except typer.TyperException as error:
        message: str = error.format_message()
        missing = "Missing" in message or "requires an argument" in message
        return "" if missing and not whole else message


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_command_line_understands_every_command(document: str) -> None:
    text = read(document)
    given = [(words, True) for words in shell_lines(text)]
    given += [(words, False) for words in named_commands(text)]
    wrong = {
        " ".join(words): problem
        for words, whole in given
        if ours(words) and (problem := parsed(words[1:], whole=whole))
    }
    assert wrong == {}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_scripts_are_there_and_know_their_options(document: str) -> None:
    wrong = []
    for words in shell_lines(read(document)):
        script = next((word for word in words[:2] if word.startswith("scripts/")), None)
        if script is None or ours(words):
            continue
        path = ROOT / script
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        if script in ("scripts/run.py", "scripts/test.py"):
            continue  # what follows goes to the program, or to pytest
        if script == "scripts/package.py":
            source += (ROOT / "scripts" / "packing" / "trial.py").read_text(encoding="utf-8")
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        wrong += [f"{script} {option}" for option in options if f'"{option}"' not in source]
        wrong += [] if source else [script]
    assert wrong == []


def test_commands_that_do_not_exist_are_seen() -> None:
    assert parsed(["caption", "mic", "--srt", "talk.srt"]) == ""
    assert "--sert" in parsed(["caption", "mic", "--sert", "talk.srt"])
    assert "modals" in parsed(["modals", "list"])
    assert "Missing" in parsed(["models", "get"])
    assert parsed(["models", "get"], whole=False) == ""
    assert [*_commands("captionglass devices --json | head  # all")] == [
        ["captionglass", "devices", "--json"],
        ["head"],
    ]


def _python() -> Iterator[Any]:
    for document in DOCUMENTS:
        for number, block in enumerate(blocks(read(document)), 1):
            if block.language == "python" and not block.why_not:
                yield pytest.param(block.code, id=f"{document}-{number}")


@pytest.mark.parametrize("code", list(_python()))
def test_python_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<document>", "exec", dont_inherit=True), {"__name__": "document"})


@pytest.mark.parametrize("document", DOCUMENTS)
def test_toml_is_toml_and_names_settings(document: str) -> None:
    for block in blocks(read(document)):
        if block.language != "toml" or block.why_not:
            continue
        tables = tomllib.loads(block.code)
        if "models" in tables:
            continue  # an entry of the catalogue, which a test of its own follows
        for preset in tables.pop("presets", {}).values():
            assert Settings.model_validate(preset, extra="forbid")
        assert Settings.model_validate(tables, extra="forbid")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_settings_given_in_sentences_exist(document: str) -> None:
    """``keep_history = false`` in a sentence is a setting with a value it may have."""
    wrong = []
    for span in re.findall(r"`(\w+ = [^`]+)`", _FENCE.sub("", read(document))):
        try:
            given = tomllib.loads(span)
            Settings.model_validate(given, extra="forbid")
        except ValueError as error:
            wrong.append(f"{span}: {error}")
    assert wrong == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_exception_says_why(document: str) -> None:
    text = read(document)
    marked = len(re.findall(r"^<!-- not run", text, re.MULTILINE))
    assert marked == sum(len(block.why_not) > 10 for block in blocks(text))
