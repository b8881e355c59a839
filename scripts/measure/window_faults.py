"""Spoils things around the whole program, and measures how soon its window goes on.

    .venv/bin/python scripts/measure/window_faults.py       Linux; as root also a disk that is full

Prints a row for each fault, in seconds. docs/faults.md has them; what the sound does is measured
by scripts/measure/capture_drift.py.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import platformdirs  # noqa: E402
import psutil  # noqa: E402
from faults import (  # type: ignore[import-not-found]  # noqa: E402
    BEST,
    WORST,
    Windows,
    command,
    kept_lines,
    settings_file,
    small_disk,
    speech,
    until,
)

_HOME = {
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_CACHE_HOME": "cache",
    "XDG_STATE_HOME": "state",
}


def recogniser_crashes(windows: Windows, long: Path) -> float:
    """From the crash to the next caption."""
    window = windows.open("--new", "--source", long)
    window.says(BEST)
    for child in psutil.Process(window.process.pid).children():
        if "engine.isolation.host" in " ".join(child.cmdline()):
            child.send_signal(signal.SIGSEGV)
            break
    else:
        raise SystemExit("there is no recogniser of its own to crash")
    began = time.monotonic()
    until(lambda: window.shown[-1].get("at", 0.0) > began + 0.05, "the next caption")
    found = float(window.shown[-1]["at"]) - began
    window.end()
    return found


def window_crashes(windows: Windows, long: Path) -> float:
    """From the next start to the window with its notice."""
    window = windows.open("--new", "--source", long)
    window.says(WORST)
    window.process.send_signal(signal.SIGSEGV)
    window.process.communicate()
    assert " ".join(kept_lines()).startswith(BEST), kept_lines()
    began = time.monotonic()
    again = windows.open("--new", "--source", long)
    until(lambda: again.notices("crash.before"), "the notice")
    found = time.monotonic() - began
    again.end()
    return found


def disk_is_full(windows: Windows, long: Path) -> float:
    """From room on the disk to all that was said meanwhile being kept."""
    home = Path(os.environ["HOME"])
    with small_disk(home) as disk:
        settings_file()
        disk.fill()
        window = windows.open("--new", "--source", long)
        window.says(WORST)
        assert kept_lines() == []
        disk.empty()
        began = time.monotonic()
        until(lambda: WORST in " ".join(kept_lines()), "what was said meanwhile")
        found = time.monotonic() - began
        window.end()
    return found


def second_start(windows: Windows, long: Path) -> float:
    """How long another start takes to bring the first to the front and end."""
    window = windows.open("--source", long)
    window.says(BEST)
    runtime = {"XDG_RUNTIME_DIR": str(windows.folder / "run"), "QT_QPA_PLATFORM": "offscreen"}
    began = time.monotonic()
    answer = command(**runtime)
    found = time.monotonic() - began
    assert answer.stdout.startswith("Captionglass is open already"), answer
    window.end()
    return found


def main() -> int:
    """See the top of the file."""
    models = platformdirs.user_data_path("captionglass", appauthor=False) / "models"
    os.environ.setdefault("CAPTIONGLASS_MODELS", str(models))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    rows: dict[str, Callable[[Windows, Path], float]] = {
        "recogniser killed by SIGSEGV: next caption": recogniser_crashes,
        "window killed by SIGSEGV: next start says so": window_crashes,
        "second start: the first comes to the front": second_start,
    }
    if os.geteuid() == 0:
        rows["full disk has room again: all is kept"] = disk_is_full
    with tempfile.TemporaryDirectory(prefix="cg-") as folder:
        long = speech(Path(folder), 20.0)
        for number, (name, fault) in enumerate(rows.items()):
            home = Path(folder, f"home-{number}")
            home.mkdir()
            os.environ["HOME"] = str(home)
            os.environ |= {variable: str(home / name) for variable, name in _HOME.items()}
            settings_file()
            windows = Windows(Path(folder))
            try:
                print(f"{name:48} {fault(windows, long):.2f} s", flush=True)
            finally:
                windows.close()
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"load of each core, by the system: {load:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
