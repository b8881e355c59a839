"""Models whose files differ from one system to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from models import catalogue, spec
from models.download import install
from models.errors import DownloadError, ModelError, ModelMissingError
from models.store import ModelStore

DENOISERS = ("rnnoise", "deepfilternet3")


def on(monkeypatch: pytest.MonkeyPatch, system: str) -> catalogue.Catalogue:
    monkeypatch.setattr(catalogue, "this_system", lambda: system)
    return catalogue.load()


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "linux-x86_64"),
        ("Windows", "AMD64", "windows-x86_64"),
        ("Darwin", "arm64", "darwin-aarch64"),
    ],
)
def test_a_system_has_one_name(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, name: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert spec.this_system() == name


@pytest.mark.parametrize("model_id", DENOISERS)
@pytest.mark.parametrize(
    ("system", "suffix"),
    [("linux-x86_64", ".so"), ("windows-x86_64", ".dll"), ("darwin-aarch64", ".dylib")],
)
def test_each_system_gets_its_own_library(
    monkeypatch: pytest.MonkeyPatch, model_id: str, system: str, suffix: str
) -> None:
    found = on(monkeypatch, system).get(model_id)
    assert found.kind == "denoiser"
    (library,) = [file for file in found.files if not file.name.endswith(".tar.gz")]
    assert Path(library.name).suffix == suffix
    (part,) = library.source
    assert part.wheel.endswith(f"@{part.platform}")


def test_where_there_is_none_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = on(monkeypatch, "linux-riscv64").get("rnnoise")
    store = ModelStore(tmp_path)
    with pytest.raises(ModelMissingError, match="rnnoise has no version for"):
        store.files(found)
    assert not store.installed(found)
    with pytest.raises(DownloadError, match="rnnoise has no version for"):
        install(found, store)


def test_a_broken_entry_of_another_system_shows_here(tmp_path: Path) -> None:
    text = catalogue.CATALOGUE.read_text(encoding="utf-8")
    path = tmp_path / "catalogue.toml"
    path.write_text(text.replace('system = "windows-x86_64"', 'system = "dos"'), encoding="utf-8")
    with pytest.raises(ModelError, match="system = 'dos'"):
        catalogue.load(path)
