"""What a session is opened with, what it really runs on, and why: against a runtime that lies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from fake_models import FakeRuntime

from engine import gpu, runtime
from engine.errors import RecognizerError

CUDA = "CUDAExecutionProvider"
TENSORRT = "TensorrtExecutionProvider"
CPU = "CPUExecutionProvider"
NO_DRIVER = "no NVIDIA GPU, its driver is not installed"


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with an NVIDIA GPU, whose runtime a test puts in."""
    monkeypatch.setattr(gpu, "read", lambda: gpu.GpuReading("fake", 1, 2, 3))
    return monkeypatch


def given(put: pytest.MonkeyPatch, fake: FakeRuntime) -> FakeRuntime:
    put.setitem(sys.modules, "onnxruntime", fake)
    return fake


class TestOptions:
    """Each session is opened in the same way."""

    def test_on_the_processor(self, put: pytest.MonkeyPatch) -> None:
        fake = given(put, FakeRuntime([CUDA, CPU]))
        session = runtime.open_session(b"graph", "cpu")
        assert runtime.provider_name(session) == "cpu"
        ((options, providers),) = fake.sessions
        assert providers == [CPU]
        assert options.entries == {
            "session.intra_op.allow_spinning": "0",
            "session.inter_op.allow_spinning": "0",
        }
        assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
        assert (options.execution_mode, options.graph_optimization_level) == ("sequential", "all")
        assert not options.enable_cpu_mem_arena
        assert not options.enable_mem_pattern
        assert fake.preloads == 0
        assert not fake.telling

    def test_on_a_gpu_memory_is_bounded_and_libraries_are_looked_for_once(
        self, put: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        fake = given(put, FakeRuntime([CUDA, CPU], prints="chatter"))
        for _ in range(2):
            session = runtime.open_session(bytes(300 << 20), "cuda")
            assert runtime.provider_name(session) == "cuda"
        name, options = fake.sessions[0][1][0]
        assert name == CUDA
        assert options["arena_extend_strategy"] == "kSameAsRequested"
        assert int(options["gpu_mem_limit"]) == 4 * (300 << 20)
        assert fake.preloads == 1
        assert capfd.readouterr() == ("", ""), "captions go to standard output"

    def test_a_small_model_may_take_a_gigabyte(self) -> None:
        assert runtime.provider_options("cuda", 1000)["gpu_mem_limit"] == str(1 << 30)
        assert runtime.provider_options("coreml", 1000) == {}

    def test_tensorrt_leaves_to_cuda_what_it_does_not_know(self, put: pytest.MonkeyPatch) -> None:
        fake = given(put, FakeRuntime([TENSORRT, CUDA, CPU]))
        runtime.open_session(b"graph", "tensorrt")
        names = [name if isinstance(name, str) else name[0] for name in fake.sessions[0][1]]
        assert names == [TENSORRT, CUDA, CPU]

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(RecognizerError, match=r"gone\.onnx cannot be read"):
            runtime.open_session(tmp_path / "gone.onnx")

    def test_no_memory_is_told_apart_from_a_broken_file(self, put: pytest.MonkeyPatch) -> None:
        full = RuntimeError("CUDA failure 2: out of memory ; GPU=0")
        given(put, FakeRuntime([CUDA, CPU], refuses=full))
        with pytest.raises(RecognizerError, match="not enough memory for the model on cuda"):
            runtime.open_session(b"graph", "cuda")
        given(put, FakeRuntime([CUDA, CPU], refuses=RuntimeError("invalid protobuf")))
        with pytest.raises(RecognizerError, match="would not load"):
            runtime.open_session(b"graph", "cuda")


class TestChoice:
    """What is worth trying."""

    @pytest.mark.parametrize(
        ("built_in", "asked", "tried"),
        [
            ([CPU], "auto", "cpu"),
            ([CPU], "cuda", "cpu"),
            ([CUDA, CPU], "auto", "cuda"),
            ([TENSORRT, CUDA, CPU], "auto", "cuda"),
            ([TENSORRT, CPU], "tensorrt", "tensorrt"),
            (["DmlExecutionProvider", CPU], "auto", "directml"),
            (["CoreMLExecutionProvider", CPU], "auto", "coreml"),
            (["OpenVINOExecutionProvider", CPU], "auto", "openvino"),
            ([CUDA, CPU], "cpu", "cpu"),
            (["AzureExecutionProvider", CPU], "auto", "cpu"),
        ],
    )
    def test_one_provider_is(
        self, put: pytest.MonkeyPatch, built_in: list[str], asked: str, tried: str
    ) -> None:
        given(put, FakeRuntime(built_in))
        assert runtime.candidate(asked) == tried  # type: ignore[arg-type]

    def test_a_session_that_fell_back_is_not_believed(self, put: pytest.MonkeyPatch) -> None:
        given(put, FakeRuntime([CUDA, CPU], gives=CPU))
        assert runtime.provider_name(runtime.open_session(b"graph", "cuda")) == "cpu"


MISSING = (
    "2026-01-01 00:00:00.0 [E:onnxruntime:Default, provider_bridge_ort.cc:2251 Get] /x.cc "
    "onnxruntime::Provider& Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library "
    "libonnxruntime_providers_cuda.so with error: {}: cannot open shared object file"
)


class TestReason:
    """Why something else runs, with the remedy."""

    def test_where_it_does_run_there_is_none(self, put: pytest.MonkeyPatch) -> None:
        given(put, FakeRuntime([CUDA, CPU]))
        assert runtime.why_not("cuda") == ""
        assert runtime.why_not("cpu") == runtime.why_not("auto") == ""

    @pytest.mark.parametrize(
        ("provider", "words"),
        [
            ("cuda", "has no CUDA: install the extra 'gpu'"),
            ("tensorrt", "pip install tensorrt"),
            ("directml", "pip install onnxruntime-directml"),
            ("coreml", "macOS"),
            ("openvino", "pip install onnxruntime-openvino"),
        ],
    )
    def test_a_runtime_without_it(self, put: pytest.MonkeyPatch, provider: str, words: str) -> None:
        given(put, FakeRuntime())
        assert words in runtime.why_not(provider)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("library", "reason"),
        [
            ("libcublasLt.so.13", "CUDA 13 runtime not found (libcublasLt.so.13): pip install"),
            ("libcudnn.so.9", "cuDNN 9 not found (libcudnn.so.9): pip install"),
            ("cudnn64_9.dll", "cuDNN 9 not found (cudnn64_9.dll): pip install"),
            ("libnvinfer.so.10", "TensorRT 10 not found (libnvinfer.so.10): pip install tensorrt"),
        ],
    )
    def test_a_library_that_is_missing(
        self, put: pytest.MonkeyPatch, library: str, reason: str
    ) -> None:
        given(put, FakeRuntime([CUDA, CPU], gives=CPU, prints=MISSING.format(library)))
        assert runtime.why_not("cuda").startswith(reason)

    @pytest.mark.parametrize(
        ("prints", "reason"),
        [
            ("CUDA driver version is insufficient for CUDA runtime version", "driver is too old"),
            ("CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED", "memory of the GPU is exhausted"),
            ("2026-01-01 00:00:00.0 [W:onnxruntime:Default, x.cc:1 Get] a riddle", "a riddle"),
            ("", "does not say why"),
        ],
    )
    def test_what_the_runtime_prints(
        self, put: pytest.MonkeyPatch, prints: str, reason: str
    ) -> None:
        given(put, FakeRuntime([CUDA, CPU], gives=CPU, prints=prints))
        assert reason in runtime.why_not("cuda")

    def test_without_a_driver_no_library_is_blamed(self, put: pytest.MonkeyPatch) -> None:
        put.setattr(gpu, "read", lambda: None)
        put.setattr(gpu, "why_none", lambda: NO_DRIVER)
        lie = FakeRuntime([CUDA, CPU], gives=CPU, prints=MISSING.format("libcublasLt.so.13"))
        given(put, lie)
        assert runtime.why_not("cuda") == NO_DRIVER

    def test_a_session_that_says_it_runs_there_and_does_not(self, put: pytest.MonkeyPatch) -> None:
        lost = RuntimeError("CUDA failure 999: unknown error")
        given(put, FakeRuntime([CUDA, CPU], gives=CUDA, breaks=lost))
        assert runtime.why_not("cuda") == "CUDA failure 999: unknown error"

    def test_the_probe_is_a_model_the_real_runtime_runs(self) -> None:
        session = runtime.open_session(runtime._PROBE)
        (doubled,) = session.run(None, {"a": np.full(1, 21.0, np.float32)})
        assert doubled.tolist() == [42.0]


@pytest.mark.parametrize(
    ("error", "exhausted"),
    [
        (MemoryError(), True),
        (RuntimeError("Failed to allocate memory for requested buffer of size 4194304"), True),
        (RuntimeError("CUDA failed with error out of memory"), True),
        (RuntimeError("CUDA failure 999: unknown error"), False),
    ],
)
def test_memory_that_is_exhausted_is_known_also_as_a_cause(
    error: Exception, exhausted: bool
) -> None:
    outer = RecognizerError("the model failed")
    outer.__cause__ = error
    assert runtime.is_memory_exhausted(error) is exhausted
    assert runtime.is_memory_exhausted(outer) is exhausted


def test_what_a_library_prints_is_kept_and_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with runtime.captured_stderr() as said:
        os.write(2, "einerlei ü".encode())
        assert said() == "einerlei ü"
    os.write(2, b"later")
    assert capfd.readouterr().err == "later"
