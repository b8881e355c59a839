"""What the computer plays, on a real sound server: each output and application is recorded alone,
in any format, and the list of devices is live."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fixtures_desk import COMMAND, LIMIT_S, Desk, wait_until

from engine.ring import SampleRing
from engine.sources.application import ApplicationSource, playing
from engine.types import Samples

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' sound server is Linux's"),
]

RECORDER = """
import json, sys, time
import numpy as np
from engine.ring import SampleRing
from engine.sources.platforms import open_device, open_inventory

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
