"""The whole program as its command starts it, which also writes down what its window shows:
``fault_program.py OUT ARGUMENT...``."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from desktop_app.ui.overlay import Overlay


def let_the_clock_be_set() -> None:
    """By the file that FAULT_CLOCK names: seconds to add to the time of day."""
    file = Path(os.environ.get("FAULT_CLOCK", os.devnull))
    really = time.time

    def now() -> float:
        said = file.read_text(encoding="utf-8") if file.is_file() else ""
        return really() + float(said or 0.0)

    time.time = now


def main() -> None:
    let_the_clock_be_set()
    out, *arguments = sys.argv[1:]
    # Opened before the program begins: a fault may take its folders away.
    with Path(out).open("w", encoding="utf-8", buffering=1) as file:
        write_down(file)
        from desktop_app.cli.main import run

        sys.exit(run(arguments))


def write_down(file: TextIO) -> None:
    """From now on, all that the window shows."""

    def shown(**what: Any) -> None:
        file.write(json.dumps(what) + "\n")

    add, apply, show = Overlay.add_notice, Overlay.apply, Overlay.show

    def add_notice(self: Overlay, notice: Any) -> None:
        add(self, notice)
        line = self.notices.text
        shown(notice=notice.code, severity=notice.severity, text=notice.text, line=line)

    def apply_all(self: Overlay, updates: Any) -> None:
        apply(self, updates)
        for update in updates:
            shown(id=update.segment_id, text=update.text, start=update.start, at=time.monotonic())

    def show_it(self: Overlay) -> None:
        show(self)
        shown(window=self.isVisible())

    Overlay.add_notice = add_notice  # type: ignore[method-assign]
    Overlay.apply = apply_all  # type: ignore[method-assign]
    Overlay.show = show_it  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    main()
