"""Sound that breaks off on a real sound server: captions go on, the gap is marked, and words said
later have true times. Times of two processes compare: they share the machine's monotonic clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile
from fixtures_recordings import Recordings
from fixtures_sound import SoundServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' sound server is Linux's"),
]

ROOT = Path(__file__).parents[2]
LIMIT_S = 30.0
TRUE_S = 0.6
"""A player takes a moment to start, and not always the same on a busy machine."""


class Captions:
    """A session in a process of its own.

    Attributes:
        events: what it said so far.
    """

    def __init__(self, server: SoundServer, *lanes: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "recovery_session.py"), *lanes],
            env=server.env | {"CAPTIONGLASS_MODELS": os.environ["CAPTIONGLASS_MODELS"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name="captions")
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))

    def wait(self, done: Callable[[], Any], what: str) -> Any:
        deadline = time.monotonic() + LIMIT_S
        while not (found := done()):
            if time.monotonic() > deadline or self._process.poll() is not None:
                pytest.fail(f"{what} never came: {self.events}")
            time.sleep(0.02)
        return found

    def told(self, *codes: str, since: float = 0.0) -> dict[str, Any]:
        """The first notice from then on that has one of these codes."""

        def look() -> dict[str, Any] | None:
            found = (e for e in self.events if e.get("notice") in codes and e["at"] >= since)
            return next(found, None)

        event: dict[str, Any] = self.wait(look, " or ".join(codes))
        return event

    def codes(self) -> list[str]:
        return [event["notice"] for event in self.events if "notice" in event]

    def spoken(self, word: str, since: float) -> float:
        """The end of a word on the stream clock, in a line finished from then on."""

        def look() -> float | None:
            for event in self.events:
                if event["at"] < since:
                    continue
                for text, _, end in event.get("words", ()):
                    if text.strip(".,").casefold() == word:
                        return float(end)
            return None

        end: float = self.wait(look, word)
        return end

    def end(self) -> tuple[str, str]:
        """Stop it; its error and what it said on stderr."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._reader.join(LIMIT_S)
        assert self._process.stderr is not None
        # PortAudio itself says in which line of it a dying server was noticed.
        lines = self._process.stderr.read().splitlines()
        errors = "".join(line for line in lines if not line.startswith("Expression '"))
        self._process.wait(LIMIT_S)
        last = next((event["error"] for event in self.events if "error" in event), "it died")
        return last, errors

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


class Stage:
    """Two sinks, a sentence to play into them, and the captions of what they play."""

    def __init__(self, server: SoundServer, sentence: Path, word: str) -> None:
        self.server = server
        self._sentence = sentence
        self._word = word
        self._began: float | None = None
        self._captions: Captions | None = None

    @property
    def captions(self) -> Captions:
        assert self._captions is not None
        return self._captions

    def begin(self, *lanes: str) -> None:
        self._captions = Captions(self.server, *lanes)
        self.captions.wait(lambda: any("header" in e for e in self.captions.events), "the header")

    def close(self) -> None:
        if self._captions is not None:
            self._captions.kill()

    def say(self, sink: str) -> None:
        """Play the sentence: it is captioned, at the time at which it was said."""
        if self._began is None:
            # A null sink that has played nothing yet takes steps of up to 2 s: what is played into
            # it first starts late, and so does what would be measured by it.
            self._play(sink)
            before, end = self._play(sink)
            # The zero of the stream clock, as this sentence has it.
            self._began = before - end
        else:
            before, end = self._play(sink)
        assert end == pytest.approx(before - self._began, abs=TRUE_S)

    def _play(self, sink: str) -> tuple[float, float]:
        """Play the sentence; when it was begun, and the end of its word on the stream clock."""
        before = time.monotonic()
        player = subprocess.Popen(
            ["paplay", f"--device={sink}", "--latency-msec=20", str(self._sentence)],
            env=self.server.env,
        )
        try:
            return before, self.captions.spoken(self._word, before)
        finally:
            player.kill()
            player.wait()

    def gap(self, since: float) -> None:
        """The next gap is marked, where it should be on the stream clock."""
        assert self._began is not None
        event = self.captions.told("source.gap", since=since)
        start, end = event["span"]
        assert start < end
        # With nothing playing, PulseAudio may have paused up to two seconds before.
        assert -3.0 < start - (since - self._began) < 1.0
        assert end <= event["at"] - self._began + TRUE_S


@pytest.fixture
def stage(sound_server: SoundServer, recordings: Recordings, tmp_path: Path) -> Iterator[Stage]:
    recording = recordings.named("ljspeech_LJ001-0013")
    samples, rate = soundfile.read(recording.path, dtype="float32")
    soundfile.write(tmp_path / "sentence.wav", samples, rate)
    _pactl(sound_server, "load-module", "module-null-sink", "sink_name=other", "rate=44100")
    _pactl(sound_server, "set-default-sink", SoundServer.SINK)
    made = Stage(sound_server, tmp_path / "sentence.wav", "operations")
    yield made
    made.close()
    # What a test did to the server is not the next one's.
    sound_server.kill()


def _pactl(server: SoundServer, *command: str) -> None:
    server._run("pactl", *command)


def _unplug(server: SoundServer, sink: str) -> None:
    modules = server._run("pactl", "list", "short", "modules").stdout
    (number,) = [
        line.split("\t")[0] for line in modules.splitlines() if f"sink_name={sink}" in line
    ]
    _pactl(server, "unload-module", number)


def test_the_default_is_followed_and_a_device_that_goes_is_replaced(stage: Stage) -> None:
    stage.begin("system")
    stage.say(SoundServer.SINK)
    _pactl(stage.server, "set-default-sink", "other")
    stage.captions.told("source.default")
    stage.say("other")
    unplugged = time.monotonic()
    _unplug(stage.server, "other")
    # Whichever the server does first.
    stage.captions.told("source.gone", "source.default", since=unplugged)
    stage.gap(unplugged)
    stage.say(SoundServer.SINK)
    assert stage.captions.end() == ("", "")


def test_a_chosen_device_is_taken_back_when_it_returns(stage: Stage) -> None:
    _pactl(stage.server, "set-default-sink", "other")
    stage.begin(f"system={SoundServer.SINK}")
    stage.say(SoundServer.SINK)
    unplugged = time.monotonic()
    _unplug(stage.server, SoundServer.SINK)
    stage.captions.told("source.gone")
    stage.captions.told("source.gap", since=unplugged)
    stage.say("other")
    stage.server.load_sink()
    stage.captions.told("source.returned")
    stage.say(SoundServer.SINK)
    assert stage.captions.end() == ("", "")


def test_a_server_that_dies_and_comes_back_and_a_silence_that_is_none(stage: Stage) -> None:
    stage.begin("system")
    stage.say(SoundServer.SINK)
    quiet = len(stage.captions.codes())
    # Nothing plays, and then the monitor is suspended: digital silence is what it should give.
    time.sleep(2.0)
    _pactl(stage.server, "suspend-sink", SoundServer.SINK, "1")
    time.sleep(1.0)
    _pactl(stage.server, "suspend-sink", SoundServer.SINK, "0")
    stage.say(SoundServer.SINK)
    assert "source.silent" not in stage.captions.codes()[quiet:]
    killed = time.monotonic()
    stage.server.kill()
    stage.captions.told("source.gone")
    stage.server.start()
    stage.gap(killed)
    stage.say(SoundServer.SINK)
    assert stage.captions.end() == ("", "")
