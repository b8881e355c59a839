"""What importing costs: no window in the engine, nothing heavy behind ``captionglass --help``."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WINDOW = ("PySide6", "shiboken6", "keyring", "pydantic", "typer", "rich")
HEAVY = (
    "numpy", "onnxruntime", "onnx", "PySide6", "sounddevice", "soundfile", "soxr", "tokenizers",
    "huggingface_hub", "pydantic", "keyring", "pynvml", "psutil", "asyncio", "rich",
)  # fmt: skip
MAX_HELP_MODULES = 300
"""A bare interpreter holds about 40; each hundred costs some 20 ms."""


def loaded(code: str) -> list[str]:
    """Names of all modules loaded by a new interpreter after it has run ``code``."""
    tell = "\nimport json, sys\nsys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-P", "-c", code + tell],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    names: list[str] = json.loads(run.stderr.splitlines()[-1])
    return names


def roots(names: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def all_modules(package: str) -> list[str]:
    folder = str(ROOT / package)
    return [package, *(m.name for m in pkgutil.walk_packages([folder], f"{package}."))]


@pytest.mark.parametrize("package", ["engine", "models"])
def test_a_room_below_the_window_loads_nothing_of_it(package: str) -> None:
    names = loaded("".join(f"import {name}\n" for name in all_modules(package)))
    assert set(all_modules(package)) <= set(names)
    assert roots(names).intersection(WINDOW) == set()


def test_models_loads_no_numbers_and_no_runtime() -> None:
    names = loaded("".join(f"import {name}\n" for name in all_modules("models")))
    forbidden = {"numpy", "onnxruntime", "onnx", "engine", "desktop_app"}
    assert roots(names).intersection(forbidden) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    names = loaded_by(arguments)
    assert roots(names).intersection(HEAVY) == set()
    assert len(names) < MAX_HELP_MODULES


def test_the_help_of_a_command_loads_the_settings_at_most() -> None:
    assert roots(loaded_by(["caption", "--help"])).intersection(HEAVY) <= {"pydantic"}


def loaded_by(arguments: list[str]) -> list[str]:
    """Names of all modules loaded once the command line has answered."""
    names = loaded(
        "from desktop_app.cli.main import run\n"
        f"try: code = run({arguments!r})\n"
        "except SystemExit as end: code = end.code\n"
        "assert not code"
    )
    assert "desktop_app.cli.main" in names
    return names
