"""The files of a k2 streaming export: which is which, what their metadata says, what they want.

Each kind of encoder carries other states from chunk to chunk; what shapes they have follows from
the metadata, and the graph has to agree. Everything that is missing or does not fit is said in one
line when the model is loaded, not in the middle of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.runtime import candidate, first_line, open_session, provider_name
from models.spec import ModelFiles

KINDS = ("zipformer2", "zipformer", "lstm")
"""``model_type`` in the metadata of encoders that run here."""

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
}
_REMEDY = "use a streaming export of k2 (icefall's export-onnx-streaming.py)"

Shape = tuple[int, ...]
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a model by what they are; ``decoder`` and ``joiner`` are None for CTC."""

    encoders: tuple[str, ...]
    decoder: str | None
    joiner: str | None
    scores: str | None

    @classmethod
    def of(cls, files: ModelFiles, provider: Provider) -> Layout:
        """Sort them by name.

        Args:
            files: the model.
            provider: what is asked for; of the same graph at two precisions, 8 bits are for the
                processor.

        Raises:
            RecognizerError: something is missing.
        """
        on_cpu = candidate(provider) == "cpu"
        names = sorted(file.name for file in files.spec.files)
        graphs = [name for name in names if name.lower().endswith(".onnx")]
        if "tokens.txt" not in names:
            raise RecognizerError(
                f"{files.spec.id} has no tokens.txt", "take it from where the model came from"
            )
        encoders = _ones(graphs, ("encoder",), on_cpu)
        scores = next((name for name in ("bpe.vocab", "bpe.model") if name in names), None)
        if not encoders:
            encoders = _ones(graphs, ("ctc", "model"), on_cpu)
            if not encoders:
                raise RecognizerError(f"{files.spec.id} has no encoder and no CTC model", _REMEDY)
            return cls(encoders, None, None, scores)
        parts = {}
        for part in ("decoder", "joiner"):
            found = _ones(graphs, (part,), on_cpu)
            if not found:
                raise RecognizerError(f"{files.spec.id} has no {part}*.onnx", _REMEDY)
            parts[part] = found[0]
        return cls(encoders, parts["decoder"], parts["joiner"], scores)


def _ones(graphs: Sequence[str], signs: Sequence[str], on_cpu: bool) -> tuple[str, ...]:
    """The graphs whose names hold a sign; of the same at several precisions, one."""
    best: dict[str, str] = {}
    for name in graphs:
        if any(sign in name.lower() for sign in signs):
            plain = name.lower().replace(".int8", "").replace(".fp16", "")
            if plain not in best or _rank(name, on_cpu) < _rank(best[plain], on_cpu):
                best[plain] = name
    return tuple(best.values())


def _rank(name: str, on_cpu: bool) -> int:
    lowered = name.lower()
    if ".fp16" in lowered:
        return 2
    return int((".int8" in lowered) != on_cpu)


class Graph:
    """One opened graph with its metadata."""

    def __init__(self, files: ModelFiles, name: str, provider: Provider) -> None:
        self.name = name
        path = files.path(name)
        if not path.is_file():
            raise RecognizerError(
                f"{name} of {files.spec.id} is missing",
                f"fetch the model again: captionglass models get {files.spec.id}",
            )
        self.session = open_session(path, provider)
        self.provider = provider_name(self.session)
        self.metadata: dict[str, str] = self.session.get_modelmeta().custom_metadata_map
        self.inputs = self.session.get_inputs()
        self.outputs = self.session.get_outputs()

    def number(self, key: str) -> int:
        """A whole number of the metadata.

        Raises:
            RecognizerError: it is not there, or none.
        """
        return self.numbers(key)[0]

    def numbers(self, key: str) -> list[int]:
        """A list of them, divided by commas."""
        if key not in self.metadata:
            raise RecognizerError(f"the metadata of {self.name} lacks {key!r}", _REMEDY)
        try:
            return [int(value) for value in self.metadata[key].split(",")]
        except ValueError:
            raise RecognizerError(
                f"the metadata of {self.name} says {self.metadata[key]!r} for {key!r}", _REMEDY
            ) from None

    def run(self, *values: Array) -> list[Array]:
        """All outputs, for all inputs in their order.

        Raises:
            RecognizerError: the runtime failed.
        """
        names = (each.name for each in self.inputs)
        try:
            return list(self.session.run(None, dict(zip(names, values, strict=True))))
        except Exception as error:
            raise RecognizerError(
                f"{self.name} failed while it ran on {self.provider} ({first_line(error)})",
                "choose another model or the CPU provider",
            ) from error

    @property
    def any_batch(self) -> bool:
        """Whether it takes several rows at a time."""
        return not isinstance(self.inputs[0].shape[0], int)


class Encoder:
    """One streaming encoder, transducer or CTC.

    Attributes:
        graph: the file.
        window: feature frames it is given at a time (``T``).
        shift: frames by which it moves on (``decode_chunk_len``).
        bins: features of a frame.
        width: of its output.
        fresh: its states before any sound.
    """

    def __init__(self, files: ModelFiles, name: str, provider: Provider) -> None:
        """Open it.

        Raises:
            RecognizerError: it would not load, is of another kind, or does not fit its metadata.
        """
        self.graph = graph = Graph(files, name, provider)
        kind = graph.metadata.get("model_type", "")
        if "decode_chunk_len" not in graph.metadata and "T" not in graph.metadata:
            raise RecognizerError(f"{name} is no streaming model", _REMEDY)
        if kind not in KINDS:
            raise RecognizerError(
                f"{name} is of the kind {kind or 'unnamed'!r}, not one of {', '.join(KINDS)}",
                _REMEDY,
            )
        if graph.metadata.get("feature"):
            raise RecognizerError(
                f"{name} wants features of the kind {graph.metadata['feature']!r}",
                "use a model trained on filter banks",
            )
        self.window, self.shift = graph.number("T"), graph.number("decode_chunk_len")
        if not 0 < self.shift <= self.window:
            raise RecognizerError(
                f"{name} claims a chunk of {self.shift} frames in a window of {self.window}",
                _REMEDY,
            )
        self._check_sound()
        self.bins = int(graph.inputs[0].shape[2])
        self.width = graph.outputs[0].shape[2]
        self.fresh = self._fresh_states(_shapes(kind, graph))

    @property
    def chunk_s(self) -> float:
        """Seconds of sound it takes at a time."""
        return self.shift / 100

    def step(self, features: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        """One chunk.

        Args:
            features: float32, shape (window, bins).
            states: from ``fresh`` or the step before.

        Returns:
            Frames, shape (n, width), and the states that follow.
        """
        out, *following = self.graph.run(features[None], *states)
        return out[0], following

    def continues(self, other: Encoder) -> bool:
        """Whether the other's states mean the same here: the chunk size alone differs."""
        mine, theirs = (
            [(state.shape, state.dtype) for state in encoder.fresh] for encoder in (self, other)
        )
        return mine == theirs

    def _check_sound(self) -> None:
        shape = self.graph.inputs[0].shape
        frames = shape[1] if len(shape) == 3 else 0
        if isinstance(frames, int) and frames != self.window:
            raise RecognizerError(
                f"{self.graph.name} takes frames of shape {shape}, its metadata says"
                f" {self.window} at a time",
                _REMEDY,
            )
        if not isinstance(shape[2], int):
            raise RecognizerError(f"{self.graph.name} does not say how many features", _REMEDY)

    def _fresh_states(self, expected: list[Shape] | None) -> list[Array]:
        graph = self.graph
        wanted = graph.inputs[1:]
        if len(graph.outputs) != len(graph.inputs) or not wanted:
            raise RecognizerError(
                f"{graph.name} takes {len(wanted)} states and gives {len(graph.outputs) - 1}",
                _REMEDY,
            )
        if expected is not None and len(expected) > len(wanted):
            raise RecognizerError(
                f"{graph.name} has {len(wanted)} states, its metadata wants {len(expected)}",
                _REMEDY,
            )
        states = []
        for place, each in enumerate(wanted):
            claimed = expected[place] if expected and place < len(expected) else None
            if claimed is not None and not _fits(each.shape, claimed):
                raise RecognizerError(
                    f"the state {each.name} of {graph.name} has the shape {list(each.shape)}, its"
                    f" metadata makes that {list(claimed)}",
                    _REMEDY,
                )
            shape = claimed or tuple(size if isinstance(size, int) else 1 for size in each.shape)
            if each.type not in _DTYPES:
                raise RecognizerError(f"the state {each.name} is of type {each.type}", _REMEDY)
            states.append(np.zeros(shape, _DTYPES[each.type]))
        return states


def _fits(shape: Sequence[object], claimed: Shape) -> bool:
    """Whether a graph's shape, some axes of which have names, can be that of the metadata."""
    sizes = zip(shape, claimed, strict=False)
    return len(shape) == len(claimed) and all(
        size == want for size, want in sizes if isinstance(size, int)
    )


def _shapes(kind: str, graph: Graph) -> list[Shape] | None:
    """The shapes of the states that metadata tells, in order; None where the graph alone does."""
    if kind == "lstm":
        return None
    keys = ["encoder_dims", "num_encoder_layers", "cnn_module_kernels", "left_context_len"]
    keys += ["attention_dims"] if kind == "zipformer" else _ZIPFORMER2_KEYS
    table = [graph.numbers(key) for key in keys]
    if len({len(column) for column in table}) != 1:
        raise RecognizerError(
            f"the metadata of {graph.name} is of different numbers of stacks", _REMEDY
        )
    stacks = list(zip(*table, strict=True))
    if kind == "zipformer":
        return _zipformer_shapes(stacks)
    shapes: list[Shape] = []
    for dim, layers, kernel, left, query, value, heads in stacks:
        for _ in range(layers):
            shapes += [
                (left, 1, query * heads),
                (1, 1, left, 3 * dim // 4),
                (left, 1, value * heads),
                (left, 1, value * heads),
                (1, dim, kernel // 2),
                (1, dim, kernel // 2),
            ]
    return shapes


_ZIPFORMER2_KEYS = ["query_head_dims", "value_head_dims", "num_heads"]


def _zipformer_shapes(stacks: Sequence[tuple[int, ...]]) -> list[Shape]:
    """Seven groups, each with one state for each stack."""
    groups: list[list[Shape]] = [[] for _ in range(7)]
    for dim, layers, kernel, left, attention in stacks:
        for group, shape in zip(
            groups,
            (
                (layers, 1),
                (layers, 1, dim),
                (layers, left, 1, attention),
                (layers, left, 1, attention // 2),
                (layers, left, 1, attention // 2),
                (layers, 1, dim, kernel - 1),
                (layers, 1, dim, kernel - 1),
            ),
            strict=True,
        ):
            group.append(shape)
    return [shape for group in groups for shape in group]
