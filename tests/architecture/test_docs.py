"""What the documents say is true: recipes are run, commands and files they name exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from engine.config import STOPS
from engine.policy import Policy

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
COPIED = ("assets", "desktop_app", "engine", "models", "tests")


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def recipes() -> dict[str, str]:
    """The new files of CONTRIBUTING.md, by the path in their first line."""
    files = {}
    for block in blocks("CONTRIBUTING.md", "python"):
        first, _, code = block.partition("\n")
        assert first.startswith("# engine/"), f"a recipe begins with its path, not with {first!r}"
        files[first.removeprefix("# ")] = code
    return files


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout after somebody has followed all the recipes."""
    copy = tmp_path_factory.mktemp("recipes")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", copy)
    for path, code in recipes().items():
        assert not (copy / path).exists(), "a recipe's file is a new file"
        (copy / path).write_text(code, encoding="utf-8")
    (catalogue_entry,) = blocks("CONTRIBUTING.md", "toml")
    with (copy / "models" / "catalogue.toml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(f"\n{catalogue_entry}")
    return copy


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        encoding="utf-8",
    )


def test_there_is_a_recipe_for_each_family() -> None:
    folders = {path.split("/")[1] for path in recipes()}
    assert folders == {"recognizers", "sinks", "sources"}


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "name"), [("sinks", "LrcSink"), ("sources", "RawSource")])
def test_the_contract_tests_find_the_new_file_and_it_passes(
    tree: Path, contract: str, name: str
) -> None:
    ran = python(
        tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", name,
        f"tests/contracts/test_{contract}.py",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    passed = re.search(r"(\d+) passed", ran.stdout)
    assert passed is not None
    assert int(passed[1]) >= 3


_SPEAK = """
import sys
from pathlib import Path
import numpy as np
from engine.recognizers import base
from models import catalogue, store
spec = catalogue.load().get("parrot-en")
root = Path(sys.argv[1])
(root / spec.id).mkdir()
(root / spec.id / "words.txt").write_bytes(b"hello\\nworld\\n")
files = store.ModelStore(root).verify(spec)
assert "parrot" in base.families()
parrot = base.load(files, "cpu")
heard = parrot.stream().decode(np.zeros(32_000, np.float32), prefix=[0])
print(parrot.text([token.id for token in heard.tokens]), [token.time for token in heard.tokens])
"""


def test_the_new_recogniser_is_found_by_its_family_and_speaks(tree: Path, tmp_path: Path) -> None:
    spoke = python(tree, "-P", "-c", _SPEAK, str(tmp_path))
    assert spoke.returncode == 0, spoke.stderr
    assert spoke.stdout == "world hello world [1.0, 1.5, 2.0]\n"


_PROTOCOLS = """
from io import BytesIO
from pathlib import Path
from engine.recognizers import parrot
from engine.recognizers.base import Family, Recognizer
from engine.sinks.base import Sink
from engine.sinks.lrc import LrcSink
from engine.sources.base import Source
from engine.sources.raw import RawSource
from models import catalogue

sink: Sink = LrcSink(Path())
source: Source = RawSource(BytesIO())
family: Family = parrot
recognizer: Recognizer = parrot.ParrotRecognizer(catalogue.load().get("parrot-en"), [])
"""


@pytest.mark.slow
def test_the_recipes_keep_the_house_s_rules(tree: Path) -> None:
    (tree / "protocols.py").write_text(_PROTOCOLS, encoding="utf-8")
    for tool in (
        ("ruff", "check", "--no-cache", *recipes()),
        ("ruff", "format", "--check", "--no-cache", *recipes()),
        ("mypy", *recipes(), "protocols.py"),
    ):
        checked = python(tree, "-m", *tool)
        assert checked.returncode == 0, f"{tool}: {checked.stdout}{checked.stderr}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_a_document_names_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    linked = [path for path in re.findall(r"\]\(([^)#]+)\)", prose) if "://" not in path]
    named = re.findall(
        r"`((?:assets|desktop_app|engine|models|scripts|tests|requirements)/[\w./-]+)`", prose
    )
    beside = (ROOT / document).parent
    missing = {path for path in linked if not (beside / path).exists()}
    assert missing | {path for path in named if not (ROOT / path).exists()} == set()


def test_the_page_on_timing_knows_the_policy() -> None:
    text = (ROOT / "docs" / "latency.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)?)`", text))
    knobs = {knob.name for knob in fields(Policy)} - {"show_unlocked"}
    assert named == knobs
    assert re.findall(r"^\| (\w+) \|", text, re.MULTILINE)[1:] == list(STOPS)
