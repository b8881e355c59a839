#!/usr/bin/env python3
"""Writes docs/reference: every setting and every command, from what the program itself declares.

.venv/bin/python scripts/reference.py             write the pages
.venv/bin/python scripts/reference.py --check     say which are not what would be written
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

# The checkout has to be on the path first.
import typer  # noqa: E402

from desktop_app.cli import main as cli  # noqa: E402
from desktop_app.console import EXIT_DONE, EXIT_FAILED, EXIT_USAGE  # noqa: E402
from desktop_app.hotkeys.chords import ACTIONS  # noqa: E402
from desktop_app.settings.declared import Settings  # noqa: E402
from desktop_app.settings.fields import SettingField, field  # noqa: E402
from desktop_app.settings.pages import CHOICES, PAGES, UNITS, ZEROS  # noqa: E402
from desktop_app.settings.presets import LOOK_FIELDS, SHIPPED, WORK_FIELDS  # noqa: E402

_TYPE = re.compile(r" <([a-z\[\]A-Z ]+)>")
_TYPES = {"int range": " N", "float range": " N", "int": " N", "float": " N", "path": " PATH"} | (
    dict.fromkeys(("str", "list[str]", "list[Path]"), "")
)
"""How the library names the type of a value, and what it is called here."""

FOLDER = ROOT / "docs" / "reference"

VARIABLES: Mapping[str, str] = {
    "CAPTIONGLASS_MODELS": "Folder of the models, instead of the one in the user's data folder.",
    "CAPTIONGLASS_HISTORY": "Folder of the transcripts, instead of the one in the user's data "
    "folder.",
    "CAPTIONGLASS_TOKEN": "Token of the control port and of the caption page.",
    "CAPTIONGLASS_OBS_PASSWORD": "Password of OBS's WebSocket server.",
}
"""What the environment can say. A test compares them with those that the source names."""

_EXITS = (
    (EXIT_DONE, "done"),
    (EXIT_FAILED, "the work failed; one line on standard error says what and the remedy"),
    (EXIT_USAGE, "wrong usage; the same"),
    (130, "stopped by Ctrl-C"),
)

_WORDED: Mapping[str, str] = {
    "profile": "0 to 100",
    "source": "what to type: [What can be captioned](../sound.md)",
    "model": "an id, as `captionglass models list` shows it",
    "language": "a code such as `en`, `zh`; empty for any",
    "font": "a name; empty for the program's own",
    "folder": "a path; empty for the usual place",
    "file": "a path; empty for none",
    "hotkeys": "keys by action, below",
    "places": "written by the program",
}
"""What the values of a setting are, by what it is chosen with."""


def settings_page() -> str:
    """The reference of the settings, in the order in which the settings window shows them."""
    lines = [
        "# Settings, one by one",
        "",
        _made_by(),
        "",
        "The name in the first column is the key in `settings.toml`, which holds what differs from "
        "the defaults; [Settings and presets](../settings.md) says how the file is kept.",
    ]
    for page in PAGES:
        if page.groups:
            lines += ["", f"## {page.title}"]
        for group in page.groups:
            lines += ["", f"### {group.title}", "", *_settings_table(group.names)]
    lines += ["", "## Actions of hotkeys", "", *_actions()]
    lines += ["", "## Shipped presets", "", *_presets()]
    return "\n".join(lines) + "\n"


def command_page() -> str:
    """The reference of the command line."""
    lines = [
        "# The command line",
        "",
        _made_by(),
        "",
        "`captionglass COMMAND --help` says the same.",
    ]
    for path, command in commands():
        lines += ["", f"{'##' if path.count(' ') < 2 else '###'} {path}", *_command(path, command)]
    lines += ["", "## Exit codes", "", *_table(("code", "means"), _EXITS)]
    lines += ["", "## Variables of the environment", ""]
    named = [(f"`{name}`", text) for name, text in VARIABLES.items()]
    lines += _table(("variable", "says"), named)
    return "\n".join(lines) + "\n"


PAGE_TEXTS = {"settings.md": settings_page, "command-line.md": command_page}
"""By the name of the file: what makes it."""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command as it is typed, and what the library made of it; groups before their own."""
    yield from _below("captionglass", typer.main.get_command(cli.app))


def _below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from _below(f"{path} {name}", each)


def _command(path: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield from ("", f"    {usage}", "")
    # Paragraphs are wrapped in the source for reading there.
    paragraphs = (command.help or "").split("\n\n")
    yield "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    below = getattr(command, "commands", {})
    records: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            name = _TYPE.sub(lambda found: _TYPES.get(found[1], found[0]), record[0])
            records[parameter.param_type_name].append((f"`{name}`", _said(record[1])))
    for kind, rows in records.items():
        if rows:
            yield from ("", *_table((kind, "does"), rows))
    if below and path.count(" "):
        names = ", ".join(f"`{name}`" for name, each in below.items() if not each.hidden)
        yield from ("", f"Commands: {names}.")


def _said(text: str) -> str:
    """The help of an option: ``[default: x; 0<=x<=5; required]`` behind it as words."""
    help_text, found, behind = text.rpartition("[")
    if not found or not behind.endswith("]"):
        return text
    said = [help_text.strip()]
    for each in behind.removesuffix("]").split("; "):
        if each.startswith("default: "):
            said.append(f"Default: `{each.removeprefix('default: ').strip()}`.")
        elif each == "required":
            said.append("Required.")
        else:
            limits = each.replace("<=x<=", " to ").replace("x>=", "at least ")
            said.append(f"{limits.capitalize()}.")
    return " ".join(part for part in said if part)


def _settings_table(names: tuple[str, ...]) -> list[str]:
    rows = []
    for name in names:
        setting = field(name)
        what = f"**{setting.title}.** {setting.help}"
        rows.append((f"`{name}`", what, _values(setting), _toml(setting.default)))
    return _table(("name", "what it does", "values", "default"), rows)


def _values(setting: SettingField) -> str:
    """What a setting can be."""
    if setting.kind == "switch":
        return "`true`, `false`"
    if setting.kind == "choice":
        named = CHOICES.get(setting.name, {})
        return ", ".join(
            f'`"{value}"` {named[value]}' if value in named else f'`"{value}"`'
            for value in setting.choices
        )
    if setting.kind in ("number", "range"):
        limits = f"{setting.least:g} to {setting.most:g}"
        unit = UNITS.get(setting.name, "{n}").removeprefix("{n}").strip()
        zero = ZEROS.get(setting.name)
        return limits + (f" {unit}" if unit else "") + (f"; 0: {zero.lower()}" if zero else "")
    if setting.kind == "colour":
        return '`"#rrggbb"`' + ("" if setting.refused("") else ", empty for the theme's own")
    if setting.kind == "text":
        return f"text of at most {setting.longest} characters"
    return _WORDED[setting.kind]


def _toml(value: Any) -> str:
    """A default as it would stand in the file; nothing for what is empty."""
    if value in ("", {}):
        return ""
    return f"`{json.dumps(value)}`"


def _actions() -> list[str]:
    rows = [(f"`{name}`", what, f"`{chord}`") for name, (what, chord) in ACTIONS.items()]
    return _table(("name", "does", "default"), rows)


def _presets() -> list[str]:
    rows = []
    for name, values in SHIPPED.items():
        said = ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in values.items())
        rows.append((name, said))
    kept = ", ".join(f"`{name}`" for name in WORK_FIELDS)
    looks = ", ".join(f"`{name}`" for name in LOOK_FIELDS)
    return [
        *_table(("preset", "sets"), rows),
        "",
        f"A preset can set {kept}, which stay as they are where it does not, and {looks}, which go "
        "back to their defaults.",
    ]


def _table(head: tuple[str, ...], rows: Any) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        # A bar ends a cell, also between backticks.
        cells = [str(cell).replace("|", "\\|") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _made_by() -> str:
    return (
        "<!-- Made by scripts/reference.py from what the program declares: change it there. -->\n"
        "Made by `scripts/reference.py` from the program itself."
    )


def stale() -> list[str]:
    """The pages that are not what would be written now."""
    found = []
    for name, make in PAGE_TEXTS.items():
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != make():
            found.append(name)
    return found


def unplaced() -> set[str]:
    """Settings that stand on no page, and so would be left out."""
    placed = {name for page in PAGES for group in page.groups for name in group.names}
    return set(Settings.model_fields) - placed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where a page is old")
    if parser.parse_args(arguments).check:
        for name in stale():
            print(f"docs/reference/{name} is old: run scripts/reference.py")
        return int(bool(stale()))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in PAGE_TEXTS.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
