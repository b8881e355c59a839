#!/usr/bin/env python3
"""What a start imports, and when: until the window is seen, and until captions can be shown.

    .venv/bin/python scripts/measure/startup_profile.py             a table
    .venv/bin/python scripts/measure/startup_profile.py --json      all of it

The program itself is started, with the demo recording as its sound and settings of its own, and
ended once captions are ready. Without a screen it draws in memory.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from desktop_app.application.startup import OverlayOptions

ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 120.0
_LOOK_MS = 5
_SHOWN_ROOTS = 14


class Recorder:
    """Stands before all that finds modules, finds none, and notes what was asked for.

    Args:
        began: ``time.monotonic()`` when the process was started.
    """

    def __init__(self, began: float) -> None:
        self.began = began
        self.moments: dict[str, float] = {}
        self.imports: list[tuple[float, bool, str]] = []
        """Seconds, whether on the main thread, name."""
        self.before = len(sys.modules)
        self.at_start: list[str] = []

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Note the name."""
        del path, target
        main = threading.current_thread() is threading.main_thread()
        self.imports.append((self._now(), main, name))
        return None

    def mark(self, moment: str) -> None:
        """Note that something has come to pass; only the first time counts."""
        self.moments.setdefault(moment, self._now())

    def _now(self) -> float:
        return time.monotonic() - self.began

    def told(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "moments": self.moments,
            "modules before": self.before,
            "at start": self.at_start,
            "imports": self.imports,
        }


def watch(began: float, until: str) -> None:
    """Start the program in this process, and write what was seen to standard output.

    Args:
        began: when the process was started.
        until: ``shown`` or ``ready``.
    """
    recorder = Recorder(began)
    recorder.mark("Python runs")
    sys.meta_path.insert(0, recorder)
    from desktop_app.cli.main import run

    recorder.mark("command line read")
    _listen(recorder, until)
    code = run(["--new"])
    sys.meta_path.remove(recorder)
    if until not in recorder.moments:
        raise SystemExit(code or 1)
    json.dump(recorder.told(), sys.stdout)


def _listen(recorder: Recorder, until: str) -> None:
    """Have the application tell when its window is painted, and when its session runs."""
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication

    from assets import ASSETS
    from desktop_app.application import app as application
    from desktop_app.application.caption_app import CaptionApp

    class Painted(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                recorder.mark("shown")
                watched.removeEventFilter(self)
                if until == "shown":
                    QTimer.singleShot(0, QApplication.quit)
            return False

    class Watched(CaptionApp):
        def __init__(self, options: OverlayOptions) -> None:
            # Not by the command line, which looks into a recording before it opens the window.
            demo = dataclasses.replace(options, source=str(ASSETS / "demo.wav"))
            super().__init__(demo)

            self.painted = Painted(self)
            self.overlay.view.installEventFilter(self.painted)
            self.looking = QTimer(self, interval=_LOOK_MS)
            self.looking.timeout.connect(self.look)
            self.looking.start()

        def _start(self) -> None:
            recorder.mark("window made")
            recorder.at_start = sorted(sys.modules)
            if until == "ready":
                super()._start()

        def look(self) -> None:
            if "shown" in recorder.moments and self.stats().state == "running":
                recorder.mark("ready")
                self.looking.stop()
                QApplication.quit()

    vars(application)["CaptionApp"] = Watched


def measure(until: str = "ready") -> dict[str, Any]:
    """Watch one start from outside.

    Args:
        until: ``shown`` ends it with the first picture of the window, before any session begins.

    Returns:
        ``moments``: seconds by name; ``imports``: seconds, whether on the main thread, name;
        ``at start``: what was loaded when the window was made; ``modules before``: Python's own.

    Raises:
        RuntimeError: the program did not come so far.
    """
    from platformdirs import user_data_path

    with tempfile.TemporaryDirectory() as home:
        # Settings that are there already: the very first start shows more than the captions.
        settings = Path(home) / "captionglass" / "settings.toml"
        settings.parent.mkdir()
        settings.write_text("version = 1\n", encoding="utf-8")
        models = user_data_path("captionglass", appauthor=False) / "models"
        variables = {"CAPTIONGLASS_MODELS": str(models), **os.environ}
        variables |= {
            "PYTHONPATH": str(ROOT),
            **{f"XDG_{kind}_HOME": home for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
            **dict.fromkeys(("APPDATA", "LOCALAPPDATA"), home),
        }
        if sys.platform == "linux" and not os.environ.get("DISPLAY"):
            variables.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = [sys.executable, "-P", __file__, "--child", repr(time.monotonic()), until]
        done = subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_LIMIT_S,
            check=False,
        )
    if done.returncode or not done.stdout:
        raise RuntimeError(f"the start failed: {done.stderr.strip() or done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main_thread(found: dict[str, Any], moment: str = "shown") -> list[str]:
    """What the main thread imported until that moment, in order."""
    end = found["moments"][moment]
    return [name for seconds, main, name in found["imports"] if main and seconds <= end]


def _table(found: dict[str, Any]) -> list[str]:
    lines = []
    for moment, end in found["moments"].items():
        count = sum(seconds <= end for seconds, _, _ in found["imports"])
        lines.append(f"{end:6.2f} s  {found['modules before'] + count:5d} modules  {moment}")
    lines += ["", "first asked for, by which thread, modules, library"]
    roots: dict[str, tuple[float, bool, int]] = {}
    for seconds, main, name in found["imports"]:
        root = name.partition(".")[0]
        first, thread, count = roots.get(root, (seconds, main, 0))
        roots[root] = (first, thread, count + 1)
    largest = sorted(roots.items(), key=lambda item: -item[1][2])[:_SHOWN_ROOTS]
    for root, (first, main, count) in sorted(largest, key=lambda item: item[1][0]):
        thread = "main" if main else "other"
        lines.append(f"{first:6.2f} s  {thread:<5}  {count:4d}  {root}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="everything, for other programs")
    parser.add_argument("--child", nargs=2, metavar=("BEGAN", "UNTIL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        watch(float(options.child[0]), options.child[1])
        return 0
    found = measure()
    print(json.dumps(found) if options.json else "\n".join(_table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
