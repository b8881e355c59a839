"""A Markdown transcript: what was said is text, whatever it looks like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.sinks.markdown import MarkdownSink, escaped
from engine.types import GAP, Notice


def written(path: Path, labels: dict[str, str] | None = None) -> str:
    sink = MarkdownSink(path, labels)
    sink.open(HEADER)
    sink.update(partial(0, 0, "", "hello"), 0.0)
    sink.update(final(0, 1, "hello world", at=62.0), 0.0)
    sink.notice(Notice(GAP, "info", "heard again", lane="file", span=(70.0, 73.2)))
    sink.update(replace(final(1, 0, "and on", at=80.0), lane="mic"), 0.0)
    sink.close(SUMMARY)
    return path.read_text(encoding="utf-8")


def test_each_line_is_a_paragraph_with_its_time(tmp_path: Path) -> None:
    assert written(tmp_path / "x.md") == (
        "# demo.wav\n"
        "\n**\\[01:02\\]** hello world\n"
        "\n**\\[01:10\\]** *\\[not heard 01:10–01:14\\]*\n"
        "\n**\\[01:20\\]** and on\n"
    )


def test_lanes_are_named_where_they_have_names(tmp_path: Path) -> None:
    text = written(tmp_path / "x.md", {"file": "Others", "mic": "You"})
    assert "**\\[01:02\\] Others:** hello world" in text
    assert "**\\[01:20\\] You:** and on" in text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("a *b* _c_", "a \\*b\\* \\_c\\_"),
        ("1. first", "1\\. first"),
        ("- no list", "\\- no list"),
        ("# no heading", "\\# no heading"),
        ("<script>", "\\<script\\>"),
        ("[x](y)", "\\[x\\](y)"),
        ("你好，世界。", "你好，世界。"),
    ],
)
def test_what_was_said_is_no_markup(said: str, shown: str) -> None:
    assert escaped(said) == shown
