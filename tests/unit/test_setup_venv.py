"""What pip said, in one line; and what the progress line shows of it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def setup_venv(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import setup_venv

    return setup_venv


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (
            "Collecting numpy\nERROR: Could not install packages due to an OSError: [Errno 28] No"
            " space left on device\n",
            "the disk is full",
        ),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n",
            "another hash than the locked one",
        ),
        (
            "WARNING: Retrying (Retry(total=1)) after connection broken by"
            " 'NewConnectionError(...: [Errno 101] Network is unreachable')'\n"
            "ERROR: No matching distribution found for numpy==2.4.6\n",
            "the package index cannot be reached",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement soxr==1.1.0\n"
            "ERROR: No matching distribution found for soxr==1.1.0\n",
            "soxr==1.1.0 is not to be had for Python",
        ),
        ("Collecting numpy\nERROR: something odd\n", "pip failed: something odd"),
        ("", "pip failed: no reason given"),
    ],
)
def test_what_pip_said_becomes_one_line(setup_venv: ModuleType, output: str, line: str) -> None:
    told = setup_venv._explain_pip(output)
    assert line in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("Collecting numpy==2.4.6 (from -r cpu.txt (line 3))\n", "fetching numpy"),
        ("Processing /wheels/soxr-1.1.0-cp311.whl (from -r cpu.txt)\n", "fetching soxr-1.1.0"),
        ("  Downloading numpy-2.4.6-cp311.whl (16.9 MB)\n", "fetching numpy (16.9 MB)"),
        ("  Using cached https://x/y/rich-15.0.0-py3.whl (300 kB)\n", "fetching rich (300 kB)"),
        ("Installing collected packages: numpy, rich\n", "unpacking"),
        ("WARNING: something\n", ""),
    ],
)
def test_the_progress_line_says_what_pip_is_at(
    setup_venv: ModuleType, line: str, step: str
) -> None:
    shown = setup_venv._step(line)
    assert shown.startswith(step)
    assert bool(shown) == bool(step)
