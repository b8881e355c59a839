"""A real model that is not told what was said, as those that onnx-asr runs cannot be: the policy
finds what is settled in what it hears anew, and captions real speech as well all the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
import soundfile
from caption_laws import check_laws
from fixtures_recordings import Recordings

from engine.bench.metrics import normalised, score
from engine.config import LatencyProfile
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import Hypothesis, load
from engine.recognizers.moonshine import MoonshineRecognizer, MoonshineStream
from engine.types import CaptionUpdate, Samples
from engine.vad import SileroVad
from models import catalogue
from models.store import ModelStore

pytestmark = pytest.mark.slow


class Deaf:
    """Moonshine, deaf to what it is told; without times where ``aligned`` is false."""

    prefixed = False

    def __init__(self, model: MoonshineRecognizer, *, aligned: bool) -> None:
        self.spec, self.provider, self.text = model.spec, model.provider, model.text
        self.aligned = aligned
        self._model = model
        self._stream: MoonshineStream | None = None

    def stream(self) -> Deaf:
        self._stream = self._model.stream()
        return self

    def decode(
        self,
        audio: Samples,
        prefix: Sequence[int] = (),
        draft: Sequence[int] = (),
        tolerance: Sequence[float] = (),
    ) -> Hypothesis:
        assert not [*prefix, *draft, *tolerance]
        assert self._stream is not None
        found = self._stream.decode(audio)
        if self.aligned:
            return found
        return replace(found, tokens=tuple(replace(token, time=None) for token in found.tokens))


@pytest.mark.parametrize("aligned", [True, False])
def test_real_speech_is_captioned_once_and_well(recordings: Recordings, aligned: bool) -> None:
    store, known = ModelStore(), catalogue.load()
    model = load(store.files(known.get("moonshine-tiny-en")), "cpu")
    assert isinstance(model, MoonshineRecognizer)
    recording = recordings.named("ljspeech_LJ001-0022")
    samples = soundfile.read(recording.path, dtype="float32")[0]
    lane = LanePipeline(
        "mic",
        Deaf(model, aligned=aligned),
        SileroVad(store.files(known.get(known.vad))),
        Policy.at(LatencyProfile.parse("accurate")),
        itertools.count().__next__,
    )
    updates: list[CaptionUpdate] = []
    for place in range(0, samples.size, 1_600):
        updates += lane.push(samples[place : place + 1_600])
    updates += lane.end()
    check_laws(updates)
    said = normalised(recording.transcript)
    finals = " ".join(update.stable for update in updates if update.is_final)
    offline = [token.id for token in model.stream().decode(samples).tokens]
    alone = score(said, normalised(model.text(offline))).errors
    assert score(said, normalised(finals)).errors <= alone + 1
