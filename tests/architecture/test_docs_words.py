"""What the guide says that the program shows is what it shows, and links lead somewhere."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from desktop_app import __version__
from desktop_app.settings.declared import Settings
from desktop_app.settings.pages import PAGES

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide.md"
DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))

NOT_OURS = {"curly quotes", "keep above"}
"""In curly quotes, and said by nobody or by another program."""

_VALUE = re.compile(r"%\d|%n|\{[^{}]*\}")


@cache
def said_in_windows() -> frozenset[str]:
    """Every text of the windows and of the engine, ``…`` where a value stands."""
    texts = ElementTree.parse(ROOT / "assets" / "translations" / "captionglass_zh_CN.ts")
    return frozenset(_VALUE.sub("…", each.text or "") for each in texts.iter("source"))


@cache
def said_elsewhere() -> frozenset[str]:
    """Texts in the source of what speaks to a terminal, which is not translated."""
    return frozenset(
        text
        for path in (ROOT / "desktop_app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for text in _texts(node)
    )


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(each.value if isinstance(each, ast.Constant) else "…" for each in node.values)


def quoted(text: str) -> set[str]:
    """What stands in curly quotes, across line breaks."""
    return {" ".join(found.split()) for found in re.findall(r"“(.+?)”", text, re.DOTALL)}


def is_said(text: str) -> bool:
    """Whether the program can say this; what stands before a colon and behind it count too."""
    if text in said_in_windows() or text in said_elsewhere():
        return True
    # A value may be a sentence: "… crashed (…): it was started again".
    head, colon, tail = text.partition(": ")
    return bool(colon) and is_said(head) and is_said(f"…: {tail}")


def test_the_guide_quotes_what_the_program_says() -> None:
    told = quoted(GUIDE.read_text(encoding="utf-8")) - NOT_OURS
    assert len(told) > 60
    assert {text for text in told if not is_said(text)} == set()


def test_packages_are_named_as_they_are_called_now() -> None:
    named = {
        (path.name, found)
        for path in DOCUMENTS
        for found in re.findall(
            r"captionglass(?:-gpu)?-(\d+\.\d+\.\d+)-", path.read_text(encoding="utf-8")
        )
    }
    assert named == {("install.md", __version__)}


def test_words_that_are_not_said_are_seen() -> None:
    assert is_said("Captions are paused")
    assert is_said("… is gone: waiting for it")
    assert not is_said("Captions are stopped")
    assert not is_said("… is gone: looking for it")


@pytest.mark.parametrize("symptom", [
    "No captions", "The wrong device", "Captions come late", "Words flicker", "Too many errors",
    "OBS shows nothing", "Hotkeys do not work", "Wayland", "Bluetooth", "macOS and Windows",
])  # fmt: skip
def test_the_guide_has_each_symptom(symptom: str) -> None:
    assert f"\n### {symptom}\n" in GUIDE.read_text(encoding="utf-8")


def test_the_guide_says_where_a_setting_is() -> None:
    places = re.findall(r"\*Settings,\s([^*]+)\*", GUIDE.read_text(encoding="utf-8"))
    assert len(places) > 5
    pages = {
        page.title: {
            Settings.model_fields[name].title for group in page.groups for name in group.names
        }
        for page in PAGES
    }
    for place in places:
        page, _, title = " ".join(place.split()).partition(", ")
        assert page in pages, place
        assert not title or title in pages[page], place


def anchors(document: Path) -> set[str]:
    """The names of its headings, as they are made of them where Markdown is shown."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_headings_that_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    lost = set()
    for path, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        target = document if not path else (document.parent / path)
        if not target.is_file() or anchor not in anchors(target):
            lost.add(f"{path}#{anchor}")
    assert lost == set()


def test_every_page_is_reached_from_the_readme() -> None:
    reached, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        left += [(page.parent / link).resolve() for link in links]
    assert {page.name for page in DOCUMENTS} - {page.name for page in reached} == set()
