"""Every update as one JSON object a line (``--events``), for scripts and measurements."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from engine.sinks._files import OutputFile, Tell, tell_nobody
from engine.types import GAP, CaptionUpdate, Notice, StreamHeader, StreamSummary


def event(update: CaptionUpdate, published_at: float) -> dict[str, Any]:
    """An update as the object that stands for it in an events file."""
    return {
        "t": round(published_at, 4),
        "lane": update.lane,
        "segment": update.segment_id,
        "revision": update.revision,
        "stable": update.stable,
        "unstable": update.unstable,
        "final": update.is_final,
        "correction": update.correction,
        "start": round(update.start, 4),
        "end": round(update.end, 4),
        "words": [[word.text, round(word.start, 4), round(word.end, 4)] for word in update.words],
    }


class JsonlSink:
    """Writes a header line, a line for each update and a summary line, each at once; and
    ``{"gap": {"lane", "start", "end"}}`` where sound was not heard.

    Times are seconds, rounded to a tenth of a millisecond. Text is UTF-8, not escaped.

    Args:
        path: of the file.
        tell: told where it waits for a full disk, and when it goes on.

    Raises:
        SinkError: from ``open``, ``update`` and ``close``, where the file cannot be written.
    """

    name = "jsonl"

    def __init__(self, path: Path, tell: Tell = tell_nobody) -> None:
        self._file = OutputFile(path, tell)

    def open(self, header: StreamHeader) -> None:
        """Create the file and write the header line."""
        self._file.open()
        fields = dataclasses.asdict(header)
        fields["model"] = fields.pop("model_id")
        self._line({"header": fields})

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Write one line."""
        self._line(event(update, published_at))

    def notice(self, notice: Notice) -> None:
        """Write where sound was not heard; other notices are no events."""
        if notice.code == GAP and notice.span is not None:
            start, end = notice.span
            self._line(
                {"gap": {"lane": notice.lane, "start": round(start, 4), "end": round(end, 4)}}
            )

    def close(self, summary: StreamSummary) -> None:
        """Write the summary line, unless the file had failed before."""
        if self._file.is_open:
            fields = dataclasses.asdict(summary)
            rounded = {
                key: round(value, 4) if isinstance(value, float) else value
                for key, value in fields.items()
            }
            self._line({"summary": rounded})
        self._file.close()

    def _line(self, content: dict[str, Any]) -> None:
        self._file.append(json.dumps(content, ensure_ascii=False) + "\n")
