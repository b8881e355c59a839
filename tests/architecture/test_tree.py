"""What the tree promises: small files, one file a family, a notice for every foreign work."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from models import catalogue
from models.spec import HubFile, Source, WheelMember

ROOT = Path(__file__).parents[2]
NOTICES = (ROOT / "THIRD-PARTY-NOTICES.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LONGER: dict[str, str] = {}
"""Python files that may be longer than the house rules say, and why."""

_RECORDING_OR_FONT = {".wav", ".flac", ".mp3", ".ogg", ".otf", ".ttf", ".woff", ".woff2"}


def tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True
    )
    return [name for name in listed.stdout.decode().split("\0") if name]


def modules(package: str) -> list[str]:
    folder = ROOT.joinpath(*package.split("."))
    return [f"{package}.{found.name}" for found in pkgutil.iter_modules([str(folder)])]


def requirements() -> list[Requirement]:
    project = PROJECT["project"]
    extras = [text for texts in project["optional-dependencies"].values() for text in texts]
    return [Requirement(text) for text in (*project["dependencies"], *extras)]


def locked(name: str) -> dict[str, set[str]]:
    """Versions by canonical package name in one lock file."""
    versions: dict[str, set[str]] = {}
    for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
        found = re.match(r"([\w.-]+)==(\S+)", line)
        if found:
            versions.setdefault(canonicalize_name(found[1]), set()).add(found[2])
    return versions


@pytest.mark.parametrize(
    "name",
    [
        name
        for package in ("engine.recognizers", "engine.sources", "engine.sinks")
        for name in modules(package)
    ],
)
def test_a_family_source_or_sink_is_a_lower_case_file_that_loads(name: str) -> None:
    assert re.fullmatch(r"_?[a-z][a-z0-9_]*", name.rpartition(".")[2])
    importlib.import_module(name)


def test_no_file_is_too_long_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from house_lint import max_lines

    over = {
        name: lines - max_lines(name)
        for name in tracked("*.py", "scripts/check", "scripts/lock")
        if (ROOT / name).exists()
        and (lines := len((ROOT / name).read_text(encoding="utf-8").splitlines())) > max_lines(name)
    }
    assert over.keys() <= LONGER.keys(), f"split them; they are too long by {over}"
    assert over.keys() >= LONGER.keys(), "these are no longer an exception"


def test_every_package_of_the_tree_is_packaged() -> None:
    folders = {
        str(Path(name).parent).replace("\\", "/").replace("/", ".")
        for name in tracked("desktop_app/**", "engine/**", "models/**", "assets/**")
        if name.endswith("/__init__.py")
    }
    assert folders == set(PROJECT["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize("spec", catalogue.load().models, ids=lambda spec: spec.id)
def test_every_model_has_a_notice_with_its_licence(spec: catalogue.ModelSpec) -> None:
    rows = [line for line in NOTICES.splitlines() if f"| `{spec.id}` |" in line]
    assert rows
    assert all(f"| {spec.licence} |" in row for row in rows)
    for file in spec.files:
        for part in file.source:
            assert any(_origin(part) in row for row in rows), part


def _origin(part: Source) -> str:
    """How a notice names the place a file comes from."""
    if isinstance(part, WheelMember):
        return f"`{part.package}` {part.version}"
    if isinstance(part, HubFile):
        return f"`{part.repo}`"
    return f"`{part.url.rpartition('/')[0]}/`"


def test_every_shipped_font_and_recording_has_a_notice() -> None:
    shipped = [name for name in tracked("assets") if Path(name).suffix in _RECORDING_OR_FONT]
    assert shipped
    assert [name for name in shipped if f"| `{name}` |" not in NOTICES] == []


def test_every_test_recording_is_named_with_its_licence() -> None:
    readme = (ROOT / "tests" / "audio" / "README.md").read_text(encoding="utf-8")
    patterns = [
        re.escape(name).replace(r"\*", ".*")
        for row in readme.splitlines()
        for name in re.findall(r"`([^`]+)`", row.split("|")[1] if row.startswith("|") else "")
    ]
    recordings = [
        name.removeprefix("tests/audio/").rpartition(".")[0] for name in tracked("tests/audio/**")
        if Path(name).suffix in _RECORDING_OR_FONT
    ]  # fmt: skip
    assert recordings
    assert [r for r in recordings if not any(re.fullmatch(p, r) for p in patterns)] == []


def test_every_library_we_ask_for_has_a_notice() -> None:
    table = NOTICES.partition("## Libraries")[2].lower()
    asked = {requirement.name.lower() for requirement in requirements()}
    assert {name for name in asked if name not in table} == set()


@pytest.mark.parametrize("lock", ["cpu.txt", "gpu.txt"])
def test_the_lock_holds_what_the_project_asks_for(lock: str) -> None:
    versions = locked(lock)
    other = "gpu" if lock == "cpu.txt" else "cpu"
    extras = PROJECT["project"]["optional-dependencies"]
    left_out = {
        Requirement(text).name for name in (other, "media", "redis") for text in extras[name]
    }
    for requirement in requirements():
        if requirement.name in left_out:
            assert canonicalize_name(requirement.name) not in versions
            continue
        found = versions.get(canonicalize_name(requirement.name))
        assert found, f"{requirement.name} is not in {lock}: run scripts/lock"
        assert all(requirement.specifier.contains(version) for version in found), requirement


def test_the_locks_agree_so_that_one_can_be_installed_on_the_other() -> None:
    cpu, gpu, dev = (locked(f"{name}.txt") for name in ("cpu", "gpu", "dev"))
    assert {n: cpu[n] for n in cpu.keys() & gpu.keys()} == {
        n: gpu[n] for n in cpu.keys() & gpu.keys()
    }
    both = cpu | gpu
    assert [name for name in dev.keys() & both.keys() if not dev[name] <= both[name]] == []


@pytest.mark.parametrize("lock", ["cpu.txt", "gpu.txt", "dev.txt"])
def test_every_locked_package_has_hashes_and_no_host(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    entries = re.findall(r"^\S+==\S+.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(entries) > 20
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text
