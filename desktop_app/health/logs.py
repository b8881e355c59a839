"""What the program writes down about its own running, for whoever looks into a fault afterwards.

``captionglass.log`` in the user's log folder, three files of a megabyte in turn. It holds starts
and ends, versions, the codes of notices, and where errors were raised: never a word that was
captioned, a secret, or the name of a device. What an error says is left out for that reason, its
class and the places in the code it came through stay.

Beside it lies ``crash-1.txt``: empty while all goes well, and where a fault in a library ended the
program, what every thread was doing. The next start keeps it as ``crash.txt`` and says so once.
A second program at the same time takes files of its own, with a 2 in their names.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import platform
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import IO

from desktop_app import __version__
from models import own_program
from models.locks import FileLock

_log = logging.getLogger(__name__)

OURS = ("desktop_app", "engine", "models")
"""The loggers that are written: what a library says may hold anything."""

CRASH = "crash.txt"
"""What the last crash left behind."""

_FRAME = re.compile(r' *File "(.*)", line (\d+) in (.*)')
_BYTES = 1_000_000
_OLDER = 2
_AT_ONCE = 4
_ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """Where the logs lie; may not exist yet."""
    from platformdirs import user_log_path

    return user_log_path("captionglass", appauthor=False)


def tail(lines: int, where: Path | None = None) -> list[str]:
    """The last lines of the log; none where there is no log.

    Args:
        lines: how many at most.
        where: the folder; the user's own by default.
    """
    return _lines((where or folder()) / _name(1))[-lines:]


def last_crash(where: Path | None = None) -> list[str]:
    """What the last crash left behind, without the folders of this computer; none without one."""
    found = []
    for line in _lines((where or folder()) / CRASH):
        frame = _FRAME.fullmatch(line)
        if frame is not None:
            found.append(f"  {_short(frame[1])}:{frame[2]} {frame[3]}")
        elif not line.startswith("Extension modules"):
            found.append(line)
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _name(number: int) -> str:
    return f"captionglass{'' if number == 1 else f'-{number}'}.log"


@contextlib.contextmanager
def kept(what: str, where: Path | None = None) -> Iterator[bool]:
    """Write the log while the block runs; where that is not possible, run it without.

    Args:
        what: of the program's parts runs, one word.
        where: the folder; the user's own by default.

    Yields:
        Whether the program crashed when it ran last, and nobody was told so yet.
    """
    with contextlib.ExitStack() as stack:
        crashed = False
        try:
            crashed = _begin(where or folder(), stack)
        except OSError:
            # A log that cannot be written is no reason not to caption.
            stack.close()
        _log.info("%s begins: captionglass %s, %s", what, __version__, _system())
        try:
            yield crashed
        finally:
            _log.info("%s ends", what)


def _begin(where: Path, stack: contextlib.ExitStack) -> bool:
    where.mkdir(parents=True, exist_ok=True)
    number = next(
        (each for each in range(1, _AT_ONCE + 1) if _mine(where / f".log-{each}.lock", stack)), None
    )
    if number is None:
        return False
    trace = where / f"crash-{number}.txt"
    crashed = trace.exists() and trace.stat().st_size > 0
    if crashed:
        trace.replace(where / CRASH)
    handler = _File(where / _name(number))
    stack.callback(handler.close)
    stack.enter_context(_attached(handler))
    stack.enter_context(_uncaught_told())
    stack.enter_context(_crash_traced(trace))
    return crashed


def _mine(path: Path, stack: contextlib.ExitStack) -> bool:
    lock = FileLock(path)
    if not lock.try_acquire():
        return False
    stack.callback(lock.release)
    return True


@contextlib.contextmanager
def _attached(handler: logging.Handler) -> Iterator[None]:
    """Our loggers write to the file from ``INFO`` on; the terminal shows what it did before."""
    root = logging.getLogger()
    levels = {other: other.level for other in root.handlers}
    for other in levels:
        other.setLevel(max(other.level, root.level))
    loggers = {name: logging.getLogger(name).level for name in OURS}
    for name in OURS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(min(logging.INFO, logger.getEffectiveLevel()))
    try:
        yield
    finally:
        for name, level in loggers.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).setLevel(level)
        for other, level in levels.items():
            other.setLevel(level)


@contextlib.contextmanager
def _uncaught_told() -> Iterator[None]:
    """What nobody caught on a thread of its own is written before it is shown as before."""
    before = threading.excepthook

    def on_thread(told: threading.ExceptHookArgs) -> None:
        if told.exc_value is not None:
            uncaught(told.exc_value)
        before(told)

    threading.excepthook = on_thread
    try:
        yield
    finally:
        threading.excepthook = before


def uncaught(error: BaseException) -> None:
    """Write down an error that nobody caught."""
    thread = threading.current_thread().name
    _log.error("nobody caught this on the thread %s", thread, exc_info=error)


@contextlib.contextmanager
def _crash_traced(path: Path) -> Iterator[None]:
    """Have a native crash leave what every thread was doing; leave no file where there is none."""
    was_enabled = faulthandler.is_enabled()
    with path.open("w", encoding="utf-8") as file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
            if was_enabled and sys.stderr is not None:
                with contextlib.suppress(OSError, ValueError):
                    faulthandler.enable()
    with contextlib.suppress(OSError):
        path.unlink()


class _File(RotatingFileHandler):
    """The files. What cannot be written, on a full disk for one, is dropped in silence: there is
    no better place to say it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_BYTES, backupCount=_OLDER, encoding="utf-8")
        self.setLevel(logging.INFO)
        self.setFormatter(_Plain("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def close(self) -> None:
        # What was not written yet is written now, or dropped.
        with contextlib.suppress(OSError):
            super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        del record

    def _open(self) -> IO[str]:  # type: ignore[override]
        stream = super()._open()
        # It names no secret, and still it is nobody else's business.
        with contextlib.suppress(OSError):
            Path(self.baseFilename).chmod(0o600)
        return stream


class _Plain(logging.Formatter):
    """One line a record and one a frame; of an error its class alone, since what it says may
    hold a path, a name or what was captioned."""

    def format(self, record: logging.LogRecord) -> str:
        plain = logging.makeLogRecord(record.__dict__)
        if isinstance(plain.args, tuple):
            plain.args = tuple(
                type(value).__name__ if isinstance(value, BaseException) else value
                for value in plain.args
            )
        # The other handlers' text of the traceback, which is kept in the record.
        plain.exc_text = None
        return super().format(plain)

    def formatException(  # noqa: N802 - logging calls it so
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        return "\n".join(_told(ei[1])) if ei[1] is not None else ""


def _told(error: BaseException) -> list[str]:
    """The chain of errors, the first cause first: where each came through, and its class."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = [*_told(cause), "  led to"] if cause is not None else []
    lines.extend(
        f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    )
    return [*lines, f"  {type(error).__name__}"]


def _short(name: str) -> str:
    """A file as it is called inside the program or the library it belongs to: no home folder."""
    path = Path(name)
    if path.is_relative_to(_ROOT) and "site-packages" not in path.parts:
        return path.relative_to(_ROOT).as_posix()
    parts = path.parts
    for mark in ("site-packages", "dist-packages"):
        if mark in parts:
            return "/".join(parts[parts.index(mark) + 1 :])
    return "/".join(parts[-2:])


def _system() -> str:
    how = "packaged" if own_program.packaged() else "from a checkout or a wheel"
    return f"{how}, Python {platform.python_version()}, {platform.platform()}"
