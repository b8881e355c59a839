"""Finished lines on standard output; the line being spoken on standard error, if a terminal."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable
from typing import TextIO

from engine.errors import SinkError
from engine.sinks._order import Labels, TimeOrder
from engine.sinks.text import labelled, plain
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

_DIM, _NORMAL, _CLEAR = "\x1b[2m", "\x1b[0m", "\r\x1b[K"


def columns(text: str) -> int:
    """How many terminal cells ``text`` takes: wide characters two, combining ones none."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def tail(text: str, width: int) -> str:
    """The end of ``text`` that fits ``width`` cells, with an ellipsis where it was cut."""
    if columns(text) <= width:
        return text
    room = width - 1
    kept: list[str] = []
    for character in reversed(text):
        room -= _cells(character)
        if room < 0:
            break
        kept.append(character)
    return "…" + "".join(reversed(kept)) if width > 0 else ""


class TerminalSink:
    """Prints captions for a person, or for the next program in a pipe.

    Args:
        out: gets the finished lines, one a line.
        err: gets notices, and the line being spoken, rewritten in place, where it is a terminal.
        width: the terminal's width in cells; asked of the terminal each time by default.
        labels: names printed before the lines, where there are two lanes. A terminal gets a line
            as soon as it is finished, whichever began first; a pipe gets them in order.

    Attributes:
        broken: whoever read ``out`` has gone (``| head``).
        failure: why else nothing more could be written to ``out``; None while it could.
    """

    name = "terminal"

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        width: Callable[[], int] | None = None,
        labels: Labels | None = None,
    ) -> None:
        self._out = out
        self._err = err
        self._labels = labels
        self._order: TimeOrder[str] | None = None if out.isatty() else TimeOrder()
        self._width = width or (lambda: shutil.get_terminal_size().columns)
        self._live = err.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self.broken = False
        self.failure: SinkError | None = None

    def open(self, header: StreamHeader) -> None:
        """Nothing to prepare."""

    def update(self, update: CaptionUpdate, published_at: float) -> None:  # noqa: ARG002
        """Print a finished line; show or replace the one being spoken.

        Raises:
            SinkError: the reader of the output has gone, or the output is full.
        """
        if update.correction:
            return
        text = plain(update.text)
        line = labelled(text, update.lane, self._labels) if text else ""
        if update.is_final:
            self._wipe()
        else:
            self._show(labelled(plain(update.stable), update.lane, self._labels), line)
        if self._order is None:
            if update.is_final and line:
                self._print(line)
            return
        self._order.follow(update)
        if update.is_final and line:
            self._order.hold(update.lane, update.start, line)
        for held in self._order.ready():
            self._print(held)

    def notice(self, notice: Notice) -> None:
        """Print it on ``err``, on a line of its own."""
        self._wipe()
        remedy = f": {notice.remedy}" if notice.remedy else ""
        self._say(f"captionglass: {plain(notice.text + remedy)}\n")

    def close(self, summary: StreamSummary) -> None:  # noqa: ARG002
        """Print what was held back, and leave the terminal clean.

        Raises:
            SinkError: as from ``update``.
        """
        self._wipe()
        if self._order is not None and not self.broken and self.failure is None:
            for held in self._order.rest():
                self._print(held)

    def _print(self, line: str) -> None:
        try:
            self._out.write(line + "\n")
            self._out.flush()
        except BrokenPipeError as error:
            self.broken = True
            raise SinkError("the output was closed by its reader") from error
        except OSError as error:
            self.failure = SinkError(
                f"the captions cannot be printed ({error.strerror or error})",
                "send the output elsewhere",
            )
            raise self.failure from error

    def _show(self, stable: str, text: str) -> None:
        if not self._live:
            return
        visible = tail(text, self._width() - 1)
        solid = max(0, len(visible) - max(0, len(text) - len(stable)))
        self._say(f"{_CLEAR}{visible[:solid]}{_DIM}{visible[solid:]}{_NORMAL}")
        self._shown = True

    def _wipe(self) -> None:
        if self._shown:
            self._say(_CLEAR)
            self._shown = False

    def _say(self, text: str) -> None:
        try:
            self._err.write(text)
            self._err.flush()
        except OSError:
            # A terminal that went away takes the partials with it; the finished lines go on.
            self._live = False
