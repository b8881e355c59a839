"""Which onnxruntime is installed: by the driver, by the variable, and by what is there already."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def setup_env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delenv("CAPTIONGLASS_RUNTIME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    import setup_env

    return setup_env


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's library does not load, whatever this machine has."""

    def refuse(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr("ctypes.CDLL", refuse)


def put_nvidia_smi(folder: Path) -> None:
    for name in ("nvidia-smi", "nvidia-smi.exe"):
        (folder / name).touch()
        (folder / name).chmod(0o755)


@pytest.mark.usefixtures("no_library")
def test_no_driver_means_cpu(setup_env: ModuleType) -> None:
    assert setup_env._locks(False, {}).keys() == {"cpu.txt"}


@pytest.mark.usefixtures("no_library")
@pytest.mark.skipif(sys.platform == "darwin", reason="there is no such driver")
def test_a_driver_means_gpu(
    setup_env: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_nvidia_smi(tmp_path)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert setup_env._locks(True, {}).keys() == {"gpu.txt", "dev.txt"}
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert setup_env._locks(True, {}).keys() == {"cpu.txt", "dev.txt"}


@pytest.mark.skipif(sys.platform == "darwin", reason="there is no such driver")
def test_the_drivers_library_is_enough(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    monkeypatch.setattr("ctypes.CDLL", lambda name: name)
    assert setup_env.nvidia_driver()


@pytest.mark.usefixtures("no_library")
def test_a_driver_that_goes_throws_nothing_away(setup_env: ModuleType) -> None:
    assert setup_env._locks(False, {"locks": {"gpu.txt": "0"}}).keys() == {"gpu.txt"}


def test_the_variable_wins(
    setup_env: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_nvidia_smi(tmp_path)
    monkeypatch.setenv("CAPTIONGLASS_RUNTIME", "cpu")
    assert setup_env._locks(False, {"locks": {"gpu.txt": "0"}}).keys() == {"cpu.txt"}
    monkeypatch.setenv("CAPTIONGLASS_RUNTIME", "tpu")
    with pytest.raises(setup_env.SetupError, match="use cpu or gpu"):
        setup_env._locks(False, {})
