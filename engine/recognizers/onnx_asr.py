"""Whatever the onnx-asr package runs: Parakeet, Canary, GigaAM, Vosk, T-one, Whisper as ONNX.

These hear a window as a whole and cannot be told what was said in it already (``prefixed`` is
False): the streaming policy finds the settled words in what they hear (``engine/matching.py``).
Where the kind tells when it wrote each token, captions are timed by that; Canary and Whisper do
not tell, through onnx-asr, and Whisper tells no probabilities either.

A model is always a folder on this machine: nothing is asked of any hub.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.config import Provider
from engine.errors import RecognizerError
from engine.recognizers.base import Hypothesis, Token
from engine.recognizers.onnx_asr_folder import Layout, layout_of
from engine.runtime import candidate, first_line, provider_name, quiet_stderr, session_arguments
from engine.types import SAMPLE_RATE, Samples
from models.spec import ModelFiles, ModelSpec

_CANARY = "nemo-conformer-aed"
_TOLD = (_CANARY, "whisper", "whisper-ort")
"""Kinds that are told the language."""
_UNDETERMINED = "und"  # of a folder whose languages nobody named
_SHORTEST = 1_600  # samples; below this there is nothing to hear
_MOST_THREADS = 4
_LONGEST_SOUND_S = 0.3
_UNTOLD = math.log(0.7)
"""Where a model tells no probability: too little to pass for speech by itself, enough for a word
that the detector takes for speech."""
_SPACELESS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\s*(?:[{_SPACELESS}]|[^\s{_SPACELESS}]+)")
"""A word of a text, or one character of a script that is written without spaces."""
_CLOSING = ",.;:!?…%)]}»”’'，。；：！？、"
"""Marks that stand at the word before them, whatever space the vocabulary puts there."""


def load(files: ModelFiles, provider: Provider = "auto") -> OnnxAsrRecognizer:
    """See ``engine.recognizers.base.Family.load``."""
    return OnnxAsrRecognizer(files, provider)


class OnnxAsrRecognizer:
    """A loaded model. One thread at a time."""

    prefixed = False

    def __init__(self, files: ModelFiles, provider: Provider = "auto") -> None:
        self.spec: ModelSpec = files.spec
        self._layout = _recognised(files)
        self.aligned = self._layout.hop_s is not None
        self.multilingual = self._layout.kind.type in _TOLD
        self._model = self._opened(files, provider)
        sessions = [
            part for part in vars(self._model.asr).values() if hasattr(part, "get_providers")
        ]
        self.provider = provider_name(sessions[0]) if sessions else "cpu"
        self._pieces: list[str] = []
        self._ids: dict[str, int] = {}
        try:
            # Files that do not belong together load well and fail at the first sound.
            self._hear(np.zeros(SAMPLE_RATE // 2, np.float32), "")
        except Exception as error:
            raise self._damaged(error) from error

    def stream(self, language: str = "") -> OnnxAsrStream:
        """See ``engine.recognizers.base.MultilingualRecognizer.stream``. Whisper listens for the
        language where it is not told; Canary takes it for the first of its languages."""
        known = [code for code in self.spec.languages if code != _UNDETERMINED]
        if language and self.multilingual and known and language not in known:
            raise RecognizerError(
                f"{self.spec.title} does not know the language {language!r}",
                f"it knows {', '.join(known)}",
            )
        if not language and known and (self._layout.kind.type == _CANARY or len(known) == 1):
            language = known[0]
        return OnnxAsrStream(self, language if self.multilingual else "")

    def text(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without surrounding space."""
        return "".join(self._pieces[token] for token in ids).strip()

    def hear(self, audio: Samples, language: str = "") -> tuple[Token, ...]:
        """All that is said in a window.

        Args:
            audio: float32 mono at 16 kHz, shape (n,).
            language: BCP 47 code, for the kinds that are told one.

        Raises:
            RecognizerError: the model failed.
        """
        try:
            return self._hear(audio, language)
        except Exception as error:
            raise RecognizerError(
                f"{self.spec.id} failed while it ran on {self.provider} ({first_line(error)})",
                "choose another model or the CPU provider",
            ) from error

    def _hear(self, audio: Samples, language: str) -> tuple[Token, ...]:
        told = {"language": language} if language else {}
        result = self._model.recognize(audio, sample_rate=SAMPLE_RATE, **told)
        pieces = result.tokens
        if pieces is None:  # Whisper: text alone
            pieces = _WORD.findall(result.text)
        seconds = audio.size / SAMPLE_RATE
        tokens: list[Token] = []
        space = False  # a space that the vocabulary counts as a token of its own
        for place, piece in enumerate(pieces):
            if not piece.strip():
                space = True
                continue
            said = f" {piece.strip()}" if space or piece[0].isspace() else piece
            said, space = _closed_up(said), False
            time = self._end(result.timestamps, place, seconds)
            logp = _UNTOLD if result.logprobs is None else float(result.logprobs[place])
            # An empty beginning is the first word's too.
            starts = said.startswith(" ") or not tokens
            tokens.append(Token(self._id(said), starts, min(0.0, logp), time))
        return tuple(tokens)

    def _end(self, times: Sequence[float] | None, place: int, seconds: float) -> float | None:
        """When the sound of a token ended. Models write it while it begins: it lasts until the
        next one begins, as far as a sound can last."""
        if times is None or self._layout.hop_s is None:
            return None
        behind = times[place + 1] if place + 1 < len(times) else seconds
        latest = times[place] + max(_LONGEST_SOUND_S, self._layout.hop_s)
        return float(min(max(times[place], behind), latest, seconds))

    def _id(self, piece: str) -> int:
        known = self._ids.get(piece)
        if known is None:
            known = self._ids[piece] = len(self._pieces)
            self._pieces.append(piece)
        return known

    def _opened(self, files: ModelFiles, provider: Provider) -> Any:
        try:
            import onnx_asr
        except ImportError as error:
            raise RecognizerError(
                f"{files.spec.id} needs the package onnx-asr", "install it: pip install onnx-asr"
            ) from error
        wanted = candidate(provider)
        try:
            with quiet_stderr():
                # The folder is there, so that onnx-asr looks nowhere else.
                return onnx_asr.load_model(
                    self._layout.kind.type,
                    files.folder,
                    quantization=self._layout.precision or None,
                    **session_arguments(wanted, files.spec.size, _threads()),
                ).with_timestamps()
        except Exception as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> RecognizerError:
        said = first_line(error)
        if isinstance(error, AssertionError | KeyError | IndexError | ValueError):
            said = "its files do not belong together"
        return RecognizerError(
            f"{self.spec.id} would not load ({said})",
            f"fetch the model again: captionglass models get {self.spec.id}",
        )


class OnnxAsrStream:
    """One lane's window."""

    def __init__(self, recognizer: OnnxAsrRecognizer, language: str = "") -> None:
        self._model = recognizer
        self._language = language

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        """See ``engine.recognizers.base.WindowStream.decode``; what was said cannot be told."""
        del prefix, draft, tolerance
        if audio.size < _SHORTEST:
            return Hypothesis((), True)
        return Hypothesis(self._model.hear(audio, self._language), True)


def _recognised(files: ModelFiles) -> Layout:
    names = [file.name for file in files.spec.files]
    config = _config(files) if "config.json" in names else {}
    layout = layout_of(names, config)
    if layout is None:
        raise RecognizerError(
            f"{files.spec.id} is no model that onnx-asr runs (by the names of its files)",
            "keep the files' published names, config.json among them",
        )
    missing = [name for name in names if not (files.folder / name).is_file()]
    if missing:
        raise RecognizerError(
            f"{missing[0]} of {files.spec.id} is missing",
            f"fetch the model again: captionglass models get {files.spec.id}",
        )
    return layout


def _config(files: ModelFiles) -> Mapping[str, Any]:
    try:
        config = json.loads((files.folder / "config.json").read_text(encoding="utf-8"))
        if isinstance(config, dict):
            return config
    except (OSError, ValueError):
        pass
    raise RecognizerError(
        f"config.json of {files.spec.id} cannot be read",
        f"fetch the model again: captionglass models get {files.spec.id}",
    )


def _closed_up(piece: str) -> str:
    """Without the space before a mark that closes."""
    bare = piece.strip()
    return bare if bare and all(character in _CLOSING for character in bare) else piece


def _threads() -> int:
    """These models are ten times the size of the others, so that sharing the work out pays."""
    return max(1, min(_MOST_THREADS, os.cpu_count() or 1))
