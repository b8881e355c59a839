"""Measuring what the slider's stops do on this computer, in a process beside the window."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from assets import ASSETS
from desktop_app import __version__
from desktop_app.ui.stop_texts import stop_name
from engine.bench.measured import MeasuredFile, measurement
from engine.errors import CaptionglassError
from models import own_program

if TYPE_CHECKING:
    from engine.bench.measured import Measurement, StopFigures
    from engine.config import Provider

_KILL_MS = 3000
COMMAND = (
    *own_program.command("engine.bench.measure"),
    *("--audio", str(ASSETS / "demo.wav")),
    *("--version", __version__),
)
"""Starts the process; model and provider follow."""


class Measuring(QObject):
    """Runs the measurement and knows its results. All calls and signals are the Qt thread's.

    Args:
        file: where results are kept.
        command: starts a process that answers as ``engine.bench.measure`` does.
    """

    changed = Signal()
    """``figures`` or ``progress`` are others now."""
    failed = Signal(object)
    """A CaptionglassError. Nothing was measured."""
    measured = Signal()
    """To its end, and kept."""

    def __init__(
        self,
        file: MeasuredFile | None = None,
        command: Sequence[str] = COMMAND,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._file = file or MeasuredFile()
        self._command = list(command)
        self._process: QProcess | None = None
        self._found: Measurement | None = None
        self._error: CaptionglassError | None = None
        self._known: Measurement | None = None
        self.progress = ""

    @property
    def running(self) -> bool:
        """It measures now."""
        return self._process is not None

    @property
    def figures(self) -> Mapping[str, StopFigures]:
        """By the stop's name; empty where nothing was measured."""
        return self._known.stops if self._known else {}

    @property
    def model(self) -> str:
        """Which the figures are of; empty where nothing was measured."""
        return self._known.model if self._known else ""

    def recall(self, model: str, provider: str = "") -> None:
        """Take the figures of a model from the file.

        Args:
            model: id of the recogniser.
            provider: what it runs on; empty where that is not known.
        """
        self._known = self._file.load(model, __version__, provider)
        self.changed.emit()

    def start(self, model: str, provider: Provider) -> None:
        """Begin, unless it measures already."""
        if self.running:
            return
        self._found = self._error = None
        process = self._process = QProcess(self)
        environment = QProcessEnvironment()
        for name, value in own_program.environment().items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._start_failed)
        process.setProgram(self._command[0])
        process.setArguments([*self._command[1:], "--model", model, "--provider", provider])
        self._tell(self.tr("getting ready"))
        process.start()
        process.closeWriteChannel()

    def cancel(self) -> None:
        """Stop; what has been measured so far is dropped. May be called at any time."""
        process = self._release()
        if process is not None:
            process.kill()
            process.waitForFinished(_KILL_MS)
            process.deleteLater()
            self._tell("")

    def _release(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
        return process

    def _tell(self, progress: str) -> None:
        self.progress = progress
        self.changed.emit()

    def _read(self) -> None:
        process = self._process
        while process is not None and process.canReadLine():
            self._take(bytes(process.readLine().data()))

    def _take(self, line: bytes) -> None:
        try:
            answer: dict[str, Any] = json.loads(line)
            if "stop" in answer:
                stop = stop_name(str(answer["stop"]))
                progress = self.tr("{0}, {1} of {2}")
                self._tell(progress.format(stop, answer["number"], answer["of"]))
            elif "error" in answer:
                self._error = CaptionglassError(str(answer["error"]), str(answer["remedy"]))
            else:
                self._found = measurement(answer["measured"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self._error = CaptionglassError(
                f"measuring gave an answer that makes no sense ({type(error).__name__})",
                "try again",
            )

    def _start_failed(self, error: QProcess.ProcessError) -> None:
        # Any other error is followed by the signal that it has ended.
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            why = self._process.errorString()
            self._error = CaptionglassError(f"measuring could not be started ({why})")
            self._conclude()

    def _end(self, code: int, _status: QProcess.ExitStatus) -> None:
        self._read()
        if self._found is None and self._error is None and self._process is not None:
            lines = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
            last = next((line for line in reversed(lines.splitlines()) if line.strip()), "")
            why = last.strip()[:160] or f"exit code {code}"
            self._error = CaptionglassError(f"measuring ended too early ({why})", "try again")
        self._conclude()

    def _conclude(self) -> None:
        process = self._release()
        if process is not None:
            process.deleteLater()
        found, error = self._found, self._error
        if found is not None and error is None:
            self._known = found
            try:
                self._file.save(found)
            except CaptionglassError as unwritable:
                error = unwritable
        self._tell("")
        if error is not None:
            self.failed.emit(error)
        else:
            self.measured.emit()
