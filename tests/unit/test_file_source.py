"""Sound files: every kind is read whole, and a damaged one gives what is there."""

from __future__ import annotations

import errno
import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recording
from sound_files import quiet_tone, read_whole, written

from engine.errors import AudioFileError, SourceError
from engine.sources import _audio_file
from engine.sources.file import FileSource
from engine.types import Samples


@pytest.mark.parametrize(
    ("rate", "channels", "subtype"),
    [
        (8_000, 1, "PCM_16"),
        (16_000, 1, "PCM_U8"),
        (16_000, 1, "ULAW"),
        (22_050, 1, "PCM_16"),
        (44_100, 2, "PCM_24"),
        (48_000, 2, "PCM_32"),
        (48_000, 1, "FLOAT"),
        (96_000, 1, "DOUBLE"),
        (192_000, 2, "PCM_24"),
        (16_000, 4, "PCM_16"),
    ],
)
def test_every_kind_of_wav_is_read_whole(
    tmp_path: Path, rate: int, channels: int, subtype: str
) -> None:
    path = tmp_path / "sound.wav"
    tone = quiet_tone(0.7, rate, channels)
    soundfile.write(path, tone, rate, subtype=subtype)
    source = FileSource(path)
    assert (source.sample_rate, source.live, source.lane) == (rate, False, "file")
    assert source.duration == pytest.approx(0.7)
    samples, error = read_whole(source)
    assert error is None
    assert len(samples) == len(tone)
    assert np.abs(samples - tone[:, 0]).max() < 0.02


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.flac", {}),
        ("a.ogg", {}),
        ("a.opus", {"format": "OGG", "subtype": "OPUS"}),
        ("a.mp3", {}),
        ("a.aiff", {}),
        ("a.caf", {}),
        ("a.w64", {}),
        ("a.au", {}),
    ],
)
def test_other_formats_are_read_whole(
    tmp_path: Path, name: str, options: dict[str, Any], demo: Recording
) -> None:
    speech, rate = soundfile.read(demo.path, frames=48_000, dtype="float32")
    soundfile.write(tmp_path / name, speech, rate, **options)
    samples, error = read_whole(FileSource(tmp_path / name))
    assert error is None
    assert len(samples) == len(speech)
    assert np.corrcoef(samples, speech)[0, 1] > 0.95


@pytest.mark.parametrize(
    "name", ["with space.wav", "录音 会议.wav", "🎙️ talk.wav", 'it\'s "1" & $2;.wav', "-.wav"]
)
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "名前 🎧"
    folder.mkdir()
    soundfile.write(folder / name, quiet_tone(0.1, 16_000), 16_000)
    source = FileSource(folder / name)
    assert source.description == name
    assert len(read_whole(source)[0]) == 1600


@pytest.mark.skipif(os.name != "posix", reason="elsewhere every name is text")
def test_a_name_of_stray_bytes_is_read_and_shown_as_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path / "caf") + b"\xe9\n.wav"))
    shutil.copyfile(written(tmp_path / "plain.wav"), path)
    source = FileSource(path)
    assert source.description.encode() == "caf��.wav".encode()
    assert len(read_whole(source)[0]) == 1600


def test_dialogue_of_a_film_is_not_buried(tmp_path: Path) -> None:
    """In 5.1 it is in the third channel alone; the fourth rumbles."""
    film = np.zeros((48_000, 6), np.float32)
    film[:, 2] = quiet_tone(1.0, 48_000)[:, 0]
    film[:, 3] = 0.9
    soundfile.write(tmp_path / "film.wav", film, 48_000, subtype="FLOAT", format="WAVEX")
    source = FileSource(tmp_path / "film.wav")
    assert source.channels == 1
    samples, _ = read_whole(source)
    assert samples == pytest.approx(film[:, 2] * 0.707, abs=1e-4)


@pytest.mark.parametrize("channels", [1, 2, 6])
def test_samples_that_are_no_numbers_reach_the_ring_without_a_warning(
    tmp_path: Path, channels: int
) -> None:
    tone = quiet_tone(0.5, 16_000, channels)
    tone[100] = np.nan
    tone[200] = np.inf
    tone[300, 0], tone[300, -1] = -np.inf, np.inf
    soundfile.write(tmp_path / "nan.wav", tone, 16_000, subtype="FLOAT")
    samples, error = read_whole(FileSource(tmp_path / "nan.wav"))
    assert error is None
    assert len(samples) == 8000
    assert np.isfinite(np.delete(samples, [100, 200, 300])).all()


def test_a_truncated_wav_gives_what_is_there(tmp_path: Path) -> None:
    whole = tmp_path / "whole.wav"
    soundfile.write(whole, quiet_tone(1.0, 16_000), 16_000)
    data = whole.read_bytes()
    path = tmp_path / "cut.wav"
    path.write_bytes(data[: 44 + 2 * 5000 + 1])
    samples, error = read_whole(FileSource(path))
    assert error is None
    assert len(samples) == 5000


def test_a_wav_whose_recorder_died_gives_what_is_there(tmp_path: Path) -> None:
    """Its header still says that the length is not known yet."""
    path = tmp_path / "live.wav"
    soundfile.write(path, quiet_tone(0.5, 16_000), 16_000)
    data = bytearray(path.read_bytes())
    data[4:8] = data[40:44] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(data)
    assert len(read_whole(FileSource(path))[0]) == 8000


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_flac_gives_what_is_before_and_says_where_it_breaks(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "broken.flac"
    noise = np.random.default_rng(2).standard_normal((48_000, 1)).astype(np.float32) * 0.1
    soundfile.write(path, noise, 16_000)
    data = bytearray(path.read_bytes())
    half = len(data) // 2
    path.write_bytes(data[:half] if damage == "cut" else data[:half] + b"\x55" * half)
    samples, error = read_whole(FileSource(path))
    assert isinstance(error, AudioFileError)
    assert "broken.flac breaks off after 1." in str(error)
    assert 16_000 < len(samples) < 24_000


def test_a_file_that_shrinks_while_it_is_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "shrinks.wav"
    soundfile.write(path, quiet_tone(10.0, 48_000), 48_000)
    source = FileSource(path)
    os.truncate(path, 44 + 2 * 96_000)
    samples, error = read_whole(source)
    assert len(samples) == 96_000
    assert "shrinks.wav breaks off after 2.0 s" in str(error)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
def test_a_file_deleted_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "gone.wav"
    soundfile.write(path, quiet_tone(5.0, 48_000), 48_000)
    source = FileSource(path)
    path.unlink()
    samples, error = read_whole(source)
    assert (len(samples), error) == (240_000, None)


class _FailingDisk:
    """A reader whose disk goes away after the first block."""

    sample_rate, channels, duration = 16_000, 1, 10.0
    closed = False

    def __init__(self, error: Exception) -> None:
        self._error = error

    def blocks(self, frames: int) -> Iterator[Samples]:
        yield np.zeros((frames, 1), np.float32)
        raise self._error

    def close(self) -> None:
        self.closed = True


def test_a_disk_that_fails_ends_the_stream_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disk = _FailingDisk(OSError(errno.EIO, "Input/output error"))
    monkeypatch.setattr("engine.sources.file.open_audio", lambda _: disk)
    samples, error = read_whole(FileSource(tmp_path / "far.wav"))
    assert len(samples) == 1600
    assert isinstance(error, SourceError)
    assert "far.wav" in str(error)
    assert "Input/output error" in str(error)
    assert disk.closed
    assert caplog.records


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """An MP4 with a picture and a sound track."""
    av = pytest.importorskip("av")
    path = tmp_path / "影片.mp4"
    with av.open(str(path), "w") as container:
        track = container.add_stream("aac", rate=48_000, layout="stereo")
        picture = container.add_stream("mpeg4", rate=10)
        picture.width = picture.height = 64
        tone = np.ascontiguousarray(quiet_tone(2.0, 48_000, 2).T)
        frame = av.AudioFrame.from_ndarray(tone, format="fltp", layout="stereo")
        frame.rate = 48_000
        for packet in track.encode(frame) + track.encode():
            container.mux(packet)
        still = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
        for packet in picture.encode(still) + picture.encode():
            container.mux(packet)
    return path


def test_the_sound_of_a_film_is_read(film: Path) -> None:
    source = FileSource(film)
    assert (source.sample_rate, source.channels) == (48_000, 2)
    assert source.duration == pytest.approx(2.0, abs=0.1)
    samples, error = read_whole(source)
    assert error is None
    assert abs(len(samples) - 96_000) < 3000
    spectrum = np.abs(np.fft.rfft(samples[24_000:72_000]))
    assert int(spectrum.argmax()) == 440


def test_one_opener_serves_whoever_reads_files(tmp_path: Path) -> None:
    reader = _audio_file.open_audio(written(tmp_path / "a.wav"))
    assert [len(block) for block in reader.blocks(700)] == [700, 700, 200]
    reader.close()
