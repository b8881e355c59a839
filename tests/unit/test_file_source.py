from __future__ import annotations

import errno
import os
import shutil
import struct
import threading
import time
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recording

from engine.errors import AudioFileError, SourceError
from engine.ring import SampleRing
from engine.sources import _audio_file, _audio_file_media
from engine.sources.file import FileSource
from engine.types import AudioChunk, Samples


def _tone(seconds: float, rate: int, channels: int = 1) -> Samples:
    """A quiet tone, the same in every channel: (n, channels)."""
    row = 0.25 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    return np.repeat(row[:, None], channels, axis=1).astype(np.float32)


def _read(source: FileSource) -> tuple[Samples, SourceError | None]:
    """All that a file gives, at its own rate, and the error it ended with."""
    ring = SampleRing(source.sample_rate, source.channels, 2.0)
    source.start(ring)
    pieces: list[Samples] = []
    try:
        while True:
            closed = ring.closed
            chunk = ring.read(100_000)
            if chunk is not None:
                assert chunk.first_sample == sum(map(len, pieces))
                pieces.append(chunk.samples)
            elif closed:
                break
    finally:
        source.stop()
    assert ring.lost == 0
    return np.concatenate([*pieces, np.empty(0, np.float32)]), ring.error


def _refusal(path: Path) -> AudioFileError:
    with pytest.raises(AudioFileError) as caught:
        FileSource(path)
    error = caught.value
    assert error.remedy
    assert "\n" not in str(error)
    return error


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
    tone = _tone(0.7, rate, channels)
    soundfile.write(path, tone, rate, subtype=subtype)
    source = FileSource(path)
    assert (source.sample_rate, source.live, source.lane) == (rate, False, "file")
    assert source.duration == pytest.approx(0.7)
    samples, error = _read(source)
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
    samples, error = _read(FileSource(tmp_path / name))
    assert error is None
    assert len(samples) == len(speech)
    assert np.corrcoef(samples, speech)[0, 1] > 0.95


@pytest.mark.parametrize(
    "name", ["with space.wav", "录音 会议.wav", "🎙️ talk.wav", 'it\'s "1" & $2;.wav', "-.wav"]
)
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "名前 🎧"
    folder.mkdir()
    soundfile.write(folder / name, _tone(0.1, 16_000), 16_000)
    source = FileSource(folder / name)
    assert source.description == name
    assert len(_read(source)[0]) == 1600


@pytest.mark.skipif(os.name != "posix", reason="elsewhere every name is text")
def test_a_name_of_stray_bytes_is_read_and_shown_as_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path / "caf") + b"\xe9\n.wav"))
    shutil.copyfile(_written(tmp_path / "plain.wav"), path)
    source = FileSource(path)
    assert source.description.encode() == "caf��.wav".encode()
    assert len(_read(source)[0]) == 1600


def _written(path: Path) -> Path:
    soundfile.write(path, _tone(0.1, 16_000), 16_000)
    return path


def test_dialogue_of_a_film_is_not_buried(tmp_path: Path) -> None:
    """In 5.1 it is in the third channel alone; the fourth rumbles."""
    film = np.zeros((48_000, 6), np.float32)
    film[:, 2] = _tone(1.0, 48_000)[:, 0]
    film[:, 3] = 0.9
    soundfile.write(tmp_path / "film.wav", film, 48_000, subtype="FLOAT", format="WAVEX")
    source = FileSource(tmp_path / "film.wav")
    assert source.channels == 1
    samples, _ = _read(source)
    assert samples == pytest.approx(film[:, 2] * 0.707, abs=1e-4)


@pytest.mark.parametrize("channels", [1, 2, 6])
def test_samples_that_are_no_numbers_reach_the_ring_without_a_warning(
    tmp_path: Path, channels: int
) -> None:
    tone = _tone(0.5, 16_000, channels)
    tone[100] = np.nan
    tone[200] = np.inf
    tone[300, 0], tone[300, -1] = -np.inf, np.inf
    soundfile.write(tmp_path / "nan.wav", tone, 16_000, subtype="FLOAT")
    samples, error = _read(FileSource(tmp_path / "nan.wav"))
    assert error is None
    assert len(samples) == 8000
    assert np.isfinite(np.delete(samples, [100, 200, 300])).all()


def test_a_truncated_wav_gives_what_is_there(tmp_path: Path) -> None:
    whole = tmp_path / "whole.wav"
    soundfile.write(whole, _tone(1.0, 16_000), 16_000)
    data = whole.read_bytes()
    path = tmp_path / "cut.wav"
    path.write_bytes(data[: 44 + 2 * 5000 + 1])
    samples, error = _read(FileSource(path))
    assert error is None
    assert len(samples) == 5000


def test_a_wav_whose_recorder_died_gives_what_is_there(tmp_path: Path) -> None:
    """Its header still says that the length is not known yet."""
    path = tmp_path / "live.wav"
    soundfile.write(path, _tone(0.5, 16_000), 16_000)
    data = bytearray(path.read_bytes())
    data[4:8] = data[40:44] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(data)
    assert len(_read(FileSource(path))[0]) == 8000


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
    samples, error = _read(FileSource(path))
    assert isinstance(error, AudioFileError)
    assert "broken.flac breaks off after 1." in str(error)
    assert 16_000 < len(samples) < 24_000


def test_a_file_that_shrinks_while_it_is_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "shrinks.wav"
    soundfile.write(path, _tone(10.0, 48_000), 48_000)
    source = FileSource(path)
    os.truncate(path, 44 + 2 * 96_000)
    samples, error = _read(source)
    assert len(samples) == 96_000
    assert "shrinks.wav breaks off after 2.0 s" in str(error)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
def test_a_file_deleted_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "gone.wav"
    soundfile.write(path, _tone(5.0, 48_000), 48_000)
    source = FileSource(path)
    path.unlink()
    samples, error = _read(source)
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
    samples, error = _read(FileSource(tmp_path / "far.wav"))
    assert len(samples) == 1600
    assert isinstance(error, SourceError)
    assert "far.wav" in str(error)
    assert "Input/output error" in str(error)
    assert disk.closed
    assert caplog.records


def test_missing(tmp_path: Path) -> None:
    error = _refusal(tmp_path / "nowhere.wav")
    assert error.message == f"there is no file {tmp_path / 'nowhere.wav'}"


def test_folder(tmp_path: Path) -> None:
    assert "is a folder" in str(_refusal(tmp_path))


def test_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    assert str(_refusal(tmp_path / "empty.wav")).startswith("empty.wav is empty (0 bytes)")


def test_no_samples(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "none.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
    assert "none.wav holds no sound (0 samples)" in str(_refusal(tmp_path / "none.wav"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.wav", b"Dear diary, today I recorded nothing.\n" * 50),
        ("zeros.mp3", bytes(5000)),
        ("riff.wav", b"RIFF"),
        ("page.flac", b"<!DOCTYPE html><html><body>404</body></html>"),
        ("cut.ogg", b"OggS\x00\x02"),
    ],
)
def test_what_is_no_sound_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    error = _refusal(tmp_path / name)
    assert error.message.startswith(name)
    assert capfd.readouterr() == ("", "")


def test_without_pyav_the_way_to_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_audio_file_media, "media_available", lambda: False)
    (tmp_path / "film.mkv").write_bytes(b"\x1aE\xdf\xa3" + bytes(1000))
    assert "PyAV" in _refusal(tmp_path / "film.mkv").remedy


def test_headerless(tmp_path: Path) -> None:
    (tmp_path / "sound.raw").write_bytes(bytes(3200))
    assert "captionglass caption -" in _refusal(tmp_path / "sound.raw").remedy


def test_an_impossible_rate(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "slow.wav", _tone(0.1, 16_000), 1)
    assert "claims 1 samples a second" in str(_refusal(tmp_path / "slow.wav"))


@pytest.mark.skipif(os.name != "posix", reason="no such files elsewhere")
def test_special_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    assert "is not a regular file" in str(_refusal(tmp_path / "pipe.wav"))


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise elsewhere")
def test_unreadable(tmp_path: Path) -> None:
    path = _written(tmp_path / "secret.wav")
    path.chmod(0)
    for folder in [tmp_path, *tmp_path.parents][:3]:
        folder.chmod(0o755)
    if os.geteuid() == 0:
        # The administrator may read anything: be nobody for a moment.
        os.seteuid(65534)
        try:
            error = _refusal(path)
        finally:
            os.seteuid(0)
    else:
        error = _refusal(path)
    assert error.message == "secret.wav may not be read by you"


@pytest.mark.parametrize("name", ["x" * 400 + ".wav", "a\0b.wav", "two\nlines.wav"])
def test_names_no_system_takes(tmp_path: Path, name: str) -> None:
    _refusal(tmp_path / name)


def test_it_waits_for_a_slow_reader_and_can_be_stopped_meanwhile(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "long.wav", _tone(30.0, 16_000), 16_000)
    source = FileSource(tmp_path / "long.wav")
    ring = SampleRing(16_000, 1, 1.0)
    source.start(ring)
    deadline = time.monotonic() + 20
    while ring.pending < 15_000 and time.monotonic() < deadline:
        time.sleep(0.005)
    source.stop()
    assert ring.closed
    assert ring.error is None
    assert 15_000 <= ring.pending <= 16_000
    assert ring.lost == 0


class _Clock(threading.Event):
    """Stands for the clock and for the event waited on: time passes only while somebody waits."""

    def __init__(self, late: float) -> None:
        super().__init__()
        self.now = 100.0
        self._late = late

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        self.now += (timeout or 0.0) + self._late
        return False


@pytest.mark.parametrize("late", [0.0, 0.009])
def test_at_the_pace_of_speech_late_wake_ups_do_not_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: float
) -> None:
    soundfile.write(tmp_path / "a.wav", _tone(2.01, 44_100), 44_100)
    source = FileSource(tmp_path / "a.wav", realtime=True)
    clock = _Clock(late)
    ring = SampleRing(44_100, 1)
    handed: list[tuple[float, float, int]] = []
    monkeypatch.setattr("engine.sources.file.time", clock)
    monkeypatch.setattr(
        ring, "write", lambda block, captured: handed.append((clock.now, captured, len(block)))
    )
    source._feed_paced(ring, clock)
    source.stop()
    now, captured, frames = (list(column) for column in zip(*handed, strict=True))
    assert source.live
    assert frames == [882] * 100 + [441]
    spoken = 100.0 + np.cumsum(frames) / 44_100
    assert np.allclose(captured, spoken, rtol=0, atol=1e-9)
    assert np.allclose(now, spoken + late, rtol=0, atol=1e-9)


def test_paced_sound_arrives_as_it_is_captured(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", _tone(0.3, 16_000), 16_000)
    source = FileSource(tmp_path / "a.wav", realtime=True)
    ring = SampleRing(16_000, 1)
    before = time.monotonic()
    source.start(ring)
    chunks: list[AudioChunk] = []
    while not (ring.closed and ring.pending == 0):
        chunk = ring.read(16_000)
        if chunk is not None:
            assert chunk.captured_at <= time.monotonic()
            chunks.append(chunk)
        time.sleep(0.001)
    source.stop()
    assert sum(len(chunk.samples) for chunk in chunks) == 4800
    assert len(chunks) > 1
    assert chunks[-1].captured_at >= before + 0.3


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """An MP4 with a picture and a sound track."""
    av = pytest.importorskip("av")
    path = tmp_path / "影片.mp4"
    with av.open(str(path), "w") as container:
        track = container.add_stream("aac", rate=48_000, layout="stereo")
        picture = container.add_stream("mpeg4", rate=10)
        picture.width = picture.height = 64
        tone = np.ascontiguousarray(_tone(2.0, 48_000, 2).T)
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
    samples, error = _read(source)
    assert error is None
    assert abs(len(samples) - 96_000) < 3000
    spectrum = np.abs(np.fft.rfft(samples[24_000:72_000]))
    assert int(spectrum.argmax()) == 440


def test_a_film_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("av")
    (tmp_path / "film.mkv").write_bytes(b"\x1aE\xdf\xa3" + bytes(1000))
    assert "film.mkv" in str(_refusal(tmp_path / "film.mkv"))


def test_one_opener_serves_whoever_reads_files(tmp_path: Path) -> None:
    reader = _audio_file.open_audio(_written(tmp_path / "a.wav"))
    assert [len(block) for block in reader.blocks(700)] == [700, 700, 200]
    reader.close()
