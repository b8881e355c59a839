"""One Captionglass a user: a second start speaks to the first over a socket of the user's own.

On POSIX the socket lies in a folder that only its owner can enter; on Windows it is a named pipe
that only its owner can open. What it takes is one of ``COMMANDS``, and nothing else.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_config_path
from PySide6.QtCore import QCoreApplication, QLockFile, QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from engine.errors import CaptionglassError

COMMANDS = (
    "show",
    "hide",
    "toggle",
    "pause",
    "lock",
    "next-preset",
    "settings",
    "settings",
    "first-run",
    "quit",
)
"""What can be asked of the one that runs."""

USE_PRESET = "use-preset"
"""This too, with the name of a preset behind it and a space between."""

_TIMEOUT_MS = 3000
_ANSWER_MS = 10_000
"""One that is itself starting answers when its window stands: a while, on a busy computer."""
_LONGEST = 320
_MOST_CLIENTS = 8


class InstanceError(CaptionglassError):
    """The one that runs cannot be found, or not be spoken to."""


class SingleInstance(QObject):
    """Answers other starts of the program, while it is the one that runs.

    Args:
        address: of the socket; the user's own by default.
    """

    asked = Signal(str)
    """One of ``COMMANDS``, or ``USE_PRESET`` with a name."""

    def __init__(self, address: str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._address = address or own_address()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(_MOST_CLIENTS)
        self._server.newConnection.connect(self._greet)
        self._clients: list[QLocalSocket] = []

    def claim(self) -> bool:
        """Become the one that runs.

        Returns:
            False where another one runs; it has been asked to show its window.

        Raises:
            InstanceError: the socket cannot be made.
        """
        # Two that start in the same moment take turns; Qt knows a lock whose owner has died.
        lock = QLockFile(_lock_path(self._address))
        locked = lock.tryLock(_TIMEOUT_MS)
        # Where none can be made, on a full disk for one, nobody else holds it either.
        if not locked and lock.error() == QLockFile.LockError.LockFailedError:
            raise InstanceError("another Captionglass is starting", "try again in a moment")
        try:
            if ask("show", self._address):
                return False
            # Nobody answered: what is left of one that was killed is in the way.
            QLocalServer.removeServer(self._address)
            if not self._server.listen(self._address):
                raise InstanceError(
                    f"other starts cannot be answered ({self._server.errorString()})",
                    "start it with --new",
                )
        finally:
            lock.unlock()
        return True

    def close(self) -> None:
        """Answer nobody from now on. May be called twice."""
        self._server.close()
        for client in self._clients:
            client.abort()
        self._clients.clear()

    def _greet(self) -> None:
        while (client := self._server.nextPendingConnection()) is not None:
            if len(self._clients) >= _MOST_CLIENTS:
                client.abort()
                client.deleteLater()
                continue
            self._clients.append(client)
            client.setReadBufferSize(_LONGEST)
            client.readyRead.connect(_bound(self._hear, client))
            client.disconnected.connect(_bound(self._forget, client))
            # One that says nothing does not stay.
            QTimer.singleShot(_TIMEOUT_MS, client, client.abort)
            # It may have spoken, and gone, before it was looked at.
            self._hear(client)

    def _hear(self, client: QLocalSocket) -> None:
        if not client.canReadLine() and client.bytesAvailable() < _LONGEST:
            return
        client.readyRead.disconnect()
        word = bytes(client.readLine(_LONGEST).data()).decode("utf-8", "replace").strip()
        known = word in COMMANDS or word.startswith(f"{USE_PRESET} ")
        if client.state() == QLocalSocket.LocalSocketState.ConnectedState:
            client.write(b"done\n" if known else b"unknown\n")
            client.flush()
            client.disconnectFromServer()
        if known:
            self.asked.emit(word)

    def _forget(self, client: QLocalSocket) -> None:
        if client in self._clients:
            self._clients.remove(client)
            client.deleteLater()


def ask(command: str, address: str | None = None) -> bool:
    """Ask the one that runs.

    Args:
        command: one of ``COMMANDS``, or ``USE_PRESET`` with a name.
        address: of its socket; the user's own by default.

    Returns:
        False where none runs.

    Raises:
        InstanceError: it runs, and does not answer or does not know the command.
    """
    socket = QLocalSocket()
    socket.connectToServer(address or own_address())
    if not socket.waitForConnected(_TIMEOUT_MS):
        # A Captionglass that hangs still accepts; only one that is gone refuses.
        return False
    socket.write(f"{command}\n".encode())
    while not socket.canReadLine():
        if not socket.waitForReadyRead(_ANSWER_MS):
            break
    answer = bytes(socket.readAll().data()).strip()
    socket.abort()
    if answer != b"done":
        raise InstanceError(
            "the Captionglass that runs does not know that"
            if answer
            else "the Captionglass that runs does not answer",
            "end it and start it anew; --new opens another one beside it",
        )
    return True


def send(command: str) -> None:
    """Ask the one that runs, from a program of its own.

    Raises:
        InstanceError: none runs, or it does not answer.
    """
    application = QCoreApplication.instance() or QCoreApplication(["captionglass"])
    if not ask(command):
        raise InstanceError("Captionglass is not running", "start it with: captionglass")
    del application


def own_address() -> str:
    """Where this user's Captionglass listens; another one for each folder of settings.

    Raises:
        InstanceError: the folder for it belongs to somebody else.
    """
    settings = str(user_config_path("captionglass", appauthor=False))
    mark = hashlib.sha256(settings.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    if sys.platform == "win32":
        return f"captionglass-{getpass.getuser()}-{mark}"
    return str(_own_folder() / f"captionglass-{mark}")


def _own_folder() -> Path:
    """A folder that only this user can enter. Short: a socket's path has about 100 bytes."""
    if sys.platform == "win32":
        return Path(tempfile.gettempdir())
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given and _is_private(Path(given)):
        return Path(given)
    folder = Path(tempfile.gettempdir(), f"captionglass-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
    # Anybody can make a folder of that name in the common one.
    if not _is_private(folder):
        raise InstanceError(
            f"{folder} is not yours alone", "delete it, or set XDG_RUNTIME_DIR to a folder that is"
        )
    return folder


def _is_private(folder: Path) -> bool:
    if sys.platform == "win32":
        return True
    try:
        found = folder.lstat()
    except OSError:
        return False
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return mine and not stat.S_IMODE(found.st_mode) & 0o077


def _lock_path(address: str) -> str:
    if Path(address).is_absolute():
        return f"{address}.lock"
    return str(Path(tempfile.gettempdir(), f"{address}.lock"))


def _bound(call: Callable[[QLocalSocket], None], client: QLocalSocket) -> Callable[[], None]:
    return lambda: call(client)
