"""The runtime of the models tells nobody that it runs, and keeps no number for this computer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, time
{first}
from engine.runtime import _PROBE, open_session
open_session(_PROBE)
time.sleep(0.3)
"""


@pytest.mark.parametrize("first", ["", "import desktop_app.cli.main; import onnxruntime"])
def test_onnxruntime_leaves_nothing_behind(tmp_path: Path, own_folders: Path, first: str) -> None:
    # By itself it keeps quiet where it is tested; here it shall run as with a user.
    quiet = ("CI", "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "GITHUB_ACTIONS", "TF_BUILD")
    env = {name: value for name, value in os.environ.items() if name not in quiet}
    env |= {"PYTHONPATH": str(ROOT), "ORT_DISABLE_TELEMETRY": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(first=first)],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    assert [path for path in own_folders.rglob("*") if path.is_file()] == []
