"""Opening onnxruntime sessions the same, quiet way everywhere, and saying what really runs.

onnxruntime takes the processor without a word where the provider that was asked for would not
start. So nobody trusts the asking: ``provider_name`` reads the session that came of it, and
``why_not`` says why that is another one.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import gpu
from engine.errors import RecognizerError

if TYPE_CHECKING:
    from engine.config import Provider

_LONG_NAMES = {
    "tensorrt": "TensorrtExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "cpu": "CPUExecutionProvider",
}

_AUTOMATIC: tuple[Provider, ...] = ("cuda", "directml", "coreml", "openvino")
"""What ``auto`` tries, in this order. TensorRT is not among them: it compiles each model for
minutes before the first word."""

_NOT_BUILT_IN = {
    "tensorrt": "install the extra 'gpu' in place of 'cpu', and: pip install tensorrt",
    "cuda": "install the extra 'gpu' in place of 'cpu'; scripts/run.py does where it finds the"
    " driver",
    "directml": "pip install onnxruntime-directml in place of onnxruntime (Windows)",
    "coreml": "it comes with onnxruntime on macOS",
    "openvino": "pip install onnxruntime-openvino in place of onnxruntime",
}

_NVIDIA = ("cuda", "tensorrt")

_PROBE = (
    b'\x08\x08:5\n\x0e\n\x01a\n\x01a\x12\x01b"\x03Add\x12\x01pZ\x0f\n\x01a\x12\n\n\x08\x08\x01'
    b"\x12\x04\n\x02\x08\x01b\x0f\n\x01b\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\r"
)
"""A whole model: ``b = a + a``, float32 [1]."""

_GPU_MEMORY_AT_LEAST = 1 << 30
_GPU_MEMORY_FACTOR = 4
"""Bytes a session may take on a GPU, and how many times its own size where that is more: room for
its weights and a window of half a minute, and the rest left to the game beside it."""


def provider_name(session: Any) -> str:
    """The short name of the provider a session really runs on (``cpu``, ``cuda``, ...).

    onnxruntime falls back to the CPU in silence; only the session itself knows.
    """
    first = session.get_providers()[0]
    return next((name for name, long in _LONG_NAMES.items() if long == first), str(first))


def built_in() -> tuple[str, ...]:
    """The providers that the installed onnxruntime knows of; whether they start is another
    matter."""
    import onnxruntime as ort

    known = ort.get_available_providers()
    return tuple(name for name, long in _LONG_NAMES.items() if long in known)


def candidate(provider: Provider) -> Provider:
    """The one provider that is worth trying where ``provider`` was asked for; ``cpu`` where the
    installed onnxruntime knows no other that would do."""
    there = built_in()
    if provider != "auto":
        return provider if provider in there else "cpu"
    return next((name for name in _AUTOMATIC if name in there), "cpu")


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
    wanted = candidate(provider)
    try:
        with contextlib.nullcontext() if wanted == "cpu" else quiet_stderr():
            return _new_session(ort, _readable(graph), wanted, threads)
    except OSError as error:
        raise RecognizerError(f"{name} cannot be read ({error.strerror})") from error
    except Exception as error:
        if is_memory_exhausted(error):
            raise RecognizerError(
                f"there is not enough memory for {name} on {wanted}",
                "close what else uses it, or choose a smaller model",
            ) from error
        raise RecognizerError(
            f"{name} would not load ({first_line(error)})",
            "fetch the model again: captionglass models get ID",
        ) from error


def session_options(ort: Any, threads: int = 1) -> Any:
    """The options of every session, each for its reason.

    Args:
        ort: the module ``onnxruntime``.
        threads: intra-op threads.
    """
    # On Windows it is the system that would collect; elsewhere the package ``engine`` forbids it.
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    # Fusing costs a little at the start and is won back in the first seconds of speech.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    # One window of one lane at a time (batch 1): the work is too small to be worth sharing out.
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # A spinning worker thread burns most of a core while it waits for the next step.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # Windows grow with every step, so a plan made for one shape fits no other; DirectML wants it
    # off as well.
    options.enable_mem_pattern = False
    # An arena doubles and keeps what it once took. The C library is as fast for a few dozen
    # blocks a step, and gives them back when a model goes.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return options


def provider_options(name: str, model_bytes: int) -> dict[str, str]:
    """What is asked of a provider: to take no more memory than it needs, and to start soon.

    Args:
        name: the short name.
        model_bytes: size of the graph, weights included.
    """
    if name in _NVIDIA:
        limit = max(_GPU_MEMORY_AT_LEAST, _GPU_MEMORY_FACTOR * model_bytes)
        if name == "tensorrt":
            return {"trt_max_workspace_size": str(limit), "trt_fp16_enable": "0"}
        return {
            # Not the next power of two: other programs need that memory.
            "arena_extend_strategy": "kSameAsRequested",
            "gpu_mem_limit": str(limit),
            # Trying every algorithm takes seconds for each new length of the window.
            "cudnn_conv_algo_search": "HEURISTIC",
        }
    return {}


def why_not(provider: Provider) -> str:
    """Why a session that asks for ``provider`` runs elsewhere, with the remedy, in one clause;
    empty where it does run there.

    Tried with a model of one node, so it tells of the machine and of no other model.
    """
    if provider in ("auto", "cpu"):
        return ""
    if provider not in built_in():
        kind = {"cuda": "CUDA", "tensorrt": "TensorRT", "directml": "DirectML", "coreml": "CoreML"}
        name = kind.get(provider, "OpenVINO")
        return f"the installed onnxruntime has no {name}: {_NOT_BUILT_IN[provider]}"
    import numpy as np
    import onnxruntime as ort

    with captured_stderr() as said:
        try:
            session = _new_session(ort, _PROBE, provider, 1, log_severity=3)
            session.run(None, {"a": np.ones(1, np.float32)})
            if provider_name(session) == provider:
                return ""
            trouble = said()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
            trouble = f"{said()}\n{error}"
    return _reason(provider, trouble)


def session_arguments(wanted: str, model_bytes: int, threads: int = 1) -> dict[str, Any]:
    """What ``open_session`` passes to onnxruntime, for a library that opens sessions itself.

    Args:
        wanted: as ``candidate`` gives it.
        model_bytes: size of the model.
        threads: intra-op threads.
    """
    import onnxruntime as ort

    providers: list[Any] = [_LONG_NAMES["cpu"]]
    if wanted != "cpu":
        providers.insert(0, (_LONG_NAMES[wanted], provider_options(wanted, model_bytes)))
        if wanted == "tensorrt":  # the nodes it does not know
            providers.insert(1, (_LONG_NAMES["cuda"], provider_options("cuda", model_bytes)))
    if wanted in _NVIDIA:
        _preload(ort)
    return {"sess_options": session_options(ort, threads), "providers": providers}


def _readable(graph: Path | bytes) -> Path | bytes:
    """What to hand to onnxruntime: a path where it can be, because then no second copy of the
    weights is made, and those of an ORT file are mapped into memory and not copied at all.

    Raises:
        OSError: there is no such file.
    """
    # Some builds mangle paths outside the code page on Windows.
    if isinstance(graph, bytes) or os.name == "nt":
        return graph if isinstance(graph, bytes) else graph.read_bytes()
    with graph.open("rb"):
        return graph


def _new_session(
    ort: Any, graph: Path | bytes, wanted: str, threads: int, log_severity: int = 4
) -> Any:
    size = graph.stat().st_size if isinstance(graph, Path) else len(graph)
    arguments = session_arguments(wanted, size, threads)
    options, providers = arguments["sess_options"], arguments["providers"]
    options.log_severity_level = log_severity
    if isinstance(graph, Path) and graph.suffix == ".ort":
        options.add_session_config_entry("session.use_memory_mapped_ort_model", "1")
        options.add_session_config_entry("session.use_ort_model_bytes_for_initializers", "1")
    printed = io.StringIO()
    # A provider that will not even register is announced on standard output, where captions go.
    with contextlib.nullcontext() if wanted == "cpu" else contextlib.redirect_stdout(printed):
        blob = str(graph) if isinstance(graph, Path) else graph
        session = ort.InferenceSession(blob, options, providers=providers)
    if printed.getvalue():
        os.write(2, printed.getvalue().encode("utf-8", "replace"))
    return session


@functools.cache
def _preload(ort: Any) -> None:
    """Load the CUDA libraries that pip installed: they lie where no loader looks by itself."""
    # It prints what it does not find; ``why_not`` says that in better words.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        ort.preload_dlls()


_LIBRARY = re.compile(r"(lib[\w-]+\.so[.\d]*|\w+64_[\w.]+\.dll|nvinfer\w*\.dll)(?=: cannot|\W)")


def _reason(provider: str, said: str) -> str:
    """What onnxruntime printed, in words that help."""
    lowered = said.lower()
    if provider in _NVIDIA and gpu.read() is None:
        return gpu.why_none()
    missing = [name for name in _LIBRARY.findall(said) if "onnxruntime" not in name]
    if missing:
        return _missing(missing[0])
    if "install tensorrt" in lowered:
        return "TensorRT not found: pip install tensorrt"
    if "driver version is insufficient" in lowered:
        return "the NVIDIA driver is too old for this CUDA: update the driver"
    if is_memory_exhausted(said):
        return "the memory of the GPU is exhausted: close what else uses it"
    line = next((text for text in said.splitlines() if text.strip()), "")
    plain = re.sub(r"\x1b\[[\d;]*m|^[\d\- :.,]+\[\S+ \S+ \S+\] ?", "", line).strip()
    return plain[:160] or "onnxruntime does not say why"


def _missing(library: str) -> str:
    version = re.search(r"(?:\.so\.|64_)(\d+)", library)
    number = f" {version[1]}" if version else ""
    name = library.lower()
    if "cudnn" in name:
        return f"cuDNN{number} not found ({library}): pip install 'onnxruntime-gpu[cuda,cudnn]'"
    if "nvinfer" in name:
        return f"TensorRT{number} not found ({library}): pip install tensorrt"
    return f"CUDA{number} runtime not found ({library}): pip install 'onnxruntime-gpu[cuda,cudnn]'"


_EXHAUSTED = (
    "out of memory",
    "failed to allocate memory",
    "out_of_memory",
    "cublas_status_alloc_failed",
    "available memory of",
    "8007000e",
    "bad allocation",
    "std::bad_alloc",
)


def is_memory_exhausted(error: BaseException | str) -> bool:
    """Whether an error of a runtime means that there was no memory left.

    Args:
        error: it, looked at with what caused it; or its text.
    """
    if isinstance(error, str):
        text = error.lower()
        return any(sign in text for sign in _EXHAUSTED)
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError) or is_memory_exhausted(str(seen)):
            return True
        seen = seen.__cause__
    return False


def first_line(error: BaseException) -> str:
    """What an error says first, short enough for a notice."""
    return str(error).strip().splitlines()[0][:160] if str(error).strip() else type(error).__name__


_stderr_lock = threading.Lock()


@contextlib.contextmanager
def captured_stderr() -> Iterator[Callable[[], str]]:
    """Keep what a C library prints straight to file descriptor 2 meanwhile.

    Yields:
        What was printed so far.
    """
    with _stderr_lock, contextlib.ExitStack() as stack:
        try:
            saved = os.dup(2)
            sink = stack.enter_context(tempfile.TemporaryFile())
        except OSError:
            yield lambda: ""
            return

        def said() -> str:
            sink.seek(0)
            return sink.read().decode("utf-8", "replace")

        os.dup2(sink.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Drop what a C library prints straight to file descriptor 2 meanwhile."""
    with captured_stderr():
        yield
