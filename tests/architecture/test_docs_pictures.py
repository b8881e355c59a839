"""The pictures and the table of threads in docs/how-it-works.md are about the program of now."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from engine.config import LatencyProfile
from engine.policy import Policy

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-it-works.md"
sys.path.insert(0, str(ROOT / "scripts" / "pictures"))

import docs_pictures  # noqa: E402 - the scripts are no package


@pytest.mark.parametrize("picture", docs_pictures.PICTURES)
def test_a_picture_is_what_would_be_drawn_now(picture: str) -> None:
    drawn = (ROOT / "docs" / picture).read_text(encoding="utf-8")
    assert drawn == docs_pictures.PICTURES[picture](), "run scripts/pictures/docs_pictures.py"
    assert ElementTree.fromstring(drawn).find("{http://www.w3.org/2000/svg}title") is not None
    assert "prefers-color-scheme:dark" in drawn


def test_the_life_of_a_word_follows_the_policy() -> None:
    policy = Policy.at(LatencyProfile.parse("balanced"))
    at = docs_pictures.moments(policy)
    assert at.seen < policy.step
    assert at.shown >= policy.show_after
    assert at.locked - policy.step < policy.lock_after <= at.locked
    assert f"{policy.step:g} s of sound" in docs_pictures.word()


def test_the_threads_that_are_told_of_are_those_of_the_engine() -> None:
    _, _, part = PAGE.read_text(encoding="utf-8").partition("\n## Threads, ")
    rows = re.findall(r"^\| (.*?) \|", part.partition("\n## ")[0], re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    made = {
        name
        for path in (ROOT / "engine").rglob("*.py")
        for name in re.findall(r'name="(captionglass-[a-z-]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(made) > 4
    assert made - told == set()
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("desktop_app", "engine", "models")
        for path in (ROOT / folder).rglob("*.py")
    )
    assert {name for name in told if f'"{name}' not in source} == set()
