"""The device source on a real sound server. PortAudio is in a process of its own: it reads the
environment when it starts."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recording
from fixtures_sound import SoundServer

from engine.types import Samples

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

RECORDER = """
import json, sys, time
import numpy as np
from engine.errors import DeviceError
from engine.resample import Resampler
from engine.ring import SampleRing
from engine.sources.device import DeviceSource, list_devices

def say(**event):
    print(json.dumps(event), flush=True)

try:
    device, seconds, out = sys.argv[1] or None, float(sys.argv[2]), sys.argv[3]
    say(devices=[each.name for each in list_devices()])
    source = DeviceSource(device)
    ring = SampleRing(source.sample_rate, source.channels)
    source.start(ring)
    resampler = Resampler(source.sample_rate)
    pieces, heard, late = [], False, []
    while len(pieces) == 0 or sum(map(len, pieces)) < 16_000 * seconds:
        closed = ring.closed
        chunk = ring.read(source.sample_rate)
        if chunk is None:
            if closed:
                break
            time.sleep(0.01)
            continue
        if not heard:
            heard = True
            say(recording=source.sample_rate, channels=source.channels)
        late.append(time.monotonic() - chunk.captured_at)
        pieces.append(resampler.push(chunk.samples))
    source.stop()
    np.save(out, np.concatenate([*pieces, resampler.flush()]))
    say(lost=ring.lost, late=sorted(late)[len(late) // 2], error=ring.error and str(ring.error))
except DeviceError as error:
    say(refused=str(error))
"""


class Recorder:
    """A process that records; its events, one after the other."""

    def __init__(self, server: SoundServer, out: Path, device: str, seconds: float) -> None:
        self._out = out
        self._process = subprocess.Popen(
            [sys.executable, "-c", RECORDER, device, str(seconds), str(out)],
            env=server.env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A recorder that hangs would hang the test in the middle of a line.
        self._timer = threading.Timer(90, self._process.kill)
        self._timer.start()

    def event(self) -> dict[str, Any]:
        """The next thing it says."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            assert self._process.stderr is not None
            pytest.fail(f"the recorder died: {self._process.stderr.read()}")
        event: dict[str, Any] = json.loads(line)
        return event

    def samples(self) -> Samples:
        """What it recorded, float32 mono at 16 kHz."""
        samples: Samples = np.load(self._out)
        return samples

    def end(self) -> str:
        """Wait until it is done; what it said on stderr."""
        errors = self._process.communicate()[1]
        self._timer.cancel()
        self._timer.join()
        return errors


@pytest.fixture
def record(sound_server: SoundServer, tmp_path: Path) -> Iterator[Any]:
    running: list[Recorder] = []

    def start(device: str = "pulse", seconds: float = 3.0) -> Recorder:
        running.append(Recorder(sound_server, tmp_path / "heard.npy", device, seconds))
        return running[-1]

    yield start
    for recorder in running:
        recorder._process.kill()
        recorder.end()
        for stream in (recorder._process.stdout, recorder._process.stderr):
            assert stream is not None
            stream.close()


def _play(server: SoundServer, path: Path) -> None:
    assert server.play(path).wait(60) == 0


def test_a_tone_arrives_at_its_pitch_and_level(
    sound_server: SoundServer, record: Any, tmp_path: Path
) -> None:
    """Two channels of 48 kHz are played, recorded at the device's own rate, and come as 16 kHz."""
    seconds = np.arange(48_000 * 8) / 48_000
    tone = 0.5 * np.sin(2 * np.pi * 1000 * seconds)
    soundfile.write(tmp_path / "tone.wav", np.stack([tone, tone], 1), 48_000)
    player = sound_server.play(tmp_path / "tone.wav")
    recorder = record(seconds=5.0)
    assert "pulse" in recorder.event()["devices"]
    assert recorder.event()["channels"] == 2
    last = recorder.event()
    player.kill()
    player.wait()
    assert recorder.end() == ""
    assert (last["lost"], last["error"]) == (0, None)
    middle = recorder.samples()[-32_000:-16_000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert int(spectrum.argmax()) == 1000
    assert np.sqrt(np.mean(np.square(middle))) == pytest.approx(0.5 / np.sqrt(2), rel=0.03)
    assert spectrum[np.r_[20:990, 1010:8000]].max() < spectrum[1000] / 1000


def test_speech_arrives_as_it_was_played(
    sound_server: SoundServer, record: Any, demo: Recording, tmp_path: Path
) -> None:
    speech, rate = soundfile.read(demo.path, frames=16_000 * 6, dtype="float32")
    soundfile.write(tmp_path / "speech.wav", speech, rate)
    recorder = record(seconds=10.0)
    recorder.event()
    recorder.event()
    _play(sound_server, tmp_path / "speech.wav")
    last = recorder.event()
    recorder.end()
    assert (last["lost"], last["error"]) == (0, None)
    heard = recorder.samples()
    middle = speech[32_000:64_000]
    size = 2 ** int(np.ceil(np.log2(len(heard) + len(middle))))
    spectrum = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(middle, size))
    at = int(np.fft.irfft(spectrum).argmax())
    found = heard[at : at + len(middle)]
    assert np.corrcoef(found, middle)[0, 1] > 0.98
    assert np.std(found) == pytest.approx(np.std(middle), rel=0.05)


def test_a_server_that_dies_ends_the_stream_with_a_remedy(
    sound_server: SoundServer, record: Any
) -> None:
    recorder = record(seconds=60.0)
    recorder.event()
    recorder.event()
    sound_server.kill()
    assert "pulse stopped delivering sound" in recorder.event()["error"]


def test_no_server_is_no_device(sound_server: SoundServer, record: Any) -> None:
    sound_server.kill()
    recorder = record(device="")
    assert recorder.event()["devices"] == []
    assert "plug in a microphone" in recorder.event()["refused"]
    assert recorder.end() == ""


def test_a_source_that_is_not_there_cannot_be_opened(
    sound_server: SoundServer, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sound_server.env, "PULSE_SOURCE", "nowhere.monitor")
    recorder = record()
    recorder.event()
    assert "pulse cannot be opened" in recorder.event()["refused"]
    assert recorder.end() == ""
