"""Messages between the engine and a recogniser's process: pickles, each behind its length.

Both ends are this program, joined by pipes that nobody else holds.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")

MOST_TEXTS = 50_000
"""Texts of tokens that either end remembers before it begins anew."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the host.

    Attributes:
        kind: ``load``, ``set``, ``favour``, ``text``, ``ask``.
        arguments: by kind.
        dropped: streams that nobody uses any more.
    """

    kind: str
    arguments: tuple[Any, ...] = ()
    dropped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the host says.

    Attributes:
        value: the result; None where it failed.
        error: what was raised, or None.
        texts: the text of token ids that will be wanted now.
        chunk_s: see ``IncrementalStream.chunk_s``; 0 for windows.
    """

    value: Any = None
    error: Exception | None = None
    texts: dict[tuple[int, ...], str] = field(default_factory=dict)
    chunk_s: float = 0.0


def send(stream: BinaryIO, message: object) -> None:
    """Write one message.

    Raises:
        OSError: the other end is gone.
    """
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message, however long it takes.

    Raises:
        EOFError: the other end is gone.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)
