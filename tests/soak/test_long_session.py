"""Two minutes of what ``scripts/soak.py`` does for hours: real speech and the real model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "soak.py"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run in a process of its own reports, on a machine that takes no time to compute."""
    path = tmp_path_factory.mktemp("soak") / "soak.json"
    command = [sys.executable, str(SCRIPT), "--hours", "0.03", "--every", "35", "--charge", "0"]
    ran = subprocess.run(
        [*command, "--report", str(path)], capture_output=True, encoding="utf-8", check=False
    )
    assert path.is_file(), ran.stderr
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert (ran.returncode == 0) == all(each["met"] for each in content["targets"])
    return content


def test_the_end_plays_the_beginning_again(report: dict[str, Any]) -> None:
    rows = report["rows"]
    assert len(rows) >= 3
    assert rows[-1]["until"] >= 100
    last = rows[-1]["until"] - rows[-2]["until"]
    assert last == pytest.approx(rows[0]["until"], abs=0.1)


def test_memory_stays_flat(report: dict[str, Any]) -> None:
    assert report["result"]["rss_growth_mb"] < 5.0


def test_no_line_is_lost_and_no_law_broken(report: dict[str, Any]) -> None:
    result = report["result"]
    assert result["first_breach"] == ""
    assert result["lines"] == result["finals"] > 5
    assert result["characters_captioned"] == result["characters_in_text"] > 500
    assert result["word_error_rate"] < 15.0
    assert max(row["open_lines"] for row in report["rows"]) <= 3


def test_word_times_do_not_drift(report: dict[str, Any]) -> None:
    result = report["result"]
    assert abs(result["offset_first_s"]) < 0.1
    assert result["offset_last_s"] == pytest.approx(result["offset_first_s"], abs=0.03)


@pytest.mark.parametrize("arguments", [["--hours", "0.01"], ["--hours", "1", "--every", "1"]])
def test_what_cannot_be_measured_is_said_in_a_line(arguments: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("soak: ")
    assert ran.stderr.count("\n") == 1
