"""Make pictures of the transcript window: dark and light, at 100 and 200 %, long and Chinese text.

.venv/bin/python scripts/pictures/transcript_pictures.py [FOLDER]   transcript-THEME-SCALE.png
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pictures

_NAMES = {"mic": "You", "system": "Others"}
_SAID = (
    ("system", "Good morning everybody, shall we begin?", 62.0),
    ("mic", "Yes. The café opens at nine, and we meet there before the talk.", 66.0),
    (
        "mic",
        "A very long sentence indeed, which goes on and on because whoever says it does not pause "
        "for breath, so that its row grows to three lines or more, by how wide the window is.",
        71.0,
    ),
    ("", "", 80.0),
    (
        "system",
        "你好，世界。今天我们来谈一谈实时字幕的延迟和准确率，这一行写得很长，看它怎样换行。",
        86.0,
    ),
    ("mic", "After the café we can look at the figures together.", 95.0),
)
_DRAFT = ("system", "and what is still being", 99.0)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]).resolve() if arguments else Path.cwd()
    if (scale := pictures.scale()) is not None:
        return take_pictures(folder, scale)
    return pictures.at_each_scale(__file__, folder)


def take_pictures(folder: Path, scale: str) -> int:
    from PySide6.QtWidgets import QApplication

    from desktop_app.history.lines import Line, Transcript
    from desktop_app.history.record import Head, encode_head, encode_line
    from desktop_app.history.store import HistoryStore
    from desktop_app.ui import theme
    from desktop_app.ui.transcript import TranscriptWindow

    application = QApplication(["captionglass"])
    theme.load_fonts()
    live = Transcript()
    for number, (lane, text, at) in enumerate(_SAID):
        kind = "speech" if text else "gap"
        live.take(Line(kind, lane, text, at, at + 4.0, number if text else -1))  # type: ignore[arg-type]
    live.take(Line("speech", _DRAFT[0], _DRAFT[1], _DRAFT[2], 101.0, 90, is_final=False))
    with tempfile.TemporaryDirectory() as name:
        for number, text in enumerate(("Quarterly planning", "欢迎大家参加今天的会议，先看结果")):
            line = Line("speech", "mic", text, 0.0, 1800.0, 0)
            data = encode_head(Head(1.79e9 + 90_000 * number)) + encode_line(line)
            (Path(name) / f"{number}.jsonl").write_bytes(data)
        for look in (theme.DARK, theme.LIGHT):
            window = TranscriptWindow(live, look, _NAMES, HistoryStore(Path(name)))
            window.show()
            window.sessions.stop()
            application.processEvents()
            window.search.setText("cafe")
            window.look_up()
            window.table.to_end()
            window.rows.mark = 4
            window.table.settle()
            window.set_private(look is theme.LIGHT)
            application.processEvents()
            window.grab().save(str(folder / f"transcript-{look.name}-{scale}00.png"))
            window.close()
            window.model.release()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
