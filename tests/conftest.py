"""What holds for every test: its own folders, no network, no thread left behind, a report header.

Fixtures that start something real stand in ``fixtures_sound.py`` and ``fixtures_screen.py``.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The interface follows the system: here it is English, whatever the developer's own is.
os.environ["LANGUAGE"] = "en"
# Weights are large: every test shares the folder that is installed, whatever its home is.
os.environ.setdefault(
    "CAPTIONGLASS_MODELS", str(Path(platformdirs.user_data_dir("captionglass", False)) / "models")
)

pytest_plugins = [
    "fixtures_models",
    # After the models, whose bytes it serves: pytest rewrites a plugin's asserts as it is loaded.
    "fixtures_hub",
    "fixtures_recordings",
    "fixtures_screen",
    "fixtures_sound",
    # After those they import, as the next.
    "fixtures_desk",
    "fixtures_obs",
    # After the recordings, which it imports: pytest rewrites a plugin's asserts as it is loaded.
    "fixtures_cli",
    "fixtures_serve",
    "fixtures_garbage",
    "fixtures_shelf",
    "fixtures_talk",
]

_THREAD_GRACE_S = 2.0
_WHOLE_SESSIONS = Path(__file__).parent / "integration"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole sessions take seconds each: they are left to the test command, as what is slow."""
    for item in items:
        if _WHOLE_SESSIONS in item.path.parents:
            item.add_marker(pytest.mark.slow)


def pytest_report_header() -> list[str]:
    """Which onnxruntime, which Qt, which GPU: what explains most of the differences."""
    return [f"captionglass: python {platform.python_version()}", _onnxruntime(), _qt(), _gpu()]


def _onnxruntime() -> str:
    try:
        import onnxruntime
    except ImportError:
        return "onnxruntime: none"
    providers = ", ".join(onnxruntime.get_available_providers())
    return f"onnxruntime {onnxruntime.__version__}: {providers}"


def _qt() -> str:
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        version = "none"
    return f"PySide6-Essentials {version}, platform {os.environ['QT_QPA_PLATFORM']}"


def _gpu() -> str:
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return f"GPU: no NVIDIA GPU ({error})"
    try:
        names = [
            pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(index))
            for index in range(pynvml.nvmlDeviceGetCount())
        ]
    finally:
        pynvml.nvmlShutdown()
    return f"GPU: {', '.join(names) or 'none'}"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home for settings, data, cache and state; never the developer's own.

    Returns:
        The folder that stands for home.
    """
    home = tmp_path / "home"
    for variable, name in (
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_STATE_HOME", "state"),
        ("APPDATA", "appdata"),
        ("LOCALAPPDATA", "localappdata"),
    ):
        folder = home / name
        folder.mkdir(parents=True)
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.setenv("HOME", str(home))
    # Nor the developer's own keyring; a test that wants one says so.
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    return home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting anywhere but to this machine fails, by name."""
    connect = socket.socket.connect
    connect_ex = socket.socket.connect_ex

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: socket.socket, address: Any) -> Any:
            if not _is_local(self.family, address):
                pytest.fail(f"a test must not use the network: connect to {address!r}")
            return real(self, address)

        return call

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))


def _is_local(family: int, address: Any) -> bool:
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True
    host = str(address[0])
    return host in ("localhost", "::1", "") or host.startswith("127.")


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """A test that leaves a thread running fails, and is told its name."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + _THREAD_GRACE_S
    while time.monotonic() < deadline:
        left = [
            thread
            for thread in threading.enumerate()
            # Qt and extension modules adopt threads as "dummies" that cannot be joined.
            if thread not in before and not isinstance(thread, threading._DummyThread)
        ]
        if not left:
            return
        left[0].join(0.05)
    pytest.fail(f"threads left running: {', '.join(repr(thread.name) for thread in left)}")
