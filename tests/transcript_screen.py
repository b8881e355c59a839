"""Shows the transcript window on a real screen, and does what standard input says.

say TEXT        another line          state        print what the window shows, as JSON
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from caption_samples import final
from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.history.lines import Transcript
from desktop_app.history.store import HistoryStore
from desktop_app.ui import theme
from desktop_app.ui.transcript import TranscriptWindow


class Ears(QObject):
    """Brings standard input to Qt's thread."""

    heard = Signal(str)

    def listen(self) -> None:
        for row in sys.stdin:
            self.heard.emit(row.rstrip("\n"))
        self.heard.emit("quit")


def main() -> int:
    """Stay until standard input ends."""
    application = QApplication(["transcript"])
    theme.load_fonts()
    live = Transcript()
    for number in range(60):
        live.apply(final(number, 0, f"line number {number}", at=3.0 * number))
    window = TranscriptWindow(live, theme.DARK, {}, HistoryStore(Path(sys.argv[1])))

    def middle(widget: QWidget) -> list[int]:
        at = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
        return [at.x(), at.y()]

    def do(row: str) -> None:
        order, _, text = row.partition(" ")
        if order == "quit":
            application.quit()
        elif order == "say":
            number = len(live.lines)
            live.apply(final(number, 0, text, at=3.0 * number))
        else:
            state = {
                "active": window.isActiveWindow(),
                "at_end": window.table.at_end,
                "latest": window.latest_button.text() if window.latest_button.isVisible() else "",
                "mark": window.rows.mark,
                "count": window.count.text(),
                "copied": QApplication.clipboard().text(),
                "table": middle(window.table.viewport()),
                "latest_at": middle(window.latest_button),
                "copy_at": middle(window.copy_button),
            }
            sys.stdout.write(json.dumps(state) + "\n")
            sys.stdout.flush()

    ears = Ears()
    ears.heard.connect(do)
    threading.Thread(target=ears.listen, name="ears", daemon=True).start()
    window.show()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
