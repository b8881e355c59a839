"""What the window waits for, counted in modules: a clock would tell about the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LATER = (
    "numpy", "onnxruntime", "onnx", "tokenizers", "ctranslate2", "onnx_asr", "kaldi_native_fbank",
    "sounddevice", "soundfile", "soxr", "av", "pulsectl", "pyqtgraph", "aiohttp", "asyncio",
    "cryptography", "keyring", "huggingface_hub", "simpleobsws", "pysubs2", "redis", "psutil",
    "pynvml", "opencc", "rich",
)  # fmt: skip
"""Libraries of the engine, of windows not yet opened, and of what is served."""
MOST = 520
"""Modules when the window is made. A bare interpreter holds about 40."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def started() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT / "scripts" / "measure"))
    try:
        import startup_profile
    finally:
        sys.path.pop(0)
    return startup_profile.measure("shown")


def test_the_window_waits_for_nothing_that_it_does_not_draw_with(started: dict[str, Any]) -> None:
    end = started["moments"]["shown"]
    imported = {name for seconds, main, name in started["imports"] if main and seconds <= end}
    roots = {name.partition(".")[0] for name in {*imported, *started["at start"]}}
    assert sorted(roots.intersection(LATER)) == []
    assert "PySide6" in roots


def test_the_window_is_made_with_few_modules(started: dict[str, Any]) -> None:
    assert 200 < len(started["at start"]) < MOST


def test_the_table_tells_each_moment(started: dict[str, Any]) -> None:
    assert list(started["moments"]) == ["Python runs", "command line read", "window made", "shown"]
    moments = list(started["moments"].values())
    assert moments == sorted(moments)


def test_the_command_says_how_it_is_called() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "measure" / "startup_profile.py"), "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "--json" in done.stdout
