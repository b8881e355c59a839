"""The real command on real speech with the real model, in a process of its own."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
import soundfile
import soxr
from caption_laws import check_laws
from fixtures_recordings import Recording, Recordings

from engine.types import CaptionUpdate, Word

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "desktop_app"]
LIMIT_S = 120
TIMES = re.compile(r"^(\d\d):(\d\d):(\d\d)[,.](\d{3}) --> (\d\d):(\d\d):(\d\d)[,.](\d{3})$")


def captionglass(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    answer = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    return subprocess.CompletedProcess(
        answer.args, answer.returncode, answer.stdout.decode("utf-8"), answer.stderr.decode("utf-8")
    )


def words(text: str) -> str:
    """Lower case, punctuation stripped: what word error rates are counted on."""
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())


def word_error_rate(said: str, shown: str) -> float:
    return float(jiwer.wer(words(said), words(shown)))


def read_events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_updates(events: Sequence[dict[str, Any]]) -> list[CaptionUpdate]:
    return [
        CaptionUpdate(
            lane=event["lane"],
            segment_id=event["segment"],
            revision=event["revision"],
            stable=event["stable"],
            unstable=event["unstable"],
            start=event["start"],
            end=event["end"],
            heard_at=0.0,
            is_final=event["final"],
            words=tuple(Word(*word) for word in event["words"]),
            correction=event["correction"],
        )
        for event in events
        if "segment" in event
    ]


def check_subtitles(path: Path) -> str:
    """See that the file is whole; returns its text."""
    content = path.read_text(encoding="utf-8")
    blocks = content.removeprefix("WEBVTT\n\n").rstrip("\n").split("\n\n")
    assert content.endswith("\n\n")
    text: list[str] = []
    clock = 0.0
    for number, block in enumerate(filter(None, blocks), 1):
        lines = block.split("\n")
        if not content.startswith("WEBVTT"):
            assert lines.pop(0) == str(number)
        match = TIMES.match(lines.pop(0))
        assert match, block
        n = [int(group) for group in match.groups()]
        start = n[0] * 3600 + n[1] * 60 + n[2] + n[3] / 1000
        end = n[4] * 3600 + n[5] * 60 + n[6] + n[7] / 1000
        assert clock <= start < end
        assert 1 <= len(lines) <= 2
        assert all(0 < len(line) <= 42 for line in lines)
        text += lines
        clock = end
    return " ".join(text)


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)


def test_the_demo_is_captioned_into_every_kind_of_file(demo: Recording, tmp_path: Path) -> None:
    folder = tmp_path / "我的 字幕 🎬"
    folder.mkdir()
    files = {kind: folder / f"demo.{kind}" for kind in ("events", "srt", "vtt", "txt")}
    options = itertools.chain(*((f"--{kind}", path) for kind, path in files.items()))
    answer = captionglass("caption", demo.path, *options)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert word_error_rate(demo.transcript, answer.stdout) < 0.15
    assert words(answer.stdout).endswith(words(demo.transcript).split()[-1])
    assert files["txt"].read_text(encoding="utf-8") == answer.stdout
    for kind in ("srt", "vtt"):
        assert words(check_subtitles(files[kind])) == words(answer.stdout)
    header, *updates, summary = read_events(files["events"])
    assert header["header"]["model"] == "moonshine-tiny-en"
    assert header["header"]["provider"] in ("cpu", "cuda")
    assert header["header"]["sample_rate"] == 16_000
    assert summary["summary"]["audio_s"] == pytest.approx(demo.seconds, abs=0.1)
    assert summary["summary"]["lost_samples"] == 0
    assert summary["summary"]["rtf"] > 0
    assert summary["summary"]["cores"] > 0
    assert summary["summary"]["peak_rss_mb"] > 0
    captions = as_updates(updates)
    check_laws(captions)
    stamps = [event["t"] for event in updates]
    assert stamps == sorted(stamps)
    assert stamps[0] >= 0
    finals = [update.stable for update in captions if update.is_final]
    assert "".join(f"{line}\n" for line in finals if line) == answer.stdout


def test_two_runs_give_the_same_captions(recordings: Recordings, tmp_path: Path) -> None:
    path = recordings.named("jfk_ask_not").path
    runs = []
    for name in ("one", "two"):
        assert captionglass("caption", path, "--events", tmp_path / name).returncode == 0
        events = read_events(tmp_path / name)[1:-1]
        runs.append([{**event, "t": None} for event in events])
    assert runs[0] == runs[1]


def test_a_pipe_is_captioned(recordings: Recordings) -> None:
    recording = recordings.named("ljspeech_LJ001-0011")
    samples, rate = soundfile.read(recording.path, dtype="int16")
    assert rate == 16_000
    answer = captionglass("caption", "-", stdin=samples.astype("<i2").tobytes())
    assert (answer.returncode, answer.stderr) == (0, "")
    assert word_error_rate(recording.transcript, answer.stdout) < 0.2


@pytest.fixture
def speech(recordings: Recordings) -> tuple[Recording, np.ndarray[Any, Any]]:
    """A short recording and its samples: float64 mono at 16 kHz."""
    recording = recordings.named("ls_test-clean_1089-134691-0001")
    return recording, soundfile.read(recording.path)[0]


@pytest.mark.parametrize(
    "kind", ["8-bit", "24-bit", "float", "5.1", "8 kHz", "192 kHz", "NaN", "truncated"]
)
def test_odd_wavs_are_simply_handled(
    speech: tuple[Recording, np.ndarray[Any, Any]], tmp_path: Path, kind: str
) -> None:
    recording, samples = speech
    path = tmp_path / "odd.wav"
    if kind == "8-bit":
        soundfile.write(path, samples, 16_000, subtype="PCM_U8")
    elif kind == "24-bit":
        soundfile.write(path, samples, 16_000, subtype="PCM_24")
    elif kind == "5.1":
        film = np.zeros((len(samples), 6))
        film[:, 2] = samples
        soundfile.write(path, film, 16_000)
    elif kind.endswith("kHz"):
        rate = int(kind.split()[0]) * 1000
        soundfile.write(path, soxr.resample(samples, 16_000, rate), rate)
    elif kind == "truncated":
        # The header promises ten seconds more than there are.
        soundfile.write(path, np.concatenate([samples, np.zeros(160_000)]), 16_000)
        with path.open("r+b") as stream:
            stream.truncate(44 + 2 * len(samples) + 1)
    else:
        spoilt = samples.copy()
        if kind == "NaN":
            spoilt[[100, 20_000, 40_001]] = np.nan
        soundfile.write(path, spoilt, 16_000, subtype="FLOAT")
    answer = captionglass("caption", path)
    assert (answer.returncode, answer.stderr) == (0, "")
    # Half the bandwidth, or an eighth of the bits, may cost a word.
    limit = 0.45 if kind in ("8 kHz", "8-bit") else 0.25
    assert word_error_rate(recording.transcript, answer.stdout) < limit


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        ("missing", 2, "there is no file"),
        ("folder", 2, "is a folder"),
        ("empty", 1, "is empty"),
        ("text", 1, "talk.wav"),
        ("no samples", 1, "talk.wav"),
    ],
)
def test_what_cannot_be_captioned_is_one_line(
    tmp_path: Path, make: str, code: int, says: str
) -> None:
    path = tmp_path / "talk.wav"
    if make == "folder":
        path.mkdir()
    elif make == "empty":
        path.write_bytes(b"")
    elif make == "text":
        path.write_text("this is no sound\n" * 50, encoding="utf-8")
    elif make == "no samples":
        soundfile.write(path, np.zeros(0), 16_000)
    out = tmp_path / "out.srt"
    answer = captionglass("caption", path, "--srt", out)
    assert answer.returncode == code
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert line.startswith("captionglass: ")
    assert says in line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--model", "moonshine-tiny"], "did you mean moonshine-tiny-en?"),
        (["--profile", "fastes"], "did you mean fastest?"),
        (["--srt", "/no/such/folder/x.srt"], "its folder does not exist"),
        (["--provider", "abacus"], "'abacus' is not one of"),
    ],
)
def test_a_wrong_request_is_one_line_and_exit_code_2(
    demo: Recording, arguments: list[str], says: str
) -> None:
    answer = captionglass("caption", demo.path, *arguments)
    assert answer.returncode == 2
    (line,) = answer.stderr.splitlines()
    assert says in line


def test_an_unknown_device_is_one_line_and_exit_code_2() -> None:
    answer = captionglass("caption", "mic:no such device")
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 1


class Running:
    """A command that has been started, and the lines it has printed so far."""

    def __init__(self, *arguments: object, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self.first_line = threading.Event()
        self._reader = threading.Thread(target=self._read, name="reader")
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self.first_line.set()

    def end(self) -> tuple[int, str]:
        """Wait for it; returns its exit code and standard error."""
        try:
            code = self.process.wait(LIMIT_S)
        finally:
            self.process.kill()
            self._reader.join()
        assert self.process.stderr is not None
        assert self.process.stdout is not None
        errors = self.process.stderr.read()
        self.process.stderr.close()
        self.process.stdout.close()
        return code, errors


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_in_the_middle_keeps_every_word_and_every_file_whole(
    demo: Recording, tmp_path: Path, name: str, code: int
) -> None:
    events, srt = tmp_path / "e.jsonl", tmp_path / "e.srt"
    running = Running("caption", demo.path, "--realtime", "--events", events, "--srt", srt)
    assert running.first_line.wait(LIMIT_S)
    # Into the middle of the next line, so that there is something left to finish.
    count = len(events.read_bytes().splitlines())
    wait_until(lambda: len(events.read_bytes().splitlines()) >= count + 3)
    running.process.send_signal(getattr(signal, name))
    assert running.end() == (code, "")
    header, *updates, summary = read_events(events)
    assert "header" in header
    assert 1 < summary["summary"]["audio_s"] < demo.seconds
    captions = as_updates(updates)
    check_laws(captions)
    assert captions[-1].is_final
    shown = "".join(running.lines)
    assert words(check_subtitles(srt)) == words(shown)
    assert words(demo.transcript).startswith(" ".join(words(shown).split()[:3]))


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals")
def test_a_kill_leaves_whole_files(demo: Recording, tmp_path: Path) -> None:
    events, srt, vtt = tmp_path / "e.jsonl", tmp_path / "e.srt", tmp_path / "e.vtt"
    running = Running(
        "caption", demo.path, "--realtime", "--events", events, "--srt", srt, "--vtt", vtt
    )
    assert running.first_line.wait(LIMIT_S)
    running.process.kill()
    assert running.end()[0] == -signal.SIGKILL
    assert read_events(events)[0]["header"]
    # Every sink has its own thread: the last line may have reached one and not yet the other.
    for path in (srt, vtt):
        content = path.read_text(encoding="utf-8")
        if content.removeprefix("WEBVTT\n\n"):
            assert words("".join(running.lines)).startswith(words(check_subtitles(path))[:20])


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX pipe")
def test_a_reader_that_leaves_ends_it_quietly(recordings: Recordings, tmp_path: Path) -> None:
    long = recordings.long[0].path
    script = f'"$@" | head -n 1; echo "${{PIPESTATUS[0]}}" > "{tmp_path}/code"'
    answer = subprocess.run(
        ["bash", "-c", script, "bash", *COMMAND, "caption", str(long)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert len(answer.stdout.splitlines()) == 1
    assert answer.stderr == ""
    assert (tmp_path / "code").read_text(encoding="utf-8") == "0\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
def test_without_a_screen_the_bare_command_captions_the_demo(demo: Recording) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    running = Running(env=env)
    assert running.first_line.wait(LIMIT_S)
    running.process.send_signal(signal.SIGINT)
    code, errors = running.end()
    assert code == 130
    (line,) = errors.splitlines()
    assert "there is no screen here" in line
    assert words(running.lines[0]).split()[:3] == words(demo.transcript).split()[:3]
