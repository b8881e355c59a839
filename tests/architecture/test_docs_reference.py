"""What the reference pages say is what the program declares now."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from desktop_app.serve import openapi
from desktop_app.settings.declared import Settings

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import reference  # noqa: E402 - the scripts are no package


@pytest.mark.parametrize("page", reference.PAGE_TEXTS)
def test_a_page_is_what_would_be_written_now(page: str) -> None:
    written = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    assert written == reference.PAGE_TEXTS[page](), "run scripts/reference.py"


def test_no_setting_and_no_command_is_left_out() -> None:
    settings = reference.settings_page()
    assert reference.unplaced() == set()
    assert all(f"| `{name}` | **" in settings for name in Settings.model_fields)
    paths = [path for path, _ in reference.commands()]
    assert {"captionglass caption", "captionglass models get"} <= set(paths)
    page = reference.command_page()
    assert all(f"## {path}\n" in page for path in paths)


def test_a_page_that_is_old_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    assert reference.stale() == ["settings.md", "command-line.md"]
    (tmp_path / "settings.md").write_text(reference.settings_page() + " ", encoding="utf-8")
    (tmp_path / "command-line.md").write_text(reference.command_page(), encoding="utf-8")
    assert reference.stale() == ["settings.md"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Where. [default: 5; 0<=x<=9]", "Where. Default: `5`. 0 to 9."),
        ("A file.  [required]", "A file. Required."),
        ("[x>=1; required]", "At least 1. Required."),
        ("As it is.", "As it is."),
    ],
)
def test_what_the_library_puts_behind_a_help_text_is_said_in_words(given: str, said: str) -> None:
    assert reference._said(given) == said


def test_the_variables_are_those_that_the_source_names() -> None:
    named = {
        name
        for folder in ("desktop_app", "engine", "models")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"CAPTIONGLASS_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))
    }
    assert named == set(reference.VARIABLES)


def test_the_page_of_the_control_port_has_every_request_and_no_other() -> None:
    text = (ROOT / "docs" / "control.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`(?:GET|PUT|POST) .*?) \| (.*) \|$", text, re.MULTILINE)
    told = {
        (method.lower(), path)
        for cell, _ in rows
        for method, path in re.findall(r"`(GET|PUT|POST) (/[\w.]+)", cell)
    }
    paths = openapi.description("0")["paths"]
    served = {(method, path) for path, methods in paths.items() for method in methods}
    assert told == served | {("get", "/openapi.json")}
    bodies = {
        key
        for _, does in rows
        for body in re.findall(r"`(\{.*?\})`", does)
        for key in json.loads(body)
    }
    asked = {
        name
        for methods in paths.values()
        for request in methods.values()
        if "requestBody" in request
        for name in _properties(request["requestBody"])
    }
    assert bodies == asked


def _properties(body: dict[str, dict[str, dict[str, dict[str, str]]]]) -> list[str]:
    schema = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    return list(openapi.SCHEMAS[schema]["properties"])
