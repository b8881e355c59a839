"""Parts of the program in a process of their own, from a checkout and as the packaged one does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from models import own_program

ROOT = Path(__file__).parents[2]


def run(arguments: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        env=own_program.environment(),
        cwd=where,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_module_runs_wherever_the_user_stands(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text("raise SystemExit('not this one')", encoding="utf-8")
    done = run([*own_program.command("models.download"), "no-such-model"], tmp_path)
    assert (done.returncode, "there is no model 'no-such-model'" in done.stderr) == (2, True)


def test_the_packaged_program_is_asked_for_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/captionglass")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert own_program.command("engine.bench.measure") == [
        "/opt/captionglass",
        "--run-module",
        "engine.bench.measure",
    ]
    assert own_program.environment().get("PYTHONPATH") is None


def test_the_front_door_runs_what_it_is_asked_for(tmp_path: Path) -> None:
    front = [*own_program.command("desktop_app.__main__"), own_program.SWITCH]
    done = run([*front, "models.download", "no-such-model"], tmp_path)
    assert (done.returncode, "there is no model 'no-such-model'" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", ["http.server", "models", "os", ""])
def test_nothing_but_its_own_modules_is_run(name: str) -> None:
    with pytest.raises(SystemExit, match="is no part of this program"):
        own_program.run_if_asked([own_program.SWITCH, name])


def test_an_ordinary_command_line_is_none_of_its_business() -> None:
    assert not own_program.run_if_asked(["caption", "--run-module"])
    assert not own_program.run_if_asked([])


def test_no_other_place_starts_python_by_itself() -> None:
    allowed = {"models/own_program.py", "models/wheels.py"}
    found = [
        path.relative_to(ROOT).as_posix()
        for room in ("desktop_app", "engine", "models")
        for path in (ROOT / room).rglob("*.py")
        if 'sys.executable, "-' in path.read_text(encoding="utf-8")
    ]
    assert set(found) <= allowed
