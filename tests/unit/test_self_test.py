"""The self-test: it passes on a whole copy, and sees what a broken one lacks."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from desktop_app.commands import self_test
from engine.sinks.memory import MemorySink
from models import own_program


def test_the_parts_are_found_by_looking() -> None:
    assert "memory" in self_test._classes("sinks", "Sink").detail.split(", ")
    sources = self_test._classes("sources", "Source").detail.split(", ")
    assert {"device", "file", "stdin"} <= set(sources)
    assert "base" not in sources
    assert "moonshine" in self_test._families().detail.split(", ")


def test_a_module_that_would_not_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    load = importlib.import_module

    def refuse(name: str) -> ModuleType:
        if name == "engine.sinks.text":
            raise ImportError("left behind")
        return load(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    monkeypatch.setattr(self_test, "_ROOMS", ("engine",))
    check = self_test._modules()
    assert not check.ok
    assert check.detail == "engine.sinks.text (left behind) would not load"


def test_a_library_that_is_asked_for_later_and_missing_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pysubs2" else find(name)
    )
    check = self_test._libraries()
    assert (check.ok, check.detail) == (False, "pysubs2 are missing")


def test_words_that_are_not_those_of_the_recording_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def short(self: MemorySink) -> str:
        del self
        return "It was the best of times"

    class NoSession:
        error = None

        def __init__(self, *_: object) -> None:
            pass

        def start(self) -> None:
            pass

        def wait(self, _: float) -> bool:
            return True

        def stop(self) -> None:
            pass

    monkeypatch.setattr("engine.session.Session", NoSession)
    monkeypatch.setattr(MemorySink, "text", property(short))
    check = self_test._captions()
    assert not check.ok
    assert "words of the demo recording wrong" in check.detail


def test_secrets_and_settings_are_tried_without_the_users_own(tmp_path: Path) -> None:
    assert self_test._settings(tmp_path).ok
    check = self_test._secrets(tmp_path)
    assert check.ok
    assert "memory or file" in check.detail


@pytest.mark.slow
def test_a_whole_copy_passes(tmp_path: Path) -> None:
    done = subprocess.run(
        [*own_program.command("desktop_app"), "--self-test"],
        env=own_program.environment(),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    assert len(lines) == 14
    assert all(line.startswith("ok ") for line in lines)
    assert last == "this copy of Captionglass works"
