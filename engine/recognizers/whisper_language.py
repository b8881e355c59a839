"""Which language is being spoken: asked of Whisper itself, again and again, and slow to change."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import RecognizerError
from engine.recognizers.whisper_model import ENCODER_FRAME, Encoded, WhisperModel
from engine.recognizers.whisper_tokens import Vocabulary, standard

_SURE = 0.8
"""Probability from which another language is believed."""
_TWICE = 2
"""Times in a row another language has to be heard before it is changed to."""
_FIRST_GUESS_S, _SETTLED_S = 0.3, 1.5
_ENOUGH_S = 0.8
"""Seconds of sound behind what was said from which it is asked again."""
_LATEST_S = 4.0
"""Seconds that are listened to: an older language says nothing of this one."""


class Tongue:
    """One lane's language.

    Args:
        model, vocabulary: whose.
        language: BCP 47 code where it is fixed; empty to listen for it.

    Raises:
        RecognizerError: the model does not know the language.

    Attributes:
        language: BCP 47 code; empty before anything was heard.
    """

    def __init__(self, model: WhisperModel, vocabulary: Vocabulary, language: str) -> None:
        self._model = model
        self._vocabulary = vocabulary
        known = tuple(vocabulary.languages) or model.spec.languages
        main = language.partition("-")[0].lower()
        self._fixed = bool(main) or not vocabulary.languages
        if main and main not in known:
            listed = ", ".join(known[:12]) + (" ..." if len(known) > 12 else "")
            raise RecognizerError(
                f"{model.spec.id} does not know the language {language!r}", f"it knows {listed}"
            )
        self.language = main or (known[0] if self._fixed else "")
        self._settled = False
        self._rival = ""
        self._heard = 0  # times in a row
        self._asked_at = 0  # frames of the window when it was asked last

    def hear(self, encoded: Encoded, frames: int, prefix: Sequence[int]) -> str:
        """The language of a window.

        Args:
            encoded: its encoder frames.
            frames: how many of them are sound.
            prefix: what was said in it already.
        """
        if self._fixed or not self._due(frames):
            return self.language
        begin = 0
        if prefix:
            commands = self._vocabulary.commands(self.language)
            memory = self._model.hold(encoded)
            begin = int(
                self._model.align(memory, commands[:-1], prefix, frames)[-1] / ENCODER_FRAME
            )
        if self._settled:
            begin = max(begin, frames - int(_LATEST_S / ENCODER_FRAME))
        seconds = (frames - begin) * ENCODER_FRAME
        if seconds < (_ENOUGH_S if self._settled else _FIRST_GUESS_S) and self.language:
            return self.language
        self._asked_at = frames
        chances = self._model.languages(encoded[:, begin:])
        best = max(chances, key=lambda name: chances[name])
        self._weigh(standard(best), chances[best], seconds)
        return self.language

    def _due(self, frames: int) -> bool:
        """Not at every decode: it costs a step of the decoder."""
        if not self._settled:
            return True
        since = frames - self._asked_at
        return since < 0 or since * ENCODER_FRAME >= _ENOUGH_S / 2

    def _weigh(self, language: str, chance: float, seconds: float) -> None:
        if not self._settled:
            if not self.language or chance >= 0.5:
                self.language = language
            self._settled = chance >= _SURE and seconds >= _SETTLED_S
            return
        if language == self.language or chance < _SURE:
            self._rival, self._heard = "", 0
            return
        self._heard = self._heard + 1 if language == self._rival else 1
        self._rival = language
        if self._heard >= _TWICE:
            self.language, self._rival, self._heard = language, "", 0
