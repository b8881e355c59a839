"""The machine that figures were measured on, in words."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path


def describe() -> dict[str, str | int]:
    """What figures depend on: processor, cores, operating system, Python and onnxruntime."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "onnxruntime": _onnxruntime(),
    }


def load_average() -> list[float]:
    """Of 1, 5 and 15 minutes; empty where the system keeps none."""
    if not hasattr(os, "getloadavg"):
        return []
    return [round(load, 2) for load in os.getloadavg()]


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _onnxruntime() -> str:
    for package in ("onnxruntime", "onnxruntime-gpu"):
        try:
            return f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return "none"
