"""What is Whisper's and needs no weights: circles, languages, phrases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from engine.errors import RecognizerError
from engine.recognizers.whisper import without_circles
from engine.recognizers.whisper_language import Tongue
from engine.recognizers.whisper_model import ENCODER_FRAME, Encoded, WhisperModel
from engine.recognizers.whisper_tokens import Vocabulary, standard
from models import catalogue


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("abc", "abc"),
        ("no no no", "no no no"),
        ("aaaaaaaa", "a"),
        ("xyababababababab", "xyab"),
        ("in 1813, in 1813, in 1813, ", "in 1813, "),
        ("so it is. so it is. ", "so it is. "),
        ("he said that that was", "he said that that was"),
        ("1, 2, 3, 4, 5", "1, 2, 3, 4, 5"),
    ],
)
def test_a_text_that_goes_in_circles_is_cut_where_they_begin(text: str, left: str) -> None:
    ids = [ord(character) for character in text]
    assert "".join(map(chr, ids[: without_circles(ids)])) == left


class Words:
    """A vocabulary of three languages."""

    languages: dict[str, int] = {"en": 1, "zh": 2, "jv": 3}  # noqa: RUF012

    def commands(self, language: str, context: Sequence[int] = ()) -> list[int]:
        return [*context, 0, self.languages[language], 9]


class Ears:
    """A model that hears the languages a test writes."""

    spec = catalogue.load().get("whisper-base")

    def __init__(self) -> None:
        self.chances: dict[str, float] = {}
        self.heard: list[int] = []
        self.said_until = 0.0

    def hold(self, encoded: Encoded) -> Any:
        return encoded

    def align(self, _memory: Any, _commands: Any, ids: Sequence[int], _frames: int) -> list[float]:
        return [self.said_until] * len(ids)

    def languages(self, encoded: Encoded) -> dict[str, float]:
        self.heard.append(encoded.shape[1])
        return self.chances


class Lane:
    """One lane's language, asked step by step."""

    def __init__(self, language: str = "") -> None:
        self.ears = Ears()
        self.tongue = Tongue(cast(WhisperModel, self.ears), cast(Vocabulary, Words()), language)
        self.prefix: tuple[int, ...] = ()

    def hear(self, seconds: float, **chances: float) -> str:
        self.ears.chances = chances
        frames = round(seconds / ENCODER_FRAME)
        encoded = np.zeros((1, frames + 250, 8), np.float32)
        return self.tongue.hear(encoded, frames, self.prefix)


def test_a_chosen_language_is_never_asked_for() -> None:
    lane = Lane("zh-CN")
    assert lane.hear(2.0, en=1.0) == "zh"
    assert lane.ears.heard == []


def test_an_unknown_language_is_one_clear_error() -> None:
    with pytest.raises(RecognizerError, match="'tlh'") as caught:
        Lane("tlh")
    assert "en" in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_the_first_guess_may_change_until_it_is_sure() -> None:
    lane = Lane()
    assert lane.hear(0.4, en=0.4, zh=0.3) == "en"
    assert lane.hear(0.6, zh=0.45, en=0.4) == "en", "no better than a guess"
    assert lane.hear(0.8, zh=0.6, en=0.4) == "zh"
    assert lane.hear(1.6, zh=0.95) == "zh"
    assert lane.hear(1.7, en=0.99) == "zh", "settled: not asked again at once"


def settled(language: str = "zh") -> Lane:
    lane = Lane()
    lane.hear(2.0, **{language: 0.95})
    return lane


def test_another_language_has_to_be_heard_twice() -> None:
    lane = settled()
    assert lane.hear(3.0, en=0.9) == "zh"
    assert lane.hear(4.0, en=0.9) == "en"


def test_a_word_of_another_language_changes_nothing() -> None:
    lane = settled()
    for at in range(3, 12):
        assert lane.hear(float(at), **({"en": 0.9} if at % 2 else {"zh": 0.7})) == "zh"


def test_doubt_changes_nothing() -> None:
    lane = settled()
    for at in range(3, 12):
        assert lane.hear(float(at), en=0.7, zh=0.2) == "zh"


def test_two_rivals_do_not_add_up() -> None:
    lane = settled()
    assert lane.hear(3.0, en=0.9) == "zh"
    assert lane.hear(4.0, jv=0.9) == "zh"
    assert lane.hear(5.0, jv=0.9) == "jv"


def test_only_what_is_not_said_yet_is_listened_to() -> None:
    lane = settled()
    lane.prefix, lane.ears.said_until = (5, 6), 3.0
    lane.hear(3.5, en=0.9)
    assert len(lane.ears.heard) == 1, "half a second tells nothing"
    lane.hear(4.0, en=0.9)
    assert lane.ears.heard[-1] == round(1.0 / ENCODER_FRAME) + 250


def test_whispers_own_code_is_not_shown() -> None:
    assert standard("jw") == "jv"
    assert standard("zh") == "zh"
    assert Lane("jv").tongue.language == "jv"
