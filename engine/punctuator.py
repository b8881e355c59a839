"""A model that says which mark belongs behind each word.

CT-Transformer (Chen, Chen, Li and Wang 2020, "Controllable Time-Delay Transformer for Real-Time
Punctuation Prediction and Disfluency Detection", arXiv:2003.01309), in the layout that sherpa-onnx
reads: one graph, whose metadata hold the vocabulary and the marks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.errors import RecognizerError
from engine.runtime import open_session
from models.spec import ModelFiles

_NONE = "_"
_NEEDED = ("。", "，", "？", "、", _NONE)


class Punctuator:
    """A loaded model; keeps nothing between calls, so that lanes can share one.

    Args:
        files: of family ``ct_transformer``; their one graph takes ``inputs`` int32 (1, n) and
            ``text_lengths`` int32 (1,), and gives float32 (1, n, marks).

    Raises:
        RecognizerError: the graph will not load, or is none of these.
    """

    def __init__(self, files: ModelFiles) -> None:
        self.id = files.spec.id
        graph = next(file.name for file in files.spec.files if file.name.endswith(".onnx"))
        self._session = open_session(files.path(graph))
        known = self._session.get_modelmeta().custom_metadata_map
        tokens = known.get("tokens", "").split("|")
        self._marks = known.get("punctuations", "").split("|")
        unknown = known.get("unk_symbol", "<unk>")
        if unknown not in tokens or any(mark not in self._marks for mark in _NEEDED):
            raise RecognizerError(
                f"{graph} does not say which marks it knows",
                f"fetch it again: captionglass models get {self.id}",
            )
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._unknown = self._ids[unknown]
        self._inputs = [entry.name for entry in self._session.get_inputs()]

    def marks(self, tokens: Sequence[str]) -> list[str]:
        """What belongs behind each token.

        Args:
            tokens: of one sentence and what follows it: single characters of Chinese, whole words
                of English.

        Returns:
            One of ``。，？、`` for each, or an empty string.
        """
        if not tokens:
            return []
        ids = [self._ids.get(token.lower(), self._unknown) for token in tokens]
        feeds = (np.array([ids], np.int32), np.array([len(ids)], np.int32))
        logits = self._session.run(None, dict(zip(self._inputs, feeds, strict=True)))[0]
        # The training's own marker of unknown marks stands first, and means none.
        best = (self._marks[number] for number in logits[0].argmax(axis=-1))
        return [mark if mark in _NEEDED and mark != _NONE else "" for mark in best]
