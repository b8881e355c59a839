"""The checks that need no screen, sound server or model: what they are, and how they are run."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import setup_env
from setup_env import ROOT

_NO_SUFFIX = ("scripts/check", "scripts/lock")
_AT_ONCE = 2


class Step(NamedTuple):
    """One check: its name and what Python is called with."""

    name: str
    arguments: Sequence[str]


RUFF = ("-m", "ruff")
FORMAT = Step("format", (*RUFF, "format", "--check", "--quiet", ".", *_NO_SUFFIX))
LINT = Step("lint", (*RUFF, "check", "--quiet", ".", *_NO_SUFFIX))
HOUSE = Step("house rules", ("scripts/house_lint.py",))
TRANSLATIONS = Step("translations", ("scripts/translations.py", "check"))
CONTRACTS = Step(
    "import contracts",
    ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
)
TYPES = Step("types", ("-m", "mypy", "desktop_app", "engine", "models", "assets", "scripts"))
_PYTEST = ("-m", "pytest", "-q", "-m", "not slow")
UNIT_TESTS = Step("fast tests, unit", (*_PYTEST, "tests/unit"))
OTHER_TESTS = Step("fast tests, other", (*_PYTEST, "--ignore", "tests/unit"))

STATIC = (FORMAT, LINT, TYPES, HOUSE, CONTRACTS, TRANSLATIONS)
# The two long ones first: they then run beside each other, and the short ones fill the gap.
ALL = (UNIT_TESTS, OTHER_TESTS, TYPES, TRANSLATIONS, CONTRACTS, HOUSE, LINT, FORMAT)


def fix(python: Path) -> None:
    """Format, repair what ruff can repair, and make anew what is made from the program; what none
    of that mends is left for the checks to tell."""
    for script in ("reference.py", "docs_pictures.py"):
        subprocess.run([python, f"scripts/{script}"], cwd=ROOT, check=False)
    for arguments in (("format", "--quiet"), ("check", "--fix", "--quiet")):
        subprocess.run([python, *RUFF, *arguments, ".", *_NO_SUFFIX], cwd=ROOT, check=False)


def run(python: Path, steps: Sequence[Step]) -> bool:
    """Run the steps, two at a time; a line for each, and all it said where it failed.

    Returns:
        Whether all of them passed.
    """
    passed = True
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in as_completed([pool.submit(_run, python, step) for step in steps]):
            step, code, seconds, output = done.result()
            _report(step, code, seconds, output)
            passed = passed and code == 0
    return passed


def _run(python: Path, step: Step) -> tuple[Step, int, float, str]:
    started = time.monotonic()
    done = subprocess.run(
        [python, *step.arguments],
        cwd=ROOT,
        env=setup_env.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return step, done.returncode, time.monotonic() - started, done.stdout


def _report(step: Step, code: int, seconds: float, output: str) -> None:
    print(f"{'ok  ' if code == 0 else 'FAIL'}  {step.name:<17} {seconds:5.1f} s", flush=True)
    warnings = [line for line in output.splitlines() if ": warning: " in line]
    if code:
        print(output.rstrip(), flush=True)
    elif step is HOUSE and warnings:
        print("\n".join(f"      {line}" for line in warnings), flush=True)
