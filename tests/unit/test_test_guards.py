"""The guards in ``conftest.py`` are worth something only if a bad test fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

BAD_TESTS = """
import os, socket, threading, time
from pathlib import Path
import platformdirs

def test_leaves_a_thread():
    threading.Thread(target=time.sleep, args=(30,), name="forgotten", daemon=True).start()

def test_calls_home():
    socket.create_connection(("192.0.2.1", 80), timeout=1)

def test_may_talk_to_itself():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()

def test_has_folders_of_its_own(tmp_path):
    for folder in (platformdirs.user_config_dir("x"), platformdirs.user_data_dir("x"), Path.home()):
        assert tmp_path in Path(folder).parents
    assert Path(os.environ["CAPTIONGLASS_MODELS"]) == Path("/somewhere/models")

def test_warns():
    import warnings
    warnings.warn("old ways", DeprecationWarning)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of the bad tests, under the guards."""
    folder = tmp_path_factory.mktemp("bad")
    for part in (TESTS.parent / "pyproject.toml", TESTS / "conftest.py"):
        shutil.copy(part, folder)
    (folder / "test_bad.py").write_text(BAD_TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_bad.py"],
        cwd=folder,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join((str(TESTS.parent), str(TESTS))),
            "CAPTIONGLASS_MODELS": "/somewhere/models",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_forgotten_thread_fails_its_test_by_name(report: str) -> None:
    assert "threads left running: 'forgotten'" in report


def test_the_network_is_out_of_reach_but_this_machine_is_not(report: str) -> None:
    assert "must not use the network: connect to ('192.0.2.1', 80)" in report
    assert "test_may_talk_to_itself PASSED" in report


def test_every_test_has_its_own_folders_but_shares_the_models(report: str) -> None:
    assert "test_has_folders_of_its_own PASSED" in report


def test_a_warning_is_an_error(report: str) -> None:
    assert "test_warns FAILED" in report


def test_the_header_names_what_matters(report: str) -> None:
    for word in ("captionglass: python 3.", "onnxruntime", "PySide6-Essentials 6.", "GPU:"):
        assert word in report
