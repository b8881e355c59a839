"""House rules that no general linter knows: one pattern each, with the remedy in the message.

python scripts/house_lint.py [FILE ...]     all tracked files where none is named
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_MAX_LINES = 400
_MAX_TEST_LINES = 700
PRODUCT = ("desktop_app/", "engine/", "models/", "assets/")
CODE = (*PRODUCT, "scripts/", "tests/")


class Rule(NamedTuple):
    """One thing not to write.

    Attributes:
        pattern: looked for in each line.
        remedy: what to do instead.
        folders: where it holds; empty means everywhere.
        python: whether it is looked for in Python code alone.
    """

    pattern: re.Pattern[str]
    remedy: str
    folders: tuple[str, ...] = ()
    python: bool = True


def _rule(pattern: str, remedy: str, folders: tuple[str, ...] = CODE, python: bool = True) -> Rule:
    return Rule(re.compile(pattern), remedy, folders, python)


RULES: tuple[Rule, ...] = (
    _rule(
        r"# noqa: BLE001(?! - \w)",
        "say why anything may come here: '# noqa: BLE001 - a sink must not stop the rest'",
    ),
    _rule(r"# noqa(?!: [A-Z]+\d+)", "name the rule: '# noqa: CODE', and why where it is not plain"),
    _rule(r"# type: ignore(?!\[[\w, -]+\])", "name the error: '# type: ignore[code]'"),
    _rule(
        r"\b(queue\.)?(Simple)?Queue\(\s*\)",
        "every queue has an end: give it a size, and count what does not fit",
        PRODUCT,
    ),
    _rule(
        r"\bThread\((?!.*\bname=)[^()]*\)\s*(\.start\(\))?$",
        "name the thread: diagnostics and the leak check in the tests go by it",
        PRODUCT,
    ),
    _rule(r"\btime\.sleep\(", "Qt's thread never sleeps: use a QTimer", ("desktop_app/ui/",)),
    _rule(
        r"\.(read_text|write_text)\((?!.*(encoding=|.utf-8))[^()]*\)",
        "name the encoding: it is not UTF-8 everywhere",
        (*PRODUCT, "scripts/"),
    ),
    _rule(r"\bshell=True\b|\bos\.system\(", "pass a list of arguments: paths hold spaces"),
    _rule(
        r"""["'](0\.0\.0\.0|::)["']""",
        "bind the loopback address: nothing listens to the network unless the user asks",
        PRODUCT,
    ),
    _rule(
        r"\b(TO[D]O|FIX[M]E|XX[X])\b",
        "do it, or file it; the code says what is, not what might be",
        (),
        False,
    ),
    _rule(
        r"https?://(?!127\.)[^/\s]+/(?:simple|project)\b",
        "name no registry's host: people have pip and apt set up as they like",
        (),
        False,
    ),
    _rule(r"(?i:\bissue #?\d+\b)", "describe the product alone", (), False),
)

_TEXT = {
    "", ".cfg", ".css", ".html", ".ini", ".json", ".md", ".py", ".qss", ".svg", ".toml", ".tsv",
    ".txt", ".yaml", ".yml",
}  # fmt: skip
_PASSED_OVER = (
    "requirements/",
    "LICENSE",
    "scripts/house_lint.py",
    "tests/unit/test_house_lint.py",
)
_SCRIPTS = {"scripts/check", "scripts/lock"}


class Finding(NamedTuple):
    """One breach: where, and the remedy."""

    path: str
    line: int
    text: str
    is_warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.is_warning else ""
        return f"{self.path}:{self.line}: {kind}{self.text}"


def check_text(path: str, text: str) -> Iterator[Finding]:
    """All findings in one file.

    Args:
        path: relative to the checkout, with forward slashes; decides which rules hold.
        text: what the file holds.
    """
    is_python = path.endswith(".py") or path in _SCRIPTS
    rules = [
        rule
        for rule in RULES
        if (is_python or not rule.python) and (not rule.folders or path.startswith(rule.folders))
    ]
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        for rule in rules:
            found = rule.pattern.search(line)
            if found:
                yield Finding(path, number, f"{found[0].strip()!r}: {rule.remedy}")
    if is_python and len(lines) > max_lines(path):
        yield Finding(
            path, len(lines), f"{len(lines)} lines: split it below {max_lines(path)}", True
        )


def max_lines(path: str) -> int:
    """How long a file may be. Tests are read one at a time, and may share a longer file."""
    return _MAX_TEST_LINES if path.startswith("tests/") else _MAX_LINES


def check_files(paths: Iterable[str]) -> Iterator[Finding]:
    """All findings in these files of the checkout.

    Binary files are passed over, and those that hold the bad examples themselves.
    """
    for path in paths:
        file = ROOT / path
        if file.suffix not in _TEXT or path.startswith(_PASSED_OVER) or not file.is_file():
            continue
        yield from check_text(path, file.read_text(encoding="utf-8"))


def tracked_files() -> list[str]:
    """What git tracks or would track; all files where this is no git checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        folders = [ROOT / folder for folder in CODE]
        files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        return sorted(file.relative_to(ROOT).as_posix() for file in files)
    return sorted(name for name in listed.stdout.decode().split("\0") if name)


def main(arguments: list[str]) -> int:
    paths = [Path(name).resolve().relative_to(ROOT).as_posix() for name in arguments]
    findings = list(check_files(paths or tracked_files()))
    for finding in findings:
        print(finding)
    return int(any(not finding.is_warning for finding in findings))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
