"""The import contracts hold, and each one is proven by breaking it once in a copy of the tree."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("desktop_app", "engine", "models")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS: list[dict[str, Any]] = PROJECT["tool"]["importlinter"]["contracts"]


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the tree that lies there."""
    return subprocess.run(
        [
            sys.executable, "-c",
            "from importlinter.cli import lint_imports_command as check; check(['--no-cache'])",
        ],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
    )  # fmt: skip


def breaches() -> Iterator[Any]:
    """(contract, module to break it in, what that imports): every way each contract names."""
    for contract in CONTRACTS:
        name = contract["name"]
        if contract["type"] == "layers":
            inside = "".join(f"{package}." for package in contract.get("containers", ()))
            for upper, lower in itertools.pairwise(contract["layers"]):
                below, above = (
                    [inside + module for module in floor.split(" | ")] for floor in (lower, upper)
                )
                yield pytest.param(name, below[0], above[0], id=f"{below[0]} imports {above[0]}")
                if len(below) > 1:
                    yield pytest.param(
                        name, below[0], below[1], id=f"{below[0]} imports its neighbour {below[1]}"
                    )
        else:
            assert contract["type"] == "forbidden", "teach this test how to break it"
            for source in contract["source_modules"]:
                for other in contract["forbidden_modules"]:
                    yield pytest.param(name, source, other, id=f"{source} imports {other}")


def test_the_contracts_hold() -> None:
    checked = lint_imports(ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    for contract in CONTRACTS:
        assert f"{contract['name']} KEPT" in checked.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy2(ROOT / "pyproject.toml", tree)
    return tree


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "module", "imported"), list(breaches()))
def test_a_breach_is_found(copy: Path, contract: str, module: str, imported: str) -> None:
    file = copy.joinpath(*module.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    whole = file.read_text(encoding="utf-8")
    file.write_text(f"{whole}\nimport {imported}\n", encoding="utf-8")
    try:
        checked = lint_imports(copy)
    finally:
        file.write_text(whole, encoding="utf-8")
    assert checked.returncode != 0
    assert f"{contract} BROKEN" in checked.stdout
