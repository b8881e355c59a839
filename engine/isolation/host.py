"""The program that runs one recogniser and answers for it: ``python -m engine.isolation.host``.

It ends when its input does, so it never outlives who started it.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, cast

from engine.errors import CaptionglassError
from engine.isolation.wire import MOST_TEXTS, Answer, Request, receive, send
from engine.recognizers.base import (
    Hypothesis,
    Recognizer,
    Running,
    WindowRecognizer,
    is_incremental,
    is_multilingual,
    load,
)
from engine.units import units_of

ATTRIBUTES = (
    "spec",
    "provider",
    "aligned",
    "prefixed",
    "hindsight",
    "multilingual",
    "incremental",
    "chunks_s",
    "punctuates",
    "blank_penalty",
)
"""Of a recogniser, for the proxy to have too where it has them."""


class Host:
    """One recogniser and its streams."""

    def __init__(self) -> None:
        self._recognizer: Recognizer | None = None
        self._streams: dict[int, Any] = {}
        self._told: set[tuple[int, ...]] = set()
        self._doers: dict[str, Callable[..., Answer]] = {
            "load": self._load,
            "set": self._set,
            "favour": self._favour,
            "text": self._text,
            "ask": self._ask,
        }

    def answer(self, request: Request) -> Answer:
        """Do what is asked; whatever is raised becomes the answer."""
        for key in request.dropped:
            self._streams.pop(key, None)
        try:
            return self._doers[request.kind](*request.arguments)
        except Exception as error:  # noqa: BLE001 - it is raised at the other end
            return Answer(error=_portable(error))

    def _load(self, *arguments: Any) -> Answer:
        recognizer = self._recognizer = load(*arguments)
        known = {
            name: getattr(recognizer, name) for name in ATTRIBUTES if hasattr(recognizer, name)
        }
        chunk_s = recognizer.stream().chunk_s if is_incremental(recognizer) else 0.0
        return Answer(known | {"favours": hasattr(recognizer, "favour")}, chunk_s=chunk_s)

    def _set(self, name: str, value: object) -> Answer:
        setattr(self._recognizer, name, value)
        return Answer()

    def _favour(self, phrases: Sequence[str]) -> Answer:
        return Answer(self._recognizer.favour(phrases))  # type: ignore[union-attr]

    def _text(self, ids: tuple[int, ...]) -> Answer:
        return Answer(self._ready().text(ids))

    def _ask(self, key: int, language: str, calls: Sequence[tuple[str, tuple[Any, ...]]]) -> Answer:
        """Make calls of a stream, in order; the last one's result is the answer. One that is not
        known yet is begun."""
        if key not in self._streams:
            self._streams[key] = self._stream(language)
        stream = self._streams[key]
        result: Any = None
        for method, arguments in calls:
            result = getattr(stream, method)(*arguments)
        texts = {}
        if isinstance(result, Hypothesis | Running):
            texts = self._texts(result)
        return Answer(result, None, texts, getattr(stream, "chunk_s", 0.0))

    def _stream(self, language: str) -> Any:
        recognizer = self._ready()
        if is_incremental(recognizer):
            return recognizer.stream()
        window = cast(WindowRecognizer, recognizer)
        return window.stream(language) if language and is_multilingual(window) else window.stream()

    def _texts(self, result: Hypothesis | Running) -> dict[tuple[int, ...], str]:
        """The texts that whoever groups these tokens into words will ask for, but for those that
        were told before: each would otherwise be a question of its own."""
        new: dict[tuple[int, ...], str] = {}
        recognizer = self._ready()

        def text(ids: Sequence[int]) -> str:
            said = recognizer.text(ids)
            if (key := tuple(ids)) not in self._told:
                self._told.add(key)
                new[key] = said
            return said

        if len(self._told) > MOST_TEXTS:
            self._told.clear()
        units_of(result.tokens, text)
        return new

    def _ready(self) -> Recognizer:
        assert self._recognizer is not None
        return self._recognizer


def _portable(error: Exception) -> Exception:
    """The same, or another that says the same where it cannot be pickled."""
    plain = error.with_traceback(None)
    plain.__cause__ = plain.__context__ = None
    try:
        if type(pickle.loads(pickle.dumps(plain))) is type(plain):
            return plain
    except Exception:  # noqa: BLE001 - libraries make exceptions of any kind
        pass
    if isinstance(error, CaptionglassError):
        return CaptionglassError(error.message, error.remedy)
    return RuntimeError(f"{type(error).__name__}: {error}")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until nobody asks any more."""
    host = Host()
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        try:
            send(answers, host.answer(request))
        except OSError:
            return


def main() -> None:
    """Speak over standard input and output, which nobody else may use from here on, and say on
    standard error where a crash happened."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Where it crashed is all that whoever started this wants to read there.
    faulthandler.enable(os.fdopen(os.dup(2), "w", encoding="utf-8"), all_threads=False)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    # Ctrl-C in a terminal reaches the whole group: ending is for who started this to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(requests, answers)


if __name__ == "__main__":
    main()
