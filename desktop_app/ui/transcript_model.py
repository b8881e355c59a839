"""A transcript as Qt's views see it: one column, a row for each line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.finding import folded
from desktop_app.history.lines import Line, Transcript
from engine.sinks.text import labelled, stamp

_NOWHERE = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class TranscriptModel(QAbstractTableModel):
    """Follows one transcript at a time.

    Args:
        names: of the lanes, for people.
    """

    def __init__(self, names: Mapping[str, str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.names = dict(names)
        self._transcript = Transcript()
        self._folded: list[str | None] = []
        self._lanes: set[str] = set()
        self._put = 0

    @property
    def lines(self) -> list[Line]:
        """As they are now; read only."""
        return self._transcript.lines

    def show(self, transcript: Transcript, names: Mapping[str, str]) -> None:
        """Follow another transcript."""
        self.beginResetModel()
        self._transcript.follow(None)
        self._transcript, self.names = transcript, dict(names)
        self._folded = [None] * len(transcript.lines)
        self._lanes = {line.lane for line in transcript.lines if line.kind == "speech"}
        transcript.follow(self)
        self.endResetModel()

    def release(self) -> None:
        """Follow nothing any more."""
        self.show(Transcript(), self.names)

    def label(self, line: Line) -> str:
        """Who speaks, where more than one does."""
        return self.names.get(line.lane, line.lane) if len(self._lanes) > 1 else ""

    def shown(self, line: Line) -> str:
        """The text of a row."""
        if line.kind != "gap":
            return line.text
        # To whole seconds outwards, as in the files.
        times = stamp(math.floor(line.start)), stamp(math.ceil(line.end))
        return self.tr("not heard {0}–{1}").format(*times)

    def as_text(self, line: Line, *, times: bool) -> str:
        """A row for the clipboard."""
        text = f"[{self.shown(line)}]" if line.kind == "gap" else line.text
        if line.kind == "start":
            return f"— {text} —"
        head = f"[{stamp(int(line.start))}] " if times else ""
        return head + labelled(text, line.lane, self.names if len(self._lanes) > 1 else None)

    def hits(self, wanted: str) -> list[int]:
        """The row of each place where ``wanted``, already folded, stands."""
        found: list[int] = []
        if not wanted:
            return found
        for row, known in enumerate(self._folded):
            text = known
            if text is None:
                text = self._folded[row] = folded(self.lines[row].text)
            if wanted in text:
                found += [row] * text.count(wanted)
        return found

    # What a transcript tells

    def inserting(self, row: int) -> None:
        """A line is about to come."""
        self._put = row
        self.beginInsertRows(_NOWHERE, row, row)
        self._folded.insert(row, None)

    def inserted(self) -> None:
        """It is there."""
        line = self.lines[self._put]
        if line.kind == "speech":
            self._lanes.add(line.lane)
        self.endInsertRows()

    def removing(self, first: int, last: int) -> None:
        """Lines are about to go."""
        self.beginRemoveRows(_NOWHERE, first, last)
        del self._folded[first : last + 1]

    def removed(self) -> None:
        """They are gone."""
        self.endRemoveRows()

    def changed(self, row: int) -> None:
        """A line has another text."""
        self._folded[row] = None
        index = self.index(row, 0)
        self.dataChanged.emit(index, index)

    # What Qt asks

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.lines):
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shown(line)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            if line.kind != "speech":
                return self.shown(line)
            who = self.label(line)
            said = (self.shown(line), who, stamp(int(line.start)))
            return self.tr(", ", "between text, name and time").join(filter(None, said))
        return None
