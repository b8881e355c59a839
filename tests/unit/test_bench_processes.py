"""The benchmark's processes: what they answer, how they fail, and other programs as peers."""

from __future__ import annotations

import array
import os
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.bench import contender, peer_runner
from engine.bench.contender import Contender
from engine.bench.metrics import Measured, normalised
from engine.errors import RecognizerError

HELLO = 'print(\'{"name": "it", "load_s": 0.5}\', flush=True)'
ANSWER = (
    'job = json.loads(sys.stdin.readline()); print(json.dumps({"updates": [], "audio_s": 2.0, '
    '"cpu_s": 1.0, "compute_s": 0.5, "lost_samples": 3, "peak_rss_mb": len(job["path"])}))'
)


def process(code: str) -> Contender:
    command = [sys.executable, "-c", f"import json, sys, time\n{code}"]
    return Contender(command, "the thing", os.environ)


def ended(made: Contender) -> bool:
    return made._process.poll() is not None


# -- a process ----------------------------------------------------------------------------------


def test_a_process_says_who_it_is_and_answers_a_job() -> None:
    made = process(f"{HELLO}\n{ANSWER}")
    try:
        assert made.name == "it"
        found = made.play({"path": "x" * 7}, 2.0)
    finally:
        made.close()
    assert (found.audio_s, found.cpu_s, found.compute_s) == (2.0, 1.0, 0.5)
    assert (found.lost_samples, found.peak_rss_mb, found.load_s) == (3, 7, 0.5)
    made.close()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("sys.exit('no such luck')", "the thing ended without an answer: no such luck"),
        (
            'print(\'{"error": "it is broken", "remedy": "mend it"}\')',
            "it is broken: mend it",
        ),
    ],
)
def test_a_process_that_cannot_work_says_why_and_is_gone(code: str, says: str) -> None:
    with pytest.raises(RecognizerError) as failure:
        process(code)
    assert str(failure.value) == says


def test_a_process_that_ends_in_the_middle_is_an_error() -> None:
    made = process(f"{HELLO}\nsys.stderr.write('killed by the cat')\nsys.exit(3)")
    with pytest.raises(RecognizerError, match="ended without an answer: killed by the cat"):
        made.play({}, 1.0)
    made.close()
    assert ended(made)


def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    made = process(f"{HELLO}\ntime.sleep(600)")
    monkeypatch.setattr(contender, "_START_LIMIT_S", 0.05)
    with pytest.raises(RecognizerError, match="ended without an answer"):
        made.play({}, 0.0)
    made.close()
    assert ended(made)


def test_closing_ends_a_process_at_work() -> None:
    made = process(f"{HELLO}\ntime.sleep(600)")
    made.close()
    assert ended(made)


def test_an_interpreter_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RecognizerError, match="/no/python cannot be started"):
        contender.peer("moonshine-voice", "/no/python")


@pytest.mark.usefixtures("store")
def test_our_own_process_says_in_one_line_what_is_wrong() -> None:
    made = contender.own("moonshine-tiny-en", "fast", "cpu")
    try:
        assert made.name == "fast"
        with pytest.raises(RecognizerError, match="there is no file"):
            made.play({"path": "/no/such/talk.wav"}, 1.0)
    finally:
        made.close()


# -- peers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "package"),
    [("moonshine-voice", "moonshine-voice==0.0.73"), ("local-agreement", "faster-whisper")],
)
def test_a_peer_that_is_not_installed_says_how_it_would_be(kind: str, package: str) -> None:
    with pytest.raises(RecognizerError) as failure:
        contender.peer(kind, sys.executable)
    assert f"is not installed: {sys.executable} -m pip install {package}" in str(failure.value)


def test_every_peer_is_known_on_both_sides() -> None:
    assert set(contender.PEERS) == set(peer_runner.PEERS)


def test_the_peer_runner_needs_nothing_of_ours() -> None:
    script = Path(peer_runner.__file__)
    probe = f"import runpy, sys; runpy.run_path({str(script)!r}); print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-I", "-c", probe], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in answer.stdout.split()}
    assert not loaded & {"engine", "models", "numpy", "onnxruntime"}


class Echo:
    """Says how much it has heard."""

    least_s = 0.05

    def __init__(self, work: Callable[[], None] = lambda: None) -> None:
        self.heard: list[int] = []
        self._work = work

    def open(self, show: Callable[[int, str, str, bool], None]) -> None:
        self._show = show

    def push(self, samples: array.array[float]) -> None:
        self.heard.append(len(samples))
        self._work()
        self._show(0, "", f"{sum(self.heard)}", False)

    def close(self) -> None:
        self._show(0, "all", "", True)


def test_a_peer_hears_all_sound_no_sooner_than_it_is_spoken() -> None:
    echo = Echo()
    answer = peer_runner.feed(echo, array.array("f", bytes(4 * 4100)))
    assert sum(echo.heard) == 4100
    for update in answer["updates"]:
        assert update["t"] >= update["end"]
    assert [update["revision"] for update in answer["updates"]] == list(range(len(echo.heard) + 1))
    assert answer["updates"][-1]["stable"] == "all"
    assert answer["audio_s"] == pytest.approx(4100 / 16_000)


def test_what_came_while_a_peer_worked_is_handed_over_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    monkeypatch.setattr(peer_runner.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(peer_runner.time, "sleep", sleep)
    echo = Echo(lambda: sleep(0.18))
    answer = peer_runner.feed(echo, array.array("f", bytes(4 * 16_000)))
    assert echo.heard[0] == 800
    assert set(echo.heard[1:-1]) <= {2400, 3200}
    assert sum(echo.heard) == 16_000
    assert answer["compute_s"] == pytest.approx(0.18 * len(echo.heard))


def line(number: int, text: str, *, complete: bool = False) -> types.SimpleNamespace:
    return types.SimpleNamespace(line_id=number, text=text, is_complete=complete)


class MoonshineStream:
    """Has the face of moonshine-voice's stream; says one thing a push."""

    events: Sequence[Any] = ()

    def __init__(self) -> None:
        self._waiting = [types.SimpleNamespace(line=each) for each in self.events]

    def add_listener(self, listener: Callable[[Any], None]) -> None:
        self._listener = listener

    def start(self) -> None:
        """Nothing to prepare."""

    def add_audio(self, samples: Sequence[float], rate: int) -> None:
        assert len(samples) == 800
        assert rate == 16_000
        if self._waiting:
            self._listener(self._waiting.pop(0))

    def stop(self) -> None:
        for event in self._waiting:
            self._listener(event)

    def close(self) -> None:
        """Nothing to free."""


def test_moonshines_lines_become_a_timeline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Stream(MoonshineStream):
        events = (
            line(900, "One word."),
            line(900, "One wish."),
            line(77, "Two"),
            line(900, " One wish.", complete=True),
            None,
            line(77, "Two more", complete=True),
        )

    made: dict[str, Any] = {}

    def transcriber(**options: Any) -> Any:
        made.update(options)
        return types.SimpleNamespace(create_stream=Stream)

    (tmp_path / "assets" / "tiny-en").mkdir(parents=True)
    module: Any = types.ModuleType("moonshine_voice.transcriber")
    module.__file__ = str(tmp_path / "transcriber.py")
    module.Transcriber = transcriber
    module.ModelArch = types.SimpleNamespace(TINY=0)
    monkeypatch.setitem(sys.modules, "moonshine_voice", types.ModuleType("moonshine_voice"))
    monkeypatch.setitem(sys.modules, "moonshine_voice.transcriber", module)
    answer = peer_runner.feed(peer_runner.MoonshineVoice(), array.array("f", bytes(4 * 2400)))
    assert made["update_interval"] == 0.5
    found = Measured()
    timeline = [contender.timed(update) for update in answer["updates"]]
    found.measure(timeline, normalised("one wish two more"))
    assert [each.update.segment_id for each in timeline] == [0, 0, 1, 0, 1]
    assert (found.errors, found.erased, found.erased_stable) == (0, len("ord."), 0)
    assert timeline[-1].update.is_final


class Whisper:
    """Has the face of faster-whisper's model; gives one prepared transcript after another."""

    scripts: Sequence[str] = ()

    def __init__(self, *_: Any, **options: Any) -> None:
        assert options["local_files_only"], "a benchmark fetches nothing"
        self._scripts = list(self.scripts)

    def transcribe(self, sound: Sequence[float], **_: Any) -> tuple[list[Any], None]:
        del sound
        words = [
            types.SimpleNamespace(start=at * 0.5, end=at * 0.5 + 0.4, word=f" {text}")
            for at, text in enumerate(self._scripts.pop(0).split())
        ]
        segment = types.SimpleNamespace(
            no_speech_prob=0.1, end=words[-1].end if words else 0.0, words=words
        )
        return [segment], None


def test_local_agreement_shows_what_two_transcripts_begin_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Model(Whisper):
        scripts = ("it was the", "it was a fine", "it was a fine day today")

    module: Any = types.ModuleType("faster_whisper")
    module.WhisperModel = Model
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    texts: list[tuple[str, str, bool]] = []
    peer = peer_runner.LocalAgreement()
    peer.open(lambda _, stable, unstable, final: texts.append((stable, unstable, final)))
    for _ in range(3):
        peer.push(array.array("f", bytes(4 * 16_000)))
    peer.close()
    assert texts == [
        ("it was", "", False),
        ("it was a fine", "", False),
        ("it was a fine day today", "", True),
    ]
