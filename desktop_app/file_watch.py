"""Telling when a file was changed by another program, also by one that replaces it whole."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

_SETTLED_MS = 250


class FileWatch(QObject):
    """Watches a file and, for those that write another one and rename it, its folder.

    Args:
        path: of the file; neither it nor its folder need exist.
    """

    changed = Signal()
    """Something was written and has come to rest. It may have been this program."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        # Has no parent, so that it goes at ``end``: garbage may be collected on another thread,
        # where its socket must not be closed.
        self._watcher: QFileSystemWatcher | None = None
        self._timer = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._timer.timeout.connect(self._tell)

    def begin(self) -> None:
        """Watch what is there now; call it again when the file may have come into being."""
        if self._watcher is None:
            self._watcher = QFileSystemWatcher()
            self._watcher.fileChanged.connect(self._stir)
            self._watcher.directoryChanged.connect(self._stir)
        wanted = [str(path) for path in (self._path, self._path.parent) if path.exists()]
        watched = {*self._watcher.files(), *self._watcher.directories()}
        for path in wanted:
            if path not in watched:
                self._watcher.addPath(path)

    def end(self) -> None:
        """Watch no longer. On the thread that began."""
        self._timer.stop()
        self._watcher = None

    def _stir(self, _path: str) -> None:
        self._timer.start()

    def _tell(self) -> None:
        # A file that was replaced is another file: the watch went with the old one.
        if self._watcher is not None:
            self.begin()
            self.changed.emit()
