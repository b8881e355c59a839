"""The benchmark itself: every profile and peer over every recording, turn about."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.bench import contender, machine
from engine.bench.contender import Played
from engine.bench.metrics import normalised, score
from engine.bench.offline import transcribe
from engine.bench.recordings import NO_LANGUAGE, Recording, sound
from engine.bench.report import Offline, Report, Row
from engine.bench.virtual import VirtualClock
from engine.config import LatencyProfile, Provider
from engine.errors import RecognizerError, UsageError
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import Recognizer, load
from engine.types import SAMPLE_RATE, Samples
from engine.vad import SileroVad
from models.spec import ModelFiles


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure.

    Attributes:
        recordings: on what.
        profiles: a row for each.
        model, vad: weights.
        provider: what runs them.
        version: the program's.
        virtual_time: feed as fast as it goes and charge the work to a clock, in this process;
            else in real time, each profile in a process of its own.
        peers: kinds of ``contender.PEERS`` to measure beside; real time only.
        peer_python: the interpreter they are installed for.
    """

    recordings: Sequence[Recording]
    profiles: Sequence[LatencyProfile]
    model: ModelFiles
    vad: ModelFiles
    provider: Provider = "auto"
    version: str = ""
    virtual_time: bool = False
    peers: Sequence[str] = ()
    peer_python: str = ""


def run(plan: Plan, tell: Callable[[str], None]) -> Report:
    """Measure; in real time this takes profiles and peers times the length of the recordings.

    Args:
        plan: what.
        tell: takes a line about how far it is.

    Raises:
        UsageError: the model knows the language of no recording.
        CaptionglassError: a recording cannot be read, or our own captions failed. Peers that
            fail are left out.
    """
    load_at_start = machine.load_average()
    recordings, left_out = _in_known_languages(plan)
    recognizer = load(plan.model, plan.provider)
    provider = recognizer.provider
    offline = _offline(plan, recordings, recognizer, tell)
    if plan.virtual_time:
        rows = _in_virtual_time(plan, recordings, recognizer, tell)
    else:
        del recognizer
        rows = _in_real_time(plan, recordings, tell, left_out)
    return Report(
        version=plan.version,
        model=plan.model.spec.id,
        provider=provider,
        virtual_time=plan.virtual_time,
        machine=machine.describe(),
        load_at_start=load_at_start,
        load_at_end=machine.load_average(),
        recordings=recordings,
        offline=offline,
        rows=rows,
        left_out=left_out,
    )


def caption(
    samples: Samples,
    recognizer: Recognizer,
    vad: ModelFiles,
    policy: Policy,
    language: str = "",
    charge: float = 1.0,
) -> Played:
    """One recording in virtual time.

    Args:
        samples: float32 mono at 16 kHz, shape (n,).
        recognizer: loaded.
        vad: the voice activity detector's weights.
        policy: where the slider stands.
        language: BCP 47 code of the captions.
        charge: see ``VirtualClock``.

    Raises:
        RecognizerError: the model failed.
    """
    lane = LanePipeline(
        "file", recognizer, SileroVad(vad), policy, itertools.count().__next__, language
    )
    clock = VirtualClock(lane, charge)
    timeline = tuple(clock.play(samples))
    return Played(timeline, clock.heard_s, cpu_s=clock.compute_s, compute_s=clock.compute_s)


def _in_known_languages(plan: Plan) -> tuple[list[Recording], list[str]]:
    known = plan.model.spec.languages
    taken, left_out = [], []
    for recording in plan.recordings:
        language = recording.language.partition("-")[0]
        if language in ("", NO_LANGUAGE) or not known or language in known:
            taken.append(recording)
        else:
            left_out.append(
                f"{recording.name}, {plan.model.spec.id} does not know {recording.language!r}"
            )
    if not taken:
        raise UsageError(
            f"{plan.model.spec.id} knows the language of none of these recordings",
            f"it knows {', '.join(known)}",
        )
    return taken, left_out


def _offline(
    plan: Plan,
    recordings: Sequence[Recording],
    recognizer: Recognizer,
    tell: Callable[[str], None],
) -> Offline | None:
    known = [(each, each.reference) for each in recordings if each.reference is not None]
    if not known:
        return None
    errors = words = 0
    compute_s = audio_s = 0.0
    for number, (recording, reference) in enumerate(known, 1):
        tell(f"offline, {number} of {len(known)}: {recording.name}")
        samples = sound(recording)
        started = time.process_time()
        text = transcribe(samples, recognizer, SileroVad(plan.vad))
        compute_s += time.process_time() - started
        audio_s += samples.size / SAMPLE_RATE
        result = score(reference or [], normalised(text))
        errors += result.errors
        words += result.words
    return Offline(errors, words, compute_s, audio_s)


def _in_virtual_time(
    plan: Plan,
    recordings: Sequence[Recording],
    recognizer: Recognizer,
    tell: Callable[[str], None],
) -> list[Row]:
    rows = [Row(profile.name) for profile in plan.profiles]
    for number, recording in enumerate(recordings, 1):
        tell(f"recording {number} of {len(recordings)}: {recording.name}")
        samples = sound(recording)
        for row, profile in zip(rows, plan.profiles, strict=True):
            policy = Policy.at(profile)
            row.add(recording, caption(samples, recognizer, plan.vad, policy, recording.language))
    return rows


def _in_real_time(
    plan: Plan, recordings: Sequence[Recording], tell: Callable[[str], None], left_out: list[str]
) -> list[Row]:
    model_id, provider = plan.model.spec.id, plan.provider
    entries = [
        (Row(profile.name), partial(contender.own, model_id, profile.name, provider))
        for profile in plan.profiles
    ]
    entries += [
        (Row(kind, is_peer=True), partial(contender.peer, kind, plan.peer_python))
        for kind in plan.peers
    ]
    left = sum(recording.seconds for recording in recordings)
    with TemporaryDirectory(prefix="captionglass-bench-") as folder:
        raw = Path(folder) / "sound.f32"
        for number, recording in enumerate(recordings, 1):
            minutes = left * len(entries) / 60
            tell(
                f"recording {number} of {len(recordings)}, {len(entries)} times in real time, "
                f"{minutes:.0f} min to go: {recording.name}"
            )
            if any(row.is_peer for row, _ in entries):
                sound(recording).tofile(raw)
            language = "" if recording.language == NO_LANGUAGE else recording.language
            job = {"path": str(recording.path), "language": language, "raw": str(raw)}
            for entry in list(entries):
                row, start = entry
                try:
                    with contextlib.closing(start()) as process:
                        row.name = process.name
                        row.add(recording, process.play(job, recording.seconds))
                except RecognizerError as error:
                    if not row.is_peer:
                        raise
                    # A row over fewer recordings than the others would compare nothing.
                    left_out.append(str(error))
                    entries.remove(entry)
            left -= recording.seconds
    return [row for row, _ in entries]
