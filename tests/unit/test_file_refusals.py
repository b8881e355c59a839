"""Files that are no sound, or cannot be read: each is refused in one line, with a remedy."""

from __future__ import annotations

import os
import wave
from pathlib import Path

import pytest
import soundfile
from sound_files import quiet_tone, refusal, written

from engine.sources import _audio_file_media


def test_missing(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nowhere.wav")
    assert error.message == f"there is no file {tmp_path / 'nowhere.wav'}"


def test_folder(tmp_path: Path) -> None:
    assert "is a folder" in str(refusal(tmp_path))


def test_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    assert str(refusal(tmp_path / "empty.wav")).startswith("empty.wav is empty (0 bytes)")


def test_no_samples(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "none.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
    assert "none.wav holds no sound (0 samples)" in str(refusal(tmp_path / "none.wav"))


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
    error = refusal(tmp_path / name)
    assert error.message.startswith(name)
    assert capfd.readouterr() == ("", "")


def test_without_pyav_the_way_to_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_audio_file_media, "media_available", lambda: False)
    (tmp_path / "film.mkv").write_bytes(b"\x1aE\xdf\xa3" + bytes(1000))
    assert "PyAV" in refusal(tmp_path / "film.mkv").remedy


def test_headerless(tmp_path: Path) -> None:
    (tmp_path / "sound.raw").write_bytes(bytes(3200))
    assert "captionglass caption -" in refusal(tmp_path / "sound.raw").remedy


def test_an_impossible_rate(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "slow.wav", quiet_tone(0.1, 16_000), 1)
    assert "claims 1 samples a second" in str(refusal(tmp_path / "slow.wav"))


@pytest.mark.skipif(os.name != "posix", reason="no such files elsewhere")
def test_special_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    assert "is not a regular file" in str(refusal(tmp_path / "pipe.wav"))


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise elsewhere")
def test_unreadable(tmp_path: Path) -> None:
    path = written(tmp_path / "secret.wav")
    path.chmod(0)
    for folder in [tmp_path, *tmp_path.parents][:3]:
        folder.chmod(0o755)
    if os.geteuid() == 0:
        # The administrator may read anything: be nobody for a moment.
        os.seteuid(65534)
        try:
            error = refusal(path)
        finally:
            os.seteuid(0)
    else:
        error = refusal(path)
    assert error.message == "secret.wav may not be read by you"


@pytest.mark.parametrize("name", ["x" * 400 + ".wav", "a\0b.wav", "two\nlines.wav"])
def test_names_no_system_takes(tmp_path: Path, name: str) -> None:
    refusal(tmp_path / name)


def test_a_film_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("av")
    (tmp_path / "film.mkv").write_bytes(b"\x1aE\xdf\xa3" + bytes(1000))
    assert "film.mkv" in str(refusal(tmp_path / "film.mkv"))
