"""Writes a session to disk as it goes: whatever ends the program, no more than the last second
is lost.

The session's thread only leaves the newest state of each line here. A thread of its own writes
what is new, a finished line at once and unfinished ones twice a second, and waits until it is on
the disk. Where the disk takes nothing, because it is full for one, all is kept and tried again. A
file of lines was chosen over a database by measurement (``scripts/measure/history_bench.py``):
it costs less to keep safe, each session is one file that can be deleted for good, and two programs
that run at once share nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from desktop_app.history.lines import Line, gap_of, line_of
from desktop_app.history.record import Head, encode_head, encode_line
from engine.errors import SinkError
from engine.types import CaptionUpdate, Notice, StreamHeader, StreamSummary

_EVERY_S = 0.5
_AGAIN_S = 2.0
_MOST_WAITING = 10_000
_JOIN_S = 5.0
SUFFIX = ".jsonl"
STOPPED, RESUMED = "history.stopped", "history.resumed"
"""Codes of the notices that the disk takes nothing, and that it does again."""


class HistorySink:
    """A sink that keeps what is said in a file of its own, made with the first line.

    Args:
        folder: of the files; made where it is missing, for this user alone.
        lane_names: to print for the lanes.
        private: keep nothing until ``set_private(False)``.
        tell: takes notices, on any thread, where the disk takes nothing, and where it does again.

    Attributes:
        name: as in notices about sinks.
        path: of the file; None until there is one.
    """

    name = "history"

    def __init__(
        self,
        folder: Path,
        lane_names: Mapping[str, str] | None = None,
        *,
        private: bool = False,
        tell: Callable[[Notice], None] = lambda _: None,
    ) -> None:
        self.path: Path | None = None
        self._folder = folder
        self._tell = tell
        self._lane_names = lane_names
        self._changed = threading.Condition()
        self._waiting: dict[int, Line] = {}
        self._gaps: list[Line] = []
        self._hidden: set[int] = set()
        self._known: set[int] = set()
        self._written: set[int] = set()
        self._private = private
        self._hurry = self._over = False
        self._error: OSError | None = None
        self._head: Head | None = None
        self._fd: int | None = None
        self._begun = False
        self._thread: threading.Thread | None = None

    def set_private(self, private: bool) -> None:
        """Keep nothing from now on, or go on keeping; any thread.

        A line of which a part was said in private is not kept any further.
        """
        with self._changed:
            self._private = private
            if private:
                self._hidden.update(self._known)
                self._waiting.clear()
                self._gaps.clear()

    def open(self, header: StreamHeader) -> None:
        """Start the thread. Nothing is on the disk before something was said."""
        self._head = Head(
            time.time(), header.source, header.model_id, header.version, self._lane_names
        )
        self._thread = threading.Thread(target=self._run, name="sink-history", daemon=True)
        self._thread.start()

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Take the newest state of a line; never waits for the disk.

        Raises:
            SinkError: the disk has taken nothing for too long.
        """
        del published_at
        with self._changed:
            if len(self._waiting) > _MOST_WAITING:
                raise SinkError("the history does not keep up", "see whether the disk answers")
            number = update.segment_id
            if self._private:
                self._hidden.add(number)
            if number in self._hidden:
                return
            self._known.add(number)
            self._waiting[number] = line_of(update)
            if update.is_final:
                self._hurry = True
                self._changed.notify()

    def notice(self, notice: Notice) -> None:
        """Take a gap; other notices belong in no transcript."""
        gap = gap_of(notice)
        with self._changed:
            if gap is not None and not self._private and len(self._gaps) < _MOST_WAITING:
                self._gaps.append(gap)

    def close(self, summary: StreamSummary) -> None:
        """Write what waits.

        Raises:
            SinkError: the disk is full or gone, or does not answer.
        """
        del summary
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with self._changed:
            self._over = True
            self._changed.notify()
        thread.join(_JOIN_S)
        if thread.is_alive():
            raise SinkError("the history could not be finished", "see whether the disk answers")
        if self._error is not None and (self._waiting or self._gaps):
            raise SinkError(*_told(self._folder, self._error)) from self._error

    def _run(self) -> None:
        over = False
        while not over:
            with self._changed:
                if self._error is not None:
                    self._changed.wait_for(lambda: self._over, _AGAIN_S)
                else:
                    self._changed.wait_for(lambda: self._hurry or self._over, _EVERY_S)
                over, self._hurry = self._over, False
                lines, self._waiting = [*self._waiting.values(), *self._gaps], {}
                self._gaps = []
            if not lines:
                continue
            try:
                self._write(lines)
            except OSError as error:
                self._put_back(lines)
                self._say(error)
            else:
                self._say(None)
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
            if not self._begun and self.path is not None:
                with contextlib.suppress(OSError):
                    self.path.unlink()

    def _put_back(self, lines: list[Line]) -> None:
        """Nothing is lost: what was said meanwhile goes before what was to be written."""
        with self._changed:
            if self._private:
                return
            older = {line.id: line for line in lines if line.id >= 0}
            kept = {number: line for number, line in older.items() if number not in self._hidden}
            self._waiting = kept | self._waiting
            self._gaps = [line for line in lines if line.id < 0] + self._gaps

    def _say(self, error: OSError | None) -> None:
        before, self._error = self._error, error
        if error is not None and (before is None or before.errno != error.errno):
            text, remedy = _told(self._folder, error)
            self._tell(Notice(STOPPED, "error", text, remedy))
        elif error is None and before is not None:
            self._tell(Notice(RESUMED, "info", "What was said is kept on the disk again"))

    def _write(self, lines: list[Line]) -> None:
        if self._fd is not None and self._was_deleted():
            os.close(self._fd)
            self._fd = None
            with self._changed:
                # What was deleted must not come back with the rest of its line.
                self._hidden.update(self._written)
            lines = [line for line in lines if line.id not in self._hidden]
            if not lines:
                return
        data = b"".join(encode_line(line) for line in lines)
        if self._fd is None:
            self._fd, self._begun = self._create(), False
        if not self._begun:
            assert self._head is not None
            data = encode_head(self._head) + data
        self._append(self._fd, data)
        self._begun = True
        os.fsync(self._fd)
        self._written.update(line.id for line in lines if line.id >= 0)

    def _append(self, fd: int, data: bytes) -> None:
        """All of it, or nothing."""
        before, done = os.fstat(fd).st_size, 0
        try:
            while done < len(data):
                done += os.write(fd, data[done:])
        except OSError:
            # Unless somebody else has given the session a name meanwhile, which stays.
            if os.fstat(fd).st_size == before + done:
                os.ftruncate(fd, before)
            raise

    def _was_deleted(self) -> bool:
        assert self._fd is not None
        return os.fstat(self._fd).st_nlink == 0

    def _create(self) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
        began = datetime.now().astimezone()
        # The random part keeps apart two programs that begin in the same second.
        path = self._folder / f"{began:%Y-%m-%d-%H%M%S}-{secrets.token_hex(2)}{SUFFIX}"
        fd = os.open(path, flags, 0o600)
        self.path = path
        sync_folder(self._folder)
        return fd


def _told(folder: Path, error: OSError) -> tuple[str, str]:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        text = "What is said is not kept, the disk is full"
        return text, "free some space; nothing is lost until the program ends"
    return (
        f"What is said is not kept, {folder} cannot be written ({error.strerror or error})",
        "make the folder writable; nothing is lost until the program ends",
    )


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
