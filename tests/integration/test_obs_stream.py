"""Closed captions in what OBS really streams: they are read back out of the H.264."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from caption_samples import HEADER, SUMMARY, final
from fixtures_obs import PASSWORD, Obs
from ports import free_port

from engine.sinks.obs import ObsSink

pytestmark = pytest.mark.slow

SAID = ("Good morning, everybody: the café opens at nine.", "Naïve… isn’t it?")
SIZE = {"baseWidth": 640, "baseHeight": 360, "outputWidth": 640, "outputHeight": 360}


def eventually(true: Callable[[], bool], seconds: float = 30.0) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


class Recorder:
    """Takes one stream over RTMP, as a streaming service would, and writes it to a file."""

    def __init__(self, folder: Path) -> None:
        self.server = f"rtmp://127.0.0.1:{free_port()}/live"
        self.file = folder / "stream.flv"
        self.process = subprocess.Popen(
            ["ffmpeg", "-listen", "1", "-i", f"{self.server}/key", "-c", "copy", str(self.file)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def closed_captions(self) -> str:
        """What a viewer reads who switches them on, row after row."""
        raw, ordered, subtitles = (self.file.with_suffix(end) for end in (".h264", ".mkv", ".srt"))
        ffmpeg("-i", self.file, "-c:v", "copy", "-an", "-bsf:v", "h264_mp4toannexb", raw)
        raw.write_bytes(captions_first(raw.read_bytes()))
        ffmpeg("-r", "30", "-i", raw, "-c", "copy", ordered)
        ffmpeg("-f", "lavfi", "-i", f"movie={ordered}[out+subcc]", "-map", "s", subtitles)
        cues = subtitles.read_text("utf-8").strip().split("\n\n")
        rows = [" ".join(cue.split("\n")[2:]) for cue in cues]
        text = " ".join(re.sub(r"<[^>]*>|\{[^}]*\}", "", row).strip() for row in rows)
        # The straight apostrophe of CEA-608 is drawn as a curly one.
        return re.sub("[‘’]", "'", text)


def ffmpeg(*arguments: object) -> None:
    """Run it; it must succeed."""
    command = ["ffmpeg", "-v", "fatal", *map(str, arguments)]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=60)


def captions_first(stream: bytes) -> bytes:
    """H.264 with the messages that OBS puts behind a picture moved before it, which is where the
    standard has them and where ffmpeg's decoder looks."""
    units: list[bytes] = []
    for unit in filter(None, re.split(rb"\x00\x00\x00?\x01", stream)):
        is_message = unit[0] & 31 == 6
        behind = is_message and units and units[-1][0] & 31 in (1, 5)
        units.insert(len(units) - 1 if behind else len(units), unit)
    return b"".join(b"\0\0\0\1" + unit for unit in units)


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    if shutil.which("ffmpeg") is None:
        pytest.skip("no ffmpeg here")
    made = Recorder(tmp_path)
    yield made
    made.process.kill()
    made.process.wait()


def test_the_words_are_closed_captions_of_the_stream(obs: Obs, recorder: Recorder) -> None:
    for category, name, value in (
        ("Output", "Mode", "Simple"),
        ("SimpleOutput", "StreamEncoder", "x264"),
        ("SimpleOutput", "Preset", "ultrafast"),
        ("SimpleOutput", "VBitrate", "600"),
    ):
        parameter = {"parameterCategory": category, "parameterName": name}
        obs.ask("SetProfileParameter", parameter | {"parameterValue": value})
    obs.ask("SetVideoSettings", SIZE | {"fpsNumerator": 30, "fpsDenominator": 1})
    service = {"server": recorder.server, "key": "key"}
    obs.ask(
        "SetStreamServiceSettings",
        {"streamServiceType": "rtmp_custom", "streamServiceSettings": service},
    )
    streams: list[bool] = []
    sink = ObsSink(port=obs.port, password=PASSWORD, streaming=streams.append)
    sink.open(HEADER)
    assert eventually(lambda: streams == [False])
    sink.update(final(0, 0, "Nobody streams yet"), 0.0)
    obs.ask("StartStream")
    assert eventually(lambda: streams[-1]), "OBS streams"
    for segment, text in enumerate(SAID, 1):
        sink.update(final(segment, 0, text), 0.0)
    assert eventually(lambda: not sink._captions)

    def frames() -> int:
        return int(obs.ask("GetStreamStatus")["outputTotalFrames"])

    enough = frames() + 75
    assert eventually(lambda: frames() > enough), "what was sent last is in the stream"
    obs.ask("StopStream")
    assert eventually(lambda: not streams[-1])
    sink.close(SUMMARY)
    recorder.process.wait(20)
    assert recorder.closed_captions() == (
        "Good morning, everybody: the café opens at nine. Naïve... isn't it?"
    )
