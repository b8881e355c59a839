"""The five stops on a short recording, in virtual time: what the slider's labels are made from.

    python -m engine.bench.measure --model ID --provider NAME --audio FILE --version TEXT

A process of its own, so that captions which run meanwhile share no interpreter lock with it, so
that it can be given a lower priority, and so that to end it is to kill it. Virtual time charges
processor time alone: neither the priority nor the load of the machine gets into the figures.

Says on standard output, a line of JSON each: ``{"stop": NAME, "number": 1, "of": 5}`` as it
begins a stop, at last ``{"measured": {...}}`` (see ``measured``), or ``{"error": ...,
"remedy": ...}``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from engine.bench.measured import Measurement, StopFigures
from engine.bench.recordings import Recording, find_words, sound
from engine.bench.report import Row
from engine.bench.runner import caption
from engine.config import STOPS, LatencyProfile, Provider
from engine.errors import CaptionglassError, UsageError
from engine.policy import Policy
from engine.recognizers.base import Recognizer, load
from engine.types import SAMPLE_RATE, Samples
from models import catalogue
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

LANGUAGE = "en"
"""Of the recording."""
SECONDS = 17.2
"""How much of the recording is used: 48 words of the demo, to a pause."""
_WARM_UP_S = 2.0
_NICENESS = 10


def measure(
    recognizer: Recognizer, vad: ModelFiles, recording: Recording, samples: Samples
) -> Iterator[tuple[str, Row]]:
    """The stops in the slider's order.

    Args:
        recognizer: loaded.
        vad: the voice activity detector's weights.
        recording: with the ends of its words.
        samples: its sound, float32 mono at 16 kHz, shape (n,).

    Raises:
        RecognizerError: the model failed.
    """
    # The first decode of a process pays for pages and caches that no later one pays for.
    caption(samples[: int(_WARM_UP_S * SAMPLE_RATE)], recognizer, vad, _policy("fastest"))
    for name in STOPS:
        row = Row(name)
        row.add(recording, caption(samples, recognizer, vad, _policy(name), recording.language))
        yield name, row


def excerpt(path: Path, seconds: float = SECONDS) -> tuple[Recording, Samples]:
    """The beginning of a recording in English and the words that end in it.

    Raises:
        AudioFileError: it cannot be read.
        UsageError: the times of its words cannot be read.
    """
    samples = sound(Recording(path, 0.0))[: int(seconds * SAMPLE_RATE)]
    ends = tuple((word, end) for word, end in find_words(path) if end <= seconds)
    return Recording(path, samples.size / SAMPLE_RATE, LANGUAGE, ends=ends), samples


def figures(row: Row) -> StopFigures:
    """What the slider says of a stop.

    Raises:
        CaptionglassError: no word came out right.
    """
    known = row.figures()
    first, stable, erasure = known["first_p50_ms"], known["stable_p50_ms"], known["erasure"]
    if first is None or stable is None or erasure is None:
        raise CaptionglassError(
            f"at {row.name} the model understood nothing of the recording", "try another model"
        )
    return StopFigures(round(first, 1), round(stable, 1), round(erasure, 4), round(row.cores, 4))


def require_language(spec: ModelSpec) -> None:
    """Refuse a model that cannot know what is said.

    Raises:
        UsageError: it knows other languages alone.
    """
    if spec.languages and LANGUAGE not in spec.languages:
        raise UsageError(
            f"{spec.title} does not know English, which the recording is in",
            "choose a model that does to measure this computer",
        )


def _policy(name: str) -> Policy:
    return Policy.at(LatencyProfile(float(STOPS[name])))


def _lower_priority() -> None:
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(_NICENESS)


def _run(asked: argparse.Namespace, answer: Callable[[dict[str, Any]], None]) -> None:
    known, store = catalogue.load(), ModelStore()
    spec = known.get(asked.model)
    require_language(spec)
    recognizer = load(store.files(spec), asked.provider)
    vad = store.files(known.get(known.vad))
    recording, samples = excerpt(asked.audio, asked.seconds)
    names = list(STOPS)
    done = Measurement(spec.id, recognizer.provider, asked.version, {})
    answer({"stop": names[0], "number": 1, "of": len(names)})
    for number, (name, row) in enumerate(measure(recognizer, vad, recording, samples), 1):
        done = replace(done, stops={**done.stops, name: figures(row)})
        if number < len(names):
            answer({"stop": names[number], "number": number + 1, "of": len(names)})
    answer({"measured": asdict(done)})


def main() -> None:
    """See the top of the file."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(content: dict[str, Any]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--provider", choices=get_args(Provider), default="auto")
    parser.add_argument("--audio", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--version", default="")
    asked = parser.parse_args()
    _lower_priority()
    try:
        _run(asked, answer)
    except CaptionglassError as error:
        answer({"error": error.message, "remedy": error.remedy})


if __name__ == "__main__":
    main()
