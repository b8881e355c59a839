"""Moonshine v2 (streaming), on its published graphs.

Architecture: "Moonshine v2: Ergodic Streaming Encoder ASR" (arXiv 2602.12241). A causal front end
makes a feature of every 20 ms; the encoder's layers look at 16 features behind and at most 4 ahead,
so that a frame is final once ``total_lookahead`` features follow it; the adapter gives frames their
places, and from them come the keys and values that the decoder attends to.

What is final of a window that grows is kept: a step costs the encoder the new frames and their
context, whatever the window's length, and the decoder one pass over what it thought before. The
frames at the end, whose future is not heard yet, are taken as they are and heard again next time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers.base import Hypothesis, Token
from engine.recognizers.moonshine_tokens import Vocabulary
from engine.runtime import first_line, open_session, provider_name
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles, ModelSpec

Floats = NDArray[np.float32]

FRAME = 320
"""Samples behind one frame of the encoder."""
_HOP = 2 * FRAME
"""Sound is fed to the front end in whole multiples of this: its two convolutions halve the rate
each and carry their last four inputs over, so that chunks and the whole come to the same."""
_LAYER_CONTEXT = 16  # frames a layer of the encoder looks back
_SHORTEST = 1_600  # samples
_MOST_TOKENS_PER_SECOND = 9.0
_LONGEST_TEXT = 448  # tokens, where the configuration does not say
_RUN_ON = 4
_LARGE = 100_000_000
_MOST_THREADS = 4
"""Bytes of a model from which its work is shared out, and among how many at most."""

_GRAPHS = ("frontend", "encoder", "adapter", "cross_kv")
_DECODERS = ("decoder_kv_with_attention", "decoder_kv")
_NEEDED = ("depth", "nheads", "head_dim", "vocab_size", "bos_id", "eos_id", "total_lookahead")


def load(files: ModelFiles, provider: Provider = "auto") -> MoonshineStreamingRecognizer:
    """See ``engine.recognizers.base.Family.load``."""
    return MoonshineStreamingRecognizer(files, provider)


class MoonshineStreamingRecognizer:
    """A loaded model. One thread at a time. Its tokens have times where the decoder that shows
    where it looks is among the files."""

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        self.spec: ModelSpec = files.spec
        names = [file.name for file in files.spec.files]
        self.config = self._configured(files)
        self._tokens = self._vocabulary(files, names)
        large = files.spec.size >= _LARGE
        threads = max(1, min(_MOST_THREADS, os.cpu_count() or 1)) if large else 1
        self._sessions: dict[str, Any] = {}
        for graph in (*_GRAPHS, _DECODERS):
            name = self._first(names, (graph,) if isinstance(graph, str) else graph)
            key = graph if isinstance(graph, str) else "decoder"
            path = files.path(name)
            if not path.is_file():
                raise self._damaged(f"{name} is missing")
            self._sessions[key] = open_session(path, provider, threads=threads)
        self.provider = provider_name(self._sessions["encoder"])
        told = [output.name for output in self._sessions["decoder"].get_outputs()]
        self._looks = [name for name in told if name.startswith("cross_attentions.")]
        self.aligned = bool(self._looks)
        self._check()

    def stream(self) -> MoonshineStreamingStream:
        """A fresh view for one lane."""
        return MoonshineStreamingStream(self)

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return self._tokens.text(ids)

    def starts_word(self, token: int) -> bool:
        """Whether a space belongs before the token."""
        return self._tokens.starts_word(token)

    def nothing_heard(self) -> dict[str, NDArray[Any]]:
        """The front end's state before any sound."""
        shapes = {each.name: each.shape for each in self._sessions["frontend"].get_inputs()}
        integers = ("sample_len", "frame_count")
        return {
            name: np.zeros(shape, np.int64 if name in integers else np.float32)
            for name, shape in shapes.items()
            if name != "audio_chunk"
        }

    def features(
        self, chunk: Samples, state: dict[str, NDArray[Any]]
    ) -> tuple[Floats, dict[str, NDArray[Any]]]:
        """Features (n, encoder_dim) of the sound that follows, and the state behind it."""
        names = ["features", *(f"{name}_out" for name in state)]
        found, *behind = self._run("frontend", names, {"audio_chunk": chunk[None], **state})
        return found[0], dict(zip(state, behind, strict=True))

    def remember(self, features: Floats, first: int, place: int) -> tuple[Floats, Floats]:
        """What the decoder needs of frames.

        Args:
            features: (n, encoder_dim), with the context before those that are asked for.
            first: how many are context.
            place: of the first that is asked for, in the window.

        Returns:
            Keys and values, (layers, 1, heads, frames, head_dim).
        """
        (encoded,) = self._run("encoder", ["encoded"], {"features": features[None]})
        offset = np.array([place], np.int64)
        (memory,) = self._run(
            "adapter", ["memory"], {"encoded": encoded[:, first:], "pos_offset": offset}
        )
        keys, values = self._run("cross_kv", ["k_cross", "v_cross"], {"memory": memory})
        return keys, values

    def step(
        self, ids: Sequence[int], memory: tuple[Floats, Floats], past: tuple[Floats, Floats] | None
    ) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """One pass of the decoder.

        Returns:
            Logits (n, vocabulary); where each token looked, (n, frames), frames 0 where the
            decoder does not show it; the cache behind them.
        """
        if past is None:
            shape = (self.config["depth"], 1, self.config["nheads"], 0, self.config["head_dim"])
            past = (np.zeros(shape, np.float32), np.zeros(shape, np.float32))
        names = ["logits", "out_k_self", "out_v_self", *self._looks]
        logits, keys, values, *looks = self._run(
            "decoder",
            names,
            {
                "token": np.asarray([ids], np.int64),
                "k_self": past[0],
                "v_self": past[1],
                "out_k_cross": memory[0],
                "out_v_cross": memory[1],
            },
        )
        where = _together(looks) if looks else np.zeros((len(ids), 0), np.float32)
        return logits[0], where, (keys, values)

    def _run(
        self, graph: str, outputs: Sequence[str], feeds: dict[str, Any]
    ) -> tuple[NDArray[Any], ...]:
        try:
            return tuple(self._sessions[graph].run(list(outputs), feeds))
        except Exception as error:
            raise RecognizerError(
                f"{self.spec.id} failed while it ran on {self.provider} ({first_line(error)})",
                "choose another model or the CPU provider",
            ) from error

    # -- its files ----------------------------------------------------------------------------

    def _first(self, names: Sequence[str], stems: Sequence[str]) -> str:
        for stem in stems:
            for name in (f"{stem}.ort", f"{stem}.onnx"):
                if name in names:
                    return name
        raise self._damaged(f"it has no {stems[-1]}.ort")

    def _configured(self, files: ModelFiles) -> dict[str, int]:
        try:
            path = files.path("streaming_config.json")
            config = json.loads(path.read_text(encoding="utf-8"))
            needed = {name: int(config[name]) for name in _NEEDED}
            needed["max_seq_len"] = int(config.get("max_seq_len") or _LONGEST_TEXT)
            # Exports that say nothing have 16 frames in as many layers as the decoder has.
            context = config.get("total_left_context")
            needed["total_left_context"] = int(context or _LAYER_CONTEXT * needed["depth"])
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise self._damaged("streaming_config.json cannot be read") from error
        return needed

    def _vocabulary(self, files: ModelFiles, names: Sequence[str]) -> Vocabulary:
        name = "tokenizer.bin" if "tokenizer.bin" in names else "tokenizer.json"
        try:
            found = Vocabulary.read(files.path(name))
        except (OSError, KeyError, ValueError) as error:
            raise self._damaged(f"{name} cannot be read") from error
        if len(found) < self.config["vocab_size"]:
            raise self._damaged(f"{name} has too few tokens")
        return found

    def _check(self) -> None:
        """Files that do not belong together load well and fail at the first sound."""
        try:
            self.stream().decode(np.zeros(SAMPLE_RATE // 2, np.float32))
        except Exception as error:
            raise self._damaged("its files do not belong together") from error

    def _damaged(self, what: str) -> RecognizerError:
        return RecognizerError(
            f"{self.spec.id} would not load ({what})",
            f"fetch the model again: captionglass models get {self.spec.id}",
        )


class MoonshineStreamingStream:
    """One lane's window. Keeps what is final of it while the window only grows."""

    def __init__(self, recognizer: MoonshineStreamingRecognizer) -> None:
        self._model = recognizer
        self._forget()

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``engine.recognizers.base.WindowStream.decode``."""
        if audio.size < _SHORTEST:
            return Hypothesis((), True)
        self._hear(audio)
        return self._write(list(prefix), list(draft), tolerance)

    # -- sound --------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._heard: Samples = np.zeros(0, np.float32)
        self._state = self._model.nothing_heard()
        self._features: Floats = np.zeros((0, 0), np.float32)
        self._final: tuple[Floats, Floats] | None = None
        self._memory: tuple[Floats, Floats] | None = None

    def _hear(self, audio: Samples) -> None:
        known = self._heard.size
        if known > audio.size or not np.array_equal(self._heard, audio[:known]):
            self._forget()
            known = 0
        whole = audio.size // _HOP * _HOP
        if whole == known:
            return
        fresh, self._state = self._model.features(audio[known:whole], self._state)
        self._features = np.concatenate((self._features, fresh)) if known else fresh
        self._heard = audio[:whole].copy()
        self._remember()

    def _remember(self) -> None:
        config = self._model.config
        done = self._final[0].shape[3] if self._final else 0
        start = max(0, done - config["total_left_context"])
        fresh = self._model.remember(self._features[start:], done - start, done)
        self._memory = _joined(self._final, fresh)
        final = max(done, self._features.shape[0] - config["total_lookahead"])
        if final > done:
            self._final = (self._memory[0][:, :, :, :final], self._memory[1][:, :, :, :final])

    # -- text ---------------------------------------------------------------------------------

    def _write(self, prefix: list[int], draft: list[int], tolerance: Sequence[float]) -> Hypothesis:
        assert self._memory is not None
        model, config = self._model, self._model.config
        settled = len(prefix)
        logits, looks, past = model.step([config["bos_id"], *prefix, *draft], self._memory, None)
        seconds = self._heard.size / SAMPLE_RATE
        limit = min(int(seconds * _MOST_TOKENS_PER_SECOND) + 8, config["max_seq_len"]) - settled
        written: list[tuple[int, float]] = []
        for place, token in enumerate(draft):
            chances = _log_softmax(logits[settled + place])
            slack = tolerance[place] if place < len(tolerance) else 0.0
            if chances.max() - chances[token] > slack or len(written) >= limit:
                break
            written.append((token, float(chances[token])))
        kept = 1 + settled + len(written)
        where = [looks[:kept]]
        past = (past[0][:, :, :, :kept], past[1][:, :, :, :kept])
        chances = _log_softmax(logits[kept - 1])
        complete = False
        while len(written) < limit and not _runs_on(written):
            token = int(chances.argmax())
            if token == config["eos_id"]:
                complete = True
                break
            written.append((token, float(chances[token])))
            logits, looks, past = model.step([token], self._memory, past)
            where.append(looks)
            chances = _log_softmax(logits[0])
        if _runs_on(written):
            written = written[:-_RUN_ON]
        times = self._times(np.concatenate(where)[1:], settled, len(written))
        tokens = tuple(
            Token(token, model.starts_word(token), logp, time)
            for (token, logp), time in zip(written, times, strict=True)
        )
        ended = float(chances[config["eos_id"]]) if complete else 0.0
        return Hypothesis(tokens, complete, ended)

    def _times(self, looks: Floats, settled: int, count: int) -> list[float | None]:
        if not self._model.aligned:
            return [None] * count
        frames = in_order(looks[: settled + count])[settled:]
        return [float(frame + 1) * FRAME / SAMPLE_RATE for frame in frames]


def in_order(looks: Floats) -> NDArray[np.int64]:
    """The frame that each token stands for: none before the one of the token in front of it, and
    all of them together where most was looked at.

    Args:
        looks: how much each token looked at each frame, (tokens, frames).

    Returns:
        (tokens,), rising.
    """
    tokens, frames = looks.shape
    best = np.zeros(frames)
    came_from = np.zeros((tokens, frames), np.int64)
    for token in range(tokens):
        reached = np.maximum.accumulate(best)
        # Where the highest so far was reached, for every frame.
        higher = np.concatenate(([True], best[1:] > reached[:-1]))
        came_from[token] = np.maximum.accumulate(np.where(higher, np.arange(frames), 0))
        best = reached + looks[token]
    path = np.zeros(tokens, np.int64)
    at = int(best.argmax())
    for token in range(tokens - 1, -1, -1):
        path[token] = at
        at = int(came_from[token][at])
    return path


def _together(looks: Sequence[Floats]) -> Floats:
    """What the heads of all layers look at, each by how far it stands out; heads that look
    everywhere say little, those that follow the speech much."""
    heads = np.concatenate([layer.reshape(-1, *layer.shape[-2:]) for layer in looks])
    spread = heads.std(axis=-1, keepdims=True) + 1e-9
    mean: Floats = ((heads - heads.mean(axis=-1, keepdims=True)) / spread).mean(axis=0)
    return mean


def _joined(
    before: tuple[Floats, Floats] | None, behind: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    if before is None:
        return behind
    keys, values = (np.concatenate(pair, axis=3) for pair in zip(before, behind, strict=True))
    return keys, values


def _log_softmax(row: Floats) -> Floats:
    shifted = row - row.max()
    result: Floats = shifted - np.log(np.exp(shifted).sum())
    return result


def _runs_on(written: Sequence[tuple[int, float]]) -> bool:
    """The last few tokens are all the same: the model has lost its place."""
    last = [token for token, _ in written[-_RUN_ON:]]
    return len(last) == _RUN_ON and len(set(last)) == 1
