"""The recogniser that the engine holds where the real one runs in a process of its own.

What only prepares the next question (a stream that is begun, sound that is accepted, words that
are settled) is kept and sent with it: nothing but a question can fail, and questions are what the
engine recovers from.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from engine.config import Provider
from engine.errors import RecognizerError
from engine.isolation.wire import MOST_TEXTS, Answer, Request, receive, send
from engine.recognizers.base import Hypothesis, Recognizer, Running
from engine.types import Samples
from models import own_program
from models.spec import ModelFiles

log = logging.getLogger(__name__)

LOAD_LIMIT_S = 180.0
ASK_LIMIT_S = 60.0
"""Seconds after which a process that says nothing is taken for hung, and ended."""
_GOES_WITHIN_S = 2.0
_FRAME = re.compile(r' *File "(.*)", line (\d+) in (.*)')
_NO_WINDOW = 0x08000000  # for Windows, where a console program would open one


class Child:
    """The process. Requests may come from any thread, one at a time.

    Args:
        name: of the model, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._trace = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            own_program.command("engine.isolation.host"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._trace,
            env=own_program.environment(),
            creationflags=_NO_WINDOW if sys.platform == "win32" else 0,
        )
        self._lock = threading.Lock()
        self._answers: queue.Queue[Answer | None] = queue.Queue(maxsize=2)
        self._dropped: list[int] = []
        threading.Thread(
            target=_read,
            args=(cast(BinaryIO, self._process.stdout), self._answers),
            name="captionglass-recognizer-answers",
            daemon=True,
        ).start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, kind: str, *arguments: Any, limit_s: float = ASK_LIMIT_S) -> Answer:
        """Ask, and wait.

        Args:
            kind, arguments: see ``Request``.
            limit_s: seconds to wait.

        Raises:
            RecognizerError: the process is gone, or does not answer.
            Exception: what the real one has raised.
        """
        with self._lock:
            dropped, self._dropped = tuple(self._dropped), []
            try:
                send(cast(BinaryIO, self._process.stdin), Request(kind, arguments, dropped))
                answer = self._answers.get(timeout=limit_s)
            except OSError:
                answer = None
            except queue.Empty:
                self.close()
                raise RecognizerError(f"{self.name} has not answered for {limit_s:g} s") from None
        if answer is None:
            raise RecognizerError(f"{self.name} {self._fate()}")
        if answer.error is not None:
            raise answer.error
        return answer

    def drop(self, key: int) -> None:
        """With the next request: forget a stream."""
        self._dropped.append(key)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast(BinaryIO, stream).close()
        self._trace.close()

    def _frames(self) -> list[str]:
        """The places in the code that it crashed in, the innermost first; no folders."""
        with contextlib.suppress(OSError, ValueError):
            self._trace.seek(0)
            lines = self._trace.read().decode("utf-8", "replace").splitlines()
            found = (_FRAME.fullmatch(line) for line in lines)
            return [f"{Path(at[1]).name}:{at[2]} {at[3]}" for at in found if at is not None]
        return []

    def _fate(self) -> str:
        """What became of the process."""
        try:
            code = self._process.wait(_GOES_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if code:
            log.warning(
                "%s crashed in %s", self.name, " < ".join(self._frames()) or "its libraries"
            )
        if code < 0:
            try:
                return f"crashed ({signal.Signals(-code).name})"
            except ValueError:
                return f"crashed (signal {-code})"
        return f"crashed (code {code & 0xFFFFFFFF:#x})" if code else "has ended"


def load(files: ModelFiles, provider: Provider = "auto") -> Recognizer:
    """Load a model in a process of its own.

    Raises:
        RecognizerError: as ``engine.recognizers.base.load``; or the process did not come up.
    """
    try:
        child = Child(files.spec.id)
    except OSError as error:
        raise RecognizerError(
            f"no process for {files.spec.id} could be started ({error.strerror})",
            "close other programs",
        ) from error
    try:
        told = child.ask("load", files, provider, limit_s=LOAD_LIMIT_S)
    except BaseException:
        child.close()
        raise
    kind = _Penalised if "blank_penalty" in told.value else IsolatedRecognizer
    return cast(Recognizer, kind(child, told.value, told.chunk_s))


class IsolatedRecognizer:
    """Has what the real one has, see ``host.ATTRIBUTES``; its process ends with it.

    Args:
        child: has loaded the model.
        known: the attributes.
        chunk_s: of a fresh stream, see ``IncrementalStream``.
    """

    def __init__(self, child: Child, known: dict[str, Any], chunk_s: float = 0.0) -> None:
        self.child = child
        self._chunk_s = chunk_s
        favours = known.pop("favours")
        known.pop("blank_penalty", None)
        for name, value in known.items():
            setattr(self, name, value)
        if favours:
            self.favour = partial(_favour, child)
        self._keys = itertools.count()
        self._texts: dict[tuple[int, ...], str] = {}
        weakref.finalize(self, child.close)

    def stream(self, language: str = "") -> IsolatedStream:
        """A fresh view for one lane; the process hears of it with its first question."""
        return IsolatedStream(self, next(self._keys), language, self._chunk_s)

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""
        key = tuple(ids)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = str(self.child.ask("text", key).value)
        return text

    def learn(self, texts: dict[tuple[int, ...], str]) -> None:
        """Take texts that came with an answer."""
        if len(self._texts) > MOST_TEXTS:
            self._texts.clear()
        self._texts.update(texts)


class _Penalised(IsolatedRecognizer):
    _penalty = 0.0

    @property
    def blank_penalty(self) -> float:
        """See ``PenalisingRecognizer``."""
        return self._penalty

    @blank_penalty.setter
    def blank_penalty(self, value: float) -> None:
        self.child.ask("set", "blank_penalty", value)
        self._penalty = value


class IsolatedStream:
    """A lane's view, of windows or incremental.

    Attributes:
        chunk_s: see ``IncrementalStream``; as it was when the model was last asked.
    """

    def __init__(
        self, recognizer: IsolatedRecognizer, key: int, language: str, chunk_s: float
    ) -> None:
        self.chunk_s = chunk_s
        self._recognizer = recognizer
        self._key = key
        self._language = language
        self._before: list[tuple[str, tuple[Any, ...]]] = []
        weakref.finalize(self, recognizer.child.drop, key)

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``WindowStream.decode``."""
        rest = (tuple(prefix), tuple(draft), tuple(tolerance))
        return cast(Hypothesis, self._ask("decode", audio, *rest))

    def accept(self, samples: Samples) -> None:
        """See ``IncrementalStream.accept``."""
        self._before.append(("accept", (samples.copy(),)))

    def hypothesis(self) -> Running:
        """See ``IncrementalStream.hypothesis``."""
        return cast(Running, self._ask("hypothesis"))

    def finish(self) -> Running:
        """See ``IncrementalStream.finish``."""
        return cast(Running, self._ask("finish"))

    def settle(self, count: int) -> None:
        """See ``IncrementalStream.settle``."""
        self._before.append(("settle", (count,)))

    def tune(self, effort: float) -> None:
        """See ``IncrementalStream.tune``."""
        self._before.append(("tune", (effort,)))

    def reset(self) -> None:
        """See ``IncrementalStream.reset``."""
        self._before.append(("reset", ()))

    def _ask(self, method: str, *arguments: Any) -> Any:
        calls, self._before = [*self._before, (method, arguments)], []
        answer = self._recognizer.child.ask("ask", self._key, self._language, calls)
        self._recognizer.learn(answer.texts)
        self.chunk_s = answer.chunk_s
        return answer.value


def _favour(child: Child, phrases: Sequence[str]) -> list[str]:
    return list(child.ask("favour", tuple(phrases)).value)


def _read(stream: BinaryIO, answers: queue.Queue[Answer | None]) -> None:
    """On a thread of its own: an answer may take longer than anybody will wait."""
    while True:
        try:
            answers.put(receive(stream))
        except (EOFError, OSError, ValueError):
            break
    # For whoever waits; who asks later finds that the pipe is broken.
    with contextlib.suppress(queue.Full):
        answers.put_nowait(None)
