"""Whisper's network under ctranslate2: loading it, encoding short windows, writing, aligning."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers.whisper_mel import HOP, Features, LogMel
from engine.runtime import first_line, quiet_stderr
from engine.types import SAMPLE_RATE
from models.spec import ModelFiles, ModelSpec

ENCODER_FRAME = 2 * HOP / SAMPLE_RATE
"""Seconds behind one frame of the encoder."""

_MOST_MEL_FRAMES = 3_000
_MOST_TOKENS = 224
_SILENCE_FROM, _SILENCE_FRAMES = 300, 250
_VOICE_S = 5.0
_DELAY = 0.1
"""Seconds by which the alignment puts the ends of words too late, and that of the last too early.
Measured against forced alignment; what is left is 50 ms of median deviation."""

Encoded = NDArray[np.float32]
"""Shape (1, frames, width)."""


@dataclass(frozen=True, slots=True)
class Written:
    """What the decoder wrote behind a prefix, greedily.

    Attributes:
        ids: the new tokens, without the end of the text.
        logits: for each of them, and one more where ``ended``, the whole row it was chosen from.
        ended: the model itself ended the text.
        no_speech: the probability it gave to nobody speaking.
    """

    ids: list[int]
    logits: list[NDArray[np.float32]]
    ended: bool
    no_speech: float


class WhisperModel:
    """The weights, ready to run. One thread at a time.

    Whisper was trained on windows filled up to 30 s with silence, and goes round in circles where
    that silence is missing; encoding it costs seven times what the speech itself does. So only the
    speech is encoded, and behind it stand encoder frames of such silence that were made once: the
    decoder finds the end of the text by them as well as by real ones.

    Args:
        files: the installed model.
        provider: what is asked for.

    Raises:
        RecognizerError: it would not load.
    """

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        self.spec = files.spec
        self._model, self.provider = _open(files, provider)
        self.multilingual = bool(self._model.is_multilingual)
        self.bins = int(self._model.n_mels)
        self.compute_type = str(self._model.compute_type)
        self._silence = self._encode_raw(_voice_then_silence(self.bins))

    def encode(self, features: Features) -> Encoded:
        """Encoder frames of a window, silence behind them.

        Args:
            features: log-mel, shape (bins, frames), 30 s at most.
        """
        frames = min(features.shape[1], _MOST_MEL_FRAMES) // 2 * 2
        speech = self._encode_raw(features[:, :frames])
        begin = max(speech.shape[1], _SILENCE_FROM)
        return np.concatenate((speech, self._silence[:, begin : begin + _SILENCE_FRAMES]), axis=1)

    def write(
        self,
        memory: Any,
        commands: Sequence[int],
        prefix: Sequence[int],
        most: int,
        *,
        varied: bool,
    ) -> Written:
        """Go on behind ``commands`` and ``prefix``, greedily.

        Args:
            memory: what ``hold`` gave.
            commands: language and task.
            prefix: text taken as said.
            most: tokens to write at most.
            varied: never write three tokens in a row that stand in the text already.
        """
        room = min(_MOST_TOKENS, len(prefix) + most)
        found = self._call(
            "generate",
            memory,
            [[*commands, *prefix]],
            beam_size=1,
            # It counts what the model is told too, and then halves it.
            max_length=min(2 * _MOST_TOKENS, max(2 * room, len(commands) + room)),
            no_repeat_ngram_size=3 if varied else 0,
            # Behind a prefix it would forbid to end the text at once.
            suppress_blank=not prefix,
            return_logits_vocab=True,
            return_no_speech_prob=True,
        )[0]
        ids = list(found.sequences_ids[0])[len(prefix) :]
        rows = [np.asarray(row).ravel() for row in found.logits[0]]
        ended = len(rows) > len(ids)
        rows = rows[-(len(ids) + ended) :] if ids or ended else []
        if len(ids) > most:
            ids, rows, ended = ids[:most], rows[:most], False
        return Written(ids, rows, ended, float(found.no_speech_prob))

    def align(
        self, memory: Any, commands: Sequence[int], ids: Sequence[int], frames: int
    ) -> list[float]:
        """The second at which the sound of each token ends.

        Args:
            memory: what ``hold`` gave.
            commands: language and task, without the last.
            ids: the whole text.
            frames: encoder frames of the window that are no added silence.
        """
        if not ids:
            return []
        found = self._call("align", memory, list(commands), [list(ids)], 2 * frames)[0]
        begins = np.full(len(ids) + 2, frames, np.int64)
        for row, frame in reversed(found.alignments):
            begins[row] = frame
        # The row of a token tells what led to it: where the next one begins, it is over.
        ends = np.minimum.accumulate(begins[::-1])[::-1][1 : len(ids) + 1]
        times = [float(end) * ENCODER_FRAME for end in ends]
        delayed = [max(0.0, time - _DELAY) for time in times[:-1]]
        return [*delayed, times[-1] + _DELAY]

    def languages(self, encoded: Encoded) -> dict[str, float]:
        """The probability of each language, by Whisper's own names."""
        found = self._call("detect_language", self.hold(encoded))[0]
        return {name.strip("<|>"): float(chance) for name, chance in found}

    def hold(self, encoded: Encoded) -> Any:
        """Encoder frames as the runtime wants them."""
        from ctranslate2 import StorageView

        return StorageView.from_array(np.ascontiguousarray(encoded))

    def _encode_raw(self, features: Features) -> Encoded:
        view = self.hold(features[None])
        return np.asarray(self._call("encode", view, to_cpu=True), np.float32)

    def _call(self, name: str, *arguments: Any, **options: Any) -> Any:
        try:
            return getattr(self._model, name)(*arguments, **options)
        except Exception as error:
            raise RecognizerError(
                f"{self.spec.id} failed while it ran on {self.provider} ({first_line(error)})",
                "choose another model or the CPU provider",
            ) from error


def _open(files: ModelFiles, provider: Provider) -> tuple[Any, str]:
    import ctranslate2

    devices = ["cpu"]
    if provider in ("auto", "cuda"):
        with contextlib.suppress(Exception), quiet_stderr():
            if ctranslate2.get_cuda_device_count() > 0:
                devices.insert(0, "cuda")
    failure: Exception | None = None
    try:
        # A model without these works, and works badly.
        heads = json.loads(files.path("config.json").read_bytes())["alignment_heads"]
        if not heads or not files.path("model.bin").stat().st_size:
            raise ValueError("it is not whole")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _would_not_load(files, error) from error
    for device in devices:
        try:
            model = ctranslate2.models.Whisper(
                files.spec.id if _mangled(files) else str(files.folder),
                device=device,
                compute_type=_compute_type(files.spec, device),
                inter_threads=1,
                # One thread costs least: each token is a pass over all the weights, which a second
                # one does not read faster.
                intra_threads=1,
                files=_contents(files) if _mangled(files) else None,
            )
        except Exception as error:  # noqa: BLE001 - the CPU may still do, else it is raised
            failure = error
            continue
        return model, device
    assert failure is not None
    raise _would_not_load(files, failure) from failure


def _would_not_load(files: ModelFiles, why: BaseException) -> RecognizerError:
    return RecognizerError(
        f"{files.spec.id} would not load ({first_line(why)})",
        f"fetch the model again: captionglass models get {files.spec.id}",
    )


def _compute_type(spec: ModelSpec, device: str) -> str:
    """What to compute in: a model that was widened here is there to be compared with."""
    if spec.precision == "float":
        return "float32"
    return "float16" if device == "cuda" else "int8"


def _mangled(files: ModelFiles) -> bool:
    """On Windows the runtime cannot open paths outside the code page; it takes contents there."""
    return sys.platform == "win32" and not str(files.folder).isascii()


def _contents(files: ModelFiles) -> dict[str, bytes]:
    return {file.name: files.path(file.name).read_bytes() for file in files.spec.files}


def _voice_then_silence(bins: int) -> Features:
    """30 s that begin with something like a voice: a buzz that comes and goes like syllables.
    Silence behind a voice looks otherwise to the encoder than silence alone."""
    time = np.arange(int(_VOICE_S * SAMPLE_RATE)) / SAMPLE_RATE
    pitch = np.cumsum(120.0 + 20.0 * np.sin(2 * np.pi * 1.3 * time)) / SAMPLE_RATE
    buzz = sum(np.sin(2 * np.pi * number * pitch) / number for number in range(1, 20))
    syllables = 0.5 + 0.5 * np.sin(2 * np.pi * 4.0 * time)
    voice = (0.1 * buzz * syllables).astype(np.float32)
    return LogMel(bins)(voice, _MOST_MEL_FRAMES * HOP - voice.size)
