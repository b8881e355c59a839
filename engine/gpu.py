"""How full and how busy the NVIDIA GPU is, through the driver's own library (NVML)."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any

NO_GPU = "no NVIDIA GPU"


@dataclass(frozen=True, slots=True)
class GpuReading:
    """One look at the first GPU.

    Attributes:
        name: as the driver calls it.
        memory_used, memory_total: bytes, of all programs together.
        utilisation: percent of the last moment in which it computed; None where the driver does
            not say (a GPU cut into instances).
    """

    name: str
    memory_used: int
    memory_total: int
    utilisation: int | None


class GpuReader:
    """Reads the GPU again and again; any thread.

    Args:
        nvml: what works like the module ``pynvml``; that module itself by default, imported at
            the first reading.
    """

    def __init__(self, nvml: Any = None) -> None:
        self._nvml = nvml
        self._lock = threading.Lock()
        self._started = False
        self._hopeless = False
        self._why = ""

    def read(self) -> GpuReading | None:
        """A reading, or None where there is no GPU to read; ``why_none`` then says why."""
        with self._lock:
            if self._hopeless:
                return None
            if self._nvml is None:
                try:
                    import pynvml
                except ImportError:
                    self._give_up(f"{NO_GPU} can be asked, nvidia-ml-py is not installed")
                    return None
                self._nvml = pynvml
            try:
                return self._read(self._nvml)
            except self._nvml.NVMLError as error:
                self._note(self._nvml, error)
                return None

    def why_none(self) -> str:
        """Why the last reading was None, one clause; empty where it was not."""
        return self._why

    def _read(self, nvml: Any) -> GpuReading | None:
        if not self._started:
            nvml.nvmlInit()
            self._started = True
        if nvml.nvmlDeviceGetCount() == 0:
            self._why = f"{NO_GPU}, though its driver is installed"
            return None
        handle = nvml.nvmlDeviceGetHandleByIndex(0)
        name = nvml.nvmlDeviceGetName(handle)
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        try:
            utilisation = int(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        except nvml.NVMLError as error:
            if error.value == nvml.NVML_ERROR_GPU_IS_LOST:
                raise
            utilisation = None
        self._why = ""
        return GpuReading(
            name=name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name),
            memory_used=int(memory.used),
            memory_total=int(memory.total),
            utilisation=utilisation,
        )

    def _note(self, nvml: Any, error: Any) -> None:
        if error.value in (nvml.NVML_ERROR_LIBRARY_NOT_FOUND, nvml.NVML_ERROR_DRIVER_NOT_LOADED):
            self._give_up(f"{NO_GPU}, its driver is not installed")
        elif error.value == nvml.NVML_ERROR_FUNCTION_NOT_FOUND:
            self._give_up("the NVIDIA driver is too old to be read")
        elif error.value == nvml.NVML_ERROR_GPU_IS_LOST:
            self._why = "the GPU has fallen off the bus, restart the machine"
        else:
            self._why = f"the NVIDIA driver does not answer ({error})"
        # After a suspend or a driver update only a fresh start finds the GPU again.
        if self._started:
            self._started = False
            with contextlib.suppress(nvml.NVMLError):
                nvml.nvmlShutdown()

    def _give_up(self, why: str) -> None:
        """No driver appears while a program runs: do not look for it every second."""
        self._hopeless = True
        self._why = why


_reader = GpuReader()


def read() -> GpuReading | None:
    """A reading of the first NVIDIA GPU; None where there is none, or it does not answer."""
    return _reader.read()


def why_none() -> str:
    """Why the last reading was None, one clause; empty where it was not."""
    return _reader.why_none()
