"""Reading the GPU: against a driver made up here, both as a module and as a real shared library."""

# The fake bears the names of the driver's own functions, and looks at nothing it is given.
# ruff: noqa: N802, ARG002

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_nvml import build

from engine.gpu import GpuReader, GpuReading

ROOT = Path(__file__).parents[2]


class FakeNvmlError(Exception):
    """Carries the driver's number, as the real one does."""

    def __init__(self, value: int) -> None:
        super().__init__(f"error {value}")
        self.value = value


@dataclass
class FakeNvml:
    """Works like the module ``pynvml`` for one GPU; ``fail`` maps a function to its error."""

    NVMLError = FakeNvmlError
    NVML_ERROR_NOT_SUPPORTED = 3
    NVML_ERROR_DRIVER_NOT_LOADED = 9
    NVML_ERROR_LIBRARY_NOT_FOUND = 12
    NVML_ERROR_FUNCTION_NOT_FOUND = 13
    NVML_ERROR_GPU_IS_LOST = 15

    fail: dict[str, int]
    count: int = 1
    started: int = 0

    def _may_fail(self, name: str) -> None:
        if name in self.fail:
            raise FakeNvmlError(self.fail[name])

    def nvmlInit(self) -> None:
        self._may_fail("init")
        self.started += 1

    def nvmlShutdown(self) -> None:
        self._may_fail("shutdown")

    def nvmlDeviceGetCount(self) -> int:
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, handle: int) -> bytes:
        self._may_fail("name")
        return b"NVIDIA Fake 3000"

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> SimpleNamespace:
        self._may_fail("memory")
        return SimpleNamespace(used=6 << 30, total=24 << 30)

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> SimpleNamespace:
        self._may_fail("utilisation")
        return SimpleNamespace(gpu=91)


READING = GpuReading("NVIDIA Fake 3000", 6 << 30, 24 << 30, 91)


def test_a_gpu_is_read_and_the_driver_started_once() -> None:
    nvml = FakeNvml({})
    reader = GpuReader(nvml)
    assert [reader.read() for _ in range(3)] == [READING] * 3
    assert nvml.started == 1
    assert reader.why_none() == ""


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (FakeNvml.NVML_ERROR_LIBRARY_NOT_FOUND, "no NVIDIA GPU, its driver is not installed"),
        (FakeNvml.NVML_ERROR_DRIVER_NOT_LOADED, "no NVIDIA GPU, its driver is not installed"),
        (FakeNvml.NVML_ERROR_FUNCTION_NOT_FOUND, "the NVIDIA driver is too old to be read"),
        (999, "the NVIDIA driver does not answer (error 999)"),
    ],
)
def test_no_gpu_is_none_with_a_reason(error: int, why: str) -> None:
    reader = GpuReader(FakeNvml({"init": error}))
    assert reader.read() is None
    assert reader.why_none() == why


def test_without_a_driver_it_is_not_asked_again_and_again() -> None:
    nvml = FakeNvml({"init": FakeNvml.NVML_ERROR_LIBRARY_NOT_FOUND})
    reader = GpuReader(nvml)
    assert reader.read() is None
    nvml.fail.clear()
    assert reader.read() is None
    assert nvml.started == 0


def test_a_driver_without_a_gpu_is_none() -> None:
    reader = GpuReader(FakeNvml({}, count=0))
    assert reader.read() is None
    assert reader.why_none() == "no NVIDIA GPU, though its driver is installed"


@pytest.mark.parametrize("where", ["name", "memory", "utilisation"])
def test_a_gpu_lost_in_the_middle_is_none_and_found_again_when_it_comes_back(where: str) -> None:
    nvml = FakeNvml({})
    reader = GpuReader(nvml)
    assert reader.read() == READING
    nvml.fail[where] = FakeNvml.NVML_ERROR_GPU_IS_LOST
    nvml.fail["shutdown"] = FakeNvml.NVML_ERROR_GPU_IS_LOST
    assert reader.read() is None
    assert "fallen off the bus" in reader.why_none()
    nvml.fail.clear()
    assert reader.read() == READING
    assert reader.why_none() == ""
    assert nvml.started == 2


def test_a_gpu_in_instances_tells_its_memory_but_not_how_busy_it_is() -> None:
    reader = GpuReader(FakeNvml({"utilisation": FakeNvml.NVML_ERROR_NOT_SUPPORTED}))
    reading = reader.read()
    assert reading is not None
    assert (reading.memory_used, reading.utilisation) == (6 << 30, None)


PROBE = """
import os, pathlib, sys
from engine import gpu
def look():
    print(gpu.read(), "|", gpu.why_none())
look()
if lost := os.environ.get("GPU_LOST"):
    pathlib.Path(lost).touch()
    look()
    pathlib.Path(lost).unlink()
    look()
"""

FULL = f"{GpuReading('NVIDIA Fake', 6 << 30, 24 << 30, 91)} |"
LOST = "None | the GPU has fallen off the bus, restart the machine"


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None,
    reason="needs gcc to build a driver library",
)
@pytest.mark.parametrize(
    ("without", "loses", "expected"),
    [
        ([], False, [FULL]),
        ([], True, [FULL, LOST, FULL]),
        (["-DNO_UTILISATION"], False, [FULL.replace("=91", "=None")]),
        (["-DNO_MEMORY"], False, ["None | the NVIDIA driver is too old to be read"]),
    ],
    ids=["present", "lost and back", "no utilisation", "no memory"],
)
def test_the_real_binding_reads_a_library(
    tmp_path: Path, without: list[str], loses: bool, expected: list[str]
) -> None:
    build(tmp_path, without)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    if loses:
        environment["GPU_LOST"] = str(tmp_path / "lost")
    answer = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.strip() for line in answer.stdout.splitlines()] == expected
