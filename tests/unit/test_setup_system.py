"""Which system packages are missing, and how they are installed: with fakes of apt and sudo."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Debian's tools are Linux programs")

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import setup_system

    return setup_system


class FakeTools:
    """A PATH that holds only the tools put here; each call is noted in ``log``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        folder.mkdir()

    def put(self, name: str, body: str = "exit 0") -> None:
        tool = self.folder / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.log}"\n{body}\n', encoding="utf-8")
        tool.chmod(0o755)

    def calls(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTools:
    fake = FakeTools(tmp_path / "tools")
    monkeypatch.setenv("PATH", str(fake.folder))
    return fake


def test_any_name_of_a_package_will_do(system: ModuleType, tools: FakeTools) -> None:
    tools.put(
        "dpkg-query",
        "echo libglib2.0-0t64 installed; echo libegl1 config-files; echo sox installed; exit 1",
    )
    needs = (
        system.Need(("libglib2.0-0", "libglib2.0-0t64"), "Qt"),
        system.Need(("libegl1",), "Qt"),
        system.Need(("picom",), "translucency"),
        system.Need(("sox",), "sound"),
    )
    assert system.missing(needs) == ("libegl1", "picom")


def test_root_updates_the_index_and_installs_without_removing(
    system: ModuleType, tools: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tools.put("apt-get")
    result = system.install(("picom", "sox"))
    assert result.missing == ()
    update, install = tools.calls()
    assert update.endswith(" update")
    assert install.endswith("install -y --no-install-recommends --no-remove picom sox")


def test_passwordless_sudo_is_used(
    system: ModuleType, tools: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    tools.put("apt-get")
    tools.put("sudo", 'shift; exec "$@"')
    tools.put("true")
    assert system.install(("sox",)).missing == ()
    assert tools.calls()[0] == "sudo -n true"
    assert [call for call in tools.calls() if call.startswith("apt-get")]


@pytest.mark.parametrize("sudo", [None, "exit 1"])
def test_without_the_right_to_install_one_line_says_what_to_run(
    system: ModuleType, tools: FakeTools, monkeypatch: pytest.MonkeyPatch, sudo: str | None
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    tools.put("apt-get")
    if sudo:
        tools.put("sudo", sudo)
    result = system.install(("picom", "sox"))
    assert result.missing == ("picom", "sox")
    assert result.command == (
        "sudo apt-get install -y --no-install-recommends --no-remove picom sox"
    )
    assert not [call for call in tools.calls() if call.startswith("apt-get")]


def test_a_failed_install_gives_apts_own_reason(
    system: ModuleType, tools: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tools.put(
        "apt-get",
        'case "$*" in *install*) echo "E: Unable to locate package sox"; exit 100;; esac',
    )
    result = system.install(("sox",))
    assert (result.missing, result.reason) == (("sox",), "Unable to locate package sox")


def test_another_system_has_nothing_to_do(system: ModuleType, tools: FakeTools) -> None:
    assert tools.calls() == []
    assert not system.has_apt()


def test_every_package_says_why_and_stands_once(system: ModuleType) -> None:
    names = [name for need in system.RUN + system.TEST for name in need.names]
    assert len(names) == len(set(names))
    assert all(need.why for need in system.RUN + system.TEST)


def test_the_fingerprint_follows_the_list(system: ModuleType) -> None:
    assert system.fingerprint(system.RUN) == system.fingerprint(system.RUN)
    assert system.fingerprint(system.RUN) != system.fingerprint(system.RUN[1:])
