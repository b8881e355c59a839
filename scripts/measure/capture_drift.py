#!/usr/bin/env python3
"""Capture on a real sound server for as long as one likes: does the clock drift, what does capture
cost, and how soon is sound back after each fault?

.venv/bin/python scripts/measure/capture_drift.py --minutes 60
.venv/bin/python scripts/measure/capture_drift.py --minutes 3 --report drift.json

It starts a PulseAudio server of its own, plays one sentence again and again into a sink and
captions what the sink plays. Words of the last repetitions are compared with those of the first:
what differs is drift. Then it breaks the sound off in every way a server allows. Linux only.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import json
import math
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

# The checkout has to be on the path first.
import numpy as np  # noqa: E402
import soundfile  # noqa: E402
import soxr  # noqa: E402
from capture_faults import Log, Words, break_off, is_soon, until  # noqa: E402
from capture_stage import RATE, Player, Server  # noqa: E402

from engine.config import EngineConfig, LatencyProfile  # noqa: E402
from engine.endpoint import Endpointer  # noqa: E402
from engine.feed import Feed  # noqa: E402
from engine.session import Session  # noqa: E402
from engine.sources.device import DeviceSource  # noqa: E402
from engine.sources.inventory import SoundDevice  # noqa: E402
from engine.sources.platforms import open_inventory  # noqa: E402
from engine.stats import StatsCollector  # noqa: E402
from engine.types import SAMPLE_RATE, CaptionUpdate, Samples  # noqa: E402
from engine.vad import SileroVad  # noqa: E402
from engine.watched import SourceOpener  # noqa: E402
from models import catalogue  # noqa: E402
from models.store import ModelStore  # noqa: E402

SENTENCE = ROOT / "tests" / "audio" / "en_clean" / "ljspeech_LJ001-0006.flac"
TRUE_S = 0.05
_EVERY_S = 15.0
_WORDS_LATER_S = 6.0
"""Seconds behind a sentence after which no word of it is still on its way."""
_SETTLES_S = 6.0
"""A sink that was idle has rendered up to two seconds ahead, and finds its pace."""
_CLICKS = 24
_CLICK = 0.9
_CLICK_BEFORE_S = 1.5
_PLAYER_S = 0.35
"""What the player and the server may hold back, beyond the distance of two clicks."""
_RECENT = 25
_NEAR_S = 3.0
"""Words further than this from where they should be are those of another repetition."""
_ALONE_S = 20.0


class TimedSource(DeviceSource):
    """A device whose callbacks are timed, and searched for clicks.

    Attributes:
        took: seconds of each callback, from its beginning to where the block is in the ring.
        arrivals: when a click was in the ring (``time.monotonic()``).
        heard: when it was captured, by its place in the block.
    """

    took: list[float] = []  # noqa: RUF012 - of all that are opened one after the other
    arrivals: list[float] = []  # noqa: RUF012
    heard: list[float] = []  # noqa: RUF012
    listening = False

    def __init__(self, device: SoundDevice, lane: str) -> None:
        super().__init__(device, lane)
        self._frames_so_far = 0
        self._lines: deque[float] = deque(maxlen=_RECENT)

    def _callback(self, block: Any, frames: int, times: Any, status: Any) -> None:
        began = time.perf_counter()
        super()._callback(block, frames, times, status)
        self.took.append(time.perf_counter() - began)
        now = time.monotonic()
        first, self._frames_so_far = self._frames_so_far, self._frames_so_far + frames
        self._lines.append(now - self._frames_so_far / self.sample_rate)
        if self.listening:
            loud = np.flatnonzero(np.abs(block[:, 0]) > _CLICK / 2)
            if loud.size:
                self.arrivals.append(now)
                # A callback may be late; the soonest of the last half second was not.
                self.heard.append(min(self._lines) + (first + loud[0]) / self.sample_rate)


class Sentence:
    """One sentence, played again and again behind a click, which tells when it was captured."""

    def __init__(self, log: Log) -> None:
        samples, rate = soundfile.read(SENTENCE, dtype="float32")
        self.sound: Samples = soxr.resample(samples, rate, RATE).astype(np.float32)
        self.sound *= 0.4 * _CLICK / float(np.abs(self.sound).max())
        self._log = log
        self._first: Words = []

    def say(self, player: Player) -> tuple[float, float] | None:
        """Play it, and find its words.

        Returns:
            By how many seconds the median of its words, and its last word, lie elsewhere on the
            stream clock than when they were captured, against the first time it was played; None
            where no word was captioned.
        """
        TimedSource.heard.clear()
        TimedSource.listening = True
        clicked = player.play(_click())
        player.play(np.zeros(round(_CLICK_BEFORE_S * RATE), np.float32))
        at = player.play(self.sound)
        time.sleep(max(0.0, at - time.monotonic()) + self.sound.size / RATE + _WORDS_LATER_S)
        TimedSource.listening = False
        if not TimedSource.heard:
            return None
        captured = TimedSource.heard[0] + at - clicked
        words = [(text, end - captured) for text, end in self._log.words(clicked)]
        if not self._first:
            self._first = words
        if not words:
            return None
        begin, end = self._first[0][1] - _NEAR_S, self._first[-1][1] + _NEAR_S
        words = [(text, at) for text, at in words if begin < at < end]
        pairs = difflib.SequenceMatcher(
            a=[text for text, _ in self._first], b=[text for text, _ in words], autojunk=False
        ).get_matching_blocks()
        offsets = [
            words[pair.b + step][1] - self._first[pair.a + step][1]
            for pair in pairs
            for step in range(pair.size)
        ]
        return (statistics.median(offsets), offsets[-1]) if offsets else None


def _click() -> Samples:
    return np.full(RATE // 1_000, _CLICK, np.float32)


def _p(values: Sequence[float], share: float) -> float:
    if not values:
        return math.nan
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _latency(player: Player, sink: str) -> dict[str, float]:
    """From the device to the ring: what ours takes beside the server's own recorder, ms."""
    form = ["--raw", "--format=s16le", "--channels=1", f"--rate={RATE}", "--latency-msec=5"]
    recorder = subprocess.Popen(
        ["parec", f"--device={sink}.monitor", *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    heard: list[float] = []

    def listen() -> None:
        stream = recorder.stdout
        assert stream is not None
        while piece := stream.read(480):
            if np.abs(np.frombuffer(piece, "<i2")).max() > 16_000:
                heard.append(time.monotonic())

    thread = threading.Thread(target=listen, name="parec", daemon=True)
    thread.start()
    time.sleep(2.0)
    played = []
    TimedSource.arrivals.clear()
    TimedSource.listening = True
    for _ in range(_CLICKS):
        played.append(player.play(_click()))
        time.sleep(0.4)
    time.sleep(1.0)
    TimedSource.listening = False
    recorder.kill()
    recorder.wait()
    thread.join()
    ours, theirs = _firsts(TimedSource.arrivals, played), _firsts(heard, played)
    added = _differences(ours, theirs)
    whole = _differences(ours, played)
    return {
        "clicks": len(added),
        "clicks_in_ring": sum(not math.isnan(each) for each in ours),
        "clicks_in_own_recorder": sum(not math.isnan(each) for each in theirs),
        "added_p50_ms": 1000 * _p(added, 0.5),
        "added_p95_ms": 1000 * _p(added, 0.95),
        "player_to_ring_p50_ms": 1000 * _p(whole, 0.5),
        "callback_p50_us": 1e6 * _p(TimedSource.took, 0.5),
        "callback_p95_us": 1e6 * _p(TimedSource.took, 0.95),
        "callback_max_ms": 1000 * max(TimedSource.took),
    }


def _differences(ones: Sequence[float], others: Sequence[float]) -> list[float]:
    pairs = zip(ones, others, strict=True)
    return [one - other for one, other in pairs if not math.isnan(one + other)]


def _firsts(arrivals: Sequence[float], played: Sequence[float]) -> list[float]:
    """When each click arrived; NaN for one that never did."""
    edges = [*played, played[-1] + 0.4]
    return [
        next((each for each in arrivals if begin <= each < end + _PLAYER_S), float("nan"))
        for begin, end in itertools.pairwise(edges)
    ]


class _Listening:
    """A lane that runs the detector and nothing else."""

    def __init__(self, detector: SileroVad) -> None:
        self.endpointer = Endpointer(512 / SAMPLE_RATE)
        self.engaged = False
        self._detector = detector
        self._waiting = np.zeros(0, np.float32)
        self._next = 0

    @property
    def heard_s(self) -> float:
        return self._next / SAMPLE_RATE

    def push(self, samples: Samples, heard_at: float = 0.0, **_: Any) -> list[CaptionUpdate]:
        del heard_at
        self._next += samples.size
        sound = np.concatenate((self._waiting, samples))
        whole = sound.size // 512 * 512
        for at in range(0, whole, 512):
            self.endpointer.push(self._detector.probability(sound[at : at + 512]))
        self._waiting = sound[whole:]
        return []

    def skip(self, count: int) -> list[CaptionUpdate]:
        self._next += count
        return []

    def end(self) -> list[CaptionUpdate]:
        return []


def capture_alone(device_id: str, seconds: float) -> float:
    """Cores that capture, resampling and voice activity detection take without a recogniser."""
    known = catalogue.load()
    device = next(each for each in open_inventory().devices() if each.id == device_id)
    source = DeviceSource(device, lane="system")
    lane: Any = _Listening(SileroVad(ModelStore().files(known.get(known.vad))))
    feed = Feed(source, lane, StatsCollector())
    source.start(feed.ring)
    until(lambda: feed.ring.written > 0)
    began, cpu = time.monotonic(), time.process_time()
    while time.monotonic() - began < seconds:
        if feed.take(paused=False, stride=1.0)[1] == 0.0:
            time.sleep(0.04)
    cores = (time.process_time() - cpu) / (time.monotonic() - began)
    source.stop()
    return cores


def _session(log: Log, device: SoundDevice, profile: str) -> Session:
    known, store = catalogue.load(), ModelStore()
    config = EngineConfig(
        model=store.files(known.get(known.default)),
        vad=store.files(known.get(known.vad)),
        profile=LatencyProfile.parse(profile),
        provider="cpu",
    )
    opener = SourceOpener("system", "output", device, open=TimedSource)
    return Session(config, [TimedSource(device, "system")], [log], [opener])


def run(minutes: float, profile: str, folder: Path) -> dict[str, Any]:
    """All of it."""
    server, log = Server(folder), Log()
    server.start("one", "two")
    players = [Player("one"), Player("two")]
    device = open_inventory().default("output")
    assert device is not None
    own = [sys.executable, __file__, "--minutes", "0", "--capture-alone", device.id]
    alone = subprocess.run(own, capture_output=True, text=True, check=True).stdout
    session = _session(log, device, profile)
    session.start()
    try:
        until(lambda: session.stats().state == "running")
        time.sleep(_SETTLES_S)
        sentence = Sentence(log)
        rows: list[tuple[float, tuple[float, float] | None]] = []
        began = time.monotonic()
        while not rows or time.monotonic() - began < 60.0 * minutes:
            turn = time.monotonic()
            rows.append((turn - began, sentence.say(players[0])))
            time.sleep(max(0.0, turn + _EVERY_S - time.monotonic()))
        latency = _latency(players[0], "one")
        print(json.dumps(latency), flush=True)
        faults = break_off(server, log, lambda player: sentence.say(player), players)
    finally:
        summary = session.stop()
        for player in players:
            player.close()
        server.kill()
    captioned = [(at, off) for at, off in rows if off is not None]
    # The recogniser times one word a little differently each time: medians of several tell.
    last = [off for _, off in captioned[-max(1, len(captioned) // 4) :]]
    gaps = [each.span for at, each in log.told if each.span and at < began + 60.0 * minutes]
    return {
        "minutes": minutes,
        "repetitions": len(rows),
        "captioned": len(captioned),
        "drift_median_ms": 1000 * statistics.median(off for off, _ in last),
        "drift_last_word_ms": 1000 * statistics.median(word for _, word in last),
        "very_last_word_ms": 1000 * captioned[-1][1][1],
        "worst_repetition_ms": 1000 * max((off for _, (off, _) in captioned), key=abs),
        "gaps_meanwhile": gaps,
        "lost_samples": summary.lost_samples,
        "cores_with_recogniser": summary.cores,
        "cores_capture_alone": float(alone),
        "latency": latency,
        "faults": faults,
        "error": str(session.error) if session.error else "",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="capture_drift.py", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True, help="of capture before the faults")
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--report", type=Path, help="write the figures here, as JSON")
    parser.add_argument("--capture-alone", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.capture_alone:
        print(capture_alone(options.capture_alone, _ALONE_S))
        return 0
    with tempfile.TemporaryDirectory(prefix="cg-drift-") as folder:
        Path(folder).chmod(0o700)
        report = run(options.minutes, options.profile, Path(folder))
    text = json.dumps(report, indent=1)
    print(text)
    if options.report:
        options.report.write_text(text + "\n", encoding="utf-8")
    drifts = report["drift_median_ms"], report["drift_last_word_ms"]
    true = max(map(abs, drifts)) <= 1000 * TRUE_S
    back = all(map(is_soon, report["faults"]))
    print(
        f"{'met   ' if true else 'MISSED'} times of words, the last ones too, are true within 50 ms"
    )
    print(
        f"{'met   ' if back else 'MISSED'} sound is back within 2 s or with the server's recorder"
    )
    return 0 if true and back and not report["error"] else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
