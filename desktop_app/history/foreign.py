"""Formats of subtitles that are written at the end, through pysubs2: SubStation Alpha and TTML."""

from __future__ import annotations

from pathlib import Path

from engine.sinks._files import OutputFile

FORMATS = {
    "ass": "Advanced SubStation Alpha",
    "ssa": "SubStation Alpha",
    "ttml": "Timed Text (TTML)",
}
"""What can be written, by the ending of the file's name."""

# In these formats they are commands, and what was said is text.
_PLAIN = str.maketrans({"{": "(", "}": ")", "\\": "/"})


def convert(srt: Path, asked: str, path: Path) -> None:
    """Write subtitles in another format.

    Args:
        srt: SubRip, as ``engine.sinks.subtitles`` writes it.
        asked: one of ``FORMATS``.
        path: of the file; one that is there is replaced.

    Raises:
        SinkError: it cannot be written.
    """
    import pysubs2

    text = srt.read_text(encoding="utf-8").translate(_PLAIN)
    subtitles = pysubs2.SSAFile.from_string(text, format_="srt", keep_html_tags=True)
    # Its own name and address are no part of what was said.
    subtitles.info.pop("Title", None)
    file = OutputFile(path)
    content = subtitles.to_string(asked)
    file.open()
    try:
        file.append(content)
    finally:
        file.close()
