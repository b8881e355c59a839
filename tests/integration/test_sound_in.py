"""What the computer plays, on a real sound server: captioned through the real command, alone, in
two lanes, in any format, and by application; the list of devices as it changes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recordings
from fixtures_sound import SoundServer

from engine.ring import SampleRing
from engine.sources.application import ApplicationSource, playing
from engine.types import Samples

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' sound server is Linux's"),
]

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "desktop_app"]
LIMIT_S = 120.0
CUE = re.compile(r"(\d\d):(\d\d):(\d\d),(\d{3}) --> .*\n(.+)")


def words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())


def wait_until(happened: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + LIMIT_S
    while not (found := happened()):
        if time.monotonic() > deadline:
            pytest.fail(f"{what} never came")
        time.sleep(0.05)
    return found


class Desk:
    """The sound server with sinks of one's choice, and the command that listens to it."""

    def __init__(self, server: SoundServer) -> None:
        self.server = server
        self.env = {key: value for key, value in server.env.items() if key != "PULSE_SOURCE"}
        self.env["CAPTIONGLASS_MODELS"] = os.environ["CAPTIONGLASS_MODELS"]
        self._modules: list[str] = []
        self._running: list[subprocess.Popen[str]] = []

    def load(self, module: str, *arguments: str) -> str:
        """Load a module; gives its number."""
        number = self.server._run("pactl", "load-module", module, *arguments).stdout.strip()
        self._modules.append(number)
        return number

    def sink(self, name: str, rate: int = 48_000, channels: int = 2) -> str:
        return self.load(
            "module-null-sink",
            f"sink_name={name}",
            f"rate={rate}",
            f"channels={channels}",
            f"sink_properties=device.description={name.title()}",
        )

    def microphone(self, name: str) -> str:
        """A microphone that hears what is played into the sink ``room``."""
        self.sink("room")
        return self.load(
            "module-remap-source",
            "master=room.monitor",
            f"source_name={name}",
            f"source_properties=device.description={name.title()}",
        )

    def unload(self, number: str) -> None:
        self._modules.remove(number)
        self.server._run("pactl", "unload-module", number)

    def play(
        self, path: Path, sink: str = SoundServer.SINK, client: str = "player"
    ) -> subprocess.Popen[str]:
        # With the default a null sink works in steps of up to two seconds; with little more than
        # none, a busy machine leaves holes in what is played.
        return self.start(
            "paplay", f"--device={sink}", "--latency-msec=300", f"--client-name={client}", str(path)
        )

    def start(self, *command: str) -> subprocess.Popen[str]:
        self._running.append(
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return self._running[-1]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    def captions(self, *arguments: str, lanes: int = 1) -> subprocess.Popen[str]:
        """The command, listening; returns once the server has that many recordings."""
        running = self.start(*COMMAND, "caption", *arguments)

        def recording() -> bool:
            if running.poll() is not None:
                assert running.stderr is not None
                pytest.fail(f"it ended: {running.stderr.read()}")
            listed = self.server._run("pactl", "list", "short", "source-outputs").stdout
            # The remapped microphone records its master itself.
            return (
                sum(
                    "RUNNING" in line or "float32" in line
                    for line in listed.splitlines()
                    if "module-remap" not in line and "protocol-native" in line
                )
                >= lanes
            )

        wait_until(recording, "recording")
        return running

    def end(self, running: subprocess.Popen[str]) -> tuple[list[str], list[str]]:
        """Ctrl-C; the lines on stdout and stderr."""
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=LIMIT_S)
        assert running.returncode == 130, errors
        return out.splitlines(), errors.splitlines()

    def tidy(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()
        for number in reversed(self._modules):
            self.server._run("pactl", "unload-module", number, check=False)


@pytest.fixture
def desk(sound_server: SoundServer) -> Iterator[Desk]:
    desk = Desk(sound_server)
    yield desk
    desk.tidy()


def _events(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [event for event in found if "segment" in event]


def _finals(path: Path) -> list[dict[str, Any]]:
    return [event for event in _events(path) if event["final"] and event["stable"]]


def _but_slow(errors: list[str]) -> list[str]:
    """What was said beside that this machine is busy."""
    return [line for line in errors if "this computer is slow" not in line]


def _heard_all(path: Path, lane: str, seconds: float) -> bool:
    """Whether the lane's last line is finished and the recording over."""
    mine = [event for event in _events(path) if event["lane"] == lane]
    return bool(mine) and mine[-1]["final"] and mine[-1]["end"] > seconds - 1.0


TAPE = """
import sys
import numpy as np, soundfile
from desktop_app.pick_source import pick_sources
from engine.ring import SampleRing

(source,) = pick_sources("system")
ring = SampleRing(source.sample_rate, source.channels, 60.0)
source.start(ring)
sys.stdin.read()
source.stop()
soundfile.write(sys.argv[1], ring.read(60 * source.sample_rate).samples, source.sample_rate)
"""


def test_what_is_played_gives_the_same_words_as_the_file(
    desk: Desk, recordings: Recordings, tmp_path: Path
) -> None:
    """Live, and from a tape of what was heard: that one does not depend on how busy we are."""
    speech = [recordings.named("ljspeech_LJ001-0001")]
    sound = np.concatenate([soundfile.read(each.path, dtype="float32")[0] for each in speech])
    original, tape, events = (tmp_path / name for name in ("speech.wav", "tape.wav", "events"))
    soundfile.write(original, sound, 16_000)
    said = words(" ".join(each.transcript for each in speech))
    recorder = desk.start(sys.executable, "-c", TAPE, str(tape))
    running = desk.captions("system", "--events", str(events), lanes=2)
    assert desk.play(original).wait(LIMIT_S) == 0
    wait_until(lambda: _heard_all(events, "system", len(sound) / 16_000), "the last line")
    out, errors = desk.end(running)
    _, failed = recorder.communicate("", timeout=LIMIT_S)
    assert failed == ""
    assert {event["lane"] for event in _finals(events)} == {"system"}
    assert _but_slow(errors) == []
    from_file, from_tape = desk.run("caption", str(original)), desk.run("caption", str(tape))
    # Of so few words one alone is more than a point, and the model may hear one differently where
    # the speech begins at another sample.
    limit = jiwer.wer(said, words(from_file.stdout)) + max(0.01, 1 / len(said.split()))
    assert jiwer.wer(said, words(from_tape.stdout)) <= limit
    assert jiwer.wer(said, words(" ".join(out))) <= limit + (0.1 if errors else 0.0)


def test_two_lanes_at_once_are_both_right_and_stand_in_time_order(
    desk: Desk, recordings: Recordings, tmp_path: Path
) -> None:
    desk.microphone("desk_microphone")
    mine = recordings.named("jfk_ask_not")
    theirs = recordings.named("ljspeech_LJ001-0001")
    for each in (mine, theirs):
        sound, rate = soundfile.read(each.path, dtype="float32")
        soundfile.write(tmp_path / f"{each.name}.wav", sound, rate)
    events, srt = tmp_path / "events.jsonl", tmp_path / "both.srt"
    running = desk.captions("both", "--events", str(events), "--srt", str(srt), lanes=2)
    players = [
        desk.play(tmp_path / f"{mine.name}.wav", "room"),
        desk.play(tmp_path / f"{theirs.name}.wav"),
    ]
    assert [player.wait(LIMIT_S) for player in players] == [0, 0]
    wait_until(lambda: _heard_all(events, "mic", mine.seconds), "your last line")
    wait_until(lambda: _heard_all(events, "system", theirs.seconds), "their last line")
    out, errors = desk.end(running)
    assert _but_slow(errors) == []
    for label, recording in (("You: ", mine), ("Others: ", theirs)):
        said = " ".join(line.removeprefix(label) for line in out if line.startswith(label))
        assert jiwer.wer(words(recording.transcript), words(said)) <= 0.15
    assert all(line.startswith(("You: ", "Others: ")) for line in out)
    # Both began within the second, so their lines take turns; the order is that of the times.
    starts = {
        f"{'You' if event['lane'] == 'mic' else 'Others'}: {event['stable']}": event["start"]
        for event in _finals(events)
    }
    # A machine that is behind sees a line only when another that began later is finished.
    if not errors:
        for before, after in itertools.pairwise(out):
            assert starts[after] >= starts[before] - 0.5
    cues = [
        3600 * int(h) + 60 * int(m) + int(s) + int(ms) / 1000
        for h, m, s, ms, _ in CUE.findall(srt.read_text(encoding="utf-8"))
    ]
    assert cues == sorted(cues)
    assert (
        abs(
            min(start for line, start in starts.items() if line.startswith("You"))
            - min(start for line, start in starts.items() if line.startswith("Oth"))
        )
        < 1.5
    )


RECORDER = """
import json, sys, time
import numpy as np
from engine.ring import SampleRing
from engine.sources.inventory import open_device, open_inventory

devices = {each.name: each for each in open_inventory().devices()}
recording = []
for name in sys.argv[1:]:
    source = open_device(devices[name], "system", pinned=True)
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    recording.append((name, source, ring))
time.sleep(3.0)
for name, source, ring in recording:
    source.stop()
    heard = ring.read(20 * source.sample_rate).samples[-source.sample_rate :]
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    tones = {hz: float(spectrum[hz - 3 : hz + 4].max()) for hz in range(500, 3000, 500)}
    print(json.dumps([name, source.sample_rate, source.channels, ring.lost,
                      float(np.sqrt(np.mean(np.square(heard)))), tones]))
"""


def test_each_output_is_recorded_alone_in_its_own_format(desk: Desk, tmp_path: Path) -> None:
    """Four at once in one process: 44.1 and 48 kHz, mono and stereo, a tone of its own in each."""
    formats = {
        "mono_44": (44_100, 1, 500),
        "stereo_44": (44_100, 2, 1_000),
        "mono_48": (48_000, 1, 1_500),
        "stereo_48": (48_000, 2, 2_000),
    }
    for name, (rate, channels, hertz) in formats.items():
        desk.sink(name, rate, channels)
        times = np.arange(rate * 12) / rate
        tone = 0.5 * np.sin(2 * np.pi * hertz * times)
        soundfile.write(tmp_path / f"{name}.wav", np.stack([tone] * channels, 1), rate)
        desk.play(tmp_path / f"{name}.wav", name)
    recorder = desk.start(sys.executable, "-c", RECORDER, *(name.title() for name in formats))
    out, errors = recorder.communicate(timeout=LIMIT_S)
    assert recorder.returncode == 0, errors
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 4
    for (rate, channels, hertz), row in zip(formats.values(), rows, strict=True):
        assert row[1:4] == [rate, channels, 0]
        assert row[4] == pytest.approx(0.5 / np.sqrt(2), rel=0.05)
        loudest = {int(at): loud for at, loud in row[5].items()}
        assert max(loudest, key=lambda at: loudest[at]) == hertz
        others = [loud for at, loud in loudest.items() if at != hertz]
        assert max(others) < 0.01 * loudest[hertz]


def test_the_list_is_live(desk: Desk) -> None:
    watching = desk.start(*COMMAND, "devices", "--json", "--watch")
    lists: list[list[dict[str, Any]]] = []

    def follow() -> None:
        assert watching.stdout is not None
        lists.extend(json.loads(line) for line in watching.stdout)

    reader = threading.Thread(target=follow, name="lists")
    reader.start()

    def names() -> set[str]:
        return {each["source"] for each in lists[-1]} if lists else set()

    def defaults() -> set[str]:
        return {each["source"] for each in lists[-1] if each["is_default"]} if lists else set()

    try:
        wait_until(lambda: lists, "the first list")
        assert names() == {"system:Null Output"}
        number = desk.sink("headphones")
        wait_until(lambda: "system:Headphones" in names(), "the plugged device")
        desk.server._run("pactl", "set-default-sink", "headphones")
        wait_until(lambda: defaults() == {"system:Headphones"}, "the default")
        desk.microphone("usb_mic")
        wait_until(lambda: "mic:Usb_Mic" in names(), "the microphone")
        desk.unload(number)
        wait_until(lambda: "system:Headphones" not in names(), "its going")
        desk.server.kill()
        wait_until(lambda: lists[-1] == [], "the end of the server")
        desk.server.start()
        wait_until(lambda: names() == {"system:Null Output"}, "the server's return")
        desk._modules.clear()
    finally:
        watching.send_signal(signal.SIGINT)
        watching.wait(LIMIT_S)
        reader.join(LIMIT_S)
    assert watching.returncode == 130


def test_the_list_for_people_says_what_to_type(desk: Desk) -> None:
    desk.microphone("usb_mic")
    listed = desk.run("devices")
    assert listed.returncode == 0
    assert listed.stderr == ""
    assert [line.split() for line in listed.stdout.splitlines()] == [
        ["Microphones"],
        ["System", "default", "(now:", "Usb_Mic)", "mic"],
        ["Usb_Mic", "mic:Usb_Mic"],
        ["What", "the", "computer", "plays"],
        ["System", "default", "(now:", "Null", "Output)", "system"],
        ["Null", "Output", "'system:Null", "Output'"],
        ["Room", "system:Room"],
    ]


def test_without_a_server_a_line_says_so_and_files_work(desk: Desk, recordings: Recordings) -> None:
    desk.server.kill()
    answer = desk.run("caption", "both")
    assert (answer.returncode, answer.stdout) == (1, "")
    (line,) = answer.stderr.splitlines()
    assert "start the sound server" in line
    assert "start the sound server" in desk.run("devices").stderr
    assert desk.run("caption", "app:Firefox").stderr.startswith(
        "captionglass: the sound server does not answer"
    )
    spoken = recordings.named("ljspeech_LJ002-0020")
    answer = desk.run("caption", str(spoken.path))
    assert answer.returncode == 0
    assert "eighteen" in words(answer.stdout)


def _tone(path: Path, hertz: int, seconds: float) -> Path:
    times = np.arange(round(48_000 * seconds)) / 48_000
    soundfile.write(path, 0.5 * np.sin(2 * np.pi * hertz * times), 48_000)
    return path


def _loudness(sound: Samples, hertz: int) -> float:
    window = sound * np.hanning(len(sound))
    at = round(hertz * len(sound) / 48_000)
    return float(np.abs(np.fft.rfft(window))[at - 3 : at + 4].max() / len(sound) * 4)


def test_one_application_is_recorded_alone_and_found_again(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("XDG_RUNTIME_DIR", "HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(key, desk.env[key])
    monkeypatch.delenv("PULSE_SERVER", raising=False)
    source = ApplicationSource("firefox")
    assert not source.is_playing()
    ring = SampleRing(source.sample_rate, source.channels, 60.0)
    pieces: list[Samples] = []

    def heard(hertz: int) -> bool:
        with contextlib.suppress(AttributeError):
            pieces.append(ring.read(60 * 48_000).samples)  # type: ignore[union-attr]
        sound = np.concatenate(pieces)[-24_000:] if pieces else np.zeros(0, np.float32)
        return len(sound) == 24_000 and _loudness(sound, hertz) > 0.3

    source.start(ring)
    try:
        began = time.monotonic()
        music = desk.play(_tone(tmp_path / "music.wav", 3_000, 30), client="Music")
        first = desk.play(_tone(tmp_path / "one.wav", 1_000, 30), client="Firefox")
        wait_until(lambda: heard(1_000), "Firefox")
        assert set(playing()) == {"Firefox", "Music"}
        assert source.is_playing()
        assert _loudness(np.concatenate(pieces)[-24_000:], 3_000) < 0.003
        first.kill()
        first.wait()
        # Another stream of it, to another output.
        desk.sink("headphones")
        desk.play(_tone(tmp_path / "two.wav", 2_000, 30), "headphones", client="Firefox")
        wait_until(lambda: heard(2_000), "Firefox on another output")
        music.kill()
        music.wait()
        passed = time.monotonic() - began
        assert sum(map(len, pieces)) / 48_000 == pytest.approx(passed, abs=1.0)
    finally:
        source.stop()
    assert ring.error is None
