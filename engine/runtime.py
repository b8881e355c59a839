"""Opening onnxruntime sessions the same, quiet way everywhere, and saying what really runs."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import RecognizerError

if TYPE_CHECKING:
    from engine.config import Provider

_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def provider_name(session: Any) -> str:
    """The short name of the provider a session really runs on (``cpu``, ``cuda``).

    onnxruntime falls back to the CPU in silence; only the session itself knows.
    """
    first = session.get_providers()[0]
    for name, long_name in _PROVIDERS.items():
        if first == long_name:
            return name
    return str(first)


def open_session(graph: Path | bytes, provider: Provider = "cpu", *, threads: int = 1) -> Any:
    """An ``onnxruntime.InferenceSession`` that neither spins nor chatters.

    Args:
        graph: a ``.onnx`` or ``.ort`` file, any characters in the path; or its contents.
        provider: what is asked for; read ``provider_name`` of the result for what was given.
        threads: intra-op threads. One costs least for models of this size.

    Raises:
        RecognizerError: the file will not load.
    """
    import onnxruntime as ort

    name = "the model" if isinstance(graph, bytes) else graph.name
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # A spinning worker thread burns most of a core while it waits for the next step.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # Without arena growth by powers of two, memory follows what is really used.
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    providers: list[Any] = [_PROVIDERS["cpu"]]
    if provider in ("cuda", "auto") and _PROVIDERS["cuda"] in ort.get_available_providers():
        providers.insert(0, (_PROVIDERS["cuda"], {"arena_extend_strategy": "kSameAsRequested"}))
    try:
        with quiet_stderr() if len(providers) > 1 else contextlib.nullcontext():
            # Bytes, not a path: on Windows some builds mangle paths outside the code page.
            blob = graph if isinstance(graph, bytes) else graph.read_bytes()
            return ort.InferenceSession(blob, options, providers=providers)
    except OSError as error:
        raise RecognizerError(f"{name} cannot be read ({error.strerror})") from error
    except Exception as error:
        raise RecognizerError(
            f"{name} would not load ({first_line(error)})",
            "fetch the model again: captionglass models get ID",
        ) from error


def first_line(error: BaseException) -> str:
    """What an error says first, short enough for a notice."""
    return str(error).strip().splitlines()[0][:160] if str(error).strip() else type(error).__name__


_stderr_lock = threading.Lock()


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Drop what a C library prints straight to file descriptor 2 meanwhile."""
    with _stderr_lock:
        try:
            saved = os.dup(2)
        except OSError:
            yield
            return
        sink = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(sink, 2)
            yield
        finally:
            os.dup2(saved, 2)
            os.close(sink)
            os.close(saved)
